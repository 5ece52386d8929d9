package rpca

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A Prepared is a task whose data was checked, with λ₁. It is a [selection.Source] and a task.Chooser, and serves any number of
// fits: it changes by Choose alone, whatever becomes of the task that it is made of. The values may not change meanwhile.
type Prepared struct {
	task  *Task
	l1    float64
	open  bool
	other bool // the last fit is by a method that is not the task's, and begins anew
	noise *Noise
}

// Prepare checks the data. λ₁ is L1, or where that is 0 the usual one for λ = 1, which Choose replaces. Errors are of data that
// is no matrix, and of numbers that are not finite.
func (t *Task) Prepare() (*Prepared, error) {
	q := *t
	open := !q.Equal && q.L1 == 0
	if open && !q.squaresInRange() {
		open, q.Equal = false, true
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	return &Prepared{task: &q, l1: q.UsualL1(0), open: open}, nil
}

// squaresInRange says that squares of the entries neither overflow nor vanish.
func (t *Task) squaresInRange() bool {
	size := linalg.MaxAbs(t.Values)
	return size <= dataset.LargestNumber && size >= 1/dataset.LargestNumber
}

// fittingOf builds the problem, without the entries that are held out; nil holds out none.
func (p *Prepared) fittingOf(held []bool) (*selection.Fitting, error) {
	t := p.task
	ptr, index, y := t.known(held)
	problem := &gcg.Problem{Gauge: gauge.Trace{}, Loss: p.loss(y)}
	var err error
	if ptr == nil {
		problem.Operator, err = operator.NewIdentity(t.Rows, t.Cols)
	} else {
		problem.Operator, err = operator.NewSampling(t.Rows, t.Cols, ptr, index)
	}
	if err != nil {
		return nil, err
	}
	f := &selection.Fitting{Problem: problem, Share: 1}
	if held != nil {
		f.Measure = func(s *gcg.State) selection.Measured { return t.measure(s.W, held) }
	}
	return f, nil
}

// L1 is λ₁.
func (p *Prepared) L1() float64 { return p.l1 }

// loss is the minimum over S for each entry of D - L.
func (p *Prepared) loss(y []float64) gcg.Loss {
	if p.task.Equal {
		return &loss.Deviation{Y: y, Lambda: p.l1}
	}
	omega := make([]float64, len(y))
	for i := range omega {
		omega[i] = p.l1
	}
	return &loss.Huber{Y: y, Mu: p.l1, Omega: omega}
}

// known lists the entries that are not held out.
func (t *Task) known(held []bool) (ptr []int64, index []int32, y []float64) {
	if held == nil {
		return t.Ptr, t.Index, t.Values
	}
	ptr = make([]int64, t.Rows+1)
	t.each(func(e, i, j int) {
		if !held[e] {
			index, y = append(index, int32(j)), append(y, t.Values[e])
			ptr[i+1]++
		}
	})
	for i := range t.Rows {
		ptr[i+1] += ptr[i]
	}
	return ptr, index, y
}

// each calls f for the known entries, by rows.
func (t *Task) each(f func(e, i, j int)) {
	for i := range t.Rows {
		if t.Ptr == nil {
			for j := range t.Cols {
				f(i*t.Cols+j, i, j)
			}
			continue
		}
		for e := t.Ptr[i]; e < t.Ptr[i+1]; e++ {
			f(int(e), i, int(t.Index[e]))
		}
	}
}

// deviations are the mean absolute error and the root of the mean square of entries that were held out.
type deviations struct{ MAE, RMSE float64 }

// Scores is the mean absolute error first, which the sparse part of the held entries spoils least.
func (d deviations) Scores() selection.Scores {
	return selection.Scores{{Name: "MAE", Value: d.MAE}, {Name: "RMSE", Value: d.RMSE}}
}

// measure compares L with the entries that are held out.
func (t *Task) measure(w *gcg.Iterate, held []bool) deviations {
	var d deviations
	var count float64
	t.each(func(e, i, j int) {
		if held[e] {
			x := t.Values[e]
			if w.Rank() > 0 {
				x -= kernel.Dot(w.U.Row(i), w.V.Row(j))
			}
			d.MAE, d.RMSE, count = d.MAE+math.Abs(x), d.RMSE+x*x, count+1
		}
	})
	return deviations{d.MAE / count, math.Sqrt(d.RMSE / count)}
}

// Parts are both parts of D at its known entries. LowRank is all of L, row-major.
type Parts struct {
	LowRank    []float64
	Rows, Cols []int32 // of the entries of S that are not 0
	Values     []float64
	Norm       float64 // ‖S‖₁
	Residual   float64 // ‖D - L - S‖_F over the known entries
}

// PartsOf is L = W and the best S for it. With L + S = D every entry of D - L is in S, of which the support has those beyond
// rounding.
func (p *Prepared) PartsOf(w *gcg.Iterate) *Parts {
	parts := &Parts{LowRank: w.Dense()}
	t := p.task
	scale := linalg.MaxAbs(t.Values)
	t.each(func(e, i, j int) {
		d := t.Values[e] - parts.LowRank[i*t.Cols+j]
		s := linalg.Soft(d, p.l1)
		if t.Equal {
			s = d
		}
		parts.Residual += (d - s) * (d - s)
		if parts.Norm += math.Abs(s); math.Abs(s) > supportRounding*scale || s != 0 && !t.Equal {
			parts.Rows, parts.Cols, parts.Values = append(parts.Rows, int32(i)), append(parts.Cols, int32(j)), append(parts.Values, s)
		}
	})
	parts.Residual = math.Sqrt(parts.Residual)
	return parts
}

// supportRounding is the part of the largest |d| below which an entry of S = D - L is what the tolerance of a run leaves of 0:
// the usual one, as L is not known better than that.
const supportRounding = 1e-3

// Model makes the model of L, of a result of a fitting: with ids, and with Info of the data, the problem and the certificate.
func (p *Prepared) Model(f *selection.Fitting, r *solver.Result) (*model.Model, error) {
	m, err := model.Of("rpca", r.State.W)
	if err != nil {
		return nil, err
	}
	t := p.task
	m.RowIDs, m.ColIDs = slices.Clone(t.RowIDs), slices.Clone(t.ColIDs)
	m.Name()
	m.Info = task.InfoOf(f, r, false)
	m.Info.Seed, m.Info.Observations, m.Info.Gauge = t.Seed, len(t.Values), f.Problem.Gauge.Name()
	m.Info.Data, m.Info.Checksum = t.Name, t.Checksum
	return m, nil
}
