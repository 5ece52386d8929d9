package task

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// RatingScores are what predictions of ratings are worth.
type RatingScores struct {
	metric.Errors
	NMAE    float64        // NaN where all training ratings are equal
	Unknown int            // ratings of users or items that were not in training
	Cold    *ColdScores    // of those of users or items without training ratings, but with features or lists; nil of none
	Ranking *metric.Ranked // of lists of Completion.Ranking items; nil where they were not measured
	Labels  *ClassScores   // of two labels, in place of errors; nil of numbers
	Own     *float64       // the mean of a loss of one's own; nil of another
	loss    Loss           // that of the fit, which says what score comes first
}

// ColdScores are what predictions are worth where a user or an item has features only, beside what needs no model: the global
// mean, and the biases of users and items with ratings. Of labels there are their scores alone.
type ColdScores struct {
	metric.Errors
	Trivial metric.Trivial
	Labels  *ClassScores // of two labels; nil of numbers
}

// setColdApart finds the test ratings of users or items that only features, or what was seen besides, know.
func (p *PreparedCompletion) setColdApart() {
	if p.task.Side == nil && p.seen == nil || p.task.Test == nil {
		return
	}
	rows, cols := dataset.Counts(p.data)
	var cold []int32
	for e, i := range p.task.Test.Rows {
		if j := p.task.Test.Cols[e]; i >= 0 && j >= 0 && (rows[i] == 0 || cols[j] == 0) {
			cold = append(cold, int32(e))
		}
	}
	if len(cold) > 0 {
		p.cold = p.task.Test.Subset(cold)
		if p.two == nil {
			p.unlearnt = metric.TrivialOn(p.data, p.cold)
		}
	}
}

// Scores is the RMSE; of a loss of absolute errors the MAE comes first, and of a quantile the pinball loss; of labels there are
// the log loss, where the loss has probabilities, and the error rate.
func (s *RatingScores) Scores() selection.Scores {
	rmse, mae := selection.Score{Name: "RMSE", Value: s.RMSE()}, selection.Score{Name: "MAE", Value: s.MAE()}
	switch {
	case s.Own != nil:
		return selection.Scores{{Name: "loss", Value: *s.Own}}
	case s.Labels != nil:
		return s.Labels.Scores()
	case s.loss.Kind == Quantile:
		return selection.Scores{{Name: "pinball loss", Value: s.Pinball(s.loss.Tau)}, rmse, mae}
	case s.loss.robust():
		return selection.Scores{mae, rmse}
	}
	return selection.Scores{rmse, mae}
}

// measureLabels measures scores of ratings that are signs of two labels, by the weights of the ratings.
func measureLabels(m *model.Model, held *dataset.Ratings, two []string) *RatingScores {
	all := metric.NewSpreadClasses(held.Spread, 2)
	for e, y := range held.Values {
		z, weight := m.Score(int(held.Rows[e]), int(held.Cols[e])), 1.0
		if held.Offset != nil {
			z += held.Offset[e]
		}
		if held.Omega != nil {
			weight = held.Omega[e]
		}
		all.Of(int(held.Rows[e])).AddSignWeighted(y, z, weight)
	}
	return &RatingScores{NMAE: math.NaN(), Unknown: held.Unknown(), Labels: labelScores(m.Probabilities(), all.Sum(), two)}
}

// labelScores are what was counted of two labels.
func labelScores(probabilities bool, all *metric.Classes, two []string) *ClassScores {
	r := &ClassScores{Accuracy: all.Accuracy(), N: all.N(), Classes: two, Confusion: all.Table,
		EachClass: metric.EachClass(two, all.Table)}
	if probabilities && all.Known() > 0 {
		r.probabilities(all)
	}
	return r
}

// Constant is what the more frequent label, and its frequency, are worth on Test, or on the training ratings where there is
// none; nil of numbers.
func (p *PreparedCompletion) Constant() *Constant { return p.constant }

// constantOn measures the log odds of the training labels on held-out ones, or on themselves.
func (p *PreparedCompletion) constantOn(held *dataset.Ratings) *Constant {
	train := p.data.(*dataset.Sparse)
	odds := logOdds(train)
	b, all := &Constant{On: "test", Class: p.two[metric.SignClass(odds)]}, metric.NewSpreadClasses(train.Spread, 2)
	if held == nil {
		b.On = "training"
		held = ratingsOf(train)
	}
	for e, y := range held.Values {
		weight := 1.0
		if held.Omega != nil {
			weight = held.Omega[e]
		}
		all.Of(int(held.Rows[e])).AddSignWeighted(y, odds, weight)
	}
	s := labelScores(p.task.loss().Probabilities(), all.Sum(), p.two)
	b.Majority, b.LogLoss = &s.Accuracy, s.LogLoss
	return b
}

// logOdds are those of the label 1 among signs, by their weights; of one label they are far from 0, and finite.
func logOdds(train *dataset.Sparse) float64 {
	over := func(from, to int64) []float64 { // the weight of all, and of those that are positive
		sums := make([]float64, 2)
		for e, y := range train.Values[from:to] {
			weight := 1.0
			if train.Omega != nil {
				weight = train.Omega[from+int64(e)]
			}
			if sums[0] += weight; y > 0 {
				sums[1] += weight
			}
		}
		return sums
	}
	var sums []float64
	if train.Spread == nil {
		sums = over(0, int64(len(train.Values)))
	} else {
		sums = cluster.Numbers(train.Spread, 2, func(shard int) []float64 {
			lo, hi := train.Spread.Shard(shard)
			return over(train.Ptr[lo], train.Ptr[hi])
		})
	}
	p := math.Min(math.Max(sums[1]/sums[0], 1e-9), 1-1e-9)
	return math.Log(p / (1 - p))
}

// measureRatings measures predictions as a user gets them, clipped, and by the centre where a user or an item is unknown. lo
// and hi are the range of the ratings, over which NMAE is taken.
func measureRatings(m *model.Model, held *dataset.Ratings, lo, hi float64) *RatingScores {
	s := &RatingScores{Errors: *metric.Predicted(m.Predict, held), NMAE: math.NaN(), Unknown: held.Unknown()}
	if hi > lo {
		s.NMAE = s.Errors.NMAE(lo, hi)
	}
	return s
}

// ranked measures a model's lists on Test, beside those of the most popular items and of biases. Items in training are left out
// of the lists, and relevant is what is rated at least as high as the median test rating, or of two labels what has the second.
func (s *completionFitting) ranked(m *model.Model) *metric.Ranked {
	p := s.of
	from := 1.0 // the sign of the second label
	if p.two == nil {
		from = metric.UsualThreshold(p.task.Test)
	}
	against := &metric.Trial{Train: s.data.(*dataset.Sparse), Relevant: metric.RelevantFrom(p.task.Test, from),
		Lengths: p.task.Ranking}
	r := against.Compare(m.ScoresTo, s.biases)
	r.Threshold = from
	return r
}

// measuredOn makes solutions be measured on ratings that were held out, or on none.
func (s *completionFitting) measuredOn(held *dataset.Ratings) {
	if held != nil {
		s.Measure = func(st *gcg.State) selection.Measured { return s.measured(s.model(st.W), held) }
	}
}

// measured is what a model is worth on held-out ratings.
func (s *completionFitting) measured(m *model.Model, held *dataset.Ratings) *RatingScores {
	if s.settings.loss.Signs() {
		return measureLabels(m, held, s.of.two)
	}
	if s.of.task.Own != nil {
		return s.own(m, held)
	}
	scores := measureRatings(m, held, s.Lo, s.Hi)
	scores.loss = s.settings.loss
	return scores
}

// own is the mean of a loss of one's own on ratings, and the errors of scores beside them.
func (s *completionFitting) own(m *model.Model, held *dataset.Ratings) *RatingScores {
	z := make([]float64, len(held.Values))
	for e := range z {
		z[e] = m.Score(int(held.Rows[e]), int(held.Cols[e]))
	}
	mean := s.of.task.Own(held.Values, held.Omega).Eval(0, z, nil) / float64(len(z))
	return &RatingScores{Errors: *metric.Predicted(m.Score, held), NMAE: math.NaN(), Unknown: held.Unknown(), Own: &mean}
}

// errorOfMean is the first score, on ratings that are held out, of the mean of those that are trained on, or of their log odds; 0
// where means were taken off.
func (s *completionFitting) errorOfMean(held *dataset.Ratings) float64 {
	switch {
	case s.settings.center != dataset.NoCentre || s.of.task.Own != nil:
		return 0
	case s.settings.loss.Signs():
		m := &model.Model{Problem: "completion", Global: logOdds(s.data.(*dataset.Sparse))}
		m.Info.Loss = s.settings.loss.String()
		return measureLabels(m, held, s.of.two).Scores().First()
	}
	e := metric.Predicted(dataset.Centre(s.data, dataset.GlobalMean).At, held)
	return (&RatingScores{Errors: *e, loss: s.settings.loss}).Scores().First()
}

// Scores are what a model of the whole problem is worth: on Test, or on the training ratings where there is none. Where
// predictions were not kept, the solution is that of the last run.
func (p *PreparedCompletion) Scores(m *model.Model) *RatingScores {
	s := p.made()
	switch {
	case p.task.Test == nil && p.two != nil:
		return measureLabels(m, s.training(), p.two)
	case p.task.Test == nil && p.task.Own != nil:
		return s.own(m, s.training())
	case p.task.Test == nil:
		return &RatingScores{Errors: *s.fitted(m), NMAE: math.NaN(), loss: s.settings.loss}
	}
	scores := s.measured(m, p.task.Test)
	switch {
	case p.cold != nil && p.two != nil:
		scores.Cold = &ColdScores{Labels: measureLabels(m, p.cold, p.two).Labels}
	case p.cold != nil:
		scores.Cold = &ColdScores{Errors: *metric.Predicted(m.Predict, p.cold), Trivial: p.unlearnt}
	}
	if len(p.task.Ranking) > 0 {
		scores.Ranking = s.ranked(m)
	}
	return scores
}

// fitted are the errors on the training ratings, of which the centre was taken off.
func (s *completionFitting) fitted(m *model.Model) *metric.Errors {
	if s.residuals != nil {
		e := metric.NewSpread(s.spread)
		s.residuals(func(i, j int, y, r float64) {
			centre := s.Centre.At(i, j)
			predicted := y - r + centre
			if m.Clip {
				predicted = math.Max(m.Lo, math.Min(m.Hi, predicted))
			}
			e.Of(i).Add(predicted, y+centre)
		})
		return e.Sum()
	}
	e := metric.NewSpread(s.spread)
	at, omega := 0, dataset.Weights(s.data)
	s.data.Entries(func(i, j int, _ float64) {
		weight := 1.0
		if omega != nil {
			weight = omega[at]
		}
		e.Of(i).AddWeighted(m.Predict(i, j), s.y[at]+s.Centre.At(i, j), weight)
		at++
	})
	return e.Sum()
}

// training are the ratings that the problem is of.
func (s *completionFitting) training() *dataset.Ratings { return ratingsOf(s.data.(*dataset.Sparse)) }

// ratingsOf are entries as ratings.
func ratingsOf(data *dataset.Sparse) *dataset.Ratings {
	held := &dataset.Ratings{Values: data.Values, Omega: data.Omega, Offset: data.Offset, Cols: data.Cols,
		Rows: make([]int32, 0, len(data.Cols)), Spread: data.Spread}
	data.Entries(func(i, _ int, _ float64) { held.Rows = append(held.Rows, int32(i)) })
	return held
}
