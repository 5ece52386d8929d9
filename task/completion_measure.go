package task

import (
	"math"

	"github.com/seed-b18ef778/gcg"
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
	Ranking *metric.Ranked // of lists of Completion.Ranking items; nil where they were not measured
}

// Scores is the RMSE.
func (s *RatingScores) Scores() selection.Scores {
	return selection.Scores{{Name: "RMSE", Value: s.RMSE()}}
}

// MeasureRatings measures predictions as a user gets them, clipped, and by the centre where a user or an item is unknown. lo
// and hi are the range of the ratings, over which NMAE is taken.
func MeasureRatings(m *model.Model, held *dataset.Ratings, lo, hi float64) *RatingScores {
	s := &RatingScores{Errors: *metric.Predicted(m.Predict, held), NMAE: math.NaN(), Unknown: held.Unknown()}
	if hi > lo {
		s.NMAE = s.Errors.NMAE(lo, hi)
	}
	return s
}

// ranked measures a model's lists on Test, beside those of the most popular items and of biases. Items in training are left out
// of the lists, and relevant is what is rated at least as high as the median test rating.
func (s *CompletionFitting) ranked(m *model.Model) *metric.Ranked {
	c := s.task
	from := metric.UsualThreshold(c.Test)
	against := &metric.Trial{Train: s.data.(*dataset.Sparse), Relevant: metric.RelevantFrom(c.Test, from), Lengths: c.Ranking}
	r := against.Compare(m.ScoresTo, s.biases)
	r.Threshold = from
	return r
}

// measuredOn makes solutions be measured on ratings that were held out, or on none.
func (s *CompletionFitting) measuredOn(held *dataset.Ratings) {
	if held != nil {
		s.Measure = func(st *gcg.State) selection.Measured { return MeasureRatings(s.model(st.W), held, s.Lo, s.Hi) }
	}
}

// errorOfMean is the RMSE, on ratings that are held out, of the mean of those that are trained on; 0 where means were taken off.
func (s *CompletionFitting) errorOfMean(held *dataset.Ratings) float64 {
	if s.settings.center != dataset.NoCentre {
		return 0
	}
	return metric.Predicted(dataset.Centre(s.data, dataset.GlobalMean).At, held).RMSE()
}

// Scores are what a model of the fitting is worth: on Test, or on the training ratings where there is none. Where predictions
// were not kept, the solution is that of the last run.
func (s *CompletionFitting) Scores(m *model.Model) *RatingScores {
	c := s.task
	if c.Test == nil {
		return &RatingScores{Errors: *s.fitted(m), NMAE: math.NaN()}
	}
	scores := MeasureRatings(m, c.Test, s.Lo, s.Hi)
	if len(c.Ranking) > 0 {
		scores.Ranking = s.ranked(m)
	}
	return scores
}

// fitted are the errors on the training ratings, of which the centre was taken off.
func (s *CompletionFitting) fitted(m *model.Model) *metric.Errors {
	var e metric.Errors
	if s.residuals != nil {
		s.residuals(func(i, j int, y, r float64) {
			centre := s.Centre.At(i, j)
			predicted := y - r + centre
			if m.Clip {
				predicted = math.Max(m.Lo, math.Min(m.Hi, predicted))
			}
			e.Add(predicted, y+centre)
		})
		return &e
	}
	at := 0
	s.data.Entries(func(i, j int, _ float64) {
		e.Add(m.Predict(i, j), s.y[at]+s.Centre.At(i, j))
		at++
	})
	return &e
}
