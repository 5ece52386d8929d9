package bcd_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/views"
	"github.com/seed-b18ef778/gcg/internal/baseline/bcd"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	splitting "github.com/seed-b18ef778/gcg/solver/views"
)

// twoViews is a problem of two views of n samples, with a product of the given rank for its targets and a little noise.
func twoViews(t *testing.T, k views.Views, n, rank int, lambda float64, huber bool) *gcg.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(40, 21))
	m := k.Sizes[0] + k.Sizes[1]
	u, v, y := make([]float64, m*rank), make([]float64, n*rank), make([]float64, m*n)
	for _, x := range [][]float64{u, v} {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	for i := range m {
		for j := range n {
			for c := range rank {
				y[i*n+j] += u[i*rank+c] * v[j*rank+c]
			}
			y[i*n+j] += 0.1 * rng.NormFloat64()
		}
	}
	op, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	var l gcg.Loss = &loss.Squared{Y: y}
	if huber {
		l = &loss.Huber{Y: y, Mu: 0.1}
	}
	return &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: lambda}}
}

// solve runs bcd, whose objective never rises.
func solve(t *testing.T, p *gcg.Problem, size, turns int, tol float64) *solver.Result {
	t.Helper()
	last := math.Inf(1)
	r, err := solver.Run(context.Background(), p, &bcd.Method{Size: size}, solver.Options{Tol: tol, MaxIter: turns, Seed: 1,
		Event: func(e solver.Event) {
			if f := e.State.Objective(p); f > last*(1+1e-12) {
				t.Errorf("%d columns: F rose from %v to %v at turn %d", size, last, f, e.State.Iter)
			} else {
				last = f
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The objective never rises, whatever the columns are, and never falls below the optimum.
func TestDescends(t *testing.T) {
	k := views.Views{Sizes: []int{6, 4}, Radii: []float64{1, 3}}
	for _, huber := range []bool{false, true} {
		p := twoViews(t, k, 9, 3, 2, huber)
		want, err := solver.Run(context.Background(), p, &splitting.Splitting{}, solver.Options{Tol: 1e-8, MaxIter: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 2, 5} {
			r := solve(t, p, size, 30, 1e-9)
			if f := r.State.Cert.Objective; f < want.State.Cert.LowerBound {
				t.Errorf("%d columns: F = %v is below the bound %v", size, f, want.State.Cert.LowerBound)
			}
		}
	}
}

// With more columns than the solution has, on targets of low rank, the local minimum is the global one, to which the last digits
// come slowly.
func TestGlobal(t *testing.T) {
	k := views.Views{Sizes: []int{6, 4}, Radii: []float64{1, 3}}
	p := twoViews(t, k, 9, 2, 2, false)
	want, err := solver.Run(context.Background(), p, &splitting.Splitting{}, solver.Options{Tol: 1e-8, MaxIter: 1000})
	if err != nil {
		t.Fatal(err)
	}
	r := solve(t, p, 6, 1000, 1e-3)
	if f, opt := r.State.Cert.Objective, want.State.Cert.Objective; f > opt*(1+1e-4) {
		t.Errorf("F = %v after %d turns, the optimum is %v", f, r.Iter, opt)
	}
}

// With one column, and one view that is nearly nothing, the optimum of targets u vᵀ is a closed form: W = (1 - λ/(‖u‖‖v‖)) u vᵀ
// by a radius of 1.
func TestOneColumn(t *testing.T) {
	const n, lambda = 5, 1.5
	u, v := []float64{1, -2, 0.5, 1e-9}, []float64{2, 1, 0, -1, 1}
	y := make([]float64, 4*n)
	for i, a := range u {
		for j, b := range v {
			y[i*n+j] = a * b
		}
	}
	op, err := operator.NewIdentity(4, n)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: views.Views{Sizes: []int{3, 1}},
		Penalty: gauge.Linear{Lambda: lambda}}
	sigma := gcg.Norm(u) * gcg.Norm(v)
	want := lambda*sigma - lambda*lambda/2
	r := solve(t, p, 1, 200, 1e-7)
	if f := r.State.Cert.Objective; math.Abs(f-want) > 1e-6*want {
		t.Errorf("F = %.10g, not %.10g", f, want)
	}
}

// Gauges of no views, and other penalties, are refused.
func TestRefused(t *testing.T) {
	p := twoViews(t, views.Views{Sizes: []int{2, 2}}, 3, 1, 1, false)
	q := *p
	q.Gauge = gauge.Trace{}
	p.Penalty = gauge.Square{Lambda: 1}
	for _, problem := range []*gcg.Problem{p, &q} {
		if _, err := solver.Run(context.Background(), problem, &bcd.Method{}, solver.Options{}); err == nil {
			t.Errorf("gauge %s with a %T is not refused", problem.Gauge.Name(), problem.Penalty)
		}
	}
}
