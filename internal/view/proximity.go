package view

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/roots"
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

// ProxTo finds the root z of -r(z) + w(z - v), which rises with z, for every observation. It lies between v and v + r(v)/w.
func (p *searchProximity) ProxTo(dst, v []float64, lo int, w float64) {
	n := len(v)
	at := append([]float64(nil), v...)
	a, b := append([]float64(nil), v...), make([]float64, n)
	p.loss.Eval(lo, a, b)
	for i, r := range b {
		b[i] = v[i] + r/w
	}
	roots.Search(dst, a, b, w, func(f, z []float64) { // r(z) - w(z - v)
		p.loss.Eval(lo, z, f)
		kernel.Axpy(-w, z, f)
		kernel.Axpy(w, at, f)
	})
}
