package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/operator/inductive"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// listing observes 10 entries in each of m rows of L W Rᵀ, whose rows and columns have lists of them.
func listing(t *testing.T, rng *rand.Rand, m, n int) *inductive.Operator {
	t.Helper()
	ptr, cols := []int64{0}, []int32{}
	for range m {
		for range 10 {
			cols = append(cols, int32(len(cols)%10*(n/10)+rng.IntN(n/10)))
		}
		ptr = append(ptr, int64(len(cols)))
	}
	at, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	side := func(rows, lists int) *inductive.Side {
		s := &inductive.Side{N: rows, Lists: lists}
		for range rows {
			s.Scale, s.Listed = append(s.Scale, 0.5+rng.Float64()), append(s.Listed, rng.Float64())
		}
		return s
	}
	op, err := inductive.New(at, side(m, n), side(n, m))
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// framedAt is the model of a problem of an operator, at random factors, and its second derivatives.
func framedAt(t *testing.T, o gcg.Operator, u, v *gcg.Factor) (model.Model, model.Curvature[float64]) {
	t.Helper()
	_, _, nobs := o.Dims()
	p := &gcg.Problem{Operator: o, Loss: &loss.Squared{Y: make([]float64, nobs)}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 1}}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := model.New(view.Of(p), s)
	g.Value(u.Clone(), v.Clone())
	return g, g.Curvature()
}

// The second derivatives by passes over X = L W Rᵀ are those by the passes of the operator of W.
func TestFramedCurvature(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	op := listing(t, rng, 40, 30)
	m, n, _ := op.Dims()
	const k = 4
	u, v, du, dv := normal(rng, m, k), normal(rng, n, k), normal(rng, m, k), normal(rng, n, k)
	var to, inside [2][2]*gcg.Factor
	for i, o := range []gcg.Operator{op, struct{ view.FusedOperator }{op}} {
		g, c := framedAt(t, o, u, v)
		left, right, fresh := c.Observed(u, v)
		if fresh != (i == 0) {
			t.Fatalf("operator %d: seen through L and R: %v", i, fresh)
		}
		to[i] = [2]*gcg.Factor{normal(rng, m, k), normal(rng, n, k)}
		c.To(to[i][0], to[i][1], left, right, du, dv)
		x, _, _ := c.Observed(du, dv)
		gx := normal(rng, x.Rows, k)
		c.Normal(gx, x, right)
		inside[i] = [2]*gcg.Factor{gcg.TMul(left, gx), gcg.NewFactor(0, 0)} // Uᵀ A*(A(dU Vᵀ)) V
		if i == 0 {
			narrow, _ := g.Curvature32()
			in := gcg.FactorIn[float32, float64]
			gu, gv := in(normal(rng, m, k)), in(normal(rng, n, k))
			left, right, _ := narrow.Observed(in(u), in(v))
			narrow.To(gu, gv, left, right, in(du), in(dv))
			sidesAgree(t, "float32", [2]*gcg.Factor{gcg.FactorIn[float64](gu), gcg.FactorIn[float64](gv)}, to[0], 1e-5)
		}
	}
	sidesAgree(t, "second derivatives", to[0], to[1], 1e-12)
	sidesAgree(t, "within the spaces of W", inside[0], inside[1], 1e-12)
}

// Diagonals through L and R are exact: the squares of what an entry of a factor predicts, beside the column of the other.
func TestFramedDiagonals(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	op := listing(t, rng, 40, 30)
	m, n, nobs := op.Dims()
	u, v := normal(rng, m, 3), normal(rng, n, 3)
	_, c := framedAt(t, op, u, v)
	da, db := c.Diagonals(u, v)
	z := make([]float64, nobs)
	check := func(name string, at, rows int, got float64, other *gcg.Factor, of int, predict func(e, x *gcg.Factor)) {
		e, x, column := gcg.NewFactor(rows, 1), gcg.NewFactor(other.Rows, 1), make([]float64, other.Rows)
		e.Row(at)[0] = 1
		other.ColumnTo(column, of)
		x.SetColumn(0, column, 1)
		predict(e, x)
		var want float64
		for _, p := range z {
			want += p * p
		}
		if math.Abs(got-want) > 1e-12*want {
			t.Errorf("%s %d: the diagonal is %v, the square of its predictions %v", name, at, got, want)
		}
	}
	for _, i := range []int{3, 45, m - 1} {
		check("row", i, m, da.Row(i)[2], v, 2, func(e, x *gcg.Factor) { op.FactoredTo(z, 0, e, x) })
	}
	for _, j := range []int{3, 35, n - 1} {
		check("column", j, n, db.Row(j)[1], u, 1, func(e, x *gcg.Factor) { op.FactoredTo(z, 0, x, e) })
	}
	w := c.Weights()
	if w.ObservedRows.Rows != 40 || w.Rows.Rows != m || w.ObservedColumns.Rows != 30 || w.Columns.Rows != n {
		t.Errorf("there are %d and %d weights of rows, %d and %d of columns", w.ObservedRows.Rows, w.Rows.Rows,
			w.ObservedColumns.Rows, w.Columns.Rows)
	}
}
