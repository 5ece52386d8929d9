package coordinate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// Descent is coordinate descent on a working set, for a penalty λκ, a gauge of blocks and a loss with bounded second derivatives,
// of single observations or of the outputs of a row (gcg.OuterLoss). A ridge μ/2‖W‖² beside them (see loss.Ridge) adds -μw to
// slopes and μ to curvatures. What it keeps of the data serves all runs on the same operator, loss and gauge, as those of a path.
// The zero value is ready.
type Descent struct {
	set     *set
	lambda  float64 // of the last run on the set, or 0
	rounds  int     // steps of this run
	tol     float64 // of this run
	damping float64
}

// Name is coordinate descent.
func (m *Descent) Name() string { return "coordinate descent" }

// Descends says that F never rises.
func (m *Descent) Descends() bool { return true }

const (
	firstBlocks = 100  // that the first polar is asked for, of W = 0, at least
	firstPart   = 0.05 // of all blocks, that it is asked for where columns are sparse: they cost little beside a step
	moreBlocks  = 3    // times as many as W has, afterwards
	mostBlocks  = 1e5  // that any is asked for
	nearPart    = 0.9  // of λ: blocks below are not asked for
	loosePart   = 0.2  // of the gap, to which working sets are solved at least
	enoughPart  = 0.2  // of the tolerance, to which they are at most while blocks come in, and at least when none does
	leastBudget = 1e6  // values, about a millisecond: what a step may read beyond a pass over small data
	tightPart   = 1e-5 // of the tolerance, to which they are while that takes less time than a pass over the data
)

// Check is an error that names what the problem lacks for the method, or nil.
func Check(p *gcg.Problem) error {
	p, _ = view.Unridged(p)
	v := view.Of(p)
	switch {
	case p.IsShared():
		return errors.New("solver: coordinate descent goes over all observations of an entry, and is for one process")
	case v.BlockGauge == nil:
		return fmt.Errorf("solver: coordinate descent needs a gauge that is a sum over numbered blocks; gauge %s is not",
			p.Gauge.Name())
	case v.Columns == nil:
		return fmt.Errorf("solver: coordinate descent needs an operator that gives its columns; %T does not", p.Operator)
	case v.Curved == nil || !v.Separable && !couplesRows(v) || !(v.Curved.Curvature() > 0) || math.IsInf(v.Curved.Curvature(), 1):
		return fmt.Errorf("solver: coordinate descent needs a loss of single observations, or of the outputs of a row, with "+
			"bounded second derivatives; %T is none of operator %T", p.Loss, p.Operator)
	case !view.IsLinear(p.Penalty):
		return fmt.Errorf("solver: coordinate descent needs the penalty λκ; %T is another", p.Penalty)
	case p.Intercept && !ownConstants(p):
		return fmt.Errorf("solver: coordinate descent takes an intercept of one constant, or of one for each column of W; "+
			"operator %T and loss %T have others", p.Operator, p.Loss)
	}
	return nil
}

// couplesRows says that the loss couples the outputs of a row of samples that all of them have, by outer products.
func couplesRows(v *view.Problem) bool {
	_, n, nobs := v.Operator.Dims()
	if _, several := gcg.Segments(v.Loss); several || v.Outer == nil || v.Loss.Stride() != n {
		return false
	}
	rows, cols := make([]int32, n), make([]int32, n)
	for k := range cols {
		cols[k] = int32(k)
	}
	for k, c := range v.Columns.Columns(rows, cols) {
		if c.Stride != n || c.Offset != k || c.Index == nil && len(c.Values) != nobs/n {
			return false
		}
	}
	return true
}

// ownConstants says that the observations of an entry of W take the same constant: that of all, of their place in a row, or the
// one that the operator names for each column of W.
func ownConstants(p *gcg.Problem) bool {
	if _, several := gcg.Segments(p.Loss); several {
		return false
	}
	_, n, _ := p.Operator.Dims()
	e := p.InterceptMap()
	if !gcg.Separable(p.Loss) {
		return e.ByColumn(n)
	}
	return e.Count == 1 || e.ByColumn(n) || e.Count == n && view.OfOperator(p.Operator).Intercepts != nil
}

// Inherit takes over what another Method has kept of the data, which loses it.
func (m *Descent) Inherit(from any) {
	if o, ok := from.(*Descent); ok && o != m {
		*m, *o = *o, Descent{}
	}
}

// Init keeps what it knows of the data where they are those of the last run.
func (m *Descent) Init(p *gcg.Problem, _ *gcg.State, run gcg.Settings) error {
	if err := Check(p); err != nil {
		return err
	}
	base, _ := view.Unridged(p)
	v := view.Of(base)
	if m.set == nil || !m.set.serves(v) {
		*m = Descent{set: newSet(v)}
		if v.Bent != nil {
			m.damping = leastDamping
		}
	}
	m.rounds, m.tol = 0, run.Tol
	return nil
}

// Ask wants the blocks that exceed λ or nearly do. On a path these are the blocks that may exceed the new
// λ if the slopes move no faster than λ does, the strong rule [Tibshirani et al. 2012].
func (m *Descent) Ask(p *gcg.Problem, s *gcg.State) gcg.Ask {
	lambda := p.Penalty.Deriv(0)
	above := nearPart * lambda
	if m.rounds == 0 && m.lambda > lambda {
		above = math.Max(0, 2*lambda-m.lambda)
	}
	first := firstBlocks
	if u := m.set; u.sparse {
		first = max(first, int(firstPart*float64(u.gauge.Blocks(u.m, u.n))))
	}
	return gcg.Ask{Count: min(mostBlocks, max(first, moreBlocks*len(s.W.Terms))), Above: above}
}

// Step solves on the blocks of W and of the polar.
func (m *Descent) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	u, lambda := m.set, p.Penalty.Deriv(0)
	if !u.load(s.W) {
		u.loadWhole(s.W)
	}
	keys := make([]int64, 0, len(s.Polar.Atoms))
	for i := range s.Polar.Atoms {
		keys = append(keys, s.Polar.Atoms[i].Key)
	}
	u.add(keys)
	blocks := u.nonzero()
	var did gcg.Moved
	for i, key := range keys {
		b := u.place[key]
		if k := &u.blocks[b]; !hessian.IsZero(u.x[k.lo:k.hi]) {
			continue
		}
		blocks = append(blocks, b)
		if s.Polar.Values[i] > lambda {
			did.Added++
		}
	}
	target := m.tol * math.Abs(s.Cert.Objective)
	to := goal{loose: loosePart * s.Cert.Gap, tight: tightPart * target, budget: math.Max(leastBudget, u.passWork())}
	switch {
	case m.rounds == 0 && m.lambda > lambda: // the set of the strong rule is whole but for rare blocks
		to.loose = enoughPart * target
	case m.rounds == 0 || did.Added > 0:
		to.loose = math.Max(to.loose, enoughPart*target)
	default: // the set is whole, and another certificate takes a pass over the data
		to.loose = math.Min(to.loose, enoughPart*target)
	}
	m.rounds++
	m.lambda = lambda
	base, mu := view.Unridged(p)
	f := &fit{p: view.Of(p), base: view.Of(base), mu: mu, s: s, u: u, blocks: blocks, lambda: lambda, damping: &m.damping}
	f.run(ctx, to)
	u.store(s, mu > 0)
	if s.Intercept != nil {
		p.InterceptMap().AddTo(s.Z, 1, s.Intercept)
	}
	s.Recentre(p)
	s.Exact = true
	return did, ctx.Err()
}
