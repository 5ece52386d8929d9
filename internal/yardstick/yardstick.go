// Package yardstick measures benchmarks in units of a fixed piece of work, done in the same run: the ratio of two CPU times can
// be compared between machines and days where times cannot.
package yardstick

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/internal/clock"
)

// The size of a yardstick: a sparse rows×cols matrix with so many entries, factors of k columns, and passes over the entries.
const (
	rows, cols, entries = 6040, 3706, 750_000
	k, passes           = 16, 3
)

// A work is plain Go over a fixed sparse problem of MovieLens-1M's shape. It uses no code of this module, so that a change
// that makes the module faster or slower leaves its time alone.
type work struct {
	row, col []int32   // of each entry
	u, gu    []float64 // a factor and its gradient, rows×k
	v, gv    []float64 // a factor and its gradient, cols×k
}

// prepared is the work, which is made at its first use.
var prepared = sync.OnceValue(func() *work {
	rng := rand.New(rand.NewPCG(1, 1))
	w := &work{
		row: make([]int32, entries), col: make([]int32, entries),
		u: make([]float64, rows*k), gu: make([]float64, rows*k),
		v: make([]float64, cols*k), gv: make([]float64, cols*k),
	}
	for e := range entries {
		w.row[e] = int32(rows * math.Pow(rng.Float64(), 2.2))
		w.col[e] = int32(cols * math.Pow(rng.Float64(), 2.5))
	}
	slices.Sort(w.row)
	for _, f := range [][]float64{w.u, w.v} {
		for i := range f {
			f[i] = rng.Float64() - 0.5
		}
	}
	return w
})

// run goes over all entries and computes the sampled product, the residual and both gradients of the factors: 6·k flops an
// entry in float64, one after the other, as a compiler without vectors does it. The passes over 750,000 entries take about a
// tenth of a second.
func (w *work) run() {
	for range passes {
		for e, i := range w.row {
			i, j := int(i)*k, int(w.col[e])*k
			u, v, gu, gv := w.u[i:i+k], w.v[j:j+k], w.gu[i:i+k], w.gv[j:j+k]
			r := -1.0
			for l := range u {
				r += u[l] * v[l]
			}
			for l := range u {
				gu[l] += r * v[l]
				gv[l] += r * u[l]
			}
		}
	}
}

// Ratio calls f as often as the benchmark asks, each time after a yardstick. It reports "ratio", the CPU time of all threads
// in f over that of the yardsticks, and "cpu-s/op", the CPU seconds of a call of f. Garbage of one call is collected outside
// both times. With -benchtime 1x, f should take some tenths of a second, or repeat its work until it does.
func Ratio(b *testing.B, f func()) {
	w := prepared()
	var own, unit time.Duration
	runs := 0
	for b.Loop() {
		b.StopTimer()
		runtime.GC()
		unit += cpu(w.run)
		b.StartTimer()
		own += cpu(f)
		runs++
	}
	if unit > 0 {
		b.ReportMetric(own.Seconds()/unit.Seconds(), "ratio")
	}
	b.ReportMetric(own.Seconds()/float64(runs), "cpu-s/op")
}

// cpu is the CPU time of a call of f.
func cpu(f func()) time.Duration {
	start := clock.CPU()
	f()
	return clock.CPU() - start
}
