package par

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Loops inside loops, and loops of several goroutines at once, call each block once.
func TestLoopsInLoops(t *testing.T) {
	with(3, func() {
		const outer, inner, callers = 5, 7, 4
		var calls [callers][outer][inner]atomic.Int32
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				For(outer, func(a int) { For(inner, func(b int) { calls[c][a][b].Add(1) }) })
			})
		}
		wg.Wait()
		for c := range calls {
			for a := range calls[c] {
				for b := range calls[c][a] {
					if n := calls[c][a][b].Load(); n != 1 {
						t.Errorf("block %d of loop %d of caller %d was called %d times", b, a, c, n)
					}
				}
			}
		}
	})
}

// For waits for blocks that take longer than anybody stays awake for.
func TestForWaitsForLongBlocks(t *testing.T) {
	with(2, func() {
		var done atomic.Int32
		For(2, func(b int) {
			time.Sleep(time.Duration(b) * 5 * linger)
			done.Add(1)
		})
		if done.Load() != 2 {
			t.Errorf("%d of 2 blocks had returned", done.Load())
		}
	})
}

// Goroutines that nothing comes for are gone after a while.
func TestHandsLeave(t *testing.T) {
	with(4, func() {
		For(100, func(int) { runtime.Gosched() })
		for start := time.Now(); ; time.Sleep(linger) {
			here := 0
			for i := range workers {
				if workers[i].loop.Load() != nil {
					here++
				}
			}
			if here == 0 {
				return
			}
			if time.Since(start) > time.Minute {
				t.Fatalf("%d goroutines are still there", here)
			}
		}
	})
}

// Loops inside a loop use the hands that it leaves idle: all blocks of four loops of four wait for each other.
func TestInnerLoopsFindHands(t *testing.T) {
	with(16, func() {
		var here atomic.Int32
		For(4, func(a int) {
			For(4, func(b int) {
				if !meet(&here, 16) {
					t.Errorf("block %d of loop %d waits for others in vain", b, a)
				}
			})
		})
	})
}
