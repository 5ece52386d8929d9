package spectral

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// diagonalMap is a square matrix that is diagonal: its start is random, so that it is as general as any other for Lanczos.
func diagonalMap(s []float64) *denseMap {
	g := &denseMap{len(s), len(s), make([]float64, len(s)*len(s))}
	for i, x := range s {
		g.x[i*len(s)+i] = x
	}
	return g
}

// Spectra that hide their top: one value, or a few, far above or hardly above a bulk of many shapes.
func hiding(n int) map[string][]float64 {
	spectra := map[string][]float64{}
	for name, tail := range map[string]func(x float64) float64{
		"flat":       func(float64) float64 { return 1 },
		"linear":     func(x float64) float64 { return 1 - x },
		"decay":      func(x float64) float64 { return math.Exp(-8 * x) },
		"step":       func(x float64) float64 { return 1 - 0.9*math.Floor(2*x) },
		"semicircle": func(x float64) float64 { return math.Sqrt(1 - x*x) },
	} {
		for top, values := range map[string][]float64{"": nil, "+1e-3": {1.001}, "+1%": {1.01, 1.01}, "+10%": {1.1, 1.05, 1.02},
			"×100": {100, 10, 1.03}} {
			s := append([]float64(nil), values...)
			for i := range n - len(values) {
				s = append(s, tail(float64(i)/float64(n)))
			}
			spectra[name+top] = s
		}
	}
	return spectra
}

// The bound is above the largest value after any number of steps, and never far above it after many. The probability that it is
// not is set so high here that the start must matter: of all draws no more than that part may fail.
func TestMissedSpectrumBoundsTheTop(t *testing.T) {
	const n, draws, failure = 200, 8, 0.2
	tried, failed := 0, 0
	for name, s := range hiding(n) {
		top := 0.0
		for _, x := range s {
			top = math.Max(top, x)
		}
		for seed := range uint64(draws) {
			b := startKrylov(NewStructure(diagonalMap(s), gcg.Ask{}).complement(), seed)
			tried++
			for steps := 2; steps < 16 && !b.done; steps += 3 {
				if err := b.extend(context.Background(), steps); err != nil {
					t.Fatal(err)
				}
				r := b.ritz()
				if b.above(r, failure) < top*(1-1e-12) {
					failed++
					break
				}
				if sure := b.above(r, 1e-9); sure < top*(1-1e-12) {
					t.Errorf("%s, draw %d: after %d steps the bound is %.12g of σ₁ = %.12g", name, seed, steps, sure, top)
				}
			}
		}
	}
	t.Logf("%d of %d draws failed", failed, tried)
	if float64(failed) > failure*float64(tried) {
		t.Errorf("%d of %d draws failed, more than %g of them", failed, tried, failure)
	}
}

// Where the Krylov space is invariant but for rounding, the bound comes so near the largest value that the shift has no solution
// in float64: it goes no further.
func TestMissedSpectrumStopsAtRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	const n = 5 * Starts
	u := &missedSpectrum{make([]float64, n), make([]float64, n*Starts), make([]float64, 2*n*Starts)}
	for i := range n {
		u.t[i] = 1 - float64(i/Starts)/5
		for c := range Starts {
			u.both[2*i*Starts+c], u.last[i*Starts+c] = 1e-15*rng.NormFloat64(), rng.NormFloat64()
		}
	}
	// the values at the top see one direction of the last block only
	for i := range Starts {
		for c := 1; c < Starts; c++ {
			u.last[i*Starts+c] = u.last[i*Starts]
		}
	}
	if s := u.at(1+1e-9, Starts, make([]float64, n*Starts)); !math.IsInf(s.rho, 1) {
		t.Fatal("the shift has a solution: nothing is tested")
	}
	if bound := u.bound(chebyshevBound(6, likely(1000, 1e-9)), Starts, likely(1000, 1e-9)); !(bound >= 1 && bound < 1.1) {
		t.Errorf("the bound is %v of σ₁", bound)
	}
}

// Pairs far above the rest are no hindrance: what is left of the bound falls as fast as without them.
func TestMissedSpectrumPastOutliers(t *testing.T) {
	s := hiding(300)["linear×100"]
	b := startKrylov(NewStructure(diagonalMap(s), gcg.Ask{}).complement(), 1)
	if err := b.extend(context.Background(), 8); err != nil {
		t.Fatal(err)
	}
	if bound := b.above(b.ritz(), 1e-9); bound > 100*(1+1e-6) {
		t.Errorf("the bound is %.9g of σ₁ = 100", bound)
	}
}

// likely is below the part of a random unit vector in eight fixed directions, but for the probability that it is told.
func TestLikely(t *testing.T) {
	const dim, draws, failure = 40, 20000, 0.01
	rng := rand.New(rand.NewPCG(1, 7))
	below := 0
	for range draws {
		var part, whole float64
		for i := range dim {
			x := rng.NormFloat64()
			if whole += x * x; i < Starts {
				part += x * x
			}
		}
		if part/whole <= likely(dim, failure) {
			below++
		}
	}
	if below > 1.3*failure*draws || below == 0 {
		t.Errorf("%d of %d draws are below, at a probability of %g", below, draws, failure)
	}
}

// The residual at a shift is that of the least squares that it stands for, and the interpolated one covers what is between.
func TestShiftIsMINRES(t *testing.T) {
	const n, steps = 60, 4
	s := hiding(n)["semicircle+10%"]
	b := startKrylov(NewStructure(diagonalMap(s), gcg.Ask{}).complement(), 5)
	if err := b.extend(context.Background(), steps); err != nil {
		t.Fatal(err)
	}
	r := b.ritz()
	u, scale := newMissedSpectrum(r), r.top()*r.top()
	basis := gcg.NewFactor(n, b.count)
	for i := range n {
		for t, panel := range b.basis {
			copy(basis.Row(i)[t*b.panel:b.count], panel.Row(i))
		}
	}
	krylov, first := gcg.NewFactor(n, b.count-Starts), gcg.NewFactor(n, Starts)
	for i := range n {
		copy(krylov.Row(i), basis.Row(i)[:krylov.K])
		copy(first.Row(i), basis.Row(i)[:Starts])
	}
	_, vectors := linalg.SymEigen(b.matrix(), true)
	residual := func(at shift) *gcg.Factor { // Y₁ - (λI-A)K
		k := gcg.NewFactor(n, Starts)
		for i := range n {
			for e := range b.count {
				var x float64
				for j := range b.count {
					x += basis.Row(i)[j] * vectors.At(j, b.count-1-e)
				}
				for c := range Starts {
					k.Row(i)[c] += x * at.k[e*Starts+c]
				}
			}
		}
		remainder := first.Clone()
		for i := range n {
			for c := range Starts {
				remainder.Row(i)[c] -= (at.lambda - s[i]*s[i]/scale) * k.Row(i)[c]
			}
		}
		return remainder
	}
	var last shift
	for _, lambda := range []float64{1.001, 1.02, 1.1, 3} {
		image := krylov.Clone()
		for i := range n {
			for c := range image.K {
				image.Row(i)[c] *= lambda - s[i]*s[i]/scale
			}
		}
		q, _ := gcg.Orthonormal(image, 1e-14)
		remainder := first.Clone()
		remainder.Project(q)
		remainder.Project(q)
		at := u.at(lambda, b.last, make([]float64, len(u.last)))
		if got, want := at.rho, remainder.SpectralNorm(); math.Abs(got-want) > 1e-6*want ||
			math.Abs(residual(at).SpectralNorm()-want) > 1e-6*want {
			t.Errorf("at %g the residual is %.9g, by least squares %.9g", lambda, got, want)
		}
		if last.k != nil {
			h, between := at.lambda-last.lambda, shift{lambda: (at.lambda + last.lambda) / 2, k: make([]float64, len(at.k))}
			for i := range at.k {
				between.k[i] = (at.k[i] + last.k[i]) / 2
			}
			r := residual(between)
			if most := math.Max(at.rho, last.rho) + h/4*apart(at, last); r.SpectralNorm() > most*(1+1e-9) {
				t.Errorf("between %g and %g the residual is %g, more than %g", last.lambda, at.lambda, r.SpectralNorm(), most)
			}
			r.AddScaled(-0.5, residual(at))
			r.AddScaled(-0.5, residual(last))
			if got, want := h/4*apart(at, last), math.Sqrt(r.Dot(r)); math.Abs(got-want) > 1e-6*want {
				t.Errorf("between %g and %g the residual is %g off the mean of theirs, not %g", last.lambda, at.lambda, want, got)
			}
		}
		last = at
	}
}
