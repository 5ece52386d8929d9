package gcg

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A State is where a solver is: an iterate, its predictions and what is known of the optimum.
//
// Z, R, Loss and Rho always belong to W: whoever changes W calls Refresh, or updates all of them by the same two
// scalars that W was updated with.
type State struct {
	W         *Iterate
	Intercept []float64 // the constants of Problem.Places, or nil
	Z         []float64 // A(W) + intercept
	R         []float64 // -∇L(Z)
	Loss      float64   // L(Z)
	Rho       float64   // ≥ κ(W)

	Scale float64 // |L| at W = 0, for what a relative gap of an objective near 0 is worth
	Exact bool    // Z, R and Loss are computed from W, not moved along with it
	Iter  int
	Added int    // atoms that the last step added
	Polar *Polar // of the gauge at R, or nil when W has moved since
	Sides *Sides // of W at R, or nil
	Seen  Seen   // of the last polar, be W another since
	Cert  Certificate
	Tol   float64 // the relative gap that is asked for
	// Improved says that an improver goes on from each step, which need not be exact.
	Improved bool
	// MaxRank is what the factors may grow to, or 0 for any number of columns.
	MaxRank int
	Seed    uint64
	Count   Count
}

// Count is the work done.
type Count struct {
	Polars, Gradients, Improvements int
	Products                        int // of the Hessian with a direction
}

// NewState is W = 0, or a copy of the given start, with its predictions and residual, 16 bytes an observation; an intercept is fitted.
// A problem without one of its nouns, sizes of operator, loss and start that differ, and a start that does not fit together or is
// not finite, are errors.
func NewState(p *Problem, start *Iterate) (*State, error) {
	if p.Operator == nil || p.Loss == nil || p.Gauge == nil || p.Penalty == nil {
		return nil, fmt.Errorf("gcg: a problem has an operator, a loss, a gauge and a penalty; this one has %T, %T, %T and %T", p.Operator, p.Loss, p.Gauge, p.Penalty)
	}
	if p.asSquares() != nil && p.Intercept {
		return nil, fmt.Errorf("gcg: %T keeps no predictions for an intercept to be fitted to", p.Operator)
	}
	m, n, nobs := p.Operator.Dims()
	if p.Loss.Len() != nobs {
		return nil, fmt.Errorf("gcg: the operator has %d observations, the loss %d", nobs, p.Loss.Len())
	}
	if stride := p.Loss.Stride(); stride < 1 || nobs%stride != 0 {
		return nil, fmt.Errorf("gcg: %d observations are no rows of %d, the stride of the loss", nobs, stride)
	}
	s := &State{W: &Iterate{M: m, N: n}, Z: memory.Make[float64](nobs), R: memory.Make[float64](nobs),
		Cert: Certificate{LowerBound: math.Inf(-1)}}
	if start != nil {
		if start.M != m || start.N != n {
			return nil, fmt.Errorf("gcg: the start is %d×%d, the problem %d×%d", start.M, start.N, m, n)
		}
		if !start.wellFormed(p.Gauge) {
			return nil, fmt.Errorf("gcg: the start does not fit together: it has factors of %d rows and %d, of one rank, and sparse atoms within, with keys of blocks of the gauge that have their entries", m, n)
		}
		if !start.finite() {
			return nil, fmt.Errorf("gcg: the start holds numbers that are not finite")
		}
		s.W = start.Clone()
	}
	if p.Intercept {
		s.Intercept = make([]float64, p.Places().Count)
	}
	s.Scale = math.Abs(p.Value(s.Z, nil))
	if q := p.asSquares(); q != nil {
		s.Scale = q.Move(nil, nil)
	}
	s.Rho = p.GaugeOf(s.W)
	s.Refresh(p)
	return s, nil
}

// Grain is what rounding of F = f is relative to: predictions that are rounded in their last place change a squared loss by that part of
// 2√(f L(0)), which is more than f where W nearly interpolates.
func (s *State) Grain(f float64) float64 {
	f = math.Abs(f)
	return math.Sqrt(f * math.Max(f, s.Scale))
}

// GaugeOf is κ(W) where the gauge can evaluate it, rewriting W with the fewest atoms; else the sum of the weights.
func (p *Problem) GaugeOf(w *Iterate) float64 {
	if c, ok := p.Gauge.(Compressor); ok {
		return c.Compress(w)
	}
	return w.Weights()
}

// Weights is the sum of the atoms' weights, a bound of κ(W) where every atom of the factors is a pair of unit columns.
func (w *Iterate) Weights() float64 {
	var s float64
	for c := range w.Rank() {
		s += math.Sqrt(columnDot(w.U, c, c) * columnDot(w.V, c, c))
	}
	for _, t := range w.Terms {
		s += t.Weight
	}
	return s
}

// blockSize is the number of observations that are handled together: their predictions fit in a first-level cache. Where
// several belong together, a block has at least blockGroups groups, so that products of matrices are worth their setting up.
const (
	blockSize   = 1 << 13
	blockGroups = 128
)

// Blocks is the number of blocks of observations, and Block the range of one; both depend on the problem alone.
func (p *Problem) Blocks() int { return (p.Loss.Len() + p.blockLen() - 1) / p.blockLen() }

func (p *Problem) blockLen() int {
	stride := p.Loss.Stride()
	if stride == 1 {
		return blockSize
	}
	return max(blockGroups, blockSize/stride) * stride
}

// Block is the range of observations of block b.
func (p *Problem) Block(b int) (lo, hi int) {
	lo = b * p.blockLen()
	return lo, min(lo+p.blockLen(), p.Loss.Len())
}

// Apply writes z = A(W), without the intercept.
func (p *Problem) Apply(z []float64, w *Iterate) {
	sparse := w.sparseSum()
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		p.applyBlock(z[lo:hi], lo, w, &sparse)
	})
}

func (p *Problem) applyBlock(z []float64, lo int, w *Iterate, sparse *Atom) {
	if w.Rank() > 0 {
		p.Operator.FactoredTo(z, lo, w.U, w.V)
	} else {
		clear(z)
	}
	if len(sparse.Vals) == 0 {
		return
	}
	part := make([]float64, len(z))
	p.Operator.AtomTo(part, lo, sparse)
	for i, x := range part {
		z[i] += x
	}
}

// sparseSum is Σ weight·atom of the sparse terms as one set of entries.
func (w *Iterate) sparseSum() Atom {
	var sum Atom
	for _, t := range w.Terms {
		sum.Rows = append(sum.Rows, t.Atom.Rows...)
		sum.Cols = append(sum.Cols, t.Atom.Cols...)
		for _, x := range t.Atom.Vals {
			sum.Vals = append(sum.Vals, t.Weight*x)
		}
	}
	return sum
}

// ApplyAtoms writes z = A(Σ weightᵢ·atomᵢ).
func (p *Problem) ApplyAtoms(z []float64, atoms []Atom, weights []float64) {
	m, n, _ := p.Operator.Dims()
	w := &Iterate{M: m, N: n}
	w.Add(atoms, weights)
	p.Apply(z, w)
	Repay(w.U, w.V)
}

// Refresh recomputes the predictions from W, minimises over the intercept, and evaluates the loss and its derivative.
func (s *State) Refresh(p *Problem) {
	if s.move(p) {
		return
	}
	var level []float64
	if s.Intercept != nil {
		level = p.Places().Means(s.Z)
	}
	s.refresh(p, level)
}

// RefreshNear is Refresh where the intercept is near what it is to be: the predictions that it was for do not matter. It is not for operators
// that keep none.
func (s *State) RefreshNear(p *Problem) { s.refresh(p, nil) }

func (s *State) refresh(p *Problem, level []float64) {
	p.Apply(s.Z, s.W)
	if s.Intercept == nil {
		s.Evaluate(p)
	} else {
		p.fitIntercept(s, 0, level)
		s.evaluated()
	}
	s.Exact = true
}

// Approach is Refresh but for the intercept, which is fitted as well as it takes to compare points, from where guess, if it is not nil, puts it
// at A(W): Recentre is for a gradient there. It is not for operators that keep no predictions.
func (s *State) Approach(p *Problem, guess func(z []float64) []float64) {
	if s.Intercept == nil || guess == nil {
		s.Refresh(p)
		return
	}
	level := p.Places().Means(s.Z)
	p.Apply(s.Z, s.W)
	p.fitIntercept(s, approachGoal, level, guess(s.Z))
	s.evaluated()
}

// approachGoal is the part of the sizes of the terms of Eᵀ∇L that is left of them: the loss is off by about its square.
const approachGoal = 1e-8

// Recentre minimises over the intercept for predictions that were moved in place, and evaluates.
func (s *State) Recentre(p *Problem) {
	if s.Intercept == nil {
		s.Evaluate(p)
		return
	}
	p.Places().AddTo(s.Z, -1, s.Intercept)
	p.fitIntercept(s, 0, nil)
	s.evaluated()
}

// Evaluate computes Loss and R from Z; the polar is forgotten.
func (s *State) Evaluate(p *Problem) {
	if s.move(p) {
		return
	}
	s.Loss = p.Value(s.Z, s.R)
	s.evaluated()
}

// evaluated forgets what belongs to another point than Loss and R.
func (s *State) evaluated() {
	s.Polar, s.Sides, s.Exact = nil, nil, false
	s.Count.Gradients++
}

// Value is L(z); r = -∇L(z) is written if it is not nil.
func (p *Problem) Value(z, r []float64) float64 {
	return par.Sum(p.Blocks(), func(b int) float64 {
		lo, hi := p.Block(b)
		if r == nil {
			return p.Loss.Eval(lo, z[lo:hi], nil)
		}
		return p.Loss.Eval(lo, z[lo:hi], r[lo:hi])
	})
}

// Objective is L(Z) + h(Rho).
func (s *State) Objective(p *Problem) float64 { return s.Loss + p.Penalty.Value(s.Rho) }

// Gradient is the map G = A*(R) = -∇ℓ(W).
func (s *State) Gradient(p *Problem) Map { return p.Operator.Adjoint(s.R) }

// Inner is ⟨W, G⟩ = ⟨A(W), R⟩, from the predictions.
func (p *Problem) Inner(s *State) float64 {
	if q := p.asSquares(); q != nil { // z = y - r
		rr, ry := q.Sums()
		return ry - rr
	}
	if s.Intercept == nil {
		return p.dot(s.Z, s.R)
	}
	z := append([]float64(nil), s.Z...)
	p.Places().AddTo(z, -1, s.Intercept)
	return p.dot(z, s.R)
}

// dot is Σ aᵢbᵢ in the order of the blocks.
func (p *Problem) dot(a, b []float64) float64 {
	return par.Sum(p.Blocks(), func(t int) float64 {
		lo, hi := p.Block(t)
		return kernel.Dot(a[lo:hi], b[lo:hi])
	})
}

// HessTo writes dst = ∇²L(z) e, with r = -∇L(z); dst may be e. The loss must be a CurvedLoss.
func (p *Problem) HessTo(dst, z, r, e []float64) {
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		p.HessBlockTo(dst[lo:hi], lo, z, r, e[lo:hi])
	})
}

// HessBlockTo is HessTo for the observations from lo on; z and r are of all observations.
func (p *Problem) HessBlockTo(dst []float64, lo int, z, r, e []float64) {
	hi := lo + len(dst)
	if l, ok := p.Loss.(MemoizedLoss); ok {
		l.HessFromTo(dst, lo, r[lo:hi], e)
		return
	}
	p.Loss.(CurvedLoss).HessTo(dst, lo, z[lo:hi], e)
}

// HessBlock32 is a function that replaces e, a block of observations from lo on, by ∇²L e at the state's predictions. It keeps a
// copy of the residual in float32 where the loss can do with that.
func (p *Problem) HessBlock32(s *State) func(e []float32, lo int) {
	if l, ok := p.Loss.(MemoizedLoss); ok {
		r := make([]float32, len(s.R))
		par.For(p.Blocks(), func(b int) {
			lo, hi := p.Block(b)
			kernel.Convert(r[lo:hi], s.R[lo:hi])
		})
		return func(e []float32, lo int) { l.HessFrom32To(e, lo, r[lo:lo+len(e)], e) }
	}
	return func(e []float32, lo int) {
		wide := make([]float64, len(e))
		kernel.Convert(wide, e)
		p.HessBlockTo(wide, lo, s.Z, s.R, wide)
		kernel.Convert(e, wide)
	}
}
