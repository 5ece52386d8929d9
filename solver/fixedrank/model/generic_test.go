package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/factor"
	"github.com/seed-b18ef778/gcg/solver/hessian"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// Products in float32 are those in float64, with what an intercept absorbs and without.
func TestProductsAgree(t *testing.T) {
	for _, size := range [][3]int{{300, 12, 7}, {300, 7, 12}, {200, 2, 3}} {
		for _, intercept := range []bool{false, true} {
			p, s := fixedrank.shrinkProblem(t, size[0], size[1], size[2], 0, intercept)
			g := New(view.Of(p), s).(*genericModel)
			if _, ok := g.Curvature32(); !ok {
				t.Fatalf("intercept %v: there are none", intercept)
			}
			g.Value(s.W.U, s.W.V)
			g.Gradient()
			rng := rand.New(rand.NewPCG(1, 1))
			du, dv := direction(rng, s.W.U), direction(rng, s.W.V)
			exact, narrow := [2]*gcg.Factor{factor.Blank(du), factor.Blank(dv)}, func() [2]*gcg.Factor {
				in := gcg.FactorIn[float32, float64]
				u, v := in(factor.Blank(du)), in(factor.Blank(dv))
				g.curvature32To(u, v, in(s.W.U), in(s.W.V), in(du), in(dv))
				return [2]*gcg.Factor{gcg.FactorIn[float64](u), gcg.FactorIn[float64](v)}
			}
			g.curvatureTo(exact[0], exact[1], s.W.U, s.W.V, du, dv)
			sidesAgree(t, "float32", narrow(), exact, 1e-5)
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

// Points that take turns in the same memory keep their own: after any values and gradients the point at hand, and that of the last gradient,
// have the residual of their factors.
func TestPointsKeepTheirOwn(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p, s := fixedrank.shrinkProblem(t, 300, 12, 7, 0, intercept)
		g := New(view.Of(p), s).(*genericModel)
		rng := rand.New(rand.NewPCG(1, 1))
		points := []*gcg.Factor{s.W.U}
		for range 5 {
			u := s.W.U.Clone()
			u.Scale(0.5 + rng.Float64())
			points = append(points, u)
		}
		g.Value(points[0], s.W.V)
		for it := range 100 {
			if rng.IntN(3) == 0 {
				g.Gradient()
				g.here.absorber(view.Of(p))
			} else {
				g.Value(points[rng.IntN(len(points))], s.W.V)
			}
			for _, at := range []*modelPoint{g.here, g.home} {
				if at == nil {
					continue
				}
				fresh, err := gcg.NewState(p, at.s.W)
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range fresh.R {
					if math.Abs(r-at.s.R[i]) > 1e-7/300 {
						t.Fatalf("intercept %v, turn %d: the residual of observation %d is %v, not %v", intercept, it, i, at.s.R[i], r)
					}
				}
			}
		}
	}
}

// The intercept follows predictions that moved a little, but for an error of second order.
func TestInterceptFollows(t *testing.T) {
	p, s := fixedrank.shrinkProblem(t, 300, 12, 7, 0, true)
	free, _ := hessian.NewAbsorber(view.Of(p), s, nil)
	var last float64
	for _, by := range []float64{0.1, 0.01} {
		near, err := gcg.NewState(p, s.W)
		if err != nil {
			t.Fatal(err)
		}
		near.W.Scale(1 + by)
		near.Refresh(p)
		z := make([]float64, len(near.Z))
		p.Apply(z, near.W)
		got := free.Follow(z)
		var off, moved float64
		for c, b := range got { // constants but for one that is in all
			off = math.Max(off, math.Abs(b-got[0]-near.Intercept[c]+near.Intercept[0]))
			moved = math.Max(moved, math.Abs(s.Intercept[c]-s.Intercept[0]-near.Intercept[c]+near.Intercept[0]))
		}
		if off > 0.3*moved || last > 0 && off > 0.03*last {
			t.Errorf("%v on: the intercept moves by %v, and is off by %v; it was %v", by, moved, off, last)
		}
		last = off
	}
}
