package gcg

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A State is where a solver is: an iterate, its predictions and what is known of the optimum.
//
// Z, R, Loss and Rho always belong to W. Whoever changes W calls Refresh, or updates all of them by the two scalars that W was
// updated with.
type State struct {
	W         *Iterate
	Intercept []float64 // the constants of Problem.InterceptMap, or nil
	Z         []float64 // A(W) + intercept
	R         []float64 // -∇L(Z)
	Loss      float64   // L(Z)
	Rho       float64   // ≥ κ(W)

	LossAtZero float64 // |L| at W = 0, for what a relative gap of an objective near 0 is worth
	Exact      bool    // Z, R and Loss are computed from W, not moved along with it
	Iter       int
	Polar      *Polar // of the gauge at R, or nil when W has moved since
	Cert       Certificate
	Seed       uint64 // of random numbers, which follow from it and Iter
	*Oracle           // of the run; a State without one is for the values of Z, R and Loss alone
}

// Settings are what a run tells its method and its improver before the first step.
type Settings struct {
	Tol float64 // the relative gap that is asked for
	// Improved says that an improver goes on from each step, which need not be exact.
	Improved bool
}

// Moved is what a step did beside moving the state, and what an improvement knows better after it. Run hands it from one to the
// other, and to the next polar.
type Moved struct {
	// Added is the number of atoms that the step added. It is 0 where an improver finds that none of them belong.
	Added int
	// MaxRank is what the factors may grow to, or 0 for any number of columns.
	MaxRank int
	// Complement is that of the polar with which the step began. Run fills it in for the improver.
	Complement Complement
	// Polar is that of the gauge at the new R, or nil where the step does not know it.
	Polar *Polar
	// Projections are of the new W at R, or nil. They save the next polar two products.
	Projections *Projections
}

// NewState is W = 0, or a copy of the given start, with its predictions and residual, 16 bytes an observation. An intercept is
// fitted. It refuses a problem without one of its nouns, sizes of operator, loss and start that differ, and a start that does
// not fit together or is not finite.
func NewState(p *Problem, start *Iterate) (*State, error) { return newState(p, start, new(Oracle)) }

// newState is NewState with an oracle that exists.
func newState(p *Problem, start *Iterate, o *Oracle) (*State, error) {
	if p.Operator == nil || p.Loss == nil || p.Gauge == nil || p.Penalty == nil {
		return nil, fmt.Errorf("gcg: a problem has an operator, a loss, a gauge and a penalty; this one has %T, %T, %T and %T",
			p.Operator, p.Loss, p.Gauge, p.Penalty)
	}
	if p.asSquares() != nil && p.Intercept {
		return nil, fmt.Errorf("gcg: %T keeps no predictions for an intercept to be fitted to", p.Operator)
	}
	m, n, nobs := p.Operator.Dims()
	if p.Loss.Len() != nobs {
		return nil, fmt.Errorf("gcg: the operator has %d observations, the loss %d", nobs, p.Loss.Len())
	}
	if err := p.checkSegments(); err != nil {
		return nil, err
	}
	s := &State{W: &Iterate{M: m, N: n}, Z: memory.Make[float64](nobs), R: memory.Make[float64](nobs),
		Cert: Certificate{LowerBound: math.Inf(-1)}, Oracle: o}
	if start != nil {
		if start.M != m || start.N != n {
			return nil, fmt.Errorf("gcg: the start is %d×%d, the problem %d×%d", start.M, start.N, m, n)
		}
		if !start.wellFormed(p.Gauge) {
			return nil, fmt.Errorf("gcg: the start does not fit together: "+
				"it has factors of %d rows and %d, of one rank, and sparse atoms within, "+
				"with keys of blocks of the gauge that have their entries", m, n)
		}
		if !start.finite() {
			return nil, fmt.Errorf("gcg: the start holds numbers that are not finite")
		}
		s.W = p.cloneOf(start)
	}
	if p.Intercept {
		s.Intercept = make([]float64, p.InterceptMap().Count)
	}
	s.LossAtZero = math.Abs(p.Value(s.Z, nil))
	if q := p.asSquares(); q != nil {
		s.LossAtZero = q.Move(nil, nil)
	}
	s.Rho = p.GaugeOf(s.W)
	s.Refresh(p)
	return s, nil
}

// At is a state at the same W for a problem p that differs in its penalty alone: what belongs to the operator and the loss is
// copied, which saves a pass over the data. It is nil where that was moved along with W and not computed from it, and of
// operators that keep no predictions.
func (s *State) At(p *Problem) *State {
	if !s.Exact || p.asSquares() != nil {
		return nil
	}
	return &State{W: p.cloneOf(s.W), Intercept: slices.Clone(s.Intercept), Z: slices.Clone(s.Z), R: slices.Clone(s.R), Loss: s.Loss,
		Rho: s.Rho, LossAtZero: s.LossAtZero, Exact: true, Cert: Certificate{LowerBound: math.Inf(-1)}, Oracle: new(Oracle)}
}

// cloneOf is a copy of a W, of which ranks share the rows from then on where the operator does.
func (p *Problem) cloneOf(w *Iterate) *Iterate {
	if u, v := FactorsFor(p.Operator); w.U != nil && u.Shared != nil {
		own := *w
		own.U, own.V = w.U.SharedBy(u.Shared), w.V.SharedBy(v.Shared)
		own.Terms = slices.Clone(w.Terms)
		return &own
	}
	return w.Clone()
}

// RoundingScale is what rounding of F = f is relative to. Predictions that are rounded in their last place change a squared loss
// by that part of 2√(f L(0)). This is more than f where W nearly interpolates.
func (s *State) RoundingScale(f float64) float64 {
	f = math.Abs(f)
	return math.Sqrt(f) * math.Sqrt(math.Max(f, s.LossAtZero)) // whose product may be beyond the range of float64
}

// Refresh computes Z, R, Loss and the intercept anew from W, whatever they were. The intercept b minimises L(A(W) + E b), and Z =
// A(W) + E b. W and Rho are the caller's. Polar is dropped.
func (s *State) Refresh(p *Problem) {
	if s.move(p) {
		return
	}
	var level []float64
	if s.Intercept != nil {
		level = p.InterceptMap().Means(s.Z)
	}
	s.refresh(p, level)
}

// RefreshWarm is Refresh for a W whose intercept is near the present one. The search starts at the present intercept; Refresh
// first moves it by what the mean predictions move.
func (s *State) RefreshWarm(p *Problem) {
	if !s.move(p) {
		s.refresh(p, nil)
	}
}

// refresh computes Z, the intercept, R and Loss from W. level, which may be nil, are the mean predictions that the intercept
// was fitted to; it is overwritten.
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

// Approach is Refresh with an intercept that is only good enough to compare objectives; before R is used as a gradient,
// Recentre completes it. The search also tries guess(A(W)), with one element for each constant of Problem.InterceptMap. Without
// an intercept or a guess it is Refresh. It is not for operators that keep no predictions.
func (s *State) Approach(p *Problem, guess func(z []float64) []float64) {
	if s.Intercept == nil || guess == nil {
		s.Refresh(p)
		return
	}
	level := p.InterceptMap().Means(s.Z)
	p.Apply(s.Z, s.W)
	p.fitIntercept(s, approachGoal, level, guess(s.Z))
	s.evaluated()
}

// approachGoal is the part of the sizes of the terms of Eᵀ∇L that is left of them: the loss is off by about its square.
const approachGoal = 1e-8

// Recentre computes R, Loss and the intercept anew for the present Z, which a step has moved along with W.
func (s *State) Recentre(p *Problem) {
	if s.Intercept == nil {
		s.Evaluate(p)
		return
	}
	p.InterceptMap().AddTo(s.Z, -1, s.Intercept)
	p.fitIntercept(s, 0, nil)
	s.evaluated()
}

// Evaluate computes R and Loss for the present Z and intercept. Polar is dropped.
func (s *State) Evaluate(p *Problem) {
	if s.move(p) {
		return
	}
	s.Loss = p.Value(s.Z, s.R)
	s.evaluated()
}

// evaluated forgets what belongs to another point than Loss and R.
func (s *State) evaluated() {
	s.Polar, s.Exact = nil, false
	if s.Oracle != nil {
		s.Count.Gradients++
	}
}

// Objective is L(Z) + h(Rho).
func (s *State) Objective(p *Problem) float64 { return s.Loss + p.Penalty.Value(s.Rho) }

// Gradient is the map G = A*(R) = -∇ℓ(W).
func (s *State) Gradient(p *Problem) Map { return p.Operator.Adjoint(s.R) }
