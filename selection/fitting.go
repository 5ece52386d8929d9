package selection

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Fitting is a problem on part of the data, its penalty open, and what its solutions are worth on the rest.
type Fitting struct {
	Problem *gcg.Problem
	// Part is the part of λ that weighs κ, where the rest weighs a ridge in the loss, as in an elastic net; 0 is 1. Loss is that of
	// the problem at a λ then, and nil where it does not depend on λ.
	Part float64
	Loss func(lambda float64) gcg.Loss
	// Measure is what a solution is worth on data that was held out; nil where there is none. It must not keep the state.
	Measure func(*gcg.State) Measured
	// Share is what a λ of the whole data is multiplied by to have the same effect here: the fraction of the observations
	// where the loss is a sum, 1 where it is a mean. 0 is 1.
	Share float64
	// Held is how many observations Measure is a mean over, 0 where that is not known: it says how much of an error is chance.
	Held int
	// Folds makes Choose take the mean error over so many folds of the source in place of Measure: where what is held out is so
	// little that chance would choose λ. 0 is none.
	Folds int
	// Through makes Choose take all of the usual grid, whatever the error does: where small λ cost little.
	Through bool
	// Loose is the relative gap to which Choose tries a λ, where the tolerance is not larger; 0 is ChoiceTol.
	Loose float64
	// Coarse makes Choose take every other λ first, as a race does: where the solution of one λ takes a large part of the time
	// of the whole, and more the smaller λ is.
	Coarse bool
	// Begin is where a race takes λ from, as a part of the smallest one with W = 0; 0 is 1. It is for errors that jump up and down
	// before W has its first directions.
	Begin float64
	// Worth ends a path of a race where the error fell from one λ to the next by less than this part of it, and had fallen by more
	// before: where the next λ would cost much more than it can gain. 0 goes on until the error rises.
	Worth float64
	// Late says that the error may stay where it is for several λ and fall again: Worth ends such a path only where the error is
	// below that of the best candidate before, or below Plain, and smaller λ than the last are not tried between others.
	Late bool
	// Plain is the first score of a usual model of the same data, for a Late path that no other candidate comes before; 0 where
	// it is not known.
	Plain float64
	// Trivial is the first score of a prediction that needs no model, on the same data; 0 where it is not known.
	Trivial float64
}

// Penalty is h at a λ of which a part weighs κ, of an h for the weight of κ.
func (f *Fitting) Penalty(h func(weight float64) gcg.Penalty) func(lambda float64) gcg.Penalty {
	if f.Part == 0 {
		return h
	}
	return func(lambda float64) gcg.Penalty { return h(f.Part * lambda) }
}

// Penalise closes the problem at a λ: it sets the penalty, of an h for the weight of κ, and the loss where that depends on λ.
func (f *Fitting) Penalise(lambda float64, h func(weight float64) gcg.Penalty) {
	f.Problem.Penalty = f.Penalty(h)(lambda)
	if f.Loss != nil {
		f.Problem.Loss = f.Loss(lambda)
	}
}

// share is Share with its default.
func (f *Fitting) share() float64 {
	if f.Share == 0 {
		return 1
	}
	return f.Share
}

// A Source makes fittings of the data that it has.
type Source interface {
	// Whole is the problem on all training data, measured on test data if there is any.
	Whole() (*Fitting, error)
	// Validation is the problem on what λ is chosen with, measured on the rest.
	Validation() (*Fitting, error)
	// Fold is the problem on all training data but part k of n, measured on that part.
	Fold(k, n int) (*Fitting, error)
}

// Measured is what predictions are worth. Its concrete type may tell more.
type Measured interface{ Scores() Scores }

// A Score is an error of predictions that may be averaged over folds: smaller is better.
type Score struct {
	Name  string // such as RMSE, log loss, error rate
	Value float64
}

// Scores are errors of the same predictions. The first chooses λ.
type Scores []Score

// First is the score that chooses λ. There must be one.
func (s Scores) First() float64 { return s[0].Value }

// A Start is an iterate with its intercept, from which a run may begin. W is nil where there is none. State, if any, is for the
// method that the source would take: that of a run of the same problem, as solver.Options.Resume takes it.
type Start struct {
	State     *gcg.State
	W         *gcg.Iterate
	Intercept []float64
	Later     []int32 // observations that it was not fitted to, see solver.Options
}

// The errors of searches that found nothing, beside those of the solver. The two of an interrupt come with an error that wraps
// ctx.Err().
var (
	ErrInterrupted = errors.New("interrupted before anything was found")
	ErrNothing     = errors.New("every λ gives W = 0: the data has nothing that a model could explain")
	ErrFewFolds    = errors.New("interrupted before two folds were done, which a standard error needs; nothing can be chosen")
	ErrNoTime      = errors.New("time was over before every fold had solved for one λ")
)

// nothing is an error of a search that ctx has ended before it found anything.
func nothing(ctx context.Context, err error) error { return fmt.Errorf("%w: %w", err, ctx.Err()) }

// unfinished is the error that comes with what a search found before ctx ended it, or nil where something else ended it.
func (c *Curve) unfinished(ctx context.Context) error {
	if c.CutShort != solver.Interrupted {
		return nil
	}
	return fmt.Errorf("selection: interrupted after %d of %d λ: %w", len(c.Solved()), len(c.Grid), ctx.Err())
}
