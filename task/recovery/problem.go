package recovery

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/symmetric"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// fittingOf builds the problem, its penalty open, measured on entries that are held out, or on none.
func (p *Prepared) fittingOf(data *dataset.Sparse, held *dataset.Ratings) (*selection.Fitting, error) {
	f := &selection.Fitting{Share: 1}
	var err error
	if f.Problem, err = p.task.problem(data); err != nil {
		return nil, err
	}
	if held != nil {
		f.Measure = func(s *gcg.State) selection.Measured { return scores{metric.Predicted(modelOf(s.W).Predict, held)} }
	}
	return f, nil
}

// problem is the loss of the entries with λ₁‖X‖₁, and the gauge of the cone.
func (t *Task) problem(data *dataset.Sparse) (*gcg.Problem, error) {
	weight := 1.0
	if t.mean() {
		weight = 1 / float64(len(data.Values))
	}
	p := &gcg.Problem{Gauge: t.gauge()}
	whole, constant := t.Loss.Of(data.Values, nil, t.mean(), 0), 0.0
	if c := view.OfLoss(whole).Checker; c != nil {
		if err := c.Check(); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Train.Name, err)
		}
	}
	if t.Smoothed && t.L1 > 0 {
		return t.smoothed(p, data, whole)
	}
	if t.Cone != General {
		_, squared := whole.(*loss.Squared)
		data, constant = mirrored(data, weight, squared)
		whole = t.Loss.Of(data.Values, data.Omega, false, 0)
	}
	var err error
	if t.L1 == 0 {
		p.Loss = whole
		if t.Cone != General {
			p.Loss = &loss.WithL1{Loss: view.OfLoss(whole).Conjugate, Constant: constant}
		}
		p.Operator, err = operator.NewSampling(data.M, data.N, data.Ptr, data.Cols)
		return p, err
	}
	kept := t.kept(data, whole)
	y, omega := make([]float64, len(kept.from)), make([]float64, len(kept.from))
	for i, e := range kept.from {
		y[i] = 1 // a label, of no weight
		if e >= 0 {
			if y[i], omega[i] = data.Values[e], weight; data.Omega != nil {
				omega[i] = data.Omega[e]
			}
		}
	}
	sum := &loss.WithL1{Loss: view.OfLoss(t.Loss.Of(y, omega, false, 0)).Conjugate, Lambda: t.L1, Constant: constant}
	for _, e := range kept.left {
		sum.Constant += whole.Eval(int(e), []float64{0}, nil)
	}
	p.Loss = sum
	if len(kept.cols) == data.M*data.N {
		p.Operator, err = operator.NewIdentity(data.M, data.N)
	} else {
		p.Operator, err = operator.NewSampling(data.M, data.N, kept.ptr, kept.cols)
	}
	return p, err
}

// smoothed is the problem as a stack of the observed entries and of all of them.
func (t *Task) smoothed(p *gcg.Problem, data *dataset.Sparse, whole gcg.Loss) (*gcg.Problem, error) {
	observed, err := operator.NewSampling(data.M, data.N, data.Ptr, data.Cols)
	if err != nil {
		return nil, err
	}
	all, err := operator.NewIdentity(data.M, data.N)
	if err != nil {
		return nil, err
	}
	p.Loss = loss.Stack(whole, &loss.MoreauEnvelope{Penalty: &loss.L1Norm{N: data.M * data.N, Lambda: t.L1}, Beta: 1})
	p.Operator, err = operator.Stack(observed, all)
	return p, err
}

// kept is what the problem keeps of X: blocks of the observations with |ℓ'(0)| > λ₁, and where there are none that of the
// largest; all of it with Full.
func (t *Task) kept(data *dataset.Sparse, whole gcg.Loss) *reduction {
	if t.Full {
		return all(data.M, data.N, data.Ptr, data.Cols)
	}
	r := make([]float64, len(data.Values))
	whole.Eval(0, r, r)
	largest := 0
	for e, x := range r {
		if math.Abs(x) > math.Abs(r[largest]) {
			largest = e
		}
	}
	return reduce(data.M, data.N, data.Ptr, data.Cols, func(e int) bool { return math.Abs(r[e]) > t.L1 || e == largest },
		t.Cone != General)
}

// gauge is that of the cone.
func (t *Task) gauge() gcg.Gauge {
	switch t.Cone {
	case Symmetric:
		return symmetric.Trace{}
	case Semidefinite:
		return gauge.PSDTrace{}
	}
	return gauge.Trace{}
}

// scores are the errors of entries that were held out.
type scores struct{ *metric.Errors }

// Scores are the RMSE and the MAE.
func (s scores) Scores() selection.Scores {
	return selection.Scores{{Name: "RMSE", Value: s.RMSE()}, {Name: "MAE", Value: s.MAE()}}
}

// modelOf makes a model of an iterate.
func modelOf(w *gcg.Iterate) *model.Model {
	m, err := model.Of("recovery", w)
	if err != nil {
		panic(err) // W is sparse or of low rank
	}
	return m
}

// Model makes the model of a result of a fitting: with ids, and with Info of the data, the problem and the certificate.
func (p *Prepared) Model(f *selection.Fitting, r *solver.Result) *model.Model {
	t, m := p.task, modelOf(r.State.W)
	m.RowIDs, m.ColIDs = t.Train.RowIDs.Texts(), t.Train.ColIDs.Texts()
	m.Info = task.InfoOf(f, r, t.mean())
	m.Info.Seed, m.Info.Observations = t.Seed, p.Observations()
	m.Info.Data, m.Info.Checksum = t.Train.Name, t.Train.Checksum
	m.Info.Loss, m.Info.Gauge = t.Loss.String(), f.Problem.Gauge.Name()
	return m
}
