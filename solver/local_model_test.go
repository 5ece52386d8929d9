package solver

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// Every product with c·G is c times that with G.
func TestScaledMap(t *testing.T) {
	op, err := operator.NewSampling(2, 3, []int64{0, 2, 4}, []int32{0, 2, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 7))
	g := op.Adjoint([]float64{1, 2, 3, 4}).(gcg.BilateralMap)
	scaled := scaledMap{g, 0.5}
	u, v := gcg.NewFactor(2, 1), gcg.NewFactor(3, 1)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			f.Row(i)[0] = rng.NormFloat64()
		}
	}
	x, y := make([]float64, 3), make([]float64, 2)
	v.ColumnTo(x, 0)
	u.ColumnTo(y, 0)
	want, back := make([]float64, 2), make([]float64, 3)
	g.MulTo(want, x)
	g.TMulTo(back, y)
	got, gotBack := make([]float64, 2), make([]float64, 3)
	scaled.MulTo(got, x)
	scaled.TMulTo(gotBack, y)
	gv, gu := gcg.Both(scaled, u, v)
	mv, mu := gcg.NewFactor(2, 1), gcg.NewFactor(3, 1)
	gcg.MulBlock(scaled, mv, v)
	gcg.TMulBlock(scaled, mu, u)
	for i, w := range want {
		if got[i] != w/2 || gv.Row(i)[0] != w/2 || mv.Row(i)[0] != w/2 {
			t.Errorf("row %d: %v, %v and %v, not %v", i, got[i], gv.Row(i)[0], mv.Row(i)[0], w/2)
		}
	}
	for j, w := range back {
		if gotBack[j] != w/2 || gu.Row(j)[0] != w/2 || mu.Row(j)[0] != w/2 {
			t.Errorf("column %d: %v, %v and %v, not %v", j, gotBack[j], gu.Row(j)[0], mu.Row(j)[0], w/2)
		}
	}
}
