package cluster

import (
	"slices"
	"sync"
	"time"

	"github.com/seed-b18ef778/gcg/internal/clock"
)

// A sharedClock is the first rank's clock as all ranks last agreed on it. It moves where they do, and stands still between: so
// they compare the same times with a limit.
type sharedClock struct {
	began time.Time // of this process, in whose clock the moments are; only their differences matter
	mutex sync.Mutex
	since time.Duration // began, by the first rank
	calls []*sharedCall // that are to come, in the order in which they were asked for
}

// A sharedCall is an f that is called where the ranks agree, once its time is over.
type sharedCall struct {
	clock *sharedClock
	at    time.Duration
	f     func()
}

// Now is the moment on which the ranks last agreed.
func (c *sharedClock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.began.Add(c.since)
}

// AfterFunc has f called where the ranks agree that d has passed.
func (c *sharedClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	s := &sharedCall{clock: c, f: f}
	s.Reset(d)
	return s
}

// set is the new moment, and calls what is due.
func (c *sharedClock) set(since time.Duration) {
	c.mutex.Lock()
	c.since = since
	var due []*sharedCall
	c.calls = slices.DeleteFunc(c.calls, func(s *sharedCall) bool {
		if s.at > since {
			return false
		}
		due = append(due, s)
		return true
	})
	c.mutex.Unlock()
	for _, s := range due {
		s.f()
	}
}

// Stop takes the call back.
func (s *sharedCall) Stop() bool {
	s.clock.mutex.Lock()
	defer s.clock.mutex.Unlock()
	return s.drop()
}

// Reset has it called d from now on.
func (s *sharedCall) Reset(d time.Duration) bool {
	s.clock.mutex.Lock()
	defer s.clock.mutex.Unlock()
	waited := s.drop()
	s.at = s.clock.since + d
	s.clock.calls = append(s.clock.calls, s)
	return waited
}

// drop takes the call out of those that are to come.
func (s *sharedCall) drop() bool {
	at := slices.Index(s.clock.calls, s)
	if at >= 0 {
		s.clock.calls = slices.Delete(s.clock.calls, at, at+1)
	}
	return at >= 0
}
