package par

import (
	"runtime"
	"sync/atomic"
	"time"
)

// linger is how long a goroutine that has nothing to do waits, awake, for the next loop. To wake a sleeping processor takes 5 to 150 μs,
// longer than many a loop, and loops follow each other closely; to find an awake one takes 1 or 2. While a run works on one processor the
// others are busy waiting that long, and let other goroutines go first.
const linger = time.Millisecond

// A loop is one call of For. Its blocks lie in as many segments as there are workers; each begins with its own, so that the blocks of one
// loop after the other meet the same cache, and helps with the others.
type loop struct {
	f        func(b int)
	segments []segment
	hands    []hand       // that may be called
	wanted   int          // how many more of them
	left     atomic.Int64 // how many blocks have not returned
	over     chan struct{}
}

type segment struct {
	next atomic.Int64
	end  int64
}

func newLoop(procs, blocks int, f func(b int)) *loop {
	workers := min(procs, blocks)
	l := &loop{f: f, segments: make([]segment, workers), hands: crew[:min(procs-1, len(crew))], wanted: workers - 1, over: make(chan struct{})}
	for w := range l.segments {
		lo, hi := Range(w, workers, blocks)
		l.segments[w].next.Store(int64(lo))
		l.segments[w].end = int64(hi)
	}
	l.left.Store(int64(blocks))
	return l
}

// lead works on l, as its worker 0, until its blocks have returned.
func (l *loop) lead() {
	l.call()
	l.work(0)
	if !soon(func() bool { return l.left.Load() == 0 }) {
		<-l.over
	}
}

// work calls f for blocks until none is left to hand out. Hands that were busy when l began are called by the first worker as they turn free.
func (l *loop) work(worker int) {
	var done int64
	for w := range l.segments {
		s := &l.segments[(worker+w)%len(l.segments)]
		for s.next.Load() < s.end {
			if b := s.next.Add(1) - 1; b < s.end {
				l.f(int(b))
				done++
				if worker == 0 {
					l.call()
				}
			}
		}
	}
	if done > 0 && l.left.Add(-done) == 0 {
		close(l.over)
	}
}

// A hand is a place for a goroutine that helps with loops: the loop it was last called to, which may be over, free while it waits for one, or
// nil where there is no goroutine.
type hand struct {
	loop atomic.Pointer[loop]
	_    [56]byte // a cache line each
}

var (
	crew [256]hand
	free = new(loop) // of which no block is left
)

// call gives l to as many hands as it wants: those that have nothing to do come before new goroutines.
func (l *loop) call() {
	for i := 0; i < len(l.hands) && l.wanted > 0; i++ {
		h := &l.hands[i].loop // it may turn free between two looks
		if at := h.Load(); at != nil && at.left.Load() == 0 && (h.CompareAndSwap(at, l) || h.CompareAndSwap(free, l)) {
			l.wanted--
		}
	}
	for i := 0; i < len(l.hands) && l.wanted > 0; i++ {
		if l.hands[i].loop.CompareAndSwap(nil, l) {
			l.wanted--
			go l.hands[i].help(i + 1)
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
	if ok() {
		return true
	}
	for start := time.Now(); time.Since(start) < linger; runtime.Gosched() {
		for range 1000 {
			if ok() {
				return true
			}
		}
	}
	return false
}
