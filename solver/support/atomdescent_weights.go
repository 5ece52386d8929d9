package support

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Bounds of a re-optimisation, after which a polar is worth more than another step.
const (
	newtonSteps = 20 // of all weights, each t² for every observation
	sweeps      = 50 // over single weights, each t for every observation
)

// reoptimise solves min ψ(θ) over the weights at hand until |∂ᵢψ| ≤ ε for all θᵢ > 0 [Dudik12 Algorithm 3, step 4], by
// Newton steps where the loss has second derivatives and atoms are not too many. Atoms whose weight becomes 0 are dropped.
func (a *AtomDescent) reoptimise(ctx context.Context, p *view.Problem, s *gcg.State) error {
	if done, err := a.blocks(ctx, p, s); done {
		return err
	}
	a.merge(p, s)
	if p.Curved != nil && len(a.terms) <= maxCorrective {
		for range newtonSteps {
			if ctx.Err() != nil {
				break
			}
			fell := correct(ctx, p, s, a.terms)
			if a.deviation(p, s) <= a.epsilon {
				break
			}
			if !fell {
				if flat(p, s) { // no Newton step leads on where second derivatives vanish
					a.cyclic(ctx, p, s)
				}
				break
			}
		}
	} else {
		a.cyclic(ctx, p, s)
	}
	kept := a.terms[:0]
	for _, t := range a.terms {
		if t.Weight > 0 {
			kept = append(kept, t)
		}
	}
	a.terms = kept
	return nil
}

// merge rewrites W by its singular pairs where there are far more atoms than these. Newton steps on the weights cost the
// square of their number, and atoms that are nearly alike say little.
func (a *AtomDescent) merge(p *view.Problem, s *gcg.State) {
	if !p.Spectral || len(s.W.Terms) > 0 || len(a.terms) <= max(fewAtoms, 10*min(s.W.M, s.W.N)) {
		return
	}
	w := s.W.Clone()
	if rho := p.GaugeOf(w); rho <= s.Rho {
		s.W, s.Rho = w, rho
		s.Refresh(p.Problem)
		a.terms = split(p, s)
	}
}

// fewAtoms are not merged. At 200 some problems took many times the iterations; 400 and 800 are alike.
const fewAtoms = 400

// blocks re-optimises, in all their directions, the blocks that atoms have touched. It reports false where the problem has
// no blocks, or too wide ones.
func (a *AtomDescent) blocks(ctx context.Context, p *view.Problem, s *gcg.State) (bool, error) {
	if p.Curved == nil {
		return false, nil
	}
	if u := a.support(p, s); u == nil || u.tooWide(p, s) {
		return false, nil
	}
	err := a.block.Improve(ctx, p.Problem, s)
	a.terms = append(a.terms[:0], s.W.Terms...)
	return true, err
}

// support is the support of W in the blocks of the gauge, or nil where it has none.
func (a *AtomDescent) support(p *view.Problem, s *gcg.State) *support {
	if u := a.block.supportFor(p); u != nil && u.load(s.W) {
		return u
	}
	return nil
}

// cyclic is cyclic coordinate descent on the weights, with a search on the predictions for each. It serves losses without
// second derivatives.
func (a *AtomDescent) cyclic(ctx context.Context, p *view.Problem, s *gcg.State) {
	z := make([]float64, len(s.Z))
	for range sweeps {
		var worst float64
		for i := range a.terms {
			t := &a.terms[i]
			if ctx.Err() != nil {
				break
			}
			l := newLine(p, s, z, t.Atom)
			g := l.slope(0)
			if t.Weight == 0 && g >= 0 {
				continue
			}
			worst = math.Max(worst, math.Abs(g))
			if step := a.coordinateStep(l, g, -t.Weight); step != 0 {
				t.Weight += step
				l.move(step)
			}
		}
		if worst <= a.epsilon || ctx.Err() != nil {
			break
		}
	}
	s.W = gcg.Join(s.W.M, s.W.N, a.terms)
}

// deviation is the largest |∂ᵢψ| over the atoms with a weight: condition (b') of [Dudik12] holds for every ε from there on.
func (a *AtomDescent) deviation(p *view.Problem, s *gcg.State) float64 {
	lambda := view.Lambda(p.Problem, s)
	var worst float64
	if p.Curved != nil {
		if u := a.support(p, s); u != nil {
			return u.deviation(p, s, lambda)
		}
	}
	for _, value := range attained(p, s, a.terms) {
		worst = math.Max(worst, math.Abs(lambda-value))
	}
	return worst
}

// deviation is AtomDescent's for atoms in blocks, from the gradient on the support.
func (u *support) deviation(p *view.Problem, s *gcg.State, lambda float64) float64 {
	var worst float64
	g := make([]float64, len(u.x))
	u.adjointTo(p, g, s.R)
	for i := range s.W.Terms {
		a := &s.W.Terms[i].Atom
		b := u.place[a.Key]
		value := 0.0
		for e, v := range a.Vals {
			for t := u.start[b]; t < u.start[b+1]; t++ {
				if u.rows[t] == a.Rows[e] && u.cols[t] == a.Cols[e] {
					value += v * g[t]
				}
			}
		}
		worst = math.Max(worst, math.Abs(lambda-value))
	}
	return worst
}
