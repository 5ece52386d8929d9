package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// Products in float32 are those in float64, with what an intercept absorbs and without.
func TestProducts32(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p, s := shrinkProblem(t, 300, 12, 7, 0, intercept)
		g := newFactorModel(p, s).(*genericModel)
		if _, ok := g.curvature32(); !ok {
			t.Fatalf("intercept %v: there are none", intercept)
		}
		g.value(s.W.U, s.W.V)
		g.gradient()
		rng := rand.New(rand.NewPCG(1, 1))
		side := func(like *gcg.Factor) *gcg.Factor {
			f := gcg.NewFactor(like.Rows, like.K)
			for i := range f.Rows {
				for c := range f.K {
					f.Row(i)[c] = rng.NormFloat64()
				}
			}
			return f
		}
		du, dv := side(s.W.U), side(s.W.V)
		wantU, wantV := blank(du), blank(dv)
		g.curvatureTo(wantU, wantV, s.W.U, s.W.V, du, dv)
		in := gcg.FactorIn[float32, float64]
		u, v := in(blank(du)), in(blank(dv))
		g.curvature32To(u, v, in(s.W.U), in(s.W.V), in(du), in(dv))
		for k, pair := range [][2]*gcg.Factor{{gcg.FactorIn[float64](u), wantU}, {gcg.FactorIn[float64](v), wantV}} {
			off := pair[0].Clone()
			off.AddScaled(-1, pair[1])
			if a, b := math.Sqrt(off.Dot(off)), math.Sqrt(pair[1].Dot(pair[1])); !(a <= 1e-5*b) {
				t.Errorf("intercept %v: side %d of norm %g is off by %g", intercept, k, b, a)
			}
		}
	}
}
