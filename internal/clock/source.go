// Package clock has the clock by which limits of time are kept, and the processor time of the process.
package clock

import (
	"context"
	"time"
)

// A Source is the clock by which limits of time are kept: that of this process, or one that several processes share.
type Source interface {
	Now() time.Time
	// AfterFunc has f called once d has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// A Timer is a call of AfterFunc that can be put off. Both methods report whether the call was still to come.
type Timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// Key is the key of a Source among the values of a context.
type Key struct{}

// Of is the Source of a context, that of this process where it has none.
func Of(ctx context.Context) Source {
	if s, ok := ctx.Value(Key{}).(Source); ok {
		return s
	}
	return own{}
}

// Shared says that a context has a clock of its own.
func Shared(ctx context.Context) bool { return Of(ctx) != Source(own{}) }

// own is the clock of this process.
type own struct{}

func (own) Now() time.Time { return time.Now() }

func (own) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

// A Mark is a moment from which time is counted.
type Mark struct {
	source Source
	at     time.Time
}

// Begin is now, by the clock of a context.
func Begin(ctx context.Context) Mark {
	s := Of(ctx)
	return Mark{s, s.Now()}
}

// From is a moment of this process.
func From(at time.Time) Mark { return Mark{own{}, at} }

// At is the moment itself.
func (m Mark) At() time.Time { return m.at }

// Elapsed is the time since the mark.
func (m Mark) Elapsed() time.Duration { return m.source.Now().Sub(m.at) }
