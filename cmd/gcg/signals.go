package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// A signalled context ended by a signal of the system.
type signalled struct{ syscall.Signal }

func (s signalled) Error() string { return s.String() }

// untilSignalled is a context that an interrupt, a request to end or a hangup cancels, with the signal as its cause. A second one
// ends the process at once.
func untilSignalled() context.Context {
	h := &handling{hangups: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), handlingKey{}, h))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		s := <-signals
		for ; s == syscall.SIGHUP && h.stays.Load(); s = <-signals {
			select {
			case h.hangups <- struct{}{}:
			default: // one is waiting to be seen to
			}
		}
		if h.stays.Load() {
			signal.Ignore(syscall.SIGHUP) // a reload that comes while the last requests are answered must not cut them off
		}
		signal.Stop(signals)
		cancel(signalled{s.(syscall.Signal)})
	}()
	return ctx
}

// handling is what a command that stays, as a server does, makes of signals.
type handling struct {
	stays   atomic.Bool
	hangups chan struct{}
}

type handlingKey struct{}

// untilEnded says that the command stays until it is asked to end, which is no failure then. A hangup asks it to read its files
// anew: the channel has one then.
func untilEnded(ctx context.Context) (hangups <-chan struct{}) {
	h, ok := ctx.Value(handlingKey{}).(*handling)
	if !ok {
		return nil
	}
	h.stays.Store(true)
	return h.hangups
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
