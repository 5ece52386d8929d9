package completion

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// testResult is what is measured on held-out ratings.
type testResult struct {
	RMSE     float64  `json:"rmse"`
	MAE      float64  `json:"mae"`
	NMAE     *float64 `json:"nmae,omitempty"` // left out where all ratings are equal
	N        int      `json:"observations"`
	Unknown  int      `json:"unknown"` // ratings of users or items that were not in training
	Recall   *float64 `json:"recall,omitempty"`
	NDCG     *float64 `json:"ndcg,omitempty"`
	RankingN int      `json:"ranking_n,omitempty"`
}

// testOf is scores for scripts, with lists of n items where they were measured.
func testOf(s *task.RatingScores, n int) *testResult {
	t := &testResult{RMSE: s.RMSE(), MAE: s.MAE(), N: s.N(), Unknown: s.Unknown}
	if !math.IsNaN(s.NMAE) {
		t.NMAE = &s.NMAE
	}
	if s.Ranking != nil {
		recall, ndcg := s.Ranking.Recall(), s.Ranking.NDCG()
		t.Recall, t.NDCG, t.RankingN = &recall, &ndcg, n
	}
	return t
}

// Scores are the RMSE.
func (t *testResult) Scores() selection.Scores {
	return selection.Scores{{Name: "RMSE", Value: t.RMSE}}
}

func (t *testResult) note(r *cli.Result) {
	nmae := ""
	if t.NMAE != nil {
		nmae = fmt.Sprintf(", NMAE %.4f", *t.NMAE)
	}
	r.Note("test", "RMSE %s, MAE %s%s on %d ratings (%d of unknown users or items)", cli.Decimals(t.RMSE), cli.Decimals(t.MAE), nmae,
		t.N, t.Unknown)
	if t.Recall != nil {
		r.Note("ranking", "recall@%d %.4f, NDCG@%d %.4f", t.RankingN, *t.Recall, t.RankingN, *t.NDCG)
	}
}

// baselines are the errors of predictions that need no model.
type baselines struct {
	On         string  `json:"on"`
	GlobalMean float64 `json:"global_mean_rmse"`
	Biases     float64 `json:"biases_rmse"`
}

// fitting is that of Whole, which was made before.
func (c *job) fitting() *task.CompletionFitting {
	s, err := c.Fitting()
	if err != nil {
		panic(err)
	}
	return s
}

// Identity names all that must be the same for a checkpoint to be continued.
func (c *job) Identity(lambda float64) string {
	f := c.f
	center, weights := c.Settled()
	text := fmt.Sprintf("completion data=%s n=%d split=%v,%v,%d,seed=%d λ=%.17g ζ=%.17g %s %s center=%s weights=%s duplicates=%s",
		c.Train.Checksum, c.fitting().Ratings, f.Split, f.SplitPerUser, f.SplitLast, f.Seed, lambda, f.Constrain, f.Penalty,
		f.Normalize, center, weights, f.duplicates)
	if f.Columns != "" { // the checksum is that of the file, whichever of its columns are read
		text += " columns=" + f.Columns
	}
	if f.float32 { // the ratings are rounded
		text += " --float32"
	}
	return text
}

// Start is where a model is on the problem.
func (c *job) Start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	return selection.Start{W: c.fitting().Start(m)}, nil
}

// Answer makes the model and measures it.
func (c *job) Answer(_ *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	s, f := c.fitting(), c.f
	m := s.Model(r)
	m.Info.Version, m.Info.Solver = cli.Version, f.Solver
	scores := s.Scores(m)
	trivial, _ := c.Trivial() // of ratings that were read
	res.Read, res.Center, res.Weights, res.N = c.read.Seconds(), m.Info.Center, m.Info.Weights, s.Ratings
	res.Data, res.Normed = fmt.Sprintf("%d ratings, %d × %d", res.N, res.Rows, res.Cols), "trace norm"
	c.noteCandidates(res)
	for _, w := range append(c.DataWarnings(), s.Warnings(scores.RMSE(), f.Tol)...) {
		res.Warn(c.words(w))
	}
	if c.Test == nil {
		rmse, mae := scores.RMSE(), scores.MAE()
		res.TrainRMSE, res.TrainMAE = &rmse, &mae
		res.Note("training", "RMSE %s, MAE %s", cli.Decimals(rmse), cli.Decimals(mae))
	} else {
		t := testOf(scores, f.ranking)
		res.Test = t
		t.note(res)
	}
	res.Baselines = baselines{trivial.On(), trivial.GlobalMean, trivial.Biases}
	res.Note("baselines", "RMSE on %s ratings: global mean %s, row and column biases %s", trivial.On(),
		cli.Decimals(trivial.GlobalMean),
		cli.Decimals(trivial.Biases))
	return m
}

// words are those of a warning, with the flags that mend what it doubts.
func (c *job) words(w task.Warning) string {
	switch w := w.(type) {
	case task.AsManyIDs:
		return w.String() + "; if they stand in other columns, see --columns"
	case task.NoneKnown:
		return w.String() + "; see --columns"
	case task.Worse:
		return w.String() + ": " + c.f.TryOr(c.untried(w.Than))
	case task.Rounded:
		return "--" + w.String() // the flag is called float32
	case task.BelowFloor:
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
	if center != dataset.BothMeans {
		list = append(list, "--center both")
	}
	if weights.Rule == task.NoWeights {
		list = append(list, "--weights smoothed:0.1")
	}
	return list
}
