package support

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// Corrective re-optimises the weights of all atoms, min over σ ≥ 0 of L(Σσᵢ A(aᵢ)) + h(Σσᵢ): the totally corrective step
// [Yu17 eq 42]. It takes Newton steps, each of which forms the t×t second derivatives of L in the weights of t atoms from
// Nt² flops: it is for iterates of few atoms. Those whose weight becomes 0 are dropped.
//
// Where the gauge has blocks (gcg.BlockGauge), all entries of the blocks that atoms have touched are re-optimised in place
// of the weights.
type Corrective struct {
	Steps int // Newton steps for one call; 0 means 20, of which a squared loss takes one

	tol    float64  // of the run
	blocks *support // of the problem it was last used on
	width  float64  // of the envelopes of its loss
}

// Name is corrective.
func (c *Corrective) Name() string { return "corrective" }

// maxCorrective bounds the number of atoms whose weights are re-optimised.
const maxCorrective = 4000

// Init needs a gcg.CurvedLoss.
func (c *Corrective) Init(p *gcg.Problem, set gcg.Settings) error {
	if c.tol = set.Tol; view.OfLoss(p.Loss).Curved == nil {
		return fmt.Errorf("solver: the corrective improver needs a loss with second derivatives; %T has none", p.Loss)
	}
	return nil
}

// Improve refuses more than 4,000 atoms, and blocks of more than 20,000 entries that share
// observations. It replaces the atoms of W by those that have a weight.
func (c *Corrective) Improve(ctx context.Context, problem *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	p := view.Of(problem)
	steps := c.Steps
	if steps == 0 {
		steps = 20
	}
	if u := c.supportFor(p); u != nil && len(s.W.Terms) > 0 && u.load(s.W) {
		if u.tooWide(p, s) {
			return did, fmt.Errorf("solver: the corrective improver re-optimises at most %d entries of W that share observations; "+
				"there are %d: raise λ", maxSupport, len(u.x))
		}
		u.improve(ctx, p, s, steps, c.tol)
		return did, nil
	}
	terms := s.W.Split()
	if len(terms) == 0 {
		return did, nil
	}
	if len(terms) > maxCorrective {
		return did, fmt.Errorf("solver: the corrective improver re-optimises at most %d atoms; there are %d: use the local improver",
			maxCorrective, len(terms))
	}
	normalise(p, s.W, terms)
	if in := interiorFor(p, s, terms); in != nil {
		in.improve(ctx) // leaves weights a barrier's width from their best, where the steps that follow reach it
	}
	for range steps {
		if ctx.Err() != nil {
			break
		}
		if !correct(ctx, p, s, terms) {
			break
		}
	}
	return did, nil
}

// weightGoal is the part of μ by which weights may miss their optimality in a model: none that shows in F.
const weightGoal = rounding.Null

const (
	leastStep    = 1e-6             // part of a Newton step on the weights below which it is undone
	fallRounding = rounding.Product // part of F that it must fall by for the step to count as one
)

// correct takes one Newton step on the weights of terms, shortened until F falls, and reports whether F fell by more than
// rounding. A whole step is also taken where F stays within rounding: F is then flat to second order, while the gap, which is
// of first order in the weights, still falls. Weights and state move together.
func correct(ctx context.Context, p *view.Problem, s *gcg.State, terms []gcg.Term) bool {
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
	f, from, z := s.Objective(p.Problem), view.SnapshotOf(s), slices.Clone(s.Z)
	for step := 1.0; step > leastStep; step /= 4 {
		s.Rho = 0
		for i := range terms {
			terms[i].Weight = math.Max(0, old[i]+step*(target[i]-old[i]))
			s.Rho += terms[i].Weight
		}
		s.W = gcg.Join(from.W.M, from.W.N, terms)
		s.Refresh(p.Problem)
		next := s.Objective(p.Problem)
		if next < f || step == 1 && next <= f+fallRounding*math.Abs(f) {
			return f-next > fallRounding*math.Abs(f)
		}
	}
	for i := range terms {
		terms[i].Weight = old[i]
	}
	from.Restore(s)
	copy(s.Z, z)
	s.Evaluate(p.Problem)
	return false
}

// A weightModel is the gradient (t) and Hessian (t×t) of L in the weights of t atoms, and v = XᵀDE (t×constants) with X the
// atoms' predictions, which an absorber takes.
type weightModel struct{ grad, hess, v []float64 }

// newWeightModel forms the model at the state, less what the intercept absorbs. It is not complete where ctx has ended.
func newWeightModel(ctx context.Context, p *view.Problem, s *gcg.State, terms []gcg.Term) weightModel {
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
	if a, _ := hessian.NewAbsorber(p, s, nil); a != nil {
		all := hessian.OneGroup(t)
		a.Profile(sum.v, t, func(i int) ([]float64, []int) { return sum.hess[i*t : (i+1)*t], all.Members[0] })
	}
	return sum
}

// add adds what the observations lo ≤ i < hi contribute.
func (m *weightModel) add(ctx context.Context, p *view.Problem, s *gcg.State, terms []gcg.Term, lo, hi int) {
	t, n, e, constants := len(terms), hi-lo, p.InterceptMap(), len(s.Intercept)
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
		if constants > 0 {
			for at, x := range d {
				if c := e.At(lo + at); c >= 0 {
					m.v[i*constants+c] += x
				}
			}
		}
	}
}

// minimise is argmin over σ ≥ 0 of ⟨g, σ-σ₀⟩ + ½(σ-σ₀)ᵀH(σ-σ₀) + h(Σσ), σ₀ being start: a blockModel in which each weight is
// a block.
func (m *weightModel) minimise(ctx context.Context, h gcg.Penalty, start []float64) []float64 {
	t := len(start)
	u := &support{blockGauge: blockGauge{gauge: weightSum{}, smooth: weightSum{}}, keys: make([]int64, t), start: make([]int, t+1)}
	for i := range t {
		u.start[i+1] = i + 1
	}
	one := hessian.PartsOf(hessian.OneGroup(t))
	one.Hess[0] = m.hess
	b := &blockModel{u: u, start: start, grad: m.grad, hess: one}
	return b.minimise(ctx, h, weightGoal)
}

// A weightSum is the gauge Σσ on σ ≥ 0, with a block for each weight: what a gauge comes to in the weights of its atoms.
type weightSum struct{ gcg.Gauge }

func (weightSum) Blocks(m, _ int) int { return m }

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
