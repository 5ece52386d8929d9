package sliding

import (
	"context"
)

// warm is the inner loop from u = x: the best c u + θa, c ≥ 0 and θ ≥ 0, again and again. The refined method takes m steps, the
// other goes on until the gap of the inner problem is η.
func (x *Method) warm(ctx context.Context, in *innerProblem) error {
	steps := x.Steps
	switch {
	case steps == 0 && x.Refined:
		steps = refinedSteps
	case steps == 0 && x.Distance == 0:
		steps = warmSteps
	case steps == 0:
		steps = gapSteps
	}
	goal := in.eta
	for t := range steps {
		polar, err := in.polar(ctx, x.polarTol())
		if err != nil {
			return err
		}
		a, value := atomOf(polar)
		if a == nil {
			return nil
		}
		if !x.Refined {
			in.s.Polar, in.s.Iter = polar, t
			in.s.Certify(in.p)
			if goal == 0 {
				goal = firstPart * in.beta * in.s.Cert.Gap
			}
			if in.beta*in.s.Cert.Gap <= goal {
				return nil
			}
		}
		c, theta := jointly(in.productsWith(a, value), in.s.Rho, in.p.Penalty)
		if c == 1 && theta == 0 {
			return nil
		}
		in.move(a, c, theta)
		x.atoms = append(x.atoms, *a)
		if in.space.p.Compressor != nil && !in.space.lowRank {
			in.tighten()
		}
	}
	return nil
}

// polarTol is the accuracy of inner polars.
func (x *Method) polarTol() float64 {
	if x.Refined {
		return atomTol
	}
	return polarTol
}

// tighten takes κ(u) for ρ, which costs no more than a step does.
func (in *innerProblem) tighten() {
	if rho := in.p.GaugeOf(in.s.W); rho < in.s.Rho {
		in.s.Rho = rho
	}
}
