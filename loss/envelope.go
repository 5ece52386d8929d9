package loss

import "math"

// An envelope is c Σ ωᵢ max over u of u(zᵢ-yᵢ) - μu²/2, u in the interval of yᵢ: what Huber and SmoothedHinge have in
// common.
type envelope struct {
	interval
	y, omega []float64
	mu, c    float64
}

func (v *envelope) curvature() float64 { return heaviest(v.omega) * v.c / v.mu }

func (v *envelope) eval(lo int, z, r []float64) float64 {
	var sum float64
	for i, y := range v.y[lo : lo+len(z)] {
		d, w := z[i]-y, weight(v.omega, lo+i)
		from, to := v.at(y)
		u := clip(d, v.mu, from, to)
		sum += w * u * (d - v.mu*u/2)
		if r != nil {
			r[i] = -v.c * w * u
		}
	}
	return v.c * sum
}

// hessTo is the generalised second derivative: 1/μ inside the smoothed part, 0 outside.
func (v *envelope) hessTo(dst []float64, lo int, z, e []float64) {
	for i, y := range v.y[lo : lo+len(z)] {
		d, f := z[i]-y, 0.0
		if from, to := v.at(y); d > from*v.mu && d < to*v.mu {
			f = v.c * weight(v.omega, lo+i) / v.mu
		}
		dst[i] = f * e[i]
	}
}

// conjugate is c Σ ωᵢ(uᵢyᵢ + μuᵢ²/2), u = p/(cω), where u is in its interval.
func (v *envelope) conjugate(lo int, r []float64, s float64) float64 {
	var sum float64
	for i, y := range v.y[lo : lo+len(r)] {
		w := weight(v.omega, lo+i)
		if w == 0 {
			if s*r[i] != 0 {
				return math.Inf(1)
			}
			continue
		}
		from, to := v.at(y)
		u, ok := inside(-s*r[i]/(v.c*w), from, to)
		if !ok {
			return math.Inf(1)
		}
		sum += w * u * (y + v.mu*u/2)
	}
	return v.c * sum
}
