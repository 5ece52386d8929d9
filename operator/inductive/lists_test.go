package inductive_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator/inductive"
)

// written is a side with its lists as features that are written out.
func written(s *inductive.Side, of [][]int, others int) *inductive.Side {
	w := *s
	w.Lists, w.Listed, w.P, w.Ptr, w.Index, w.Values = 0, nil, s.P+others, make([]int64, s.N+1), nil, nil
	for i := range s.N {
		for e := s.Ptr[i]; e < s.Ptr[i+1]; e++ {
			w.Index, w.Values = append(w.Index, s.Index[e]), append(w.Values, s.Values[e])
		}
		for _, j := range of[i] {
			w.Index, w.Values = append(w.Index, int32(s.P+j)), append(w.Values, s.Listed[i])
		}
		w.Ptr[i+1] = int64(len(w.Index))
	}
	return &w
}

// Every pass of an operator with lists is that of one whose lists are written out as features, with lists on either side, on
// both, and beside other features.
func TestListsAreFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	const m, n, k = 23, 17, 3
	at, cells := entries(t, rng, m, n)
	rows, cols := make([][]int, m), make([][]int, n)
	for _, c := range cells {
		rows[c[0]], cols[c[1]] = append(rows[c[0]], c[1]), append(cols[c[1]], c[0])
	}
	for which := 1; which < 4; which++ {
		left, _ := side(rng, m, 2, which == 3)
		right, _ := side(rng, n, 3, which == 3)
		slowLeft, slowRight := *left, *right
		if which&1 > 0 {
			left.Lists = n
			for range m {
				left.Listed = append(left.Listed, rng.Float64())
			}
			slowLeft = *written(left, rows, n)
		}
		if which&2 > 0 {
			right.Lists = m
			for range n {
				right.Listed = append(right.Listed, rng.Float64())
			}
			slowRight = *written(right, cols, m)
		}
		fast, err := inductive.New(at, left, right)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := inductive.New(at, &slowLeft, &slowRight)
		if err != nil {
			t.Fatal(err)
		}
		comparePasses(t, rng, fast, slow, k)
	}
}

func comparePasses(t *testing.T, rng *rand.Rand, fast, slow *inductive.Operator, k int) {
	t.Helper()
	a, b, nobs := fast.Dims()
	if p, q, _ := slow.Dims(); a != p || b != q {
		t.Fatalf("%d×%d, written out %d×%d", a, b, p, q)
	}
	random := func(rows int) *gcg.Factor {
		f := gcg.NewFactor(rows, k)
		for i := range rows {
			for c := range k {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
		return f
	}
	u, v, du, dv := random(a), random(b), random(a), random(b)
	r, y := make([]float64, nobs), make([]float64, nobs)
	for e := range y {
		r[e], y[e] = rng.NormFloat64(), rng.NormFloat64()
	}
	run := func(o *inductive.Operator) (all []float64) {
		z := make([]float64, nobs)
		o.ApplyTo(z, u, v)
		all = append(all, z...)
		o.FactoredTo(z[3:9], 3, u, v)
		all = append(all, z[3:9]...)
		o.ResidualTo(z, y, u, v)
		all = append(all, z...)
		gu, gv := gcg.NewFactor(a, k), gcg.NewFactor(b, k)
		keep := func() { all = append(append(all, gu.Data...), gv.Data...) }
		o.CurvatureTo(gu, gv, r, u, v, du, dv)
		keep()
		o.NormalTo(gu, u, v)
		keep()
		o.DiagonalTo(gu, gv, u, v)
		keep()
		g := o.Adjoint(r)
		gcg.MulBlock(g, gu, v)
		gcg.TMulBlock(g, gv, u)
		keep()
		x, w := gcg.Both(g, u, v)
		all = append(append(all, x.Data...), w.Data...)
		one := make([]float64, a)
		g.MulTo(one, v.Data[:b])
		all = append(all, one...)
		one = make([]float64, b)
		g.TMulTo(one, u.Data[:a])
		return append(all, one...)
	}
	want := run(slow)
	for i, x := range run(fast) {
		if math.Abs(x-want[i]) > 1e-10*(1+math.Abs(want[i])) {
			t.Fatalf("number %d is %v, written out %v", i, x, want[i])
		}
	}
}
