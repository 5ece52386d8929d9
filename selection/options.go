package selection

import (
	"fmt"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/solver"
)

// Options of a search. The zero value works.
type Options struct {
	Points int     // λ of the grid; 0 means 20
	Ratio  float64 // the last λ over the first; 0 means 0.01
	Folds  int     // of a cross-validation; 0 means 5

	// Penalty is h for a λ; nil means λκ.
	Penalty func(lambda float64) gcg.Penalty
	// Method makes the method and the improver of a problem; nil means solver.For.
	Method func(*gcg.Problem) (solver.Method, solver.Improver)
	// Run holds for each λ: its tolerance (0 means 1e-3), steps, seed, …; but MaxTime is for all λ together, and Improver is
	// that of Method.
	Run solver.Options

	// Largest is how many entries of a sparse W each point of a path keeps; 0 is none, and a path costs nothing for them.
	Largest int

	// Progress is told of each λ that was solved or at which time was over, as soon as it is.
	Progress func(Event)
	// Stop ends a path, or the path of a fold, after a point: where it can no longer win, for one. nil never does.
	Stop func(Event) bool
}

// An Event is a point of the search that is being made.
type Event struct {
	Fitting *Fitting
	Fold    int // from 0, or the validation part of a race; 0 where there are none
	Folds   int // of a cross-validation; 0 where there is none
	// Candidate is the name of that whose path it is, in a race.
	Candidate string
	Point     Point      // its λ is that of the fitting: in a fold, that of the whole times Share
	State     *gcg.State // the solution; it belongs to the search
}

// Check refuses numbers of points and folds, and a ratio, that no search can have.
func (o Options) Check() error {
	switch {
	case o.Points < 0:
		return fmt.Errorf("selection: Points is %d; a path has one λ at least, or 0 for the usual number", o.Points)
	case !(o.Ratio >= 0 && o.Ratio < 1):
		return fmt.Errorf("selection: Ratio is %v; the last λ of a path over the first is between 0 and 1, or 0 for the usual one",
			o.Ratio)
	case o.Folds < 0 || o.Folds == 1:
		return fmt.Errorf("selection: Folds is %d; a cross-validation has two at least, or 0 for the usual number", o.Folds)
	}
	return nil
}

// filled is the options with their defaults. An error is that of Check.
func (o Options) filled() (Options, error) {
	if err := o.Check(); err != nil {
		return o, err
	}
	if o.Points == 0 {
		o.Points = 20
	}
	if o.Ratio == 0 {
		o.Ratio = 0.01
	}
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.Penalty == nil {
		o.Penalty = func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} }
	}
	if o.Method == nil {
		o.Method = func(p *gcg.Problem) (solver.Method, solver.Improver) {
			m, im, _ := solver.For(p)
			return m, im
		}
	}
	if o.Run.Tol == 0 {
		o.Run.Tol = 1e-3
	}
	return o, nil
}

// A timeLimit divides the time that there is among what it is for.
type timeLimit struct {
	total time.Duration // 0 is none
	began clock.Mark
}

// left is a share of what remains, at least a moment; 0 is no limit.
func (c timeLimit) left(share float64) time.Duration {
	if c.total == 0 {
		return 0
	}
	return max(time.Duration(share*float64(c.total-c.began.Elapsed())), 1)
}
