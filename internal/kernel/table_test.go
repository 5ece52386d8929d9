//go:build amd64 && !purego

package kernel

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"
)

var table = flag.String("table", "", "measure the kernels against the limits of this machine and write the table to this file")

// TestTable measures only when it is asked to:
//
//	go test ./internal/kernel -run TestTable -table ../../docs/kernels.md
//
// On the way it prints the kernels that lost more than a quarter of their part of the limit since the table in that file. Ratios to
// limits measured in the same minute can be compared between machines and days where times cannot.
func TestTable(t *testing.T) {
	if *table == "" {
		t.Skip("measures with -table FILE only")
	}
	old := readRatios(*table)
	var b bytes.Buffer
	fmt.Fprintf(&b, tableHead, Name(), runtime.GOARCH, peak())
	all := append(rowRatios(surface64, 8), rowRatios(surface32, 4)...)
	all = append(all, ridgeRatios(surface64, 8)...)
	for _, r := range append(all, ridgeRatios(surface32, 4)...) {
		fmt.Fprintf(&b, "| %s | %d | %.2f | %.1f | %.0f | %.2f |\n", r.name, r.k, r.nanoseconds, r.gflops, r.gbytes, r.ofLimit)
		if before, ok := old[fmt.Sprintf("%s %d", r.name, r.k)]; ok && r.ofLimit < 0.75*before {
			t.Logf("%s, k = %d: %.2f of the limit, %.2f in the table before", r.name, r.k, r.ofLimit, before)
		}
	}
	if err := os.WriteFile(*table, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

const tableHead = `# The kernels and their limits

Written by ` + "`go test ./internal/kernel -run TestTable -table ../../docs/kernels.md`" + `, which also prints what lost more than a quarter of
its part of the limit since the table that it replaces. One core, kernels %s on %s; the pattern has the shape of MovieLens-1M's with a
quarter of the rows, entries go row by row, each figure is the best of many short runs.

The limit of an entry is the larger of its flops at the peak of fused multiply-adds (%.0f GF/s in float64, twice that in float32) and its bytes at
the speed at which memory of the same size is read, and read and written, in order; both are measured in the same run.
Columns: nanoseconds an entry, flops, bytes of factors read and written, and the part of the limit that is reached.

To see whether a change made a kernel faster:

    go test -run '^$' -bench 'Row64|Row32' -count 10 ./internal/kernel > old.txt   # before the change
    go test -run '^$' -bench 'Row64|Row32' -count 10 ./internal/kernel > new.txt   # after it
    go run golang.org/x/perf/cmd/benchstat@latest old.txt new.txt

| kernel | k | ns | GF/s | GB/s | of the limit |
|---|---|---|---|---|---|
`

func readRatios(name string) map[string]float64 {
	text, _ := os.ReadFile(name)
	ratios := map[string]float64{}
	for _, line := range bytes.Split(text, []byte("\n")) {
		var kernel string
		var k int
		var ns, gf, gb, of float64
		if n, _ := fmt.Sscanf(string(line), "| %s | %d | %f | %f | %f | %f |", &kernel, &k, &ns, &gf, &gb, &of); n == 6 {
			ratios[fmt.Sprintf("%s %d", kernel, k)] = of
		}
	}
	return ratios
}

type ratio struct {
	name                                 string
	k                                    int
	nanoseconds, gflops, gbytes, ofLimit float64
}

// traffic is the number of rows of factors that an entry reads and writes, and of matrices they lie in.
var traffic = map[string][3]float64{"DotRow": {1, 0, 1}, "ResidualRow": {1, 0, 1}, "PassRow": {2, 1, 2}, "HessRow": {3, 1, 3},
	"GaussRow": {3, 1, 3}, "CoreRow": {1, 0, 1}, "ColumnRow": {2, 1, 2}, "SpmmRow": {2, 1, 2}, "GatherRow": {1, 0, 1}, "ScatterRow": {1, 1, 1}}

func rowRatios[T real](s surface[T], elem int) (all []ratio) {
	p := newRatings(1510, 3706, 187_500)
	peak := peak() * 8 / float64(elem)
	for _, k := range []int{16, 32, 64} {
		d := newBenchData[T](p, k)
		for _, bench := range rowBenches(s, d) {
			moved, ok := traffic[bench.name]
			if !ok {
				continue
			}
			entries := float64(len(p.col))
			ns := 1e9 / entries * shortest(func() {
				for i := range p.rows {
					bench.row(i, p.ptr[i], p.ptr[i+1])
				}
			})
			flops, size := float64(bench.flops*k), float64(elem*k)
			read, write := streams(int(moved[2]) * p.cols * k * elem)
			limit := math.Max(flops/peak, size*(moved[0]*read+moved[1]*write))
			all = append(all, ratio{fmt.Sprintf("%s%d", bench.name, 8*elem), k, ns, flops / ns, size * (moved[0] + moved[1]) / ns, limit / ns})
		}
	}
	return all
}

// ridgeRatios are those of one row of 120 entries that meet any of 3,706 rows of v: packed, and solved in two steps.
func ridgeRatios[T real](s surface[T], elem int) (all []ratio) {
	const rows, n, steps = 3706, 120, 2
	peak := peak() * 8 / float64(elem)
	for _, k := range []int{16, 32, 64} {
		rng := rand.New(rand.NewPCG(1, 1))
		v, p, x := make([]T, rows*k), make([]T, n*k), make([]T, n)
		cols := make([]int32, 300*n)
		u, mean, work := make([]T, k), make([]T, k), make([]T, 4*k)
		for i := range v {
			v[i] = T(rng.NormFloat64())
		}
		for e := range cols {
			cols[e] = int32(rng.IntN(rows))
		}
		add := func(name string, flops, moved, written float64, memory int, row func()) {
			ns := 1e9 / (100 * n) * shortest(func() {
				for range 100 {
					row()
				}
			})
			read, write := streams(memory)
			size := float64(elem * k)
			limit := math.Max(flops/peak, size*(moved*read+written*write))
			all = append(all, ratio{fmt.Sprintf("%s%d", name, 8*elem), k, ns, flops / ns, size * (moved + written) / ns, limit / ns})
		}
		at := 0
		add("PackRow", 0, 1, 1, rows*k*elem, func() {
			s.packRow(p, v, k, cols[at:at+n])
			at = (at + n) % len(cols)
		})
		add("RidgeRow", float64(4*k*(steps+1)), steps+1, 0, n*k*elem, func() {
			u[0] = 1e3
			s.ridgeRow(u, p, x, mean, work, k, 0, 1, 0, steps)
		})
	}
	return all
}

// streams are the nanoseconds that a byte takes to read and to write in order, over as much memory.
func streams(size int) (read, write float64) {
	x := make([]float64, size/8)
	for i := range x {
		x[i] = 1
	}
	load := loadAVX2
	if Name() == "avx512" {
		load = loadAVX512
	}
	read = 1e9 / float64(size) * shortest(func() { load(x) })
	both := 1e9 / float64(size) * shortest(func() { Scale(-1, x) })
	return read, math.Max(both-read, 0)
}

// peak is the GF/s of independent fused multiply-adds in registers, in float64.
func peak() float64 {
	const steps, chains = 100_000, 12
	fma, lanes := fmaAVX2, 4
	if Name() == "avx512" {
		fma, lanes = fmaAVX512, 8
	}
	return float64(2*chains*lanes*steps) / shortest(func() { fma(steps) }) / 1e9
}

// shortest is the best of many runs, in seconds: at least ten, and for a third of a second.
func shortest(f func()) float64 {
	best, begin := time.Hour, time.Now()
	for n := 0; n < 10 || time.Since(begin) < time.Second/3; n++ {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best.Seconds()
}
