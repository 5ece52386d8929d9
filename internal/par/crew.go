package par

import (
	"runtime"
	"sync/atomic"
	"time"
)

// linger is how long a goroutine that has nothing to do waits, awake, for the next loop. To wake a sleeping processor takes 5 to 150 μs,
// longer than many a loop, and loops follow each other closely; to find an awake one takes 1 or 2.
const linger = time.Millisecond

// A loop is one call of For. Its blocks lie in as many segments as there are workers; each begins with its own, so that the blocks of one
// loop after the other meet the same cache, and helps with the others.
type loop struct {
	f        func(b int)
	segments []segment
	left     atomic.Int64 // how many blocks have not returned
	over     chan struct{}
}

type segment struct {
	next atomic.Int64
	end  int64
}

func newLoop(workers, blocks int, f func(b int)) *loop {
	l := &loop{f: f, segments: make([]segment, workers), over: make(chan struct{})}
	for w := range l.segments {
		lo, hi := Range(w, workers, blocks)
		l.segments[w].next.Store(int64(lo))
		l.segments[w].end = int64(hi)
	}
	l.left.Store(int64(blocks))
	return l
}

// work calls f for blocks until none is left to hand out.
func (l *loop) work(worker int) {
	var done int64
	for w := range l.segments {
		s := &l.segments[(worker+w)%len(l.segments)]
		for b := s.next.Add(1) - 1; b < s.end; b = s.next.Add(1) - 1 {
			l.f(int(b))
			done++
		}
	}
	if done > 0 && l.left.Add(-done) == 0 {
		close(l.over)
	}
}

// wait returns when all blocks have returned.
func (l *loop) wait() {
	if !soon(func() bool { return l.left.Load() == 0 }) {
		<-l.over
	}
}

// A hand is a place for a goroutine that helps with loops: the loop it is busy with, free while it waits for one, or nil where there is no
// goroutine.
type hand struct {
	loop atomic.Pointer[loop]
	_    [56]byte // a cache line each
}

var (
	crew [256]hand
	free = new(loop)
)

// call gives l to at most n of the first n hands: those that have nothing to do come before new goroutines.
func (l *loop) call(n int) {
	hands := crew[:min(n, len(crew))]
	for i := range hands {
		at := hands[i].loop.Load()
		if idle := at == free || at != nil && at.left.Load() == 0; idle && hands[i].loop.CompareAndSwap(at, l) {
			n--
		}
	}
	for i := range hands {
		if n > 0 && hands[i].loop.CompareAndSwap(nil, l) {
			n--
			go hands[i].help(i + 1)
		}
	}
}

// help works on the hand's loops, one after the other, and leaves when none has come for a while.
func (h *hand) help(worker int) {
	for {
		l := h.loop.Load()
		l.work(worker)
		h.loop.CompareAndSwap(l, free) // or the next loop is here already
		given := func() bool { return h.loop.Load() != free }
		if !soon(given) && h.loop.CompareAndSwap(free, nil) {
			return
		}
	}
}

// soon waits, awake, until ok; it gives up after linger. Now and then it lets other goroutines have the processor.
func soon(ok func() bool) bool {
	for start := time.Now(); time.Since(start) < linger; runtime.Gosched() {
		for range 1000 {
			if ok() {
				return true
			}
		}
	}
	return false
}
