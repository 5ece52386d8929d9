package solver_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// A sleeper improves nothing until it is told to stop.
type sleeper struct{}

func (sleeper) Name() string                          { return "sleeper" }
func (sleeper) Init(*gcg.Problem, gcg.Settings) error { return nil }
func (sleeper) Improve(ctx context.Context, _ *gcg.Problem, _ *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	<-ctx.Done()
	return did, nil
}

// A run whose time is up in the midst of an iteration ends there, with the certificate that it has.
func TestTimeIsUpWithinAnIteration(t *testing.T) {
	p := generated(t, medium, 4)
	r, err := solver.Run(context.Background(), p, &conditional.GCG{},
		solver.Options{Tol: 1e-9, MaxTime: time.Second, Improver: sleeper{}})
	if err != nil || r.Status != solver.MaxTime {
		t.Fatalf("%+v, %v", r, err)
	}
	if c := r.State.Cert; r.Iter > 0 && !(c.LowerBound > 0 && c.LowerBound <= c.Objective) {
		t.Errorf("certificate %+v", c)
	}
}

// A late is an improver that has done its work when time is up.
type late struct{ fixedrank.Local }

func (l *late) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	did, err := l.Local.Improve(context.Background(), p, s, did)
	<-ctx.Done()
	return did, err
}

// The status is that of the answer: a gap that is met when time is up is met.
func TestConvergedAtTheLastMoment(t *testing.T) {
	p := generated(t, medium, 4)
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true},
		solver.Options{Tol: 0.6, MaxTime: time.Second, Improver: &late{}})
	if err != nil || r.Status != solver.Converged || r.State.Cert.Relative > 0.6 {
		t.Fatalf("%s at a gap of %v, %v", r.Status, r.State.Cert.Relative, err)
	}
}
