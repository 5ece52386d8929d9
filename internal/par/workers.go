package par

import (
	"runtime"
	"sync/atomic"
	"time"
)

// linger is how long a goroutine that has nothing to do waits, awake, for the next loop. Waking a sleeping processor takes 5 to
// 150 μs, longer than many a loop; finding an awake one takes 1 or 2 μs, and loops follow each other closely. So while a run
// works on one processor, the others are busy waiting for this long, and let other goroutines go first. A larger value wastes
// more processor time after the last loop, a smaller one wakes processors more often.
const linger = time.Millisecond

// A loop is one call of For. Its blocks lie in as many segments as there are workers. Each worker begins with its own
// segment, so that in one loop after the other a worker's blocks are the same and meet the same cache; then it helps with the
// other segments.
type loop struct {
	f        func(b int)
	segments []segment
	hands    []hand        // those that may be called to help
	wanted   int           // how many more of them are wanted
	left     atomic.Int64  // the number of blocks that have not returned
	over     chan struct{} // closed when no block is left
}

// A segment is a range of blocks of which those from next on are not yet handed out.
type segment struct {
	next atomic.Int64
	end  int64
}

// newLoop is a loop that nobody works on yet.
func newLoop(procs, blocks int, f func(b int)) *loop {
	count := min(procs, blocks)
	l := &loop{f: f, segments: make([]segment, count), hands: workers[:min(procs-1, len(workers))], wanted: count - 1,
		over: make(chan struct{})}
	for w := range l.segments {
		lo, hi := Range(w, count, blocks)
		l.segments[w].next.Store(int64(lo))
		l.segments[w].end = int64(hi)
	}
	l.left.Store(int64(blocks))
	return l
}

// lead works on l, as its worker 0, and returns when all blocks have.
func (l *loop) lead() {
	l.call()
	l.work(0)
	if !soon(func() bool { return l.left.Load() == 0 }) {
		<-l.over
	}
}

// work calls f for blocks until none is left to hand out. Hands that were busy when l began may turn free: worker 0 looks for
// such after each of its blocks.
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

// A hand is a place for a goroutine that helps with loops. It points to the loop that the goroutine was last called to, which
// may be over, to free while the goroutine waits, or is nil where there is no goroutine.
type hand struct {
	loop atomic.Pointer[loop]
	_    [56]byte // a cache line each
}

var (
	workers [256]hand
	free    = new(loop) // a loop without blocks, which marks a hand that waits
)

// call gives l to as many hands as it wants. Hands that wait or whose loop is over come first; then new goroutines are
// started.
func (l *loop) call() {
	for i := 0; i < len(l.hands) && l.wanted > 0; i++ {
		h := &l.hands[i].loop // it may turn from at to free before it is swapped
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

// help works on the loops that the hand is called to, one after the other, and returns when none has come for linger.
func (h *hand) help(worker int) {
	for {
		l := h.loop.Load()
		l.work(worker)
		h.loop.CompareAndSwap(l, free) // this fails where the next loop is here already
		given := func() bool { return h.loop.Load() != free }
		if !soon(given) && h.loop.CompareAndSwap(free, nil) {
			return
		}
	}
}

// soon waits, awake, until ok is true, and reports false where it is not within linger. Now and then it lets other goroutines
// have the processor, and less often other threads.
func soon(ok func() bool) bool {
	if ok() {
		return true
	}
	start := time.Now()
	for yielded := time.Duration(0); ; runtime.Gosched() {
		for range 1000 {
			if ok() {
				return true
			}
		}
		switch waited := time.Since(start); {
		case waited >= linger:
			return false
		case waited >= yielded+patience:
			yieldThread()
			yielded = waited
		}
	}
}

// patience is how long one who waits awake keeps the processor from other threads. Beside other processes, the thread that is
// waited for may want this very processor. With one busy process on two processors, runs with two threads took 1.5 times as long
// as with one before waiting threads yielded, and as long since. A smaller value costs loops of a few microseconds a tenth of
// their time.
const patience = 50 * time.Microsecond
