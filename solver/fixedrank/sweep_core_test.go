package fixedrank

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/factor"
	"github.com/seed-b18ef778/gcg/solver/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A turn to balance changes neither the product nor, on another pair, any product; its columns are orthogonal and of one length on both
// sides. A singular pair has none.
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
	x, other := factors{draw(40, 5), draw(30, 5)}, factors{draw(40, 5), draw(30, 5)}
	turn, ok := balancing(x)
	if !ok {
		t.Fatal("no turn")
	}
	for _, f := range []factors{x, other} {
		g := turn.of(f)
		for i := range 40 {
			for j := range 30 {
				var was, is float64
				for c := range 5 {
					was += float64(f.u.Row(i)[c]) * float64(f.v.Row(j)[c])
					is += float64(g.u.Row(i)[c]) * float64(g.v.Row(j)[c])
				}
				if math.Abs(is-was) > 1e-5 {
					t.Fatalf("entry (%d, %d) became %v, was %v", i, j, is, was)
				}
			}
		}
	}
	y := turn.of(x)
	gu, gv := factor.gram64(y.u), factor.gram64(y.v)
	for a := range 5 {
		for b := range 5 {
			want := 0.0
			if a == b {
				want = gu.Row(a)[a]
			}
			if scale := math.Sqrt(gu.Row(a)[a] * gu.Row(b)[b]); math.Abs(gu.Row(a)[b]-want) > 1e-4*scale || math.Abs(gv.Row(a)[b]-want) > 1e-4*scale {
				t.Errorf("(%d, %d): UᵀU has %v, VᵀV %v", a, b, gu.Row(a)[b], gv.Row(a)[b])
			}
		}
	}
	for i := range x.u.Rows {
		x.u.Row(i)[4] = x.u.Row(i)[3]
	}
	if _, ok := balancing(x); ok {
		t.Error("a turn of a singular pair")
	}
}

// A settled core is where F has the derivative λ along every direction that is left, and those that are not wanted are gone: with λ near the
// largest singular value of the data, some.
func TestSettledCore(t *testing.T) {
	for lambda, least := range map[float64]int{2: 0, 6.5: 1} {
		p, s := sweepProblem(t, 1)
		p.Penalty = gauge.Linear{Lambda: lambda}
		w := newSweeper(view.Of(p))
		w.setRidge(p.Penalty)
		x := newFactors(s.W.U, s.W.V, 1/math.Sqrt(w.unit))
		for range 4 {
			w.sweepOnce(x)
		}
		before := w.objective(x)
		var gone int
		for range 4 {
			var lost int
			x, lost = w.solveCore(x)
			gone += lost
			if after := w.objective(x); after > before*(1+1e-6) {
				t.Errorf("λ = %v: F rose from %v to %v", lambda, before, after)
			} else {
				before = after
			}
		}
		if gone < least || gone == 4 {
			t.Errorf("λ = %v: %d of 4 directions are gone, %d or more were expected", lambda, gone, least)
		}
		turn, _ := balancing(x)
		x = turn.of(x)
		c := &sweepCore{w: w}
		for i, g := 0, factor.gram64(x.u); i < x.u.K; i++ {
			c.sigma = append(c.sigma, g.Row(i)[i])
		}
		c.p, c.q = factor.ScaleColumns(x.u, c.sigma, -0.5), factor.ScaleColumns(x.v, c.sigma, -0.5)
		at := gcg.Small(x.u.K, x.u.K)
		for i, si := range c.sigma {
			at.Row(i)[i] = si
		}
		g := c.target()
		g.AddScaled(-1, c.normal(at))
		for i := range x.u.K {
			g.Row(i)[i] -= w.ridge
		}
		if norm := g.SpectralNorm(); norm > 1e-3*w.ridge {
			t.Errorf("λ = %v: PᵀGQ is %v λ away from λI", lambda, norm/w.ridge)
		}
	}
}

// objective is F in the sweeper's units, from a sweep that is not kept.
func (w *sweeper) objective(x factors) float64 {
	if t, ok := balancing(x); ok {
		x = t.of(x)
	}
	f, _ := w.sweepOnce(x.clone())
	return f
}

// Where as many directions came in as belong, sweeps say so, and the run goes to the tolerance without asking in between.
func TestEnoughIsSeen(t *testing.T) {
	p, _ := sweepProblem(t, 1)
	p.Penalty = gauge.Linear{Lambda: 6}
	r, err := solver.Run(context.Background(), p, &gcg.Method{OutsideW: true}, solver.Options{Tol: 1e-6, Improver: &Local{}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Converged || r.State.W.Rank() == 0 {
		t.Errorf("%s at rank %d, gap %g", r.Status, r.State.W.Rank(), r.State.Cert.Relative)
	}
}
