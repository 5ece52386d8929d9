package support

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// The curvature of a block is its largest eigenvalue, at most a little above: by power iterations on random blocks, of which
// row sums are several times too large.
func TestBlockCurvature(t *testing.T) {
	const n, lo, hi = 90, 7, 87
	rng := rand.New(rand.NewPCG(6, 6))
	root, h := make([]float64, n*n), make([]float64, n*n)
	for i := range root {
		root[i] = rng.NormFloat64()
	}
	for i := range n {
		for j := range n {
			for k := range n {
				h[i*n+j] += root[i*n+k] * root[j*n+k]
			}
		}
	}
	one := hessian.PartsOf(hessian.OneGroup(n))
	one.Hess[0] = h
	m := &blockModel{start: make([]float64, n), hess: one}
	x := make([]float64, hi-lo)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	var top float64
	for range 2000 {
		y, norm := make([]float64, len(x)), 0.0
		for i := range y {
			for j := range x {
				y[i] += h[(lo+i)*n+lo+j] * x[j]
			}
			norm += y[i] * y[i]
		}
		top = math.Sqrt(norm)
		for i := range x {
			x[i] = y[i] / top
		}
	}
	for range 2 { // the second is from memory
		if got := m.Curvature(lo, hi); got < top*(1-1e-9) || got > top*(1+1e-6) {
			t.Errorf("the curvature is %g, the largest eigenvalue %g", got, top)
		}
	}
	if got := m.Curvature(3, 4); got != h[3*n+3] {
		t.Errorf("the curvature of one entry is %g, not %g", got, h[3*n+3])
	}
}

// At the minimum steps end: one that promises nothing is not damped, as the damping would stay for the next support.
func TestStepsEndAtTheMinimum(t *testing.T) {
	p, s, u, _ := tasksAtRandom(t, 60, 5, 4, false)
	clear(u.x)
	steps := 0
	for u.step(context.Background(), view.Of(p), s, 1e-9) {
		if steps++; steps > 40 {
			t.Fatal("no end")
		}
	}
	if steps < 3 || u.damping != 0 {
		t.Errorf("damping %g after %d steps", u.damping, steps)
	}
}

// From the first step inside a ball the multiplier comes down from where blocks begin to move, and goes on from the last one:
// minimisers for one that is far too small, as 0, take longest where columns are correlated.
func TestMultiplierComesDown(t *testing.T) {
	p, s, u, _ := tasksAtRandom(t, 60, 5, 4, false)
	p.Penalty = gauge.Ball{Zeta: 1e6}
	clear(u.x)
	u.x[0] = 1e-3 // as after a short step
	for _, root := range []float64{2, 0.5} {
		m, least := u.model(view.Of(p), s), math.Inf(1)
		lo, hi, inside := m.bracket(p.Penalty, func(mu float64) float64 {
			least, u.multiplier = math.Min(least, mu), mu
			return root - mu
		})
		if inside || lo.Mu > root || hi.Mu < root || least < root/20 {
			t.Errorf("[%g, %g] (inside: %v) for a multiplier of %g, and %g was tried", lo.Mu, hi.Mu, inside, root, least)
		}
	}
}
