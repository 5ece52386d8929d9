package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

const (
	// collectFrom is the part of the memory that there is from which the collector works harder, so that garbage ends no run.
	collectFrom = 0.8
	// exhausted is the part that ends a run: the rest is for what is saved and printed.
	exhausted = 0.92
	// watchEvery is short beside the time in which a step fills memory, and costs a system call.
	watchEvery = 50 * time.Millisecond
)

// memoryInUse is what the process has of its memory, as a part.
var memoryInUse = memory.InUse

// An exhaustedError is of memory that would not have sufficed: the system would have ended the process without a word.
type exhaustedError struct{ part, have float64 }

func (e exhaustedError) Error() string {
	return fmt.Sprintf("ended at %.0f %% of the %s that there are; what was found until then is kept: "+
		"take a larger λ, a --max-rank, less data, or more memory", 100*e.part, memory.Gigabytes(e.have))
}

// untilExhausted is a context that ends, with an exhaustedError as its cause, before memory does.
func untilExhausted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	have := memory.Available()
	if have == 0 {
		return ctx, func() { cancel(nil) }
	}
	before := debug.SetMemoryLimit(int64(collectFrom * have))
	done := make(chan struct{})
	go func() {
		t := time.NewTicker(watchEvery)
		defer t.Stop()
		for {
			select {
			case <-done:
				return
			case <-t.C:
				if part := memoryInUse(); part > exhausted {
					cancel(exhaustedError{part, have})
					return
				}
			}
		}
	}()
	return ctx, func() {
		close(done)
		debug.SetMemoryLimit(before)
		cancel(nil)
	}
}
