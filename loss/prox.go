package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// ProxTo writes argmin over z of L(z) + w/2 ‖z - v‖² on the observations from lo on; dst may be v.
func (l *Squared) ProxTo(dst, v []float64, lo int, w float64) {
	c := l.Scale()
	for i, y := range l.Y[lo : lo+len(dst)] {
		a := c * weight(l.Omega, lo+i)
		dst[i] = v[i] + a/(a+w)*(y-v[i])
	}
}

// ProxTo writes argmin over z of L(z) + w/2 ‖z - v‖² on the observations from lo on; dst may be v.
func (l *Huber) ProxTo(dst, v []float64, lo int, w float64) { l.envelope().proxTo(dst, v, lo, w) }

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
	proxRounds = 60    // evaluations of a derivative at most, as many as halvings would need
	proxWidth  = 1e-13 // of a bracket over the root or v, below which it is rounding
)

// rootsTo is ProxTo for any loss, see WithL1.
func (l *WithL1) rootsTo(z, v []float64, lo int, rho float64) {
	n := len(v)
	buf := memory.Borrow[float64](7 * n)
	defer memory.Repay(buf)
	part := func(i int) []float64 { return buf[i*n : (i+1)*n] }
	b := brackets{lo: part(0), hi: part(1), flo: part(2), fhi: part(3), x: part(4), f: part(5), v: part(6)}
	copy(b.v, v)
	b.begin(l, lo, rho)
	for range proxRounds {
		if !b.secants() {
			break
		}
		l.Loss.Eval(lo, b.x, b.f)
		b.narrow(l.Lambda, rho)
	}
	copy(z, b.x)
}

// brackets hold the roots x of ρ(x-v) + ℓ'(x) + λ sign(x), one for each observation; lo = hi is a root that is known. By the
// Illinois rule the value at an end that stays is halved.
type brackets struct{ lo, hi, flo, fhi, x, f, v []float64 }

// begin brackets the roots: between 0, where the sign of x shows, and where the derivative is at least that of ½ρ(x-v)² there.
func (b *brackets) begin(l *WithL1, lo int, rho float64) {
	clear(b.x)
	l.Loss.Eval(lo, b.x, b.f) // -ℓ'(0)
	for i, r := range b.f {
		pull := rho*b.v[i] + r
		far := linalg.Soft(pull, l.Lambda)
		b.lo[i], b.hi[i] = 0, far/rho
		b.flo[i], b.fhi[i] = -far, math.NaN() // not known yet
		b.x[i] = b.hi[i]
	}
	l.Loss.Eval(lo, b.x, b.f)
	for i := range b.x {
		b.fhi[i] = b.derivative(i, l.Lambda, rho)
		if b.fhi[i] == 0 {
			b.lo[i] = b.hi[i]
		}
	}
}

// derivative is that at x, from -ℓ'(x) in f.
func (b *brackets) derivative(i int, lambda, rho float64) float64 {
	return rho*(b.x[i]-b.v[i]) - b.f[i] + lambda*sign(b.hi[i]+b.lo[i])
}

// secants writes the next points and reports whether any bracket is still wider than rounding.
func (b *brackets) secants() (wide bool) {
	for i := range b.x {
		width := b.hi[i] - b.lo[i]
		if math.Abs(width) <= proxWidth*math.Max(math.Abs(b.hi[i]), math.Abs(b.v[i])) {
			b.x[i] = b.lo[i] + width/2
			continue
		}
		wide = true
		x := b.hi[i] - b.fhi[i]*width/(b.fhi[i]-b.flo[i])
		if !(math.Abs(x-b.lo[i]) > 0 && math.Abs(b.hi[i]-x) > 0 && (x-b.lo[i])*(b.hi[i]-x) > 0) {
			x = b.lo[i] + width/2
		}
		b.x[i] = x
	}
	return wide
}

// narrow moves the end of each bracket that has the sign of the derivative at x.
func (b *brackets) narrow(lambda, rho float64) {
	for i := range b.x {
		f := b.derivative(i, lambda, rho)
		switch {
		case b.lo[i] == b.hi[i]:
		case f == 0:
			b.lo[i], b.hi[i] = b.x[i], b.x[i]
		case f*b.flo[i] > 0:
			b.lo[i], b.flo[i] = b.x[i], f
			b.fhi[i] /= 2
		default:
			b.hi[i], b.fhi[i] = b.x[i], f
			b.flo[i] /= 2
		}
	}
}
