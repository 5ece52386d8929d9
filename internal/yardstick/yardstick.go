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

const (
	rows, cols, entries = 6040, 3706, 750_000
	k, passes           = 16, 3
)

// A work is plain Go over a fixed sparse problem of MovieLens-1M's shape: it uses no code of this module, so that nothing that
// makes the module faster or slower moves it.
type work struct {
	row, col     []int32
	u, v, gu, gv []float64
}

// prepared is the work, made at its first use.
var prepared = sync.OnceValue(func() *work {
	rng := rand.New(rand.NewPCG(1, 1))
	w := &work{make([]int32, entries), make([]int32, entries), make([]float64, rows*k), make([]float64, cols*k), make([]float64, rows*k), make([]float64, cols*k)}
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

// run goes over all entries: sampled product, residual and both gradients of the factors, 6·k flops an entry in float64, one
// after the other as a compiler without vectors does it; 3 passes of 750,000 entries, about a tenth of a second.
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

// Ratio calls f as often as the benchmark asks, each time after a yardstick, and reports "ratio", the CPU time of all threads
// in f over that of the yardsticks, and "cpu-s/op". What one call leaves to the garbage collector is collected outside both.
// With -benchtime 1x, f should take some tenths of a second, or repeat its work until it does.
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

func cpu(f func()) time.Duration {
	start := clock.CPU()
	f()
	return clock.CPU() - start
}
