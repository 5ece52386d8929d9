package operator_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/operator"
)

// sampled is what the passes of an operator of entries make, of vectors of observations that f gives and takes.
func sampled(op view.FusedOperator, k int, own func(all []float64) []float64, whole func(own []float64) []float64) (o outcome) {
	m, n, _ := op.Dims()
	rng := rand.New(rand.NewPCG(5, 8))
	u, v, du, dv := factor(rng, m, k), factor(rng, n, k), factor(rng, m, k), factor(rng, n, k)
	all := make([]float64, m*n) // more than there are
	for i := range all {
		all[i] = rng.NormFloat64()
	}
	y := own(all)
	z, r := make([]float64, len(y)), make([]float64, len(y))
	o.add(op.ResidualTo(r, y, u, v))
	o.add(whole(r)...)
	op.AtomTo(z, 0, &gcg.Atom{U: u, V: v})
	o.add(whole(z)...)
	op.AtomTo(z, 0, &gcg.Atom{Rows: []int32{3, int32(m - 1)}, Cols: []int32{2, 5}, Vals: []float64{2, -1}})
	o.add(whole(z)...)
	gu, gv := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	op.CurvatureTo(gu, gv, r, u, v, du, dv)
	o.factor(gu)
	o.factor(gv)
	op.NormalTo(gu, du, v)
	o.factor(gu)
	op.DiagonalTo(gu, gv, u, v)
	o.factor(gu)
	o.factor(gv)
	g := op.Adjoint(r)
	a, b := gcg.Both(g, u, v)
	o.factor(a)
	o.factor(b)
	gcg.MulBlock(g, gu, v)
	o.factor(gu)
	gcg.TMulBlock(g, gv, u)
	o.factor(gv)
	x, p := make([]float64, n), make([]float64, m)
	v.ColumnTo(x, 0)
	g.MulTo(p, x)
	o.add(p...)
	g.TMulTo(x, p)
	o.add(x...)
	return o
}

// Observations that ranks share, and each shows in part, have the products of Sampling, and the same bits on any number of ranks.
func TestSpreadSampling(t *testing.T) {
	d := someEntries(4, 60, 23)
	rng := rand.New(rand.NewPCG(2, 2))
	rowMul, colMul := make([]float64, d.m), make([]float64, d.n)
	for _, x := range [][]float64{rowMul, colMul} {
		for i := range x {
			x[i] = 0.5 + rng.Float64()
		}
	}
	plain, err := operator.NewSampling(d.m, d.n, d.ptr, d.cols)
	if err == nil {
		plain, err = plain.Scaled(rowMul, colMul)
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := func(x []float64) []float64 { return x }
	want := sampled(plain, 5, func(all []float64) []float64 { return all[:len(d.cols)] }, whole)
	var first outcome
	var mutex sync.Mutex
	for _, ranks := range []int{1, 2, 3, 8} {
		err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
			squares, err := spread[float64](c, d, false) // which cuts the rows
			if err != nil {
				return err
			}
			left, _ := squares.Factors()
			lo, hi := left.Shared.OwnRows()
			ptr := make([]int64, d.m+1)
			for i := range d.m {
				ptr[i+1] = min(max(d.ptr[i+1], d.ptr[lo]), d.ptr[hi]) - d.ptr[lo]
			}
			op, err := operator.NewSpreadSampling(left.Shared, d.n, ptr, d.cols[d.ptr[lo]:d.ptr[hi]], rowMul, colMul)
			if err != nil {
				return err
			}
			got := sampled(op, 5, func(all []float64) []float64 { return slices.Clone(all[d.ptr[lo]:d.ptr[hi]]) },
				func(own []float64) []float64 { return slices.Concat(cluster.All(c, own)...) })
			mutex.Lock()
			defer mutex.Unlock()
			if first == nil {
				first = got
			}
			if off := apart(got, want); off > 1e-12 {
				return fmt.Errorf("off by %g", off)
			}
			if !slices.Equal(got, first) {
				return errors.New("not the bits of one rank")
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}
