package loss

import (
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/roots"
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

// rootsTo is ProxTo for any loss, see WithL1: the roots x of ρ(x-v) + ℓ'(x) + λ sign(x). Each is 0, or between 0, where the sign
// of x shows, and where the derivative is at least that of ½ρ(x-v)² there.
func (l *WithL1) rootsTo(z, v []float64, lo int, rho float64) {
	n := len(v)
	buf := memory.Borrow[float64](4 * n)
	defer memory.Repay(buf)
	part := func(i int) []float64 { return buf[i*n : (i+1)*n] }
	at, near, far, side := part(0), part(1), part(2), part(3)
	copy(at, v)
	clear(near)
	l.Loss.Eval(lo, near, far) // -ℓ'(0)
	for i, r := range far {
		far[i] = linalg.Soft(rho*at[i]+r, l.Lambda) / rho
		side[i] = sign(far[i])
	}
	roots.Search(z, near, far, rho, func(f, x []float64) {
		l.Loss.Eval(lo, x, f)
		for i, r := range f {
			f[i] = rho*(x[i]-at[i]) - r + l.Lambda*side[i]
		}
	})
}
