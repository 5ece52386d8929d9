package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/selection"
)

// These end a command that has nothing yet to keep.
var (
	errReading = errors.New("interrupted while reading; nothing was written")
	errLate    = errors.New("--max-time was over while the data were read and prepared; nothing was written: give more")
)

// UnlessInterrupted is the answer of work that knows no context, such as reading. Where ctx ends first the work is left alone, to
// end with the process: a reader that asked now and then would still wait for a pipe, or for somebody at a terminal. The work
// must leave nothing half done that outlives it.
func UnlessInterrupted[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
		lost  any // the panic of a rank that others have left
	}
	var none T
	if ctx.Err() != nil {
		return none, unread(ctx)
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			switch r := recover().(type) {
			case nil:
			case cluster.Lost: // which whoever runs the ranks waits for, where they are called
				a.lost = r
			default:
				panic(r)
			}
			done <- a
		}()
		a.value, a.err = work()
	}()
	select {
	case a := <-done:
		if a.lost != nil {
			panic(a.lost)
		}
		return a.value, a.err
	case <-ctx.Done():
		return none, unread(ctx)
	}
}

// unread is why work before the first step was left alone.
func unread(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return errLate
	}
	return errReading
}

// Before is the answer of work that a solve needs first, such as reading, within a limit from began on; 0 is none.
func Before[T any](ctx context.Context, began clock.Mark, limit time.Duration, work func() (T, error)) (T, error) {
	if limit > 0 {
		within, end := context.WithCancelCause(ctx)
		defer end(nil)
		if began.Elapsed() >= limit {
			end(context.DeadlineExceeded)
		}
		timer := clock.Of(ctx).AfterFunc(limit-began.Elapsed(), func() { end(context.DeadlineExceeded) })
		defer timer.Stop()
		ctx = within
	}
	return UnlessInterrupted(ctx, work)
}

// load reads the data. --max-time counts from here.
func load(ctx context.Context, of Loader) (Job, error) {
	f := of.Shared()
	f.Began = clock.Begin(ctx)
	return beforeSolving(ctx, f, func() (Job, error) { return loadOnce(ctx, of) })
}

// wholeProblem is the problem on all data, which may take long to prepare.
func wholeProblem(ctx context.Context, st Job) (*selection.Fitting, error) {
	return beforeSolving(ctx, st.Shared(), st.Whole)
}

// beforeSolving is the answer of work that counts into --max-time; but solvers are compared by what they do with the data.
func beforeSolving[T any](ctx context.Context, f *RunFlags, work func() (T, error)) (T, error) {
	limit, _ := f.duration()
	if f.Cmd.HasParent() && f.Cmd.Parent().Name() == cmdCompare {
		limit = 0
		defer func() { f.Began = clock.Begin(ctx) }()
	}
	return Before(ctx, f.Began, limit, work)
}

// Kept is an error, or nil where work has ended with its context and something is kept of it.
func Kept(something bool, err error) error {
	if something && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Interruption is an error of work that ended with its context, in words for people; others stay as they are.
func Interruption(err error) error {
	switch {
	case err == context.Canceled:
		return selection.ErrInterrupted
	case errors.Is(err, context.Canceled):
		if text, ok := strings.CutSuffix(err.Error(), ": "+context.Canceled.Error()); ok && strings.Contains(text, "interrupted") {
			return errors.New(strings.TrimPrefix(strings.TrimPrefix(text, "solver: "), "selection: "))
		}
		return errors.New(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted"))
	}
	return err
}

// ReadRatings reads ratings, until ctx ends.
func ReadRatings(ctx context.Context, reader dataset.RatingsReader, name string) (*dataset.Ratings, error) {
	return UnlessInterrupted(ctx, func() (*dataset.Ratings, error) { return reader.ReadRatings(name) })
}

// SayColumns says which columns of a header were taken for what, where there is a header.
func SayColumns(show *Progress, r *dataset.Ratings) {
	if r != nil && r.Columns != "" {
		show.Say("columns of " + dataset.Called(r.Name) + ": " + r.Columns)
	}
}
