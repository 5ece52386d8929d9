package conditional_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// A plainOp is a design whose gradients give no rows.
type plainOp struct{ d *operator.Design }

type plainMap struct{ g gcg.Map }

func (m plainMap) Dims() (int, int)        { return m.g.Dims() }
func (m plainMap) MulTo(dst, x []float64)  { m.g.MulTo(dst, x) }
func (m plainMap) TMulTo(dst, y []float64) { m.g.TMulTo(dst, y) }

func (o plainOp) Dims() (m, n, nobs int)                           { return o.d.Dims() }
func (o plainOp) AtomTo(z []float64, lo int, a *gcg.Atom)          { o.d.AtomTo(z, lo, a) }
func (o plainOp) FactoredTo(z []float64, lo int, u, v *gcg.Factor) { o.d.FactoredTo(z, lo, u, v) }
func (o plainOp) Adjoint(r []float64) gcg.Map                      { return plainMap{o.d.Adjoint(r)} }
func (o plainOp) Columns(rows, cols []int32) []gcg.Column          { return o.d.Columns(rows, cols) }

// An operator of one's own need not have gradients that can be written out.
func TestMapsThatAreNotDense(t *testing.T) {
	const n, m, c = 200, 6, 4
	rng := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n*m)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(n, m, x)
	if err != nil {
		t.Fatal(err)
	}
	d, _ := operator.NewDesign(f, c)
	l := &loss.Softmax{Labels: make([]int32, n), Classes: c, Mean: true}
	for i := range l.Labels {
		l.Labels[i] = int32(rng.IntN(c))
		if x[i*m] > 0.5 {
			l.Labels[i] = 0
		}
	}
	p := &gcg.Problem{Operator: plainOp{d}, Loss: l, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1e-3}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{},
		solver.Options{Tol: 1e-6, MaxIter: 200, Improver: &solver.Corrective{}})
	if err != nil || r.Status != solver.Converged {
		t.Errorf("%v, %v", r, err)
	}
}
