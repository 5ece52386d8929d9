package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// Products in float32 are those in float64, with what an intercept absorbs and without.
func TestProductsAgree(t *testing.T) {
	for _, size := range [][3]int{{300, 12, 7}, {300, 7, 12}, {200, 2, 3}} {
		for _, intercept := range []bool{false, true} {
			p := testproblem.Classification(t, size[0], size[1], size[2], 0, intercept)
			s := testproblem.FirstStep(t, p)
			g := model.New(view.Of(p), s)
			u, v := s.W.U, s.W.V
			g.Value(u.Clone(), v.Clone())
			g.Gradient()
			narrow, ok := g.Curvature32()
			if !ok {
				t.Fatalf("intercept %v: there are none", intercept)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			du, dv := normal(rng, u.Rows, u.K), normal(rng, v.Rows, v.K)
			exact := [2]*gcg.Factor{factor.Blank(du), factor.Blank(dv)}
			g.Curvature().To(exact[0], exact[1], u, v, du, dv)
			in := gcg.FactorIn[float32, float64]
			gu, gv := in(factor.Blank(du)), in(factor.Blank(dv))
			narrow.To(gu, gv, in(u), in(v), in(du), in(dv))
			sidesAgree(t, "float32", [2]*gcg.Factor{gcg.FactorIn[float64](gu), gcg.FactorIn[float64](gv)}, exact, 1e-5)
		}
	}
}

// normal is a factor of independent normal entries.
func normal(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

// sidesAgree says which of two pairs of factors is off by more than a part of its norm.
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

// A grammed counts how often its Gram matrices are taken.
type grammed struct {
	*operator.Tasks
	taken int
}

func (o *grammed) Grams(d []float64, centred bool) []*gcg.Factor {
	o.taken++
	return o.Tasks.Grams(d, centred)
}

// An ungrammed is a Tasks without its Gram matrices.
type ungrammed struct{ gcg.Operator }

func (o ungrammed) Intercepts() (int, []int32) {
	return o.Operator.(gcg.InterceptOperator).Intercepts()
}

// Second derivatives by Gram matrices are those by predictions.
func TestGramsEqualPredictions(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p, s, rng := testproblem.Tasks(t, 300, 7, 12, intercept)
		const k = 3
		u, v, du, dv := normal(rng, 7, k), normal(rng, 12, k), normal(rng, 7, k), normal(rng, 12, k)
		with, plain := *p, *p
		grams := &grammed{Tasks: p.Operator.(*operator.Tasks)}
		with.Operator, plain.Operator = grams, ungrammed{p.Operator}
		var g [2][2]*gcg.Factor
		for i, q := range []*gcg.Problem{&with, &plain} {
			g[i] = [2]*gcg.Factor{normal(rng, 7, k), normal(rng, 12, k)}
			m := model.New(view.Of(q), s)
			m.Value(u.Clone(), v.Clone())
			m.Gradient()
			m.Curvature().To(g[i][0], g[i][1], u, v, du, dv)
		}
		if grams.taken == 0 {
			t.Error("no Gram matrices are taken")
		}
		sidesAgree(t, "Gram matrices", g[0], g[1], 1e-10)
	}
}
