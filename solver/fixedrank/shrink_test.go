package fixedrank_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A step in factors is that of the proximity operator on matrices, and no step raises F, whichever side of W is the smaller.
func TestShrink(t *testing.T) {
	for at, size := range [][3]int{{200, 12, 7}, {200, 7, 12}, {200, 12, 7}, {200, 7, 12}} {
		p := testproblem.Classification(t, size[0], size[1], size[2], 0, at >= 2)
		s := testproblem.FirstStep(t, p)
		k, ok := new(fixedrank.Local).NewShrinker(p, s)
		if !ok {
			t.Fatal("no steps")
		}
		var before float64
		for it := range 6 { // more come to where float32 ends
			w, g, _, f := k.Here()
			h, lambda := k.Scales()
			w = w.Clone()
			w.AddScaled(float32(1/h), g)
			want := make([]float64, w.Rows*w.K)
			for i := range w.Rows {
				kernel.Convert(want[i*w.K:], w.Row(i)[:w.K])
			}
			rho := gauge.Trace{}.ProxTo(want, want, w.Rows, w.K, lambda/h)
			got, gotRho, u, v, norm := k.Threshold(w, lambda/h)
			product := gcg.Mul(u, factor.Transposed(v, v.Rows))
			for i := range w.Rows {
				for j, x := range product.Row(i)[:w.K] {
					whole := float64(got.Row(i)[j])
					if want := want[i*w.K+j]; math.Abs(x-want) > 1e-6*rho || math.Abs(whole-want) > 1e-6*rho {
						t.Fatalf("%v: entry %d, %d is %v, and %v of the factors, want %v", size, i, j, whole, x, want)
					}
				}
			}
			if math.Abs(gotRho-rho) > 1e-10*rho || math.Abs(norm-rho) > 1e-6*rho {
				t.Errorf("%v: the trace norm is %v, and %v of the factors, want %v", size, gotRho, norm, rho)
			}
			before = f
			if stepped := k.Step(); !stepped || !(fOf(k) < before) {
				t.Errorf("%v, step %d: F goes from %v to %v", size, it, before, fOf(k))
			}
		}
		w, _, _, end := k.Here()
		if none, rho, u, _, _ := k.Threshold(w.Clone(), 1e9); u.K != 0 || rho != 0 || none.Dot(none) != 0 {
			t.Errorf("%v: something is left of 0", size)
		}
		k.Write()
		fresh, err := gcg.NewState(p, s.W)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := s.Objective(p), fresh.Objective(p); math.Abs(a-b) > 1e-12*b || end < (1-1e-6)*b || end > (1+1e-6)*before {
			t.Errorf("%v: F is %v and %v, that of W %v", size, end, a, b)
		}
	}
}

// An intercept takes no more iterations and hardly more products and evaluations than there are without it.
func TestInterceptOfClassesIsCheap(t *testing.T) {
	var without gcg.Count
	for _, intercept := range []bool{false, true} {
		p := testproblem.Classification(t, 300, 40, 20, 0, intercept)
		opt := solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, opt)
		if err != nil {
			t.Fatal(err)
		}
		c := r.State.Count
		if r.Status != solver.Converged {
			t.Errorf("intercept %v: %s", intercept, r.Status)
		}
		more := c.Products > 2*without.Products || c.Improvements > without.Improvements+1 || c.Gradients > 2*without.Gradients
		if intercept && more {
			t.Errorf("the work with an intercept is %+v, without %+v", c, without)
		}
		without = c
	}
}

// They are left out where features are correlated, where the rank is limited, and where W is near the solution.
func TestWhereShrinkIsLeftOut(t *testing.T) {
	taken := func(rho, gap float64, maxRank int) bool {
		p := testproblem.Classification(t, 300, 40, 6, rho, false)
		s := testproblem.FirstStep(t, p)
		s.Cert.Relative = gap
		before := s.Objective(p)
		new(fixedrank.Local).Shrink(p, s, gcg.Moved{MaxRank: maxRank})
		return s.Objective(p) < before
	}
	if !taken(0, 1, 0) {
		t.Error("not taken")
	}
	if taken(1, 1, 0) {
		t.Error("taken on correlated features")
	}
	if taken(0, 1, 3) {
		t.Error("taken beyond the rank that is allowed")
	}
	if taken(0, 1e-3, 0) {
		t.Error("taken near the solution")
	}
}

// What float32 says of features far from 0 with an intercept, where some classes do not occur, is F, and the gradient is its
// slope.
func TestShrinkFarFromZero(t *testing.T) {
	p := testproblem.Classification(t, 300, 12, 7, 0, true)
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
	k, ok := new(fixedrank.Local).NewShrinker(p, s)
	if !ok {
		t.Fatal("no steps")
	}
	_, slopes, constants, narrow := k.Here()
	if f := s.Objective(p); math.Abs(narrow/f-1) > 1e-6 {
		t.Errorf("F is %v, in float32 %v", f, narrow)
	}
	for c, g := range constants {
		if math.Abs(g) > 1e-6 {
			t.Errorf("constant %d has a slope of %v where it is fitted", c, g)
		}
	}
	want := make([]float64, 12*9)
	s.Gradient(p).(gcg.DenseMap).RowsTo(want, 0)
	for i, g := range want {
		j, c := i/9, i%9
		if math.Abs(float64(slopes.Row(j)[c])-g) > 1e-5 {
			t.Errorf("the slope of entry %d is %v, in float32 %v", i, g, slopes.Row(j)[c])
		}
	}
	before := s.Objective(p)
	for range 5 {
		k.Step()
	}
	reached := fOf(k)
	if k.Write(); !(s.Objective(p) < before) || s.Objective(p) > reached*(1+1e-6) {
		t.Errorf("F goes from %v to %v, in float32 to %v", before, s.Objective(p), reached)
	}
}

// fOf is F at the present point, as far as float32 tells.
func fOf(k *fixedrank.Shrinker) float64 {
	_, _, _, f := k.Here()
	return f
}
