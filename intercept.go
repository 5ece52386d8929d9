package gcg

import "math"

// fitIntercept minimises L(z + E b) over the unpenalised intercept b, given s.Z = A(W), and adds E b to s.Z. A certificate
// needs Eᵀ∇L = 0, so Newton steps go on to rounding; b starts where it was.
func (p *Problem) fitIntercept(s *State) {
	c := len(s.Intercept)
	base := append([]float64(nil), s.Z...)
	best := math.Inf(1)
	step := make([]float64, c)
	for iter := 0; iter < 100; iter++ {
		p.addIntercept(s.Z, base, s.Intercept)
		value := p.Value(s.Z, s.R)
		if !(value < best) && iter > 0 { // undo a step that did not help, and halve it
			small := true
			for k := range step {
				s.Intercept[k] -= step[k]
				step[k] /= 2
				small = small && math.Abs(step[k]) <= 1e-15*(1+math.Abs(s.Intercept[k]))
			}
			if small {
				break
			}
			for k := range step {
				s.Intercept[k] += step[k]
			}
			continue
		}
		best = value
		if !p.interceptStep(s, step) {
			break
		}
		for k := range step {
			s.Intercept[k] += step[k]
		}
	}
	p.addIntercept(s.Z, base, s.Intercept)
}

func (p *Problem) addIntercept(z, base, b []float64) {
	for i := range z {
		z[i] = base[i] + b[i%len(b)]
	}
}

// interceptStep is a Newton step with the diagonal of the Hessian, made an upper bound by the row sums of each
// observation group; it reports whether a step is left to take.
func (p *Problem) interceptStep(s *State, step []float64) bool {
	c := len(step)
	grad, scale := make([]float64, c), make([]float64, c)
	for i, r := range s.R {
		grad[i%c] += r
		scale[i%c] += math.Abs(r)
	}
	hess := make([]float64, c)
	if curved, ok := p.Loss.(CurvedLoss); ok {
		e := make([]float64, len(s.Z))
		for k := range hess {
			clear(e)
			for i := k; i < len(e); i += c {
				e[i] = 1
			}
			curved.HessTo(e, 0, s.Z, e)
			for i := k; i < len(e); i += c {
				hess[k] += e[i]
			}
		}
	}
	moved := false
	for k := range step {
		step[k] = 0
		if hess[k] > 0 && math.Abs(grad[k]) > 1e-15*scale[k] {
			step[k] = grad[k] / hess[k]
			moved = true
		}
	}
	return moved
}
