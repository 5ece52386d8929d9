package task

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
)

// RatingPredictions are the predictions of pairs of a user and an item, in their order.
type RatingPredictions struct {
	Values  []float64     // of labels the probability of the second, or the score of a loss that has none
	Unknown int           // pairs with a user or an item that the model does not know: the centre
	Errors  metric.Errors // of pairs whose rating is known
	Labels  *ClassScores  // of labels, in place of errors; nil of numbers, or where none is known
	Strange error         // of a label that the model does not have, for which none counts as known; nil of others

	pairs *dataset.Ratings
	said  []string // of labels, the predicted ones
	extra string   // of labels, what Values are
}

// PredictRatings predicts pairs by their ids, with the offsets that they may have; a pair without a rating has NaN for its value,
// and where none has one there need be no Values.
// The model's rows and columns have ids from then on.
func PredictRatings(m *model.Model, pairs *dataset.Ratings) *RatingPredictions {
	z, unknown := scoresOf(m, pairs)
	return predictionsOf(m, pairs, z, unknown)
}

// PredictOverRanks is PredictRatings of pairs that ranks read by parts, see [dataset.RatingsReader]: each predicts its own, and
// the first has them all in the end, in the order of the file. Others have none, but for the number that is unknown. pairs is
// given up.
func PredictOverRanks(c *cluster.Comm, m *model.Model, pairs *dataset.Ratings) (*RatingPredictions, error) {
	if c.Size() == 1 {
		return PredictRatings(m, pairs), nil
	}
	z, unknown := scoresOf(m, pairs)
	to := make([][]float64, c.Size())
	to[0] = z
	all, err := pairs.ToFirst(c)
	if err != nil {
		return nil, err
	}
	return predictionsOf(m, all, slices.Concat(cluster.Deal(c, to)...), c.Count(unknown)), nil
}

// scoresOf are the predictions of pairs, of labels before they are made probabilities, and how many pairs are unknown.
func scoresOf(m *model.Model, pairs *dataset.Ratings) (z []float64, unknown int) {
	m.Name()
	at, score := m.Align(pairs), m.Predict
	if m.TwoLabels() != nil {
		score = m.Score
	}
	z = make([]float64, len(pairs.Rows))
	for e := range z {
		z[e] = score(int(at.Rows[e]), int(at.Cols[e]))
		if pairs.Offset != nil {
			z[e] += pairs.Offset[e]
		}
	}
	return z, at.Unknown()
}

// predictionsOf measures predictions of pairs.
func predictionsOf(m *model.Model, pairs *dataset.Ratings, z []float64, unknown int) *RatingPredictions {
	p := &RatingPredictions{Values: z, Unknown: unknown, pairs: pairs}
	if m.TwoLabels() != nil {
		p.ofLabels(m)
		return p
	}
	for e := range p.Values {
		weight := 1.0
		if pairs.Omega != nil {
			weight = pairs.Omega[e]
		}
		if len(pairs.Values) > 0 && !math.IsNaN(pairs.Values[e]) {
			p.Errors.AddWeighted(p.Values[e], pairs.Values[e], weight)
		}
	}
	return p
}

// ofLabels makes labels of scores.
func (p *RatingPredictions) ofLabels(m *model.Model) {
	signs, two, all := make([]float64, len(p.Values)), m.TwoLabels(), metric.NewClasses(2)
	if !p.pairs.NoValues && len(p.pairs.Values) > 0 {
		var known []float64
		if known, p.Strange = m.Signs(p.pairs); p.Strange == nil {
			signs = known
		}
	}
	if p.extra = "score"; m.Probabilities() {
		p.extra = "probability"
	}
	for e, z := range p.Values {
		weight := 1.0
		if p.pairs.Omega != nil {
			weight = p.pairs.Omega[e]
		}
		if y := signs[e]; y == 1 || y == -1 {
			all.AddSignWeighted(y, z, weight)
		}
		p.said = append(p.said, two[metric.SignClass(z)])
		if m.Probabilities() {
			p.Values[e] = 1 / (1 + math.Exp(-z))
		}
	}
	if all.N() > 0 {
		p.Labels = labelScores(m.Probabilities(), all, two)
	}
}

// Records are user, item and prediction of each pair; of labels the label and the probability of the second.
func (p *RatingPredictions) Records() dataset.Records {
	user, item := dataset.IDField("user", p.pairs.RowIDs.Texts()...), dataset.IDField("item", p.pairs.ColIDs.Texts()...)
	value := dataset.Field{Name: "prediction", Kind: dataset.NumberField, Text: decimal.Number}
	fields := []dataset.Field{user, item, value}
	if p.said != nil {
		value.Name = p.extra
		fields = []dataset.Field{user, item, {Name: "prediction"}, value}
	}
	return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		var row []dataset.Cell
		for e, x := range p.Values {
			row = append(row[:0], user.ID(p.pairs.RowIDs.Text(int(p.pairs.Rows[e]))), item.ID(p.pairs.ColIDs.Text(int(p.pairs.Cols[e]))))
			if p.said != nil {
				row = append(row, dataset.Cell{Text: p.said[e]})
			}
			if !yield(append(row, dataset.Cell{Number: x}), nil) {
				return
			}
		}
	}}
}
