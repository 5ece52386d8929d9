package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// Products in float32, and those with second derivatives that are formed, are those in float64 with the data, with what an intercept
// absorbs and without.
func TestProductsAgree(t *testing.T) {
	for _, size := range [][3]int{{300, 12, 7}, {300, 7, 12}, {200, 2, 3}} {
		for _, intercept := range []bool{false, true} {
			p, s := shrinkProblem(t, size[0], size[1], size[2], 0, intercept)
			g := newFactorModel(p, s).(*genericModel)
			if _, ok := g.curvature32(); !ok {
				t.Fatalf("intercept %v: there are none", intercept)
			}
			g.value(s.W.U, s.W.V)
			g.gradient()
			rng := rand.New(rand.NewPCG(1, 1))
			du, dv := direction(rng, s.W.U), direction(rng, s.W.V)
			exact, narrow := [2]*gcg.Factor{blank(du), blank(dv)}, func() [2]*gcg.Factor {
				in := gcg.FactorIn[float32, float64]
				u, v := in(blank(du)), in(blank(dv))
				g.curvature32To(u, v, in(s.W.U), in(s.W.V), in(du), in(dv))
				return [2]*gcg.Factor{gcg.FactorIn[float64](u), gcg.FactorIn[float64](v)}
			}
			g.curvatureTo(exact[0], exact[1], s.W.U, s.W.V, du, dv)
			sidesAgree(t, "float32", narrow(), exact, 1e-5)
			if g.here.whole != nil {
				t.Error("formed at once")
			}
			if g.formed.paid = true; g.formed.price == 0 {
				t.Error("never formed")
			}
			formed := [2]*gcg.Factor{blank(du), blank(dv)}
			g.curvatureTo(formed[0], formed[1], s.W.U, s.W.V, du, dv)
			if g.here.whole == nil {
				t.Error("not formed")
			}
			sidesAgree(t, "formed", formed, exact, 1e-11)
			sidesAgree(t, "formed, in float32", narrow(), exact, 1e-5)
		}
	}
}

func direction(rng *rand.Rand, like *gcg.Factor) *gcg.Factor {
	f := gcg.NewFactor(like.Rows, like.K)
	for i := range f.Rows {
		for c := range f.K {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

func sidesAgree(t *testing.T, name string, got, want [2]*gcg.Factor, part float64) {
	t.Helper()
	for k := range got {
		off := got[k].Clone()
		off.AddScaled(-1, want[k])
		if a, b := math.Sqrt(off.Dot(off)), math.Sqrt(want[k].Dot(want[k])); !(a <= part*b) {
			t.Errorf("%s: side %d of norm %g is off by %g", name, k, b, a)
		}
	}
}
