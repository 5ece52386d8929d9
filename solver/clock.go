package solver

import (
	"context"
	"errors"
	"time"

	"github.com/seed-b18ef778/gcg/internal/clock"
)

// A stopwatch is the time that a run is charged, and ends its context when a limit of that is over. It can be paused: what a
// comparison evaluates is not charged to who is compared.
type stopwatch struct {
	began     clock.Mark
	cpu       time.Duration // of the process when it began
	uncharged time.Duration
	otherCPU  time.Duration // that passed meanwhile
	paused    bool

	limit time.Duration // 0 for none
	timer clock.Timer
	end   context.CancelCauseFunc
}

// errTime is the cause of a context that ends because of Options.MaxTime.
var errTime = errors.New("solver: the time is up")

// startWatch is a stopwatch that runs, and the context that ends with its limit. release frees what it holds.
func startWatch(ctx context.Context, limit time.Duration) (w *stopwatch, within context.Context, release func()) {
	w = &stopwatch{began: clock.Begin(ctx), cpu: clock.CPU(), limit: limit}
	if limit == 0 {
		return w, ctx, func() {}
	}
	within, w.end = context.WithCancelCause(ctx)
	w.timer = clock.Of(ctx).AfterFunc(limit, w.expire)
	return w, within, func() { w.timer.Stop(); w.end(nil) }
}

// expire ends the context.
func (w *stopwatch) expire() { w.end(errTime) }

// elapsed is the time charged so far.
func (w *stopwatch) elapsed() time.Duration { return w.began.Elapsed() - w.uncharged }

// cpuTime is the processor time of all threads that was charged so far, 0 where it is not known.
func (w *stopwatch) cpuTime() time.Duration { return clock.CPU() - w.cpu - w.otherCPU }

// look ends the context if the time is up: the timer may be late by more than a short limit.
func (w *stopwatch) look() {
	if w.limit > 0 && !w.paused && w.elapsed() >= w.limit {
		w.expire()
	}
}

// pause runs f while the watch stands still.
func (w *stopwatch) pause(f func()) {
	if w.paused {
		f()
		return
	}
	w.paused = true
	start, cpu := w.began.Elapsed(), clock.CPU()
	goesOn := w.timer != nil && w.timer.Stop()
	left := w.limit - w.elapsed()
	defer func() {
		w.uncharged += w.began.Elapsed() - start
		w.otherCPU += clock.CPU() - cpu
		w.paused = false
		if goesOn {
			w.timer.Reset(max(left, 1))
		}
	}()
	f()
}
