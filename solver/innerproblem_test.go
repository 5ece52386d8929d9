package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// productsOnly hides everything but products, and the norm: a target that nobody can write out.
type productsOnly struct{ g gcg.BilateralMap }

func (p productsOnly) Dims() (m, n int)                { return p.g.Dims() }
func (p productsOnly) MulTo(dst, x []float64)          { p.g.MulTo(dst, x) }
func (p productsOnly) TMulTo(dst, y []float64)         { p.g.TMulTo(dst, y) }
func (p productsOnly) MulBlockTo(dst, x *gcg.Factor)   { p.g.MulBlockTo(dst, x) }
func (p productsOnly) TMulBlockTo(dst, y *gcg.Factor)  { p.g.TMulBlockTo(dst, y) }
func (p productsOnly) BothTo(gv, gu, u, v *gcg.Factor) { p.g.BothTo(gv, gu, u, v) }
func (p productsOnly) SquaredNorm() float64            { return gcg.SquaredNorm(p.g) }

// The proximity operator of the trace norm at X - G/β, of low rank plus sparse, is that of the dense matrix, and nothing is formed on
// the way: the sparse part has products and a norm, and no rows.
func TestInnerProblemOfLowRankAndSparse(t *testing.T) {
	const m, n, beta = 60, 40, 2.0
	rng := rand.New(rand.NewPCG(37, 8))
	x := &gcg.Iterate{M: m, N: n, U: gcg.NewFactor(m, 3), V: gcg.NewFactor(n, 3)}
	for _, f := range []*gcg.Factor{x.U, x.V} {
		for i := range f.Rows {
			for c := range f.K {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
	}
	ptr, cols, r := make([]int64, m+1), []int32(nil), []float64(nil)
	for i := range m {
		for j := range n {
			if rng.IntN(4) == 0 {
				cols, r = append(cols, int32(j)), append(r, 3*rng.NormFloat64())
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	gradient := op.Adjoint(r) // -∇L: the step goes along it
	target := gcg.Sum(gcg.LowRank(x.U, x.V), gcg.Scaled(productsOnly{gradient.(gcg.BilateralMap)}, 1/beta))
	if _, dense := target.(gcg.DenseMap); dense {
		t.Fatal("the target can be written out")
	}
	all := make([]float64, m*n)
	gcg.DenseTo(all, gcg.Sum(gcg.LowRank(x.U, x.V), gcg.Scaled(gradient, 1/beta)))
	for name, lambda := range map[string]float64{"low rank": 30, "higher rank": 8, "zero": 1e4} {
		dense := make([]float64, m*n)
		norm := svt(dense, all, m, n, lambda/beta)
		want := lambda * norm
		for e, v := range dense {
			want += beta / 2 * (v - all[e]) * (v - all[e])
		}
		for improved, improver := range map[string]solver.Improver{"local": &solver.Local{}, "line search": nil} {
			inner, err := operator.NewProximal(target, beta)
			if err != nil {
				t.Fatal(err)
			}
			p := &gcg.Problem{Operator: inner, Loss: inner, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
			tol, near := 1e-10, 1e-4
			if improver == nil {
				tol, near = 1e-6, 1e-2
			}
			res, err := solver.Run(context.Background(), p, &solver.GCG{Fresh: improver != nil}, solver.Options{Tol: tol, MaxIter: 1000, Improver: improver})
			if err != nil {
				t.Fatal(err)
			}
			bracket(t, res, want, tol)
			off := make([]float64, m*n)
			copy(off, dense)
			if w := res.State.W; w.Rank() > 0 {
				for e := range off {
					for c := range w.Rank() {
						off[e] -= w.U.Row(e / n)[c] * w.V.Row(e % n)[c]
					}
				}
			}
			if res.Status != solver.Converged || gcg.Norm(off) > near*math.Max(1, gcg.Norm(dense)) {
				t.Errorf("%s, %s: %s after %d with gap %.1e, %.1e from the solution", name, improved, res.Status, res.Iter, res.State.Cert.Relative, gcg.Norm(off))
			}
		}
	}
}
