package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// A signalled context ended by a signal of the system.
type signalled struct{ syscall.Signal }

func (s signalled) Error() string { return s.String() }

// untilSignalled is a context that an interrupt, a request to end or a hangup cancels, with the signal as its cause. A second one
// ends the process at once.
func untilSignalled() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		s := <-signals
		signal.Stop(signals)
		cancel(signalled{s.(syscall.Signal)})
	}()
	return ctx
}

// signalCode is the exit code of a process that a signal ended, as shells have it: 130 after an interrupt, 143 after a
// request to end, 129 after a hangup. It is 0 where there was none.
func signalCode(ctx context.Context) int {
	const fromSignal = 128
	var by signalled
	if !errors.As(context.Cause(ctx), &by) {
		return 0
	}
	return fromSignal + int(by.Signal)
}
