package par

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// with runs f on the given number of processors.
func with(procs int, f func()) {
	old := runtime.GOMAXPROCS(procs)
	defer runtime.GOMAXPROCS(old)
	f()
}

// Every block is called once, however many processors there are.
func TestForCallsEachBlockOnce(t *testing.T) {
	for _, procs := range []int{1, 2, 3, 9} {
		for _, blocks := range []int{0, 1, 2, 7, 1000} {
			with(procs, func() {
				calls := make([]atomic.Int32, blocks)
				For(blocks, func(b int) { calls[b].Add(1) })
				for b := range calls {
					if n := calls[b].Load(); n != 1 {
						t.Errorf("%d processors, %d blocks: block %d was called %d times", procs, blocks, b, n)
					}
				}
			})
		}
	}
}

// A sum is the same to the last bit on 1 and on many processors, though its terms do not add exactly.
func TestSumDoesNotDependOnProcessors(t *testing.T) {
	term := func(b int) float64 { return math.Sin(float64(b)) * math.Pow(10, float64(b%17-8)) }
	var want float64
	for b := range 3000 {
		want += term(b)
	}
	for _, procs := range []int{1, 2, 5, 16} {
		with(procs, func() {
			for range 5 {
				if got := Sum(3000, term); got != want {
					t.Errorf("%d processors: %.17g, in order %.17g", procs, got, want)
				}
			}
		})
	}
	if Sum(0, term) != 0 {
		t.Error("the sum of nothing is not 0")
	}
}

// meet waits until so many calls are here, or for ten seconds, and tells whether they are.
func meet(here *atomic.Int32, all int32) bool {
	here.Add(1)
	for start := time.Now(); here.Load() < all; runtime.Gosched() {
		if time.Since(start) > 10*time.Second {
			return false
		}
	}
	return true
}

// For on many processors runs calls at the same time: each waits for all others.
func TestForIsConcurrent(t *testing.T) {
	with(4, func() {
		var here atomic.Int32
		For(4, func(b int) {
			if !meet(&here, 4) {
				t.Errorf("call %d waits for others in vain", b)
			}
		})
	})
}

// Ranges cover 0 … n-1 in order without holes, and differ by at most one in length.
func TestRangeCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, blocks := rapid.IntRange(0, math.MaxInt>>10).Draw(t, "n"), rapid.IntRange(1, 200).Draw(t, "blocks")
		next, shortest, longest := 0, math.MaxInt, 0
		for b := range blocks {
			lo, hi := Range(b, blocks, n)
			if lo != next || hi < lo {
				t.Fatalf("block %d is [%d, %d) after %d", b, lo, hi, next)
			}
			next, shortest, longest = hi, min(shortest, hi-lo), max(longest, hi-lo)
		}
		if next != n || longest-shortest > 1 {
			t.Fatalf("the blocks end at %d of %d, lengths %d to %d", next, n, shortest, longest)
		}
	})
}

func TestGrain(t *testing.T) {
	for _, c := range []struct{ n, size, limit, want int }{
		{0, 10, 8, 1}, {9, 10, 8, 1}, {20, 10, 8, 2}, {1000, 10, 8, 8}, {1000, 0, 5, 5}, {3, 1, 8, 3}, {5, 1, 0, 1},
	} {
		if got := Grain(c.n, c.size, c.limit); got != c.want {
			t.Errorf("Grain(%d, %d, %d) = %d, want %d", c.n, c.size, c.limit, got, c.want)
		}
	}
}

// Parts add up in order to the same sum on any number of processors, over what was there.
func TestAccumulate(t *testing.T) {
	sum := func(procs, blocks int) []float64 {
		dst := []float64{7, 7, 7}
		with(procs, func() {
			Accumulate(dst, blocks, 100, func(part []float64, lo, hi int) {
				for i := lo; i < hi; i++ {
					part[i%3] += math.Sin(float64(i)) * math.Pow(10, float64(i%17-8))
				}
			})
		})
		return dst
	}
	var want [3]float64
	for i := range 100 {
		want[i%3] += math.Sin(float64(i)) * math.Pow(10, float64(i%17-8))
	}
	for _, blocks := range []int{1, 3, 16} {
		one := sum(1, blocks)
		for i, x := range one {
			if math.Abs(x-want[i]) > 1e-9*math.Abs(want[i]) {
				t.Errorf("%d blocks: sum %d is %v, want %v", blocks, i, x, want[i])
			}
		}
		for range 5 {
			if !slices.Equal(sum(4, blocks), one) {
				t.Errorf("%d blocks: the sums of 4 processors differ", blocks)
			}
		}
	}
}
