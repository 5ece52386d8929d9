package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/allcells"
	"github.com/seed-b18ef778/gcg/solver"
)

// Clicks are certified by dual points that are no multiples of the gradient. Their brackets hold the optimum of a tight run, at
// loose tolerances as well, with scales and without, and under each penalty.
func TestShiftedBoundsHoldTheOptimum(t *testing.T) {
	for _, scaled := range []bool{false, true} {
		cells := &asked{Cells: groupedClicks(t, 320, 280, scaled)}
		for name, penalty := range map[string]gcg.Penalty{"linear": gauge.Linear{Lambda: 16}, "square": gauge.Square{Lambda: 0.2}} {
			p := &gcg.Problem{Operator: cells, Loss: cells, Gauge: gauge.Trace{}, Penalty: penalty}
			best := certified(t, p, 1e-9)
			cells.asked = 0
			for _, tol := range []float64{0.03, 1e-2, 1e-3, 1e-5} {
				r := certified(t, p, tol)
				c := r.State.Cert
				if c.LowerBound > best.State.Cert.Objective*(1+1e-12) || c.Objective < best.State.Cert.LowerBound {
					t.Errorf("%s, scaled %v, tol %v: the optimum %v is not in [%v, %v]", name, scaled, tol,
						best.State.Cert.Objective, c.LowerBound, c.Objective)
				}
			}
			if cells.asked == 0 {
				t.Errorf("%s, scaled %v: no run looked for a shift", name, scaled)
			}
		}
	}
}

// asked counts the dual points that are evaluated.
type asked struct {
	*allcells.Cells
	asked int
}

func (c *asked) ShiftedSums(u, v *gcg.Factor) (rr, ry float64) {
	c.asked++
	return c.Cells.ShiftedSums(u, v)
}

func certified(t *testing.T, p *gcg.Problem, tol float64) *solver.Result {
	t.Helper()
	method, improver, _ := solver.For(p)
	r, err := solver.Run(context.Background(), p, method, solver.Options{Improver: improver, Tol: tol})
	if err != nil || r.State.Cert.Relative > tol {
		t.Fatalf("gap %v at a tolerance of %v: %v", r.State.Cert.Relative, tol, err)
	}
	return r
}

// groupedClicks are those of people who like one of a few kinds of items.
func groupedClicks(t *testing.T, m, n int, scaled bool) *allcells.Cells {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 8))
	ptr := make([]int64, m+1)
	var cols []int32
	var a []float64
	for i := range m {
		for j := range n {
			share := 0.02
			if i%7 == j%7 || i%5 == j%5 {
				share = 0.2
			}
			if rng.Float64() < share {
				cols, a = append(cols, int32(j)), append(a, 4)
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	c, err := allcells.New(m, n, ptr, cols, a, 1)
	if err != nil {
		t.Fatal(err)
	}
	if scaled {
		rows, columns := make([]float64, m), make([]float64, n)
		for _, x := range [][]float64{rows, columns} {
			for i := range x {
				x[i] = math.Exp(0.3 * rng.NormFloat64())
			}
		}
		if c, err = c.Scaled(rows, columns); err != nil {
			t.Fatal(err)
		}
	}
	return c
}
