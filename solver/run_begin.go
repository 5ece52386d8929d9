package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// newRun checks the arguments and begins at the start that they give.
func newRun(ctx context.Context, p *view.Problem, method Method, opt Options) (*run, error) {
	if opt.Tol == 0 {
		opt.Tol = defaultTol
	}
	if err := enum.Check("solver: Accept", opt.Accept, "Descent", "Monotone", "Relaxed"); err != nil {
		return nil, err
	}
	if !(opt.Tol > 0) || math.IsInf(opt.Tol, 0) {
		return nil, fmt.Errorf("solver: the tolerance is %v; it is a positive relative gap", opt.Tol)
	}
	if opt.MaxIter < 0 || opt.MinIter < 0 || opt.MaxTime < 0 || opt.Plateau < 0 || opt.CheckpointEvery < 0 || opt.CertifyEvery < 0 {
		return nil, errors.New("solver: MaxIter, MinIter, MaxTime, Plateau and CheckpointEvery are not negative; 0 means " +
			"what each says")
	}
	if err := checkSquares(p, method, opt.Improver); err != nil {
		return nil, err
	}
	if err := view.CheckPenalty(p.Penalty); err != nil {
		return nil, err
	}
	if opt.Plateau == 0 {
		opt.Plateau = 6
	}
	if opt.CheckpointEvery == 0 {
		opt.CheckpointEvery = time.Minute
	}
	s, err := begin(ctx, p.Problem, opt)
	if err != nil {
		return nil, err
	}
	for _, e := range opt.Later {
		if s.R != nil && (e < 0 || int(e) >= len(s.R)) {
			return nil, fmt.Errorf("solver: Later has observation %d; there are 0 to %d", e, len(s.R)-1)
		}
	}
	if err := checkAdjoint(p.Problem, s); err != nil {
		return nil, err
	}
	if err := method.Init(p.Problem, s); err != nil {
		return nil, err
	}
	return &run{p: p.Problem, view: p, method: method, opt: opt, s: s, saved: time.Now(), lastGap: math.Inf(1),
		found: opt.Start != nil || opt.Resume != nil, best: best{objective: math.Inf(1)},
		moved: moved{s.Iter, math.Inf(1), math.Inf(1)}}, nil
}

// begin is the state that a run starts from: a checkpoint, a warm start or W = 0. W is scaled into the penalty's domain, and
// replaced by 0 if F is larger there than at W = 0 without an intercept.
func begin(ctx context.Context, p *gcg.Problem, opt Options) (s *gcg.State, err error) {
	if s = opt.Resume; s == nil {
		if s, err = fresh(ctx, p, opt); err != nil {
			return nil, err
		}
	} else if s.W == nil {
		return nil, errors.New("solver: the state to resume has no W: it is not one of NewState or of a checkpoint")
	}
	if s.Oracle == nil {
		s.Oracle = new(gcg.Oracle)
	}
	s.Tol, s.Improved = opt.Tol, opt.Improver != nil
	if s.Rho > p.Penalty.Max() {
		s.W.Scale(p.Penalty.Max() / s.Rho)
		s.Rho = p.Penalty.Max()
		s.Refresh(p)
	}
	if math.IsInf(p.Penalty.Value(s.Rho), 1) {
		return nil, fmt.Errorf("solver: κ(W) = %v at the start is outside the domain of the penalty %T: give a start "+
			"within it", s.Rho, p.Penalty)
	}
	f := s.Objective(p)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil, fmt.Errorf("solver: the objective at the start is %v: the observations or the start hold numbers that "+
			"are not finite or too large", f)
	case opt.Resume != nil && s.Cert.LowerBound > p.Objective(s)+otherProblem*s.RoundingScale(f):
		return nil, fmt.Errorf("solver: the state to resume has a lower bound of %v, above its objective %v: it is of "+
			"another problem", s.Cert.LowerBound, p.Objective(s))
	case opt.Resume == nil && f > s.LossAtZero+p.Penalty.Value(0):
		toZero(p, s)
	}
	return s, nil
}

// otherProblem is the part of F's RoundingScale that a bound may be above F by rounding. One further above is of another problem.
const otherProblem = 1e-9

// fresh is the state at the start that is given, or at W = 0 where the penalty allows it, with its intercept fitted.
func fresh(ctx context.Context, p *gcg.Problem, opt Options) (*gcg.State, error) {
	s, err := gcg.NewState(p, opt.Start)
	if err == nil && opt.Start == nil {
		err = makeFeasible(ctx, p, s)
	}
	if err != nil {
		return nil, err
	}
	if len(opt.Intercept) > 0 {
		if len(opt.Intercept) != len(s.Intercept) {
			return nil, fmt.Errorf("solver: the start has %d constants, the problem %d", len(opt.Intercept), len(s.Intercept))
		}
		copy(s.Intercept, opt.Intercept)
		s.RefreshWarm(p)
	}
	s.Seed = opt.Seed
	return s, nil
}

// makeFeasible moves W = 0 to κ = ζ, at its best atom, where a penalty holds κ at ζ.
func makeFeasible(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	if !(p.Penalty.Value(0) > p.Penalty.Value(p.Penalty.Max())) {
		return nil
	}
	polar, err := p.Gauge.Polar(ctx, s.Gradient(p), gcg.Ask{Count: 1, Tol: defaultTol})
	if err != nil || len(polar.Atoms) == 0 {
		return err
	}
	s.W.Add(polar.Atoms[:1], []float64{p.Penalty.Max()})
	s.Rho = p.Penalty.Max()
	s.Refresh(p)
	return nil
}

// toZero moves the state to W = 0.
func toZero(p *gcg.Problem, s *gcg.State) {
	s.W, s.Rho = &gcg.Iterate{M: s.W.M, N: s.W.N}, 0
	if s.Intercept == nil {
		s.Refresh(p)
	} else {
		clear(s.Intercept)
		s.RefreshWarm(p)
	}
}

// checkAdjoint refuses an operator whose adjoint has another size than W.
func checkAdjoint(p *gcg.Problem, s *gcg.State) error {
	g := s.Gradient(p)
	if g == nil {
		return fmt.Errorf("solver: the adjoint of %T is nil", p.Operator)
	}
	m, n, _ := p.Operator.Dims()
	if rows, cols := g.Dims(); rows != m || cols != n {
		return fmt.Errorf("solver: the adjoint of %T is %d×%d, and W %d×%d", p.Operator, rows, cols, m, n)
	}
	return nil
}

// checkLoss lets a loss say what is wrong with its data, before that becomes a NaN or an index out of range.
func checkLoss(l gcg.Loss) error {
	if c := view.OfLoss(l).Checker; c != nil {
		return c.Check()
	}
	return nil
}
