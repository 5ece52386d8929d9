package task

import (
	"encoding/csv"
	"io"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
)

// RatingPredictions are the predictions of pairs of a user and an item, in their order.
type RatingPredictions struct {
	Values  []float64
	Unknown int           // pairs with a user or an item that the model does not know: the centre
	Errors  metric.Errors // of pairs whose rating is known

	pairs *dataset.Ratings
}

// PredictRatings predicts pairs by their ids; a pair without a rating has NaN for its value. The model's rows and columns have
// ids from then on.
func PredictRatings(m *model.Model, pairs *dataset.Ratings) *RatingPredictions {
	m.Name()
	at := m.Align(pairs)
	p := &RatingPredictions{Values: make([]float64, len(pairs.Values)), Unknown: at.Unknown(), pairs: pairs}
	for e, x := range pairs.Values {
		p.Values[e] = m.Predict(int(at.Rows[e]), int(at.Cols[e]))
		if !math.IsNaN(x) {
			p.Errors.Add(p.Values[e], x)
		}
	}
	return p
}

// WriteCSV writes user, item and prediction of each pair under a header.
func (p *RatingPredictions) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	w.Write([]string{"user", "item", "prediction"}) // errors are kept until the end
	for e, x := range p.Values {
		w.Write([]string{p.pairs.RowIDs.Text(int(p.pairs.Rows[e])), p.pairs.ColIDs.Text(int(p.pairs.Cols[e])), metric.Number(x)})
	}
	w.Flush()
	return w.Error()
}
