package inductive_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator/inductive"
)

// normal is a factor of normal numbers.
func normal(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

// apart is the largest difference of two factors, relative to the largest entry.
func apart(a, b *gcg.Factor) float64 {
	var d, most float64
	for i, x := range b.Data {
		d, most = math.Max(d, math.Abs(a.Data[i]-x)), math.Max(most, math.Abs(x))
	}
	return d / most
}

// plus is Σ of predictions of pairs of factors.
func plus(op *inductive.Operator, pairs ...*gcg.Factor) []float64 {
	_, _, nobs := op.Dims()
	z, part := make([]float64, nobs), make([]float64, nobs)
	for i := 0; i < len(pairs); i += 2 {
		op.FactoredTo(part, 0, pairs[i], pairs[i+1])
		for e, x := range part {
			z[e] += x
		}
	}
	return z
}

// The single passes are what they are made of, in float64 and in float32.
func TestPassesEqualTheirParts(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 9))
		op, _, _ := random(t, rng, 20, 15, 4, int(seed), seed%2 == 1)
		m, n, nobs := op.Dims()
		u, v, du, dv := normal(rng, m, 5), normal(rng, n, 5), normal(rng, m, 5), normal(rng, n, 5)
		r := make([]float64, nobs)
		for e := range r {
			r[e] = rng.NormFloat64()
		}
		// gu = E V - R dV, gv = Eᵀ U - Rᵀ dU
		wantU, wantV := gcg.Both(op.Adjoint(plus(op, du, v, u, dv)), u, v)
		ru, rv := gcg.Both(op.Adjoint(r), du, dv)
		wantU.AddScaled(-1, ru)
		wantV.AddScaled(-1, rv)
		gu, gv := normal(rng, m, 5), normal(rng, n, 5)
		op.CurvatureTo(gu, gv, r, u, v, du, dv)
		if a, b := apart(gu, wantU), apart(gv, wantV); a > 1e-12 || b > 1e-12 {
			t.Errorf("seed %d: second derivatives are off by %v and %v", seed, a, b)
		}
		narrow := func(f *gcg.Factor) *gcg.Factor32 { return gcg.FactorIn[float32](f) }
		gu32, gv32, r32 := narrow(gu), narrow(gv), make([]float32, nobs)
		for e, x := range r {
			r32[e] = float32(x)
		}
		op.Curvature32To(gu32, gv32, r32, narrow(u), narrow(v), narrow(du), narrow(dv))
		if a, b := apart(gcg.FactorIn[float64](gu32), wantU), apart(gcg.FactorIn[float64](gv32), wantV); a > 1e-5 || b > 1e-5 {
			t.Errorf("seed %d: in float32 by %v and %v", seed, a, b)
		}
		wantU, _ = gcg.Both(op.Adjoint(plus(op, du, v)), u, v)
		op.NormalTo(gu, du, v)
		op.Normal32To(gu32, narrow(du), narrow(v))
		if a, b := apart(gu, wantU), apart(gcg.FactorIn[float64](gu32), wantU); a > 1e-12 || b > 1e-5 {
			t.Errorf("seed %d: the normal operator is off by %v, in float32 by %v", seed, a, b)
		}
	}
}

// Of factors with one entry a column the diagonals are exact: they are the curvatures along pairs of columns.
func TestDiagonalsOfUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	op, _, _ := random(t, rng, 12, 10, 3, 2, true)
	m, n, _ := op.Dims()
	u2, v2, du, dv := gcg.NewFactor(m, 4), gcg.NewFactor(n, 4), gcg.NewFactor(m, 4), gcg.NewFactor(n, 4)
	u, v := gcg.NewFactor(m, 4), gcg.NewFactor(n, 4)
	for c := range 4 {
		a, b := rng.IntN(m), n-1-rng.IntN(4)
		u.Row(a)[c], v.Row(b)[c], u2.Row(a)[c], v2.Row(b)[c] = 2, 3, 4, 9
	}
	op.DiagonalTo(du, dv, u2, v2)
	for c := range 4 {
		one := func(f *gcg.Factor) *gcg.Factor {
			x, g := make([]float64, f.Rows), gcg.NewFactor(f.Rows, 1)
			f.ColumnTo(x, c)
			g.SetColumn(0, x, 1)
			return g
		}
		var want, left, right float64
		for _, z := range plus(op, one(u), one(v)) {
			want += z * z
		}
		for i := range m {
			left += u2.Row(i)[c] * du.Row(i)[c]
		}
		for j := range n {
			right += v2.Row(j)[c] * dv.Row(j)[c]
		}
		if math.Abs(left-want) > 1e-10*want || math.Abs(right-want) > 1e-10*want {
			t.Errorf("column %d: %v and %v, not %v", c, left, right, want)
		}
	}
}
