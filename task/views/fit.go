package views

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A Result is a fitted task.
type Result struct {
	*task.Solution
	Model    *model.Model // to encode new samples with, and to save
	Views    Scores       // and of the labels behind them, on the entries of training
	Warnings []task.Warning
}

// A ViewScore is how far the predictions of a view are from its entries, in units of the data.
type ViewScore struct {
	Name     string   `json:"name"`
	Features int      `json:"features"`
	Entries  int      `json:"entries"`
	Missing  int      `json:"missing,omitempty"`
	RMSE     *float64 `json:"rmse,omitempty"` // nil of signs
	MAE      *float64 `json:"mae,omitempty"`
	Accuracy *float64 `json:"accuracy,omitempty"` // of signs
}

// Scores are those of all views, the labels last.
type Scores []ViewScore

// Scores are the errors of the views: their RMSE, or the rate of wrong signs.
func (s Scores) Scores() (all selection.Scores) {
	for _, v := range s {
		switch {
		case v.RMSE != nil:
			all = append(all, selection.Score{Name: "RMSE", Value: *v.RMSE})
		case v.Accuracy != nil:
			all = append(all, selection.Score{Name: "error rate", Value: 1 - *v.Accuracy})
		}
	}
	return all
}

// String is a score in words.
func (v ViewScore) String() string {
	text := v.Name + ": "
	switch {
	case v.RMSE != nil:
		text += fmt.Sprintf("RMSE %s, MAE %s", decimal.Decimals(*v.RMSE), decimal.Decimals(*v.MAE))
	case v.Accuracy != nil:
		text += fmt.Sprintf("accuracy %.4f", *v.Accuracy)
	}
	text += fmt.Sprintf(" on %d entries", v.Entries)
	if v.Missing > 0 {
		text += fmt.Sprintf(", %d missing", v.Missing)
	}
	return text
}

// Fit fits a model: it chooses λ where none is given, and solves. Not to converge is no error, see Result.Status. Errors are
// those of [Task.Prepare] and [task.Solve], and of a Warm model of other views.
func (t *Task) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	p, err := t.Prepare()
	if err != nil {
		return nil, err
	}
	return p.Fit(ctx, opt)
}

// Fit is that of the task.
func (p *Prepared) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	var err error
	if p.task.Warm != nil {
		if opt.Run.Start, err = p.Start(p.task.Warm); err != nil {
			return nil, err
		}
	}
	res := &Result{Warnings: p.Warnings()}
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = task.Solve(ctx, p, opt); res.Solution == nil {
		return nil, cut
	}
	res.Model = p.Model(res.Fitting, res.Result)
	res.Views = p.Scores(res.Result.State.Z)
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	return res, cut
}

// Model makes the model of a result of a fitting: its dictionary and codes as atoms, and Info of the data, the problem and the
// certificate. Version and Solver are the caller's to add.
func (p *Prepared) Model(f *selection.Fitting, r *solver.Result) *model.Model {
	t, s := p.task, p.data
	m := &model.Model{Problem: "multiview", Rows: s.rows(), Cols: s.samples}
	m.Rank, m.U, m.S, m.V = balanced(f.Problem.Gauge, r.State.W)
	m.RowOffset, m.RowScale = slices.Clone(s.centre), slices.Clone(s.scale)
	m.Info = task.InfoOf(f, r, t.mean())
	m.Info.Seed, m.Info.Observations = t.Seed, s.count
	m.Info.Gauge, m.Info.Center = f.Problem.Gauge.Name(), t.Scale.String()
	lambda := view.Lambda(f.Problem, r.State)
	if t.mean() {
		lambda *= float64(s.count)
	}
	m.Info.FoldLambda = &lambda
	named := false
	for _, v := range t.Views {
		m.Info.Views = append(m.Info.Views, model.View{Name: v.Name, Features: v.X.Cols, Radius: v.Radius, Loss: v.Loss.String(),
			Weight: v.Weight, ZeroOne: v.Loss.Kind == task.Logistic})
		named = named || v.X.Names != nil
		names := v.X.Names
		if names == nil {
			names = make([]string, v.X.Cols)
		}
		m.RowIDs = append(m.RowIDs, names...)
	}
	if l := t.Labels; l != nil {
		m.Info.Views = append(m.Info.Views, model.View{Name: l.Name, Features: l.Width(), Loss: l.Loss.String(), Weight: l.Weight,
			Labels: true, Classes: l.Classes, ZeroOne: l.ZeroOne, Outputs: l.Outputs})
		m.RowIDs = append(m.RowIDs, l.Outputs[len(l.Outputs)-l.Width():]...)
	}
	if !named {
		m.RowIDs = nil
	}
	return m
}

// balanced is W = U diag(S) Vᵀ with orthonormal V, where the columns of U √S and V √S are atoms but for a rotation: the codes V
// √S are those that the dictionary U √S gives the samples of training.
func balanced(k gcg.Gauge, w *gcg.Iterate) (rank int, u, s, v []float64) {
	if w.Rank() == 0 {
		return 0, nil, nil, nil
	}
	w = w.Clone()
	if c := view.OfGauge(k).Compressor; c != nil {
		c.Compress(w)
	}
	if w.Rank() == 0 {
		return 0, nil, nil, nil
	}
	q, roots, p := gcg.SVD(w.V, gcg.Identity(w.V.K), math.Sqrt(model.Negligible)) // V = Q diag(roots) Pᵀ
	turned := gcg.Mul(w.U, gcg.Padded(p))
	for c, root := range roots {
		turned.ScaleColumn(c, 1/root)
		s = append(s, root*root)
	}
	return len(s), model.Packed(turned), s, model.Packed(q)
}

// Start is the W of a model of the same views and samples, on the problem of the data.
func (p *Prepared) Start(m *model.Model) (*gcg.Iterate, error) {
	s := p.data
	if m.Problem != "multiview" || m.Rows != s.rows() || m.Cols != s.samples {
		return nil, fmt.Errorf("task: a start is a model of the same views: of multiview, %d features and %d samples; "+
			"this one is of %s, %d and %d", s.rows(), s.samples, m.Problem, m.Rows, m.Cols)
	}
	if m.Rank == 0 {
		return nil, nil
	}
	w := &gcg.Iterate{M: m.Rows, N: m.Cols, U: model.Unpacked(m.U, m.Rows, m.Rank), V: model.Unpacked(m.V, m.Cols, m.Rank)}
	for c, x := range m.S {
		w.U.ScaleColumn(c, math.Sqrt(x))
		w.V.ScaleColumn(c, math.Sqrt(x))
	}
	for i := range m.Rows { // from the scale of the model to that of the data
		by := scaleAt(m.RowScale, i) / scaleAt(s.scale, i)
		for c := range w.U.Row(i) {
			w.U.Row(i)[c] *= by
		}
	}
	return w, nil
}

// scaleAt is a row's scale, 1 of nil.
func scaleAt(scale []float64, i int) float64 {
	if scale == nil {
		return 1
	}
	return scale[i]
}

// Scores are what predictions z of all entries are worth, by view.
func (p *Prepared) Scores(z []float64) Scores {
	s := p.data
	all := make(Scores, len(s.parts))
	for k, part := range s.parts {
		v := &all[k]
		if k < len(p.task.Views) {
			v.Name = p.task.Views[k].Name
		} else {
			v.Name = p.task.Labels.Name
		}
		v.Features = part.to - part.from
		var errors metric.Errors
		right := 0
		for e := part.from * s.samples; e < part.to*s.samples; e++ {
			if s.weight[e] == 0 {
				v.Missing++
				continue
			}
			v.Entries++
			by := scaleAt(s.scale, e/s.samples)
			errors.Add(z[e]*by, s.y[e]*by)
			if metric.SignClass(z[e]) == metric.SignClass(s.y[e]) {
				right++
			}
		}
		if v.Entries == 0 {
			continue
		}
		if part.loss.Kind == task.Logistic {
			accuracy := float64(right) / float64(v.Entries)
			v.Accuracy = &accuracy
		} else {
			rmse, mae := errors.RMSE(), errors.MAE()
			v.RMSE, v.MAE = &rmse, &mae
		}
	}
	return all
}
