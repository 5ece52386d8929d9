package solver

import (
	"fmt"
	"math"
)

// A convexState is a point x with the linear model there. y and try are work space.
type convexState struct {
	Convex
	x, grad, d, y, try []float64
	smooth, f          float64 // ℓ(x), f(x)
	fd                 float64 // f(d)
	slope              float64 // ⟨d - x, ∇ℓ(x)⟩ + f(d) - f(x), minus the gap at x
	bound              float64
}

func (c Convex) start(x []float64) *convexState {
	n := len(x)
	return &convexState{Convex: c, x: append([]float64(nil), x...), grad: make([]float64, n), d: make([]float64, n), y: make([]float64, n), try: make([]float64, n)}
}

// linearise takes the gradient, the subgradient d and the lower bound at x.
func (s *convexState) linearise() error {
	s.smooth = s.Smooth(s.grad, s.x)
	s.f = s.value(s.x)
	for i, g := range s.grad {
		s.y[i] = -g
	}
	s.SubgradientTo(s.d, s.y)
	s.fd = s.value(s.d)
	s.slope = s.fd - s.f
	for i, g := range s.grad {
		s.slope += (s.d[i] - s.x[i]) * g
	}
	s.bound = s.smooth + s.f + s.slope
	if f := s.bound - s.smooth; f-f != 0 {
		return fmt.Errorf("solver: convex: ℓ(x) is %v, f(x) %v, f at the subgradient %v, the slope towards it %v; all are finite on the domain", s.smooth, s.f, s.fd, s.slope)
	}
	return nil
}

func (s *convexState) value(x []float64) float64 {
	if s.Value == nil {
		return 0
	}
	return s.Value(x)
}

// step moves x towards d, and to where Improve takes it; it reports whether x changed.
func (s *convexState) step(t int) bool {
	eta := 2 / (float64(t) + 2)
	if !s.OpenLoop {
		eta = s.search()
	}
	if eta == 0 && s.Improve == nil {
		return false
	}
	moved := false
	for i, d := range s.d {
		next := (1-eta)*s.x[i] + eta*d
		moved = moved || next != s.x[i]
		s.x[i] = next
	}
	return s.improved() || moved
}

// improved calls Improve and undoes it unless F fell, which it reports.
func (s *convexState) improved() bool {
	if s.Improve == nil {
		return false
	}
	f := s.Smooth(s.grad, s.x) + s.value(s.x)
	copy(s.try, s.x)
	s.Improve(s.x)
	if s.Smooth(s.grad, s.x)+s.value(s.x) < f {
		return true
	}
	copy(s.x, s.try)
	return false
}

// searchTol is the part of the slope that a search may leave.
const searchTol = 1e-6

// search is the η in [0, 1] at which ℓ((1-η)x + ηd) + (1-η)f(x) + ηf(d), which is at least F, is about least: secants in a
// bracket of the root of its derivative, one gradient each. It ends where the derivative is not positive, so that F does not
// rise.
func (s *convexState) search() float64 {
	along := func(eta float64) float64 {
		for i := range s.try {
			s.try[i] = (1-eta)*s.x[i] + eta*s.d[i]
		}
		s.Smooth(s.y, s.try)
		sum := s.fd - s.f
		for i, g := range s.y {
			sum += (s.d[i] - s.x[i]) * g
		}
		return sum
	}
	b := bracket{lo: 0, flo: s.slope, hi: 1, fhi: along(1)}
	if !(b.flo < 0) {
		return 0
	}
	if b.fhi <= 0 {
		return 1
	}
	for range 40 {
		// Where the derivative at hi is rounding, so is the secant's distance from hi, and the root is just short of it.
		mid := math.Min(b.secant(), b.hi-searchTol/2*(b.hi-b.lo))
		if !(mid > b.lo && mid < b.hi) {
			break
		}
		v := along(mid)
		if v > 0 {
			b.moveHi(mid, v)
			continue
		}
		b.moveLo(mid, v)
		if v >= searchTol*s.slope {
			break
		}
	}
	return b.lo
}
