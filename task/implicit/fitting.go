package implicit

import (
	"context"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator/allcells"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A Fitting is the problem on some of the clicks, its penalty open, with what predictions need to undo its change of variable:
//
//	prediction(i, j) = RowScale_i W_ij ColScale_j
type Fitting struct {
	selection.Fitting
	RowScale, ColScale []float64 // nil without weights

	task     *Feedback
	settings settings
	data     *dataset.Sparse
}

// settings are what a problem is made by.
type settings struct {
	alpha, background float64
	weights           task.Weights
}

func (f *Feedback) settings() settings { return settings{f.Alpha, f.background(), f.weights()} }

// weights are Weights, none where they are auto: nothing chooses them here.
func (f *Feedback) weights() task.Weights {
	if f.Weights.Rule == task.AutoWeights {
		return task.Weights{Rule: task.NoWeights}
	}
	return f.Weights
}

// fittingOf builds the problem.
func (f *Feedback) fittingOf(data *dataset.Sparse) (*Fitting, error) {
	weights := make([]float64, len(data.Values))
	for e, r := range data.Values {
		weights[e] = f.Alpha * r
	}
	cells, err := allcells.New(data.M, data.N, data.Ptr, data.Cols, weights, f.background())
	if err != nil {
		return nil, err
	}
	s := &Fitting{task: f, settings: f.settings(), data: data}
	s.Share = 1
	if f.weights().Rule != task.NoWeights {
		rows, cols := dataset.Counts(data)
		s.RowScale, s.ColScale = f.weights().Scales(rows, len(weights)), f.weights().Scales(cols, len(weights))
		if cells, err = cells.Scaled(s.RowScale, s.ColScale); err != nil {
			return nil, err
		}
	}
	s.Problem = &gcg.Problem{Operator: cells, Loss: cells, Gauge: gauge.Trace{}}
	return s, nil
}

// Scores are what lists are worth; the NDCG of the longest of them chooses λ.
type Scores struct{ *metric.Lists }

// Scores is 1 - NDCG: smaller is better.
func (s Scores) Scores() selection.Scores {
	last := len(s.Lengths) - 1
	return selection.Scores{{Name: "1-NDCG", Value: 1 - s.At[last].NDCG()}}
}

// measuredOn makes solutions be measured by their lists for users with clicks that were held out, of at most so many of them.
func (s *Fitting) measuredOn(held *dataset.Ratings, users int) {
	against := s.against(held, []int{choosingLength})
	thin(against.Relevant, users)
	s.Measure = func(st *gcg.State) selection.Measured { return Scores{against.Measure(s.model(st.W).ScoresTo)} }
}

// thin leaves at most so many users, evenly spread.
func thin(relevant map[int]map[int]bool, most int) {
	if len(relevant) <= most {
		return
	}
	users := make([]int, 0, len(relevant))
	for i := range relevant {
		users = append(users, i)
	}
	slices.Sort(users)
	for k, i := range users {
		if k*most/len(users) == (k+1)*most/len(users) {
			delete(relevant, i)
		}
	}
}

// model makes a model of an iterate: enough for predictions.
func (s *Fitting) model(w *gcg.Iterate) *model.Model {
	m, err := model.Of("completion", w)
	if err != nil {
		panic(err) // the atoms of a trace norm are of one kind
	}
	m.RowScale, m.ColScale = s.RowScale, s.ColScale
	return m
}

// Model makes the model of a result: with ids, and with Info of the data, the problem and the certificate, from which the part of
// a list is known that is the optimum's. Version and Solver are the caller's to add.
func (s *Fitting) Model(r *solver.Result) *model.Model {
	f := s.task
	m := s.model(r.State.W)
	m.RowIDs, m.ColIDs = f.Train.RowIDs.Texts(), f.Train.ColIDs.Texts()
	m.Info = model.Info{Status: string(r.Status), Normalize: "sum", Center: dataset.NoCentre.String(), Iterations: r.Iter,
		Seed: f.Seed, Observations: f.Len(), Data: f.Train.Name, Checksum: f.Train.Checksum, Alpha: f.Alpha,
		Background: f.background(), Positive: f.Positive, Certificate: r.State.Cert.Kind.String()}
	m.Info.Certify(r.State.Cert)
	f.weights().Note(&m.Info, f.Len(), m.Rows)
	task.NoteFolding(&m.Info, s.Problem, r.State)
	return m
}

// Start is where a model is on the problem; nil where nothing of it is left.
func (s *Fitting) Start(m *model.Model) *gcg.Iterate {
	return task.StartFrom(m, s.Problem, s.task.Train, s.RowScale, s.ColScale)
}

// Ranked are the lists of a model for the users of Test, beside those of the most popular items; nil where there is no Test.
func (s *Fitting) Ranked(m *model.Model) *metric.Ranked {
	f := s.task
	if f.Test == nil {
		return nil
	}
	lengths := f.Lengths
	if lengths == nil {
		lengths = UsualLengths
	}
	return s.against(f.Test, lengths).Compare(m.ScoresTo, nil)
}

// A Result is a fitted task.
type Result struct {
	*task.Solution
	Model    *model.Model
	Ranked   *metric.Ranked // on Test; nil where there is none
	Warnings []task.Warning
}

// Fit chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status. Errors are those of
// Load and task.Solve.
func (f *Feedback) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	if err := f.Load(); err != nil {
		return nil, err
	}
	res := &Result{Warnings: f.DataWarnings()}
	var err error
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = task.Solve(ctx, f, opt); res.Solution == nil {
		return nil, cut
	}
	s, err := f.Fitting()
	if err != nil {
		return nil, err
	}
	res.Model = s.Model(res.Result)
	res.Ranked = s.Ranked(res.Model)
	res.Warnings = append(append(res.Warnings, res.Solution.Warnings...), task.RankingWarnings(res.Ranked)...)
	return res, cut
}
