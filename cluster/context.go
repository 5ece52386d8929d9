package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-b18ef778/gcg/internal/clock"
)

// An ending is a context that ends on all ranks at the same place of the program: where they add numbers (see Numbers) after one
// of them has wished for it. Between two such places it stays as it is, so that ranks which look at it take the same decision.
type ending struct {
	of     context.Context // whose end is wished for
	wished atomic.Bool     // by End
	done   chan struct{}
	mutex  sync.Mutex
	last   int            // number of the last that was added to after
	after  map[int]func() // called by agree before it returns: contexts that are derived of this one end with it
	clock  sharedClock
}

// Within is a context of the values of ctx that ends once ctx has on any rank, at a place where the ranks agree on it. It has
// the first rank's clock, so that all ranks take the same decisions about time.
func (c *Comm) Within(ctx context.Context) context.Context {
	if c.Size() == 1 {
		return ctx
	}
	c.ending = &ending{of: ctx, done: make(chan struct{}), after: map[int]func(){}}
	c.ending.clock.began = time.Now()
	return c.ending
}

// End wishes for the end of the context of Within, as the end of this rank's own context does.
func (c *Comm) End() {
	if c.ending != nil {
		c.ending.wished.Store(true)
	}
}

// wish is 1 where this rank is to end.
func (c *Comm) wish() float64 {
	if c.ending != nil && (c.ending.wished.Load() || c.ending.of.Err() != nil) {
		return 1
	}
	return 0
}

// Agree ends the context of Within on all ranks, which call it together, if one of them has wished for it.
func (c *Comm) Agree() {
	if c.Size() == 1 {
		return
	}
	wished, elapsed := false, 0.0
	for rank, said := range All(c, []float64{c.wish(), c.elapsed()}) {
		wished = wished || said[0] > 0
		if rank == 0 {
			elapsed = said[1]
		}
	}
	c.agree(wished, elapsed)
}

// agree ends the context of Within if a rank has wished for it, and sets its clock to that of the first rank.
func (c *Comm) agree(wished bool, elapsed float64) {
	e := c.ending
	if e == nil {
		return
	}
	e.clock.set(time.Duration(elapsed))
	if wished {
		e.end()
	}
}

// elapsed is how many nanoseconds have passed since Within by the clock of this process.
func (c *Comm) elapsed() float64 {
	if c.ending == nil {
		return 0
	}
	return float64(time.Since(c.ending.clock.began))
}

// end ends the context and those that are derived of it.
func (e *ending) end() {
	e.mutex.Lock()
	if e.Err() != nil {
		e.mutex.Unlock()
		return
	}
	close(e.done)
	after := e.after
	e.after = nil
	e.mutex.Unlock()
	for _, f := range after {
		f()
	}
}

// AfterFunc is what package context asks for: it has f called when the context ends, before the ranks go on. stop reports whether
// f will not be called any more.
func (e *ending) AfterFunc(f func()) (stop func() bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.Err() != nil {
		f()
		return func() bool { return false }
	}
	e.last++
	number := e.last
	e.after[number] = f
	return func() bool {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		_, waits := e.after[number]
		delete(e.after, number)
		return waits
	}
}

func (e *ending) Deadline() (time.Time, bool) { return time.Time{}, false }
func (e *ending) Done() <-chan struct{}       { return e.done }

// Value is that of the context of this rank, but for the clock.
func (e *ending) Value(key any) any {
	if key == (clock.Key{}) {
		return &e.clock
	}
	return e.of.Value(key)
}

// Err is that of a context that was cancelled, once the ranks have agreed.
func (e *ending) Err() error {
	select {
	case <-e.done:
		return context.Canceled
	default:
		return nil
	}
}
