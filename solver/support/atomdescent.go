package support

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// AtomDescent is greedy coordinate descent on the weights θ ≥ 0 of all atoms of a gauge [Dudik12 Algorithm 3], which lifts
// the problem to
//
//	minimise over θ ≥ 0   ψ(θ) = L(Σθᵢ A(aᵢ)) + h(Σθᵢ),     ∂ᵢψ = h'(Σθ) - ⟨aᵢ, -∇ℓ(W)⟩
//
// Per iteration, with the atom a of the polar, whose ∂ψ = g = h' - κ°(-∇ℓ(W)) is the steepest of all,
//
//	g ≤ -ε/2                θ_a ← θ_a + δ                                       a new coordinate
//	else |∂ᵢψ| > ε          θ ← an ε-solution of min ψ over the weights at hand   for some i with θᵢ > 0
//	else                    θ is an ε-solution: halve ε, or stop
//
// For the trace norm it is R1D [Dudik12 Algorithm 1], for ℓ1 coordinate descent, for groups block coordinate descent. The
// step is δ = -g/(H‖A(a)‖²) with the loss's curvature H, which lowers ψ by g²/(2H‖A(a)‖²) at least [Dudik12 Prop 3.4], and
// from there a search finds the minimum along a. h must be finite everywhere: a bound on κ couples the weights, and a single
// one could not move on it.
//
// The weights at hand are re-optimised by Newton steps, whose quadratic model costs t² and not Nt a sweep for t atoms; where
// L has no second derivatives, by cyclic coordinate descent on the predictions. Blocks of a gcg.BlockGauge are re-optimised
// whole, in all directions and after every step, as their model is kept and cheap beside a gradient. Atoms of other gauges
// are merged only once they are many times the singular pairs of W: writing W by these lowers ψ at once, but took twice the
// iterations, as fewer atoms span a narrower cone.
//
// ε starts at |g| and is halved whenever it is reached, down to Epsilon [Dudik12 Theorem 3.6]: a small ε from the start
// takes many small steps along new atoms before it looks at the old ones. Where the solution has a high rank, weights alone
// are a slow way to it: on softmax of 100 classes, to a gap of 1e-3, they took 15 times the CPU time of gcg with the Local
// improver at rank 16, and at rank 50 ended at 2e-2 after as much. Run's Improver may be Local here too.
type AtomDescent struct {
	// Epsilon > 0 stops at an ε-solution, in the units of λ; 0 leaves it to the gap to end the run.
	Epsilon float64
	// Atoms is the number of coordinates that one polar offers; 1 is the paper's, 0 means 4, or for a gcg.BlockGauge 32 and more
	// as blocks are added. Each takes a step of its own, if its derivative is still below -ε/2.
	Atoms int
	// CurvatureStep takes δ as it is, without the search along the atom.
	CurvatureStep bool

	epsilon float64 // at present
	terms   []gcg.Term
	of      known      // what terms belong to
	block   Corrective // re-optimises blocks
	width   float64    // curvature of the last search, where the loss states none
}

// A known recognises a state that nobody else has changed since.
type known struct {
	w         *gcg.Iterate
	loss, rho float64
}

// Name is atomdescent.
func (a *AtomDescent) Name() string { return "atomdescent" }

// Descends reports true: no step raises F.
func (a *AtomDescent) Descends() bool { return true }

// Init refuses a penalty that bounds κ and an ε that is negative or not a number.
func (a *AtomDescent) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	if !math.IsInf(p.Penalty.Max(), 1) {
		return fmt.Errorf("solver: atomdescent needs a penalty that is finite for every κ; %T bounds it: use gcg", p.Penalty)
	}
	if a.Epsilon < 0 || math.IsNaN(a.Epsilon) {
		return fmt.Errorf("solver: the ε of atomdescent is %v; it is positive, in the units of λ, or 0", a.Epsilon)
	}
	a.epsilon, a.terms, a.of, a.width, a.block.tol = 0, nil, known{}, 0, set.Tol
	return nil
}

// Ask wants atoms whose derivative is below -ε/2, and a bound that is within ε/4 of what they attain.
func (a *AtomDescent) Ask(problem *gcg.Problem, s *gcg.State) gcg.Ask {
	p := view.Of(problem)
	lambda := view.Lambda(p.Problem, s)
	ask := gcg.Ask{Count: a.Atoms, Above: lambda + a.epsilon/2}
	if a.Atoms < 1 {
		ask.Count = 4
		if p.BlockGauge != nil {
			ask.Count = max(32, len(s.W.Terms))
		}
	}
	if a.Epsilon > 0 && lambda > 0 {
		ask.Tol = boundPart * a.Epsilon / (lambda + a.Epsilon)
	}
	return ask
}

// boundPart is the part of ε that the polar's bound may be above what its atom attains: an ε-solution is told by the bound.
const boundPart = 0.25

// leastEpsilon is the part of λ that derivatives are rounded by, and below which ε is not halved.
const leastEpsilon = rounding.Number

// Step takes steps along the new atoms, or re-optimises the weights of the old ones, or halves ε until one of the two is
// worthwhile. It leaves the state as it is where that is an ε-solution for the ε that is asked for.
func (a *AtomDescent) Step(ctx context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p := view.Of(problem)
	a.load(p, s)
	defer a.remember(s)
	g := view.Lambda(p.Problem, s) - s.Polar.Value
	if a.epsilon == 0 {
		a.epsilon = math.Max(a.Epsilon, math.Abs(g))
	}
	off := -1.0 // measured only when it is needed: it costs a gradient
	for floor := leastEpsilon * view.Lambda(p.Problem, s); a.epsilon > floor; a.epsilon = math.Max(a.epsilon/2, a.Epsilon) {
		if g <= -a.epsilon/2 {
			did := gcg.Moved{Added: a.descend(p, s)}
			_, err := a.blocks(ctx, p, s)
			return did, err
		}
		if off < 0 {
			off = a.deviation(p, s)
		}
		switch {
		case off > a.epsilon:
			return gcg.Moved{}, a.reoptimise(ctx, p, s)
		case a.epsilon == a.Epsilon: // an ε-solution, but for a loose bound of the polar: Run counts the steps without progress
			return gcg.Moved{}, nil
		}
	}
	return gcg.Moved{}, nil
}

// descend takes a step along each atom of the polar whose derivative is still below -ε/2, and along the first in any case. It
// returns the number of those that it added.
func (a *AtomDescent) descend(p *view.Problem, s *gcg.State) (added int) {
	atoms := s.Polar.Atoms
	z := make([]float64, len(s.Z))
	for i := range atoms {
		l := newLine(p, s, z, atoms[i])
		g := l.slope(0)
		if i > 0 && g > -a.epsilon/2 {
			continue
		}
		theta := a.coordinateStep(l, g, 0)
		if theta == 0 {
			continue
		}
		s.W.Add(atoms[i:i+1], []float64{theta})
		a.terms = append(a.terms, gcg.Term{Atom: atoms[i], Weight: theta})
		l.move(theta)
		added++
	}
	if s.W.Rank() == 0 { // the iterate has merged what merges
		a.terms = append(a.terms[:0], s.W.Terms...)
	}
	return added
}

// Solved reports whether θ, and so W [Dudik12 Theorem D.3], is an ε-solution for the ε that is asked for. It costs a
// gradient where the polar does not deny it.
func (a *AtomDescent) Solved(problem *gcg.Problem, s *gcg.State) bool {
	p := view.Of(problem)
	if !(a.Epsilon > 0) || s.Polar == nil || s.Polar.Bound-view.Lambda(p.Problem, s) > a.Epsilon {
		return false
	}
	a.load(p, s)
	return a.deviation(p, s) <= a.Epsilon
}

// load takes the atoms of the state, unless they are those that this AtomDescent left there.
func (a *AtomDescent) load(p *view.Problem, s *gcg.State) {
	if a.of != (known{s.W, s.Loss, s.Rho}) {
		a.terms = split(p, s)
		a.remember(s)
	}
}

// remember marks the state as one whose atoms are known.
func (a *AtomDescent) remember(s *gcg.State) { a.of = known{s.W, s.Loss, s.Rho} }

// A line is ψ along one atom, f(θ) = L(z₀ + θz) + h(ρ + θ), with z the predictions of the atom, centred.
type line struct {
	p        *view.Problem
	s        *gcg.State
	z, means []float64
}

// newLine is ψ along an atom from the state. z, as long as the predictions, is overwritten.
func newLine(p *view.Problem, s *gcg.State, z []float64, a gcg.Atom) *line {
	p.ApplyAtoms(z, []gcg.Atom{a}, []float64{1})
	return &line{p, s, z, hessian.Centred(p, z)}
}

// slope is f'(θ), which takes a gradient of the loss unless θ = 0.
func (l *line) slope(theta float64) float64 {
	gain := l.p.Sum(func(lo, hi int) float64 {
		r := l.s.R[lo:hi]
		if theta != 0 {
			r = make([]float64, hi-lo)
			for i := range r {
				r[i] = l.s.Z[lo+i] + theta*l.z[lo+i]
			}
			l.p.Loss.Eval(lo, r, r)
		}
		var sum float64
		for i, x := range r {
			sum += x * l.z[lo+i]
		}
		return sum
	})
	return l.p.Penalty.Deriv(l.s.Rho+theta) - gain
}

// size is ‖z‖².
func (l *line) size() float64 {
	return l.p.Sum(func(lo, hi int) float64 {
		var sum float64
		for _, x := range l.z[lo:hi] {
			sum += x * x
		}
		return sum
	})
}

// move moves the state by θ times the atom: predictions, constants and ρ, but not W.
func (l *line) move(theta float64) {
	for i, x := range l.z {
		l.s.Z[i] += theta * x
	}
	kernel.Axpy(-theta, l.means, l.s.Intercept)
	l.s.Rho += theta
	l.s.Recentre(l.p.Problem)
}

// minimise is a θ ≥ least at which f is about least. first, on the side to which f falls, is where f' is taken first, and g
// = f'(0). It goes on from there until f' changes its sign, and then narrows the bracket. It ends where f still falls, so
// that f(θ) ≤ f(0); for a quadratic f the first secant is exact.
func (l *line) minimise(g, first, least float64) float64 {
	lo, flo, hi := 0.0, g, math.Max(first, least)
	fhi := l.slope(hi)
	for range 60 { // away from 0 until f' changes its sign
		if fhi*g <= 0 || hi == least {
			break
		}
		next := 8 * hi
		if root := hi - fhi*(hi-lo)/(fhi-flo); math.Abs(root) < math.Abs(next) && root/hi > 1 {
			next = root
		}
		lo, flo, hi = hi, fhi, math.Max(next, least)
		fhi = l.slope(hi)
		if math.Abs(fhi) <= lineTol*math.Abs(g) {
			break
		}
	}
	if fhi*g >= 0 {
		return hi
	}
	return l.root(g, lo, flo, hi, fhi)
}

// lineTol is the part of f'(0) that a search may leave: the next coordinate undoes more than that.
const lineTol = 1e-4

// rootRounding is the part of f'(0) that f' is rounded by: there the far end of the bracket is the root.
const rootRounding = rounding.Decomposed

// root is about the root of f' between lo and hi, on the side where f still falls.
func (l *line) root(g, lo, flo, hi, fhi float64) float64 {
	b, last := roots.Bracket{Lo: lo, Flo: flo, Hi: hi, Fhi: fhi}, fhi // f'(hi), which the bracket halves
	for range 60 {
		mid := b.Secant()
		if mid == b.Lo || mid == b.Hi {
			break
		}
		v := l.slope(mid)
		if v*g >= 0 {
			b.MoveLo(mid, v)
		} else {
			b.MoveHi(mid, v)
			last = v
		}
		if math.Abs(v) <= lineTol*math.Abs(g) && v*g >= 0 {
			break
		}
	}
	if math.Abs(last) <= rootRounding*math.Abs(g) {
		return b.Hi
	}
	return b.Lo
}

// coordinateStep is the step along one coordinate, whose derivative is g and whose weight may fall by -least at most: δ from
// the bound of the curvature and, unless that is all that is asked for, the search from there.
func (a *AtomDescent) coordinateStep(l *line, g, least float64) float64 {
	size := l.size()
	if size == 0 || g == 0 {
		return 0
	}
	h := a.width
	c := l.p.Curved
	if c != nil {
		h = gcg.CurvatureAt(c, l.s.Z)
	}
	if h == 0 {
		h = 1
	}
	curve := h*size + math.Max(0, l.p.Penalty.Deriv(l.s.Rho+1)-l.p.Penalty.Deriv(l.s.Rho)) // h' is linear
	delta := math.Max(-g/curve, least)
	if c != nil && a.CurvatureStep && !math.IsInf(c.Curvature(), 1) {
		return delta
	}
	theta := l.minimise(g, delta, least)
	if theta != 0 {
		a.width = math.Abs(g / (theta * size))
	}
	return theta
}

// attained is ⟨aᵢ, G⟩ for every term with a positive weight, in their order. G is multiplied once with the right vectors of
// all atoms of low rank, and each of its rows that a sparse one touches is read once.
func attained(p *view.Problem, s *gcg.State, terms []gcg.Term) []float64 {
	g := s.Gradient(p.Problem)
	values := make([]float64, 0, len(terms))
	k := 0
	for i := range terms {
		if t := &terms[i]; t.Weight > 0 && t.Atom.LowRank() {
			k += t.Atom.U.K
		}
	}
	gv := productsWith(g, terms, k)
	rows := &rowCache{g: g, rows: map[int32][]float64{}}
	u, v := make([]float64, s.W.M), make([]float64, s.W.M)
	at := 0
	for i := range terms {
		t := &terms[i]
		switch {
		case t.Weight <= 0:
		case t.Atom.LowRank():
			var sum float64
			for c := range t.Atom.U.K {
				t.Atom.U.ColumnTo(u, c)
				gv.ColumnTo(v, at)
				sum += kernel.Dot(u, v)
				at++
			}
			values = append(values, sum)
		default:
			values = append(values, rows.dot(&t.Atom))
		}
	}
	return values
}

// productsWith is G V (m×k), with the right vectors of all atoms of low rank that have a weight in the k columns of V.
func productsWith(g gcg.Map, terms []gcg.Term, k int) *gcg.Factor {
	m, n := g.Dims()
	gv, v := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	x := make([]float64, n)
	at := 0
	for i := range terms {
		t := &terms[i]
		if t.Weight <= 0 || !t.Atom.LowRank() {
			continue
		}
		for c := range t.Atom.V.K {
			t.Atom.V.ColumnTo(x, c)
			v.SetColumn(at, x, 1)
			at++
		}
	}
	if k > 0 {
		gcg.MulBlock(g, gv, v)
	}
	return gv
}

// A rowCache reads each row of G once.
type rowCache struct {
	g    gcg.Map
	rows map[int32][]float64
}

// dot is ⟨a, G⟩ for a sparse atom.
func (c *rowCache) dot(a *gcg.Atom) float64 {
	if !gcg.HasRows(c.g) {
		return a.Dot(c.g)
	}
	_, n := c.g.Dims()
	var sum float64
	for e, i := range a.Rows {
		row := c.rows[i]
		if row == nil {
			row = make([]float64, n)
			gcg.RowsTo(c.g, row, int(i))
			c.rows[i] = row
		}
		sum += a.Vals[e] * row[a.Cols[e]]
	}
	return sum
}

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
	_, err := a.block.Improve(ctx, p.Problem, s, gcg.Moved{})
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
