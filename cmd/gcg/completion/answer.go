package completion

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/linear"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// testResult is what is measured on held-out ratings.
type testResult struct {
	RMSE    float64  `json:"rmse"`
	MAE     float64  `json:"mae"`
	NMAE    *float64 `json:"nmae,omitempty"` // left out where all ratings are equal
	N       int      `json:"observations"`
	Unknown int      `json:"unknown"` // ratings of users or items that were not in training
	rankingResult
	Cold    *coldResult `json:"cold,omitempty"`    // ratings of users or items that only features know
	Pinball *float64    `json:"pinball,omitempty"` // of a quantile
	robust  bool        // the loss is of absolute errors
}

// testOf is scores for scripts, with lists where they were measured.
func testOf(s *task.RatingScores) *testResult {
	t := &testResult{RMSE: s.RMSE(), MAE: s.MAE(), N: s.N(), Unknown: s.Unknown}
	if !math.IsNaN(s.NMAE) {
		t.NMAE = &s.NMAE
	}
	if x := s.Cold; x != nil && x.Labels == nil {
		t.Cold = &coldResult{x.RMSE(), x.MAE(), x.N(), x.Trivial.GlobalMean, x.Trivial.Biases}
	}
	switch first := s.Scores()[0]; first.Name {
	case "pinball loss":
		t.Pinball = &first.Value
	case "MAE":
		t.robust = true
	}
	var two []string
	if s.Labels != nil {
		two = s.Labels.Classes
	}
	t.rankingResult = rankingOf(s.Ranking, two)
	return t
}

// Scores are the RMSE and the MAE; of a loss of absolute errors the MAE comes first, and of a quantile the pinball loss.
func (t *testResult) Scores() selection.Scores {
	rmse, mae := selection.Score{Name: "RMSE", Value: t.RMSE}, selection.Score{Name: "MAE", Value: t.MAE}
	switch {
	case t.Pinball != nil:
		return selection.Scores{{Name: "pinball loss", Value: *t.Pinball}, rmse, mae}
	case t.robust:
		return selection.Scores{mae, rmse}
	}
	return selection.Scores{rmse, mae}
}

// labelResult is what is measured of labels.
type labelResult struct {
	*task.ClassScores
	Unknown int `json:"unknown"`
	rankingResult
	Cold *task.ClassScores `json:"cold,omitempty"` // of users or items that only features know
}

// measuredOf is scores for scripts, with lists where they were measured.
func measuredOf(s *task.RatingScores) selection.Measured {
	t := testOf(s)
	if s.Labels == nil {
		return t
	}
	r := &labelResult{s.Labels, s.Unknown, t.rankingResult, nil}
	if s.Cold != nil {
		r.Cold = s.Cold.Labels
	}
	return r
}

func (t *testResult) note(r *cli.Result) {
	nmae := ""
	if t.NMAE != nil {
		nmae = fmt.Sprintf(", NMAE %.4f", *t.NMAE)
	}
	r.Note("test", "%s%s on %d ratings (%d of unknown users or items)", cli.Brief(t.Scores()), nmae, t.N, t.Unknown)
	if t.Cold == nil && 2*t.Unknown > t.N {
		r.Warn(fmt.Sprintf("%d of %d test ratings are of users or items without a training rating, and are predicted by means: "+
			"the test says little of the model; --split-last 1 tests known users, and --user-features and --item-features tell of "+
			"new ones",
			t.Unknown, t.N))
	}
	if x := t.Cold; x != nil {
		r.Note("cold", "RMSE %s on %d ratings of users or items without training ratings: global mean %s, biases of the others %s",
			cli.Decimals(x.RMSE), x.N, cli.Decimals(x.GlobalMean), cli.Decimals(x.Biases))
	}
	t.rankingResult.note(r, "ratings")
}

// baselines are the errors of predictions that need no model.
type baselines struct {
	On         string  `json:"on"`
	GlobalMean float64 `json:"global_mean_rmse"`
	Biases     float64 `json:"biases_rmse"`
}

// Identity names all that must be the same for a checkpoint to be continued.
func (c *job) Identity(lambda float64) string {
	f := c.f
	center, weights := c.Settled()
	text := fmt.Sprintf("completion data=%s n=%d split=%v,%v,%d,seed=%d λ=%.17g ζ=%.17g %s %s center=%s weights=%s duplicates=%s",
		c.Train().Checksum, c.Len(), f.Split, f.SplitPerUser, f.SplitLast, f.Seed, lambda, f.Constrain, f.Penalty,
		f.Normalize, center, weights, f.duplicates)
	if f.Columns != "" { // the checksum is that of the file, whichever of its columns are read
		text += " columns=" + f.Columns
	}
	if f.Loss != "squared" {
		text += " loss=" + f.Loss
	}
	if f.SplitTime != 0 {
		text += fmt.Sprintf(" split-time=%v", f.SplitTime)
	}
	if f.float32 { // the ratings are rounded
		text += " --float32"
	}
	return text + c.sideIdentity()
}

// Start is where a model is on the problem.
func (c *job) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	return c.PreparedCompletion.Start(m)
}

// Answer makes the model and measures it.
func (c *job) Answer(t *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	f, m := c.f, c.Model(t, r)
	m.Info.Version, m.Info.Solver = cli.Version, f.Solver
	scores, trivial := c.Scores(m), c.Trivial()
	res.Center, res.Weights, res.N = m.Info.Center, m.Info.Weights, c.Len()
	res.Rated = m.Info.Rated
	if f.Loss != "squared" {
		res.LossName = f.Loss
		res.Note("with", "%s loss (%s)", f.Loss, f.Normalize)
	}
	res.Rows, res.Cols = m.Rows, m.Cols
	res.Data, res.Normed = fmt.Sprintf("%d ratings, %d × %d", res.N, res.Rows, res.Cols), "trace norm"
	c.noteFeatures(res)
	c.noteSeen(res)
	c.noteCandidates(res)
	for _, w := range append(c.Warnings(), c.WarningsOf(scores, f.Tol)...) {
		res.Warn(c.words(w))
	}
	if scores.Labels != nil {
		c.answerLabels(res, m, scores)
		return m
	}
	if c.Test() == nil {
		rmse, mae := scores.RMSE(), scores.MAE()
		res.TrainRMSE, res.TrainMAE = &rmse, &mae
		res.Note("training", "%s", cli.Brief(scores.Scores()))
	} else {
		t := testOf(scores)
		res.Test = t
		t.note(res)
		for _, w := range task.RankingWarnings(scores.Ranking) {
			res.Warn(c.words(w))
		}
	}
	res.Baselines = baselines{trivial.On(), trivial.GlobalMean, trivial.Biases}
	res.Note("baselines", "RMSE on %s ratings: global mean %s, row and column biases %s", trivial.On(),
		cli.Decimals(trivial.GlobalMean),
		cli.Decimals(trivial.Biases))
	return m
}

// answerLabels says what predicted labels are worth, and once which of them is the negative one.
func (c *job) answerLabels(res *cli.Result, m *model.Model, scores *task.RatingScores) {
	if two := m.TwoLabels(); len(m.Info.Labels) > 0 {
		res.Note("labels", "%s is the negative one, and predictions are of %s", two[0], two[1])
	}
	got, constant := measuredOf(scores), c.Constant()
	if c.Test() == nil {
		res.Training = got
	} else {
		res.Test = got
	}
	linear.NoteMeasured(res, constant.On, scores.Labels, false)
	if x := got.(*labelResult).Cold; x != nil {
		res.Note("cold", "%s on %d ratings of users or items without training ratings", cli.Brief(x.Scores()), x.N)
	}
	got.(*labelResult).rankingResult.note(res, "ratings")
	res.Baselines = constant
	res.Note("baselines", "%s", linear.Trivial(constant))
}

// words are those of a warning, with the flags that mend what it doubts.
func (c *job) words(w task.Warning) string {
	switch w := w.(type) {
	case warning.AsManyIDs:
		return w.String() + "; if they stand in other columns, see --columns"
	case warning.NoneKnown:
		return w.String() + "; see --columns"
	case warning.AllEqual:
		return w.String() + ", or fit clicks: --implicit 10"
	case warning.Worse:
		return w.String() + ": " + c.f.TryOr(c.untried(w.Than))
	case warning.NarrowLoss:
		name, _, _ := strings.Cut(c.f.Loss, ":")
		return "--loss " + name + ": " + w.String()
	case warning.WorseThanConstant:
		var list []string
		if center, _ := c.Settled(); center == dataset.NoCentre {
			list = append(list, "--center global")
		}
		return w.String() + ": " + c.f.TryOr(list)
	case warning.Unpopular:
		return w.String() + ": try " + strings.Join(c.f.betterLists(), " or ")
	case warning.Rounded:
		return "--" + w.String() // the flag is called float32
	case warning.BelowFloor:
		return strings.Replace(w.String(), "the tolerance", "--tol", 1)
	}
	return w.String()
}

// untried are flags that may lead to a model that is better than a trivial one, but for those that were chosen among others.
// Means of rows and columns lose to the global mean where they are of a few ratings each.
func (c *job) untried(than metric.Better) (list []string) {
	if c.Candidates() != nil {
		return nil
	}
	center, weights := c.Settled()
	if than == metric.MeanBetter {
		if center != dataset.GlobalMean {
			list = append(list, "--center global")
		}
		return list
	}
	if center != dataset.BothMeans && len(c.f.ranking) == 0 { // which puts items first that few have rated
		list = append(list, "--center both")
	}
	if weights.Rule == task.NoWeights {
		list = append(list, "--weights smoothed:0.1")
	}
	return list
}
