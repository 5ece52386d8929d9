package view

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Proximity is the proximity operator of a loss that is a sum over observations.
type Proximity interface {
	// ProxTo writes dst = argmin over z of L(z) + w/2 ‖z - v‖² on the observations from lo on, for w > 0; dst may be v.
	ProxTo(dst, v []float64, lo int, w float64)
}

// proximityOf is that of a loss which is a sum of losses of single observations; nil where it is not. A stack takes those of its
// parts. Where there is no closed form, the root of ∂L/∂z + w(z - v) is searched for every observation.
func proximityOf(l gcg.Loss) Proximity {
	if !gcg.Separable(l) {
		return nil
	}
	if s, ok := l.(interface{ Parts() []gcg.Loss }); ok {
		return &partsProximity{s.Parts()}
	}
	if p, ok := l.(Proximity); ok {
		return p
	}
	return &searchProximity{l}
}

// A partsProximity is that of losses of which each has its own observations.
type partsProximity struct{ parts []gcg.Loss }

// ProxTo cuts the block where the parts end.
func (p *partsProximity) ProxTo(dst, v []float64, lo int, w float64) {
	from := 0
	for _, l := range p.parts {
		end := from + l.Len()
		if count := min(lo+len(dst), end) - lo; count > 0 {
			proximityOf(l).ProxTo(dst[:count], v[:count], lo-from, w)
			dst, v, lo = dst[count:], v[count:], lo+count
		}
		from = end
	}
}

// A searchProximity is that of a loss without a closed form.
type searchProximity struct{ loss gcg.Loss }

const (
	proxRounds   = 100   // secants and halvings; five to ten are common
	proxRounding = 1e-15 // part of z, and of the first bracket, that a root is found to
)

// ProxTo finds the root z of -r(z) + w(z - v), which rises with z, for every observation. It lies between v and v + r(v)/w. Each
// round takes a secant step of both ends, or a half where that moved only one end.
func (p *searchProximity) ProxTo(dst, v []float64, lo int, w float64) {
	l := p.loss
	n := len(v)
	a, b := append([]float64(nil), v...), make([]float64, n)
	fa, fb := make([]float64, n), make([]float64, n) // both as r(z) - w(z-v), of opposite signs
	l.Eval(lo, a, fa)
	for i, r := range fa {
		b[i] = v[i] + r/w
	}
	residualTo(l, fb, b, v, lo, w)
	z, f, last := make([]float64, n), make([]float64, n), make([]int8, n)
	width := make([]float64, n)
	for i := range width {
		width[i] = math.Abs(b[i] - a[i])
	}
	for range proxRounds {
		for i := range z {
			z[i] = secant(a[i], b[i], fa[i], fb[i])
		}
		residualTo(l, f, z, v, lo, w)
		open := false
		for i, x := range f {
			if (x > 0) == (fa[i] > 0) && x != 0 {
				a[i], fa[i] = z[i], x
				if last[i] > 0 { // the Illinois rule: the end that stays loses half of its weight
					fb[i] /= 2
				}
				last[i] = 1
			} else {
				b[i], fb[i] = z[i], x
				if last[i] < 0 {
					fa[i] /= 2
				}
				last[i] = -1
			}
			open = open || x != 0 && math.Abs(b[i]-a[i]) > proxRounding*(math.Abs(z[i])+width[i]) && math.Abs(x) >
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
