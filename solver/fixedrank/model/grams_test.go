package model

import (
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A Tasks without its Gram matrices.
type ungrammed struct{ gcg.Operator }

func (o ungrammed) Intercepts() (int, []int32) {
	return o.Operator.(gcg.InterceptOperator).Intercepts()
}

// Second derivatives by Gram matrices are those by predictions.
func TestGramsEqualPredictions(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p, s, _, rng := hessian.partsProblem(t, 300, 7, 12, intercept)
		for i := range s.Z {
			s.Z[i] += rng.NormFloat64()
		}
		s.Evaluate(p)
		const k = 3
		side := func(rows int) *gcg.Factor {
			f := gcg.NewFactor(rows, k)
			for i := range rows {
				for c := range k {
					f.Row(i)[c] = rng.NormFloat64()
				}
			}
			return f
		}
		u, v, du, dv := side(7), side(12), side(7), side(12)
		plain := *p
		plain.Operator = ungrammed{p.Operator}
		var gu, gv [2]*gcg.Factor
		for i, q := range []*gcg.Problem{p, &plain} {
			gu[i], gv[i] = side(7), side(12)
			m := &genericModel{p: view.Of(q), here: &modelPoint{s: s}}
			m.hessianTo(gu[i], gv[i], u, v, du, dv)
			if got := m.here.grams != nil; got != (i == 0) {
				t.Errorf("Gram matrices: %v", got)
			}
		}
		gu[0].AddScaled(-1, gu[1])
		gv[0].AddScaled(-1, gv[1])
		if off := gu[0].Dot(gu[0]) + gv[0].Dot(gv[0]); off > 1e-20*(1+gu[1].Dot(gu[1])) {
			t.Errorf("intercept %v: off by %g", intercept, off)
		}
	}
}
