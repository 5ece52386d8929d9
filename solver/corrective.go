package solver

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Corrective re-optimises the weights of all atoms, min over σ ≥ 0 of L(Σσᵢ A(aᵢ)) + h(Σσᵢ) [Yu17 eq 42]: the totally
// corrective step. Newton steps on the t weights; each needs the t×t matrix of ∇²L in the atoms' predictions, N·t²
// flops, so it is for iterates of few atoms. Atoms whose weight becomes 0 are dropped.
type Corrective struct {
	Steps int // Newton steps for one call; 0 means 20, of which a squared loss takes one

	blocks *support  // of the problem it was last used on
	whole  *Proximal // where entries outnumber observations
}

func (c *Corrective) Name() string { return "corrective" }

// maxCorrective bounds the number of atoms.
const maxCorrective = 4000

func (c *Corrective) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	if _, ok := p.Loss.(gcg.CurvedLoss); !ok {
		return fmt.Errorf("solver: the corrective improver needs a loss with second derivatives; %T has none", p.Loss)
	}
	if outnumbered(p, s) {
		if c.whole == nil {
			c.whole = &Proximal{}
		}
		return c.whole.Improve(ctx, p, s)
	}
	steps := c.Steps
	if steps == 0 {
		steps = 20
	}
	if u := c.supportFor(p); u != nil && len(s.W.Terms) > 0 && u.load(s.W) {
		if u.tooWide(p, s) {
			return fmt.Errorf("solver: the corrective improver re-optimises at most %d entries of W that share observations; there are %d: raise λ", maxSupport, len(u.x))
		}
		u.improve(ctx, p, s, steps)
		return nil
	}
	terms := s.W.Split()
	if len(terms) == 0 {
		return nil
	}
	if len(terms) > maxCorrective {
		return fmt.Errorf("solver: the corrective improver re-optimises at most %d atoms; there are %d: use the local improver", maxCorrective, len(terms))
	}
	normalise(p, s.W, terms)
	for range steps {
		if ctx.Err() != nil {
			break
		}
		if !correct(ctx, p, s, terms) {
			break
		}
	}
	return nil
}

// outnumbered reports whether κ is held at a constant and there are more entries than observations: second derivatives are singular then, and
// κ of a model's minimiser jumps in the multiplier. Proximal steps have no such model.
func outnumbered(p *gcg.Problem, s *gcg.State) bool {
	_, _, observations := p.Operator.Dims()
	_, prox := p.Gauge.(gcg.ProxGauge)
	_, splits := p.Gauge.(gcg.Splitter)
	return equality(p.Penalty) && prox && splits && len(s.W.Terms) > observations && proximalFits(p)
}

// correct takes one Newton step with backtracking; it reports whether F fell enough to go on.
func correct(ctx context.Context, p *gcg.Problem, s *gcg.State, terms []gcg.Term) bool {
	t := len(terms)
	m := newWeightModel(ctx, p, s, terms)
	if ctx.Err() != nil {
		return false
	}
	old := make([]float64, t)
	for i := range terms {
		old[i] = terms[i].Weight
	}
	target := m.minimise(ctx, p.Penalty, old)
	f, from, z := s.Objective(p), pointOf(s), slices.Clone(s.Z)
	for step := 1.0; step > 1e-6; step /= 4 {
		s.Rho = 0
		for i := range terms {
			terms[i].Weight = math.Max(0, old[i]+step*(target[i]-old[i]))
			s.Rho += terms[i].Weight
		}
		s.W = gcg.Join(from.w.M, from.w.N, terms)
		s.Refresh(p)
		if next := s.Objective(p); next < f {
			return f-next > 1e-13*math.Abs(f)
		}
	}
	for i := range terms {
		terms[i].Weight = old[i]
	}
	from.restore(s)
	copy(s.Z, z)
	s.Evaluate(p)
	return false
}

// A weightModel is the gradient and the Hessian (t×t) of L in the weights, and XᵀDE of the absorber (t×places), X being the atoms'
// predictions.
type weightModel struct{ grad, hess, v []float64 }

// newWeightModel forms one; where ctx ends it is not whole.
func newWeightModel(ctx context.Context, p *gcg.Problem, s *gcg.State, terms []gcg.Term) weightModel {
	t := len(terms)
	parts := make([]weightModel, min(p.Blocks(), 8))
	par.For(len(parts), func(part int) {
		m := weightModel{make([]float64, t), make([]float64, t*t), make([]float64, t*len(s.Intercept))}
		first, last := par.Range(part, len(parts), p.Blocks())
		for b := first; b < last; b++ {
			lo, hi := p.Block(b)
			m.add(ctx, p, s, terms, lo, hi)
		}
		parts[part] = m
	})
	sum := parts[0]
	for _, m := range parts[1:] {
		kernel.Axpy(1, m.grad, sum.grad)
		kernel.Axpy(1, m.hess, sum.hess)
		kernel.Axpy(1, m.v, sum.v)
	}
	if a, _ := newAbsorber(p, s, nil); a != nil {
		all := oneGroup(t)
		a.profile(sum.v, t, func(i int) ([]float64, []int) { return sum.hess[i*t : (i+1)*t], all.members[0] })
	}
	return sum
}

// add adds one block of observations: rows of a (t×len) are the atoms' predictions.
func (m *weightModel) add(ctx context.Context, p *gcg.Problem, s *gcg.State, terms []gcg.Term, lo, hi int) {
	t, n, e, places := len(terms), hi-lo, p.Places(), len(s.Intercept)
	a, d := make([]float64, t*n), make([]float64, n)
	for i := range terms {
		p.Operator.AtomTo(a[i*n:(i+1)*n], lo, &terms[i].Atom)
		m.grad[i] -= kernel.Dot(a[i*n:(i+1)*n], s.R[lo:hi])
	}
	for i := range terms {
		if ctx.Err() != nil {
			return
		}
		p.HessBlockTo(d, lo, s.Z, s.R, a[i*n:(i+1)*n])
		for j := 0; j <= i; j++ {
			x := kernel.Dot(d, a[j*n:(j+1)*n])
			m.hess[i*t+j] += x
			if i != j {
				m.hess[j*t+i] += x
			}
		}
		if places > 0 {
			for at, x := range d {
				m.v[i*places+e.At(lo+at)] += x
			}
		}
	}
}

// minimise is argmin over σ ≥ 0 of ⟨g, σ-σ₀⟩ + ½(σ-σ₀)ᵀH(σ-σ₀) + h(Σσ): the weights are blocks of one entry each.
func (m *weightModel) minimise(ctx context.Context, h gcg.Penalty, start []float64) []float64 {
	t := len(start)
	u := &support{gauge: weightSum{}, keys: make([]int64, t), start: make([]int, t+1)}
	for i := range t {
		u.start[i+1] = i + 1
	}
	one := partsOf(oneGroup(t))
	one.hess[0] = m.hess
	b := &blockModel{u: u, start: start, grad: m.grad, hess: one}
	return b.minimise(ctx, h, 1e-12)
}

// weightSum is Σσ on σ ≥ 0, what a gauge comes to in the weights of its atoms.
type weightSum struct{ gcg.Gauge }

func (weightSum) Block(key int64, _, _ int) (rows, cols []int32) {
	return []int32{int32(key)}, []int32{0}
}

func (weightSum) BlockProxTo(dst, y []float64, _ int64, t float64) float64 {
	dst[0] = math.Max(y[0]-t, 0)
	return dst[0]
}

func (weightSum) BlockSlopeTo(grad, _, _ []float64, _ int64, _ float64) bool {
	grad[0] = 1
	return true
}
