package solver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// flatSquares is a squared loss that does not tell its second derivatives.
type flatSquares struct{ loss *loss.Squared }

func (l flatSquares) Len() int                            { return l.loss.Len() }
func (l flatSquares) Stride() int                         { return l.loss.Stride() }
func (l flatSquares) Eval(lo int, z, r []float64) float64 { return l.loss.Eval(lo, z, r) }
func (l flatSquares) Infimum() float64                    { return 0 }

// What For takes closes the gap whatever the gauge, and improves nothing where the loss allows it nothing.
func TestForClosesTheGap(t *testing.T) {
	const rows, cols = 9, 7
	rng := rand.New(rand.NewPCG(3, 7))
	y := make([]float64, rows*cols)
	for e := range y {
		y[e] = rng.NormFloat64()
	}
	op, err := operator.NewIdentity(rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	squares := &loss.Squared{Y: y}
	for _, c := range []struct {
		gauge gcg.Gauge
		loss  gcg.Loss
		want  string
	}{{gauge.Trace{}, squares, "*solver.Local"}, {gauge.L1{}, squares, "*solver.Corrective"},
		{gauge.Group{}, squares, "*solver.Corrective"},
		{gauge.Lp{P: 3}, squares, "*solver.Proximal"}, {gauge.SchattenP{P: 3}, squares, "*solver.Proximal"},
		{gauge.L1{}, flatSquares{squares}, "<nil>"}} {
		p := &gcg.Problem{Operator: op, Loss: c.loss, Gauge: c.gauge, Penalty: gauge.Linear{Lambda: 1}}
		m, im, why := solver.For(p)
		if got := fmt.Sprintf("%T", im); got != c.want || why == "" {
			t.Errorf("%s, %T: %s (%s), want %s", c.gauge.Name(), c.loss, got, why, c.want)
		}
		r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-4, MaxIter: 3000, Improver: im})
		if err != nil || r.State.Cert.Relative > 1e-4 {
			t.Errorf("%s, %T: %v, gap %v, %v", c.gauge.Name(), c.loss, r.Status, r.State.Cert.Relative, err)
		}
	}
}
