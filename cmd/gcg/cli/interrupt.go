package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
)

// errReading ends a command that has nothing yet to keep.
var errReading = errors.New("interrupted while reading; nothing was written")

// UnlessInterrupted is the answer of work that knows no context, such as reading. Where ctx ends first the work is left alone, to
// end with the process: a reader that asked now and then would still wait for a pipe, or for somebody at a terminal. The work
// must leave nothing half done that outlives it.
func UnlessInterrupted[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var none T
	if ctx.Err() != nil {
		return none, errReading
	}
	done := make(chan answer, 1)
	go func() {
		value, err := work()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		return none, errReading
	}
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
