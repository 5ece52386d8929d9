package fixedrank_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A turn to balance changes neither the product nor, on another pair, any product; its columns are orthogonal and of one
// length on both sides. A singular pair has none.
func TestBalancing(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	draw := func(rows, k int) *gcg.Factor32 {
		f := gcg.NewFactorOf[float32](rows, k)
		for i := range rows {
			for c := range k {
				f.Row(i)[c] = float32(rng.NormFloat64() * math.Pow(3, float64(-c)))
			}
		}
		return f
	}
	x, other := fixedrank.NewFactors(draw(40, 5), draw(30, 5)), fixedrank.NewFactors(draw(40, 5), draw(30, 5))
	turned, ok := fixedrank.Balancing(x)
	if !ok {
		t.Fatal("no turn")
	}
	for _, f := range []fixedrank.Factors{x, other} {
		g := turned(f)
		for i := range 40 {
			for j := range 30 {
				var was, is float64
				for c := range 5 {
					was += float64(f.U().Row(i)[c]) * float64(f.V().Row(j)[c])
					is += float64(g.U().Row(i)[c]) * float64(g.V().Row(j)[c])
				}
				if math.Abs(is-was) > 1e-5 {
					t.Fatalf("entry (%d, %d) became %v, was %v", i, j, is, was)
				}
			}
		}
	}
	y := turned(x)
	gu, gv := factor.WideGram(y.U()), factor.WideGram(y.V())
	for a := range 5 {
		for b := range 5 {
			want := 0.0
			if a == b {
				want = gu.Row(a)[a]
			}
			off := math.Max(math.Abs(gu.Row(a)[b]-want), math.Abs(gv.Row(a)[b]-want))
			if !(off <= 1e-4*math.Sqrt(gu.Row(a)[a]*gu.Row(b)[b])) {
				t.Errorf("(%d, %d): UᵀU has %v, VᵀV %v", a, b, gu.Row(a)[b], gv.Row(a)[b])
			}
		}
	}
	for i := range x.U().Rows {
		x.U().Row(i)[4] = x.U().Row(i)[3]
	}
	if _, ok := fixedrank.Balancing(x); ok {
		t.Error("a turn of a singular pair")
	}
}

// A settled core is where F has the derivative λ along every direction that is left, and those that are not wanted are gone:
// with λ near the largest singular value of the data, some.
func TestSettledCore(t *testing.T) {
	for lambda, least := range map[float64]int{2: 0, 6.5: 1} {
		p, s := testproblem.Completion(t, 1)
		p.Penalty = gauge.Linear{Lambda: lambda}
		w, x := fixedrank.NewSweeper(p, s.W)
		for range 4 {
			w.Once(x)
		}
		before := w.Objective(x)
		var gone int
		for range 4 {
			var lost int
			x, lost = w.SolveCore(x)
			gone += lost
			if after := w.Objective(x); after > before*(1+1e-6) {
				t.Errorf("λ = %v: F rose from %v to %v", lambda, before, after)
			} else {
				before = after
			}
		}
		if gone < least || gone == 4 {
			t.Errorf("λ = %v: %d of 4 directions are gone, %d or more were expected", lambda, gone, least)
		}
		if off := w.CoreSlope(x); off > 1e-3 {
			t.Errorf("λ = %v: PᵀGQ is %v λ away from λI", lambda, off)
		}
	}
}

// Where as many directions came in as belong, sweeps say so, and the run goes to the tolerance without asking in between.
func TestEnoughIsSeen(t *testing.T) {
	p, _ := testproblem.Completion(t, 1)
	p.Penalty = gauge.Linear{Lambda: 6}
	opt := solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}}
	r, err := solver.Run(context.Background(), p, &solver.GCG{OutsideW: true}, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged || r.State.W.Rank() == 0 {
		t.Errorf("%s at rank %d, gap %g", r.Status, r.State.W.Rank(), r.State.Cert.Relative)
	}
}
