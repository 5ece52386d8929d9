package fixedrank

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/factor"
	"github.com/seed-b18ef778/gcg/solver/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// shrinkProblem is a classification of rows of features, each of which is the one before it times rho and noise, after a step from W = 0. With an
// intercept features are not about 0.
func shrinkProblem(t *testing.T, n, features, classes int, rho float64, intercept bool) (*gcg.Problem, *gcg.State) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, uint64(classes)))
	x, labels := make([]float64, n*features), make([]int32, n)
	for i := range n {
		labels[i] = int32(i % classes)
		for j := range features {
			x[i*features+j] = rng.NormFloat64()
			if j > 0 {
				x[i*features+j] += rho * x[i*features+j-1]
			}
		}
		x[i*features+i%min(classes, features)] += 2
		if intercept {
			x[i*features] += 3
		}
	}
	f, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, classes)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: classes, Mean: true}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.01}, Intercept: intercept}
	r, err := solver.Run(context.Background(), p, &gcg.Method{OutsideW: true}, solver.Options{MaxIter: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p, r.State
}

// A step in factors is that of the proximity operator on matrices, and no step raises F, whichever side of W is the smaller.
func TestShrink(t *testing.T) {
	for at, size := range [][3]int{{200, 12, 7}, {200, 7, 12}, {200, 12, 7}, {200, 7, 12}} {
		p, s := shrinkProblem(t, size[0], size[1], size[2], 0, at >= 2)
		k, ok := new(Local).newShrinker(view.Of(p), s)
		if !ok {
			t.Fatal("no steps")
		}
		var before float64
		for it := range 6 { // more come to where float32 ends
			w := k.w(k.at).Clone()
			w.AddScaled(float32(1/k.h), k.g(k.at))
			want := make([]float64, w.Rows*w.K)
			for i := range w.Rows {
				kernel.Convert(want[i*w.K:], w.Row(i)[:w.K])
			}
			rho := gauge.Trace{}.ProxTo(want, want, w.Rows, w.K, k.lambda/k.h)
			copy(k.moved.Data, w.Data)
			k.shrinkTo(k.next, k.lambda/k.h)
			u, v, norm := k.factors(k.next)
			near := gcg.Mul(u, factor.Transposed(v, v.Rows))
			for i := range w.Rows {
				for j, x := range near.Row(i)[:w.K] {
					whole := float64(k.next.w.Row(i)[j])
					if want := want[i*w.K+j]; math.Abs(x-want) > 1e-6*rho || math.Abs(whole-want) > 1e-6*rho {
						t.Fatalf("%v: entry %d, %d is %v, and %v of the factors, want %v", size, i, j, whole, x, want)
					}
				}
			}
			if math.Abs(k.next.rho-rho) > 1e-10*rho || math.Abs(norm-rho) > 1e-6*rho {
				t.Errorf("%v: the trace norm is %v, and %v of the factors, want %v", size, k.next.rho, norm, rho)
			}
			before = k.at.f
			if !k.step() || !(k.at.f < before) {
				t.Errorf("%v, step %d: F goes from %v to %v", size, it, before, k.at.f)
			}
		}
		if k.shrinkTo(k.next, 1e9); k.next.short.Rows != 0 || k.next.rho != 0 || k.w(k.next).Dot(k.w(k.next)) != 0 {
			t.Errorf("%v: something is left of 0", size)
		}
		k.write()
		fresh, err := gcg.NewState(p, s.W)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := s.Objective(p), fresh.Objective(p); math.Abs(a-b) > 1e-12*b || k.at.f < (1-1e-6)*b || k.at.f > (1+1e-6)*before {
			t.Errorf("%v: F is %v and %v, that of W %v", size, k.at.f, a, b)
		}
	}
}

// An intercept takes no more iterations and hardly more products and evaluations than there are without it.
func TestInterceptOfClassesIsCheap(t *testing.T) {
	var without gcg.Count
	for _, intercept := range []bool{false, true} {
		p, _ := shrinkProblem(t, 300, 40, 20, 0, intercept)
		r, err := solver.Run(context.Background(), p, &gcg.Method{OutsideW: true}, solver.Options{Tol: 1e-6, Improver: &Local{}})
		if err != nil {
			t.Fatal(err)
		}
		c := r.State.Count
		if r.Status != solver.Converged {
			t.Errorf("intercept %v: %s", intercept, r.Status)
		}
		if intercept && (c.Products > 2*without.Products || c.Improvements > without.Improvements+1 || c.Gradients > 2*without.Gradients) {
			t.Errorf("the work with an intercept is %+v, without %+v", c, without)
		}
		without = c
	}
}

// They are left out where features are correlated, where the rank is limited, and where W is near the solution.
func TestWhereShrinkIsLeftOut(t *testing.T) {
	taken := func(rho float64, change func(s *gcg.State)) bool {
		p, s := shrinkProblem(t, 300, 40, 6, rho, false)
		change(s)
		before := s.Objective(p)
		new(Local).shrink(context.Background(), view.Of(p), s)
		return s.Objective(p) < before
	}
	if !taken(0, func(*gcg.State) {}) {
		t.Error("not taken")
	}
	if taken(1, func(*gcg.State) {}) {
		t.Error("taken on correlated features")
	}
	if taken(0, func(s *gcg.State) { s.MaxRank = 3 }) {
		t.Error("taken beyond the rank that is allowed")
	}
	if taken(0, func(s *gcg.State) { s.Cert.Relative = 1e-3 }) {
		t.Error("taken near the solution")
	}
}

// What float32 says of features far from 0 with an intercept, where some classes do not occur, is F, and the gradient is its slope.
func TestShrinkFarFromZero(t *testing.T) {
	p, _ := shrinkProblem(t, 300, 12, 7, 0, true)
	x, labels := make([]float64, 300*12), p.Loss.(*loss.Softmax).Labels
	rng := rand.New(rand.NewPCG(7, 1))
	for i := range x {
		x[i] = 1e4 + rng.NormFloat64()
		if i/12%4 == int(labels[i/12]) {
			x[i]++
		}
	}
	f, err := operator.DenseFeatures(300, 12, x)
	if err != nil {
		t.Fatal(err)
	}
	p.Operator, err = operator.NewDesign(f, 9) // of which two have no rows
	if err != nil {
		t.Fatal(err)
	}
	p.Loss = &loss.Softmax{Labels: labels, Classes: 9, Mean: true}
	u, v := gcg.NewFactor(12, 2), gcg.NewFactor(9, 2)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			f.Row(i)[0], f.Row(i)[1] = 0.1*rng.NormFloat64(), 0.1*rng.NormFloat64()
		}
	}
	s, err := gcg.NewState(p, &gcg.Iterate{M: 12, N: 9, U: u, V: v})
	if err != nil {
		t.Fatal(err)
	}
	k, ok := new(Local).newShrinker(view.Of(p), s)
	if !ok {
		t.Fatal("no steps")
	}
	if f := s.Objective(p); math.Abs(k.at.f/f-1) > 1e-6 {
		t.Errorf("F is %v, in float32 %v", f, k.at.f)
	}
	for c, g := range k.at.gb {
		if math.Abs(g) > 1e-6 {
			t.Errorf("constant %d has a slope of %v where it is fitted", c, g)
		}
	}
	want := make([]float64, 12*9)
	s.Gradient(p).(gcg.DenseMap).RowsTo(want, 0)
	for i, g := range want {
		j, c := i/9, i%9
		if math.Abs(float64(k.at.g.Row(j)[c])-g) > 1e-5 {
			t.Errorf("the slope of entry %d is %v, in float32 %v", i, g, k.at.g.Row(j)[c])
		}
	}
	before := s.Objective(p)
	for range 5 {
		k.step()
	}
	reached := k.at.f
	if k.write(); !(s.Objective(p) < before) || s.Objective(p) > reached*(1+1e-6) {
		t.Errorf("F goes from %v to %v, in float32 to %v", before, s.Objective(p), reached)
	}
}
