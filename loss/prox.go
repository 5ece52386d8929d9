package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Proximity writes dst = argmin over z of L(z) + w/2 ‖z - v‖² on the observations from lo on, for w > 0; dst may be v.
type Proximity func(dst, v []float64, lo int, w float64)

// ProximityOf is the proximity operator of a loss that is a sum of losses of single observations; nil where it is not. The squared
// loss, Huber's and other envelopes have a closed form. Others take a search for the root of ∂L/∂z + w(z - v) of every
// observation. A stack takes those of its parts.
func ProximityOf(l gcg.Loss) Proximity {
	switch l := l.(type) {
	case Stacked:
		return proximityOfParts(l)
	case *Squared:
		return l.proxTo
	case *Huber:
		return l.envelope().proxTo
	}
	if !gcg.Separable(l) {
		return nil
	}
	return func(dst, v []float64, lo int, w float64) { searchTo(l, dst, v, lo, w) }
}

// proximityOfParts cuts blocks where the parts end.
func proximityOfParts(s Stacked) Proximity {
	parts := s.Parts()
	all, ends := make([]Proximity, len(parts)), make([]int, len(parts))
	at := 0
	for i, l := range parts {
		if all[i] = ProximityOf(l); all[i] == nil {
			return nil
		}
		at += l.Len()
		ends[i] = at
	}
	return func(dst, v []float64, lo int, w float64) {
		from := 0
		for i, prox := range all {
			hi := min(lo+len(dst), ends[i])
			if hi > lo && hi > from {
				prox(dst[:hi-lo], v[:hi-lo], lo-from, w)
				dst, v, lo = dst[hi-lo:], v[hi-lo:], hi
			}
			from = ends[i]
		}
	}
}

func (l *Squared) proxTo(dst, v []float64, lo int, w float64) {
	c := l.Scale()
	for i, y := range l.Y[lo : lo+len(dst)] {
		a := c * weight(l.Omega, lo+i)
		dst[i] = v[i] + a/(a+w)*(y-v[i])
	}
}

// proxTo is z = v - (a/w)u, a = cω, with the u of z: the one at v of the width μ + a/w.
func (v *envelope) proxTo(dst, at []float64, lo int, w float64) {
	for i, y := range v.y[lo : lo+len(dst)] {
		step := v.c * weight(v.omega, lo+i) / w
		from, to := v.at(y)
		x := at[i]
		dst[i] = x - step*clip(x-y, v.mu+step, from, to)
	}
}

const (
	proxRounds   = 100   // secants and halvings; five to ten are common
	proxRounding = 1e-15 // part of z, and of the first bracket, that a root is found to
)

// searchTo finds the root z of -r(z) + w(z - v), which rises with z, for every observation. It lies between v and v + r(v)/w. Each
// round takes a secant step of both ends, or a half where that moved only one end.
func searchTo(l gcg.Loss, dst, v []float64, lo int, w float64) {
	n := len(v)
	near, far := append([]float64(nil), v...), make([]float64, n)
	fnear, ffar := make([]float64, n), make([]float64, n) // both as r(z) - w(z-v), of opposite signs
	l.Eval(lo, near, fnear)
	for i, r := range fnear {
		far[i] = v[i] + r/w
	}
	residualTo(l, ffar, far, v, lo, w)
	z, f, last := make([]float64, n), make([]float64, n), make([]int8, n)
	width := make([]float64, n)
	for i := range width {
		width[i] = math.Abs(far[i] - near[i])
	}
	for range proxRounds {
		for i := range z {
			z[i] = secant(near[i], far[i], fnear[i], ffar[i])
		}
		residualTo(l, f, z, v, lo, w)
		open := false
		for i, x := range f {
			if (x > 0) == (fnear[i] > 0) && x != 0 {
				near[i], fnear[i] = z[i], x
				if last[i] > 0 { // the Illinois rule: the end that stays loses half of its weight
					ffar[i] /= 2
				}
				last[i] = 1
			} else {
				far[i], ffar[i] = z[i], x
				if last[i] < 0 {
					fnear[i] /= 2
				}
				last[i] = -1
			}
			open = open || x != 0 && math.Abs(far[i]-near[i]) > proxRounding*(math.Abs(z[i])+width[i]) && math.Abs(x) >
				proxRounding*w*(math.Abs(z[i])+width[i])
		}
		if !open {
			break
		}
	}
	copy(dst, z)
}

// residualTo writes r(z) - w(z - v).
func residualTo(l gcg.Loss, f, z, v []float64, lo int, w float64) {
	l.Eval(lo, z, f)
	kernel.Axpy(-w, z, f)
	kernel.Axpy(w, v, f)
}

// secant is where the line through both ends is 0, or their middle where that is no number within.
func secant(a, b, fa, fb float64) float64 {
	if fa == 0 || a == b {
		return a
	}
	if fb == 0 {
		return b
	}
	if z := a - fa*(b-a)/(fb-fa); (z-a)*(z-b) <= 0 {
		return z
	}
	return a + (b-a)/2
}
