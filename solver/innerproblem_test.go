package solver_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// productsOnly hides everything but products, and the norm: a target that nobody can write out.
type productsOnly struct{ g gcg.BlockMap }

func (p productsOnly) Dims() (m, n int)                { return p.g.Dims() }
func (p productsOnly) MulTo(dst, x []float64)          { p.g.MulTo(dst, x) }
func (p productsOnly) TMulTo(dst, y []float64)         { p.g.TMulTo(dst, y) }
func (p productsOnly) MulBlockTo(dst, x *gcg.Factor)   { p.g.MulBlockTo(dst, x) }
func (p productsOnly) TMulBlockTo(dst, y *gcg.Factor)  { p.g.TMulBlockTo(dst, y) }
func (p productsOnly) BothTo(gv, gu, u, v *gcg.Factor) { p.g.BothTo(gv, gu, u, v) }
func (p productsOnly) SquaredNorm() float64            { return gcg.SquaredNorm(p.g) }

// lowRankAndSparse is X + G/β for an X of rank 3 and a G with a quarter of its entries, without rows, and the same as a matrix.
func lowRankAndSparse(t *testing.T, m, n int, beta float64) (target gcg.Map, dense []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(37, 8))
	u, v := gcg.NewFactor(m, 3), gcg.NewFactor(n, 3)
	for _, f := range []*gcg.Factor{u, v} {
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
	g := op.Adjoint(r)
	dense = make([]float64, m*n)
	gcg.DenseTo(dense, gcg.Sum(gcg.LowRank(u, v), gcg.Scaled(g, 1/beta)))
	return gcg.Sum(gcg.LowRank(u, v), gcg.Scaled(productsOnly{g.(gcg.BlockMap)}, 1/beta)), dense
}

// distanceTo is ‖W - X‖_F for a dense X.
func distanceTo(w *gcg.Iterate, x []float64) float64 {
	off := append([]float64(nil), x...)
	for c := range w.Rank() {
		for e := range off {
			off[e] -= w.U.Row(e / w.N)[c] * w.V.Row(e % w.N)[c]
		}
	}
	return gcg.Norm(off)
}

// The proximity operator of the trace norm at X + G/β, of low rank plus sparse, is that of the dense matrix, and nothing is
// formed on the way: the sparse part has products and a norm, and no rows.
func TestInnerProblemOfLowRankAndSparse(t *testing.T) {
	const m, n, beta = 60, 40, 2.0
	target, all := lowRankAndSparse(t, m, n, beta)
	if _, rows := target.(gcg.DenseMap); rows {
		t.Fatal("the target can be written out")
	}
	for name, lambda := range map[string]float64{"low rank": 30, "higher rank": 8, "zero": 1e4} {
		dense := make([]float64, m*n)
		want := lambda * svt(dense, all, m, n, lambda/beta)
		for e, v := range dense {
			want += beta / 2 * (v - all[e]) * (v - all[e])
		}
		for improved, improver := range map[string]solver.Improver{"local": &fixedrank.Local{}, "line search": nil} {
			prox, err := operator.NewProximal(target, beta)
			if err != nil {
				t.Fatal(err)
			}
			p := &gcg.Problem{Operator: prox, Loss: prox, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
			tol, within := 1e-10, 1e-4
			if improver == nil {
				tol, within = 1e-6, 1e-2
			}
			opt := solver.Options{Tol: tol, MaxIter: 1000, Improver: improver}
			r := testrun.Must(t, p, &conditional.GCG{OutsideW: improver != nil}, opt)
			testrun.Bracket(t, r, want, tol)
			if off := distanceTo(r.State.W, dense); r.Status != solver.Converged || off > within*math.Max(1, gcg.Norm(dense)) {
				t.Errorf("%s, %s: %s after %d with gap %.1e, %.1e from the solution", name, improved, r.Status, r.Iter,
					r.State.Cert.Relative, off)
			}
		}
	}
}
