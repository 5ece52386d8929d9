package loss

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
