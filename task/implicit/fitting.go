package implicit

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/allcells"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A fitting is the problem on some of the clicks, its penalty open, with what predictions need to undo its change of variable:
//
//	prediction(i, j) = RowScale_i W_ij ColScale_j
type fitting struct {
	selection.Fitting
	RowScale, ColScale []float64 // nil without weights

	task *Task
	data *dataset.Sparse
	seen *dataset.Sparse // what lists leave out
}

// weights are Weights, none where they are auto: nothing chooses them here.
func (f *Task) weights() task.Weights {
	if f.Weights.Rule == task.AutoWeights {
		return task.Weights{Rule: task.NoWeights}
	}
	return f.Weights
}

// fittingOf builds the problem.
func (p *Prepared) fittingOf(data *dataset.Sparse) (*fitting, error) {
	weights := make([]float64, len(data.Values))
	for e, r := range data.Values {
		weights[e] = p.task.Alpha * r
	}
	s := &fitting{task: p.task, data: data, seen: data}
	s.Share = 1
	if p.task.weights().Rule != task.NoWeights {
		rows, cols := dataset.Counts(data)
		total := data.Spread.Comm().Count(len(weights))
		s.RowScale, s.ColScale = p.task.weights().Scales(rows, total), p.task.weights().Scales(cols, total)
	}
	cells, err := cellsOf(data, weights, p.task.background(), s.RowScale, s.ColScale)
	if err != nil {
		return nil, err
	}
	s.Problem = &gcg.Problem{Operator: cells, Loss: cells, Gauge: gauge.Trace{}}
	return s, nil
}

// cellsOf is the loss over all cells, for the weights a of the clicks and the scales of rows and columns, or nil for 1.
func cellsOf(data *dataset.Sparse, weights []float64, background float64, rows, cols []float64) (gcg.Squares, error) {
	if data.Spread != nil {
		cells, err := operator.NewSpreadCells(data.Spread, data.N, data.Ptr, data.Cols, weights, background)
		if err == nil && rows != nil {
			cells, err = cells.Scaled(rows, cols)
		}
		return cells, err
	}
	cells, err := allcells.New(data.M, data.N, data.Ptr, data.Cols, weights, background)
	if err == nil && rows != nil {
		cells, err = cells.Scaled(rows, cols)
	}
	return cells, err
}

// Scores are what lists are worth; the NDCG of the longest of them chooses λ.
type Scores struct{ *metric.Lists }

// Scores is 1 - NDCG: smaller is better.
func (s Scores) Scores() selection.Scores {
	last := len(s.Lengths) - 1
	return selection.Scores{{Name: "1-NDCG", Value: 1 - s.At[last].NDCG()}}
}

// measuredOn makes solutions be measured by their lists for users with clicks that were held out, of at most so many of them.
func (s *fitting) measuredOn(held *dataset.Ratings, users int) {
	against := s.against(held, []int{cmp.Or(s.task.Choosing, usualChoosing)})
	against.ListsOnly = true
	against.Sample(users)
	s.Measure = func(st *gcg.State) selection.Measured { return Scores{against.Measure(s.model(st.W).ScoresTo)} }
}

// model makes a model of an iterate: enough for predictions.
func (s *fitting) model(w *gcg.Iterate) *model.Model {
	m, err := model.Of("completion", w)
	if err != nil {
		panic(err) // the atoms of a trace norm are of one kind
	}
	m.RowScale, m.ColScale = s.RowScale, s.ColScale
	if m.Rank == 0 { // which says nothing: items go by how many have clicked on them
		_, cols := dataset.Counts(s.data)
		m.ColOffset = make([]float64, len(cols))
		for j, n := range cols {
			m.ColOffset[j] = float64(n) / float64(s.data.M)
		}
	}
	return m
}

// Model makes the model of a result of Whole, which is f: with ids, and with Info of the data, the problem and the
// certificate, from which the part of a list is known that is the optimum's. Version and Solver are the caller's to add.
func (p *Prepared) Model(f *selection.Fitting, r *solver.Result) *model.Model {
	m := p.made().model(r.State.W)
	m.RowScale, m.ColScale = slices.Clone(m.RowScale), slices.Clone(m.ColScale)
	m.RowIDs, m.ColIDs = p.task.Train.RowIDs.Texts(), p.task.Train.ColIDs.Texts()
	m.Info = task.InfoOf(f, r, false)
	m.Info.Center, m.Info.Certificate = dataset.NoCentre.String(), r.State.Cert.Kind.String()
	m.Info.Seed, m.Info.Observations = p.task.Seed, p.Len()
	m.Info.Data, m.Info.Checksum = p.task.Train.Name, p.task.Train.Checksum
	m.Info.Alpha, m.Info.Background, m.Info.Positive = p.task.Alpha, p.task.background(), p.task.Positive
	p.task.weights().Note(&m.Info, p.Len(), m.Rows)
	task.SetFolding(&m.Info, f.Problem, r.State)
	return m
}

// Start is where a model is on the problem of Whole; its W is nil where nothing of the model is left. Errors are those of Whole.
func (p *Prepared) Start(m *model.Model) (selection.Start, error) {
	s, err := p.fitting()
	if err != nil {
		return selection.Start{}, err
	}
	return selection.Start{W: task.StartFrom(m, s.Problem, p.task.Train, s.RowScale, s.ColScale)}, nil
}

// made is the problem of Whole, which was asked for before.
func (p *Prepared) made() *fitting {
	s, err := p.fitting()
	if err != nil {
		panic(err)
	}
	return s
}

// Ranked are the lists of a model for the users of Test, beside those of the most popular items; nil where there is no Test.
func (p *Prepared) Ranked(m *model.Model) *metric.Ranked {
	if p.task.Test == nil {
		return nil
	}
	lengths := p.task.Lengths
	if lengths == nil {
		lengths = UsualLengths
	}
	r := p.made().against(p.task.Test, lengths).Compare(m.ScoresTo, nil)
	r.Threshold = p.task.Relevant
	return r
}

// A Result is a fitted task.
type Result struct {
	*task.Solution
	Model    *model.Model
	Ranked   *metric.Ranked // on Test; nil where there is none
	Warnings []task.Warning
}

// Fit chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status. Errors are those of
// Prepare and [task.Solve].
func (f *Task) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	p, err := f.Prepare()
	if err != nil {
		return nil, err
	}
	return p.Fit(ctx, opt)
}

// Fit is that of the task.
func (p *Prepared) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	res := &Result{Warnings: p.Warnings()}
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = task.Solve(ctx, p, opt); res.Solution == nil {
		return nil, cut
	}
	res.Model = p.Model(res.Fitting, res.Result)
	res.Ranked = p.Ranked(res.Model)
	res.Warnings = append(append(res.Warnings, res.Solution.Warnings...), task.RankingWarnings(res.Ranked)...)
	return res, cut
}
