package support

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
	"github.com/seed-b18ef778/gcg/solver/internal/rootfind"
)

// A line is ψ along one atom, f(θ) = L(z₀ + θz) + h(ρ + θ), with z the predictions of the atom, centred.
type line struct {
	p        *view.Problem
	s        *gcg.State
	z, means []float64
}

// newLine is ψ along an atom from the state. z, as long as the predictions, is overwritten.
func newLine(p *view.Problem, s *gcg.State, z []float64, a gcg.Atom) *line {
	p.ApplyAtoms(z, []gcg.Atom{a}, []float64{1})
	return &line{p, s, z, hessian.Centred(p, z)}
}

// slope is f'(θ), which takes a gradient of the loss unless θ = 0.
func (l *line) slope(theta float64) float64 {
	gain := l.p.Sum(func(lo, hi int) float64 {
		r := l.s.R[lo:hi]
		if theta != 0 {
			r = make([]float64, hi-lo)
			for i := range r {
				r[i] = l.s.Z[lo+i] + theta*l.z[lo+i]
			}
			l.p.Loss.Eval(lo, r, r)
		}
		var sum float64
		for i, x := range r {
			sum += x * l.z[lo+i]
		}
		return sum
	})
	return l.p.Penalty.Deriv(l.s.Rho+theta) - gain
}

// size is ‖z‖².
func (l *line) size() float64 {
	return l.p.Sum(func(lo, hi int) float64 {
		var sum float64
		for _, x := range l.z[lo:hi] {
			sum += x * x
		}
		return sum
	})
}

// move moves the state by θ times the atom: predictions, constants and ρ, but not W.
func (l *line) move(theta float64) {
	for i, x := range l.z {
		l.s.Z[i] += theta * x
	}
	kernel.Axpy(-theta, l.means, l.s.Intercept)
	l.s.Rho += theta
	l.s.Recentre(l.p.Problem)
}

// minimise is a θ ≥ least at which f is about least. first, on the side to which f falls, is where f' is taken first, and g
// = f'(0). It goes on from there until f' changes its sign, and then narrows the bracket. It ends where f still falls, so
// that f(θ) ≤ f(0); for a quadratic f the first secant is exact.
func (l *line) minimise(g, first, least float64) float64 {
	lo, flo, hi := 0.0, g, math.Max(first, least)
	fhi := l.slope(hi)
	for range 60 { // away from 0 until f' changes its sign
		if fhi*g <= 0 || hi == least {
			break
		}
		next := 8 * hi
		if root := hi - fhi*(hi-lo)/(fhi-flo); math.Abs(root) < math.Abs(next) && root/hi > 1 {
			next = root
		}
		lo, flo, hi = hi, fhi, math.Max(next, least)
		fhi = l.slope(hi)
		if math.Abs(fhi) <= lineTol*math.Abs(g) {
			break
		}
	}
	if fhi*g >= 0 {
		return hi
	}
	return l.root(g, lo, flo, hi, fhi)
}

// lineTol is the part of f'(0) that a search may leave: the next coordinate undoes more than that.
const lineTol = 1e-4

// rootRounding is the part of f'(0) that f' is rounded by: there the far end of the bracket is the root.
const rootRounding = 1e-10

// root is about the root of f' between lo and hi, on the side where f still falls.
func (l *line) root(g, lo, flo, hi, fhi float64) float64 {
	b, last := rootfind.Bracket{Lo: lo, Flo: flo, Hi: hi, Fhi: fhi}, fhi // f'(hi), which the bracket halves
	for range 60 {
		mid := b.Secant()
		if mid == b.Lo || mid == b.Hi {
			break
		}
		v := l.slope(mid)
		if v*g >= 0 {
			b.MoveLo(mid, v)
		} else {
			b.MoveHi(mid, v)
			last = v
		}
		if math.Abs(v) <= lineTol*math.Abs(g) && v*g >= 0 {
			break
		}
	}
	if math.Abs(last) <= rootRounding*math.Abs(g) {
		return b.Hi
	}
	return b.Lo
}

// coordinateStep is the step along one coordinate, whose derivative is g and whose weight may fall by -least at most: δ from
// the bound of the curvature and, unless that is all that is asked for, the search from there.
func (a *AtomDescent) coordinateStep(l *line, g, least float64) float64 {
	size := l.size()
	if size == 0 || g == 0 {
		return 0
	}
	h := a.width
	c := l.p.Curved
	if c != nil {
		h = gcg.CurvatureAt(c, l.s.Z)
	}
	if h == 0 {
		h = 1
	}
	curve := h*size + math.Max(0, l.p.Penalty.Deriv(l.s.Rho+1)-l.p.Penalty.Deriv(l.s.Rho)) // h' is linear
	delta := math.Max(-g/curve, least)
	if c != nil && a.CurvatureStep && !math.IsInf(c.Curvature(), 1) {
		return delta
	}
	theta := l.minimise(g, delta, least)
	if theta != 0 {
		a.width = math.Abs(g / (theta * size))
	}
	return theta
}
