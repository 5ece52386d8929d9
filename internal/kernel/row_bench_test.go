package kernel

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// ratings is the sparsity pattern the row benchmarks run over: degrees of rows and popularity of columns fall off as
// a power, rank^-0.7; columns are sorted in each row and do not repeat.
type ratings struct {
	rows, cols int
	ptr        []int64
	col        []int32
}

func newRatings(rows, cols, entries int) *ratings {
	p := &ratings{rows: rows, cols: cols, ptr: []int64{0}}
	rng := rand.New(rand.NewPCG(1, 1))
	popular := make([]float64, cols+1) // cumulative
	for j, l := range rng.Perm(cols) {
		popular[j+1] = popular[j] + math.Pow(float64(l+1), -0.7)
	}
	degree := make([]float64, rows)
	var total float64
	for i, l := range rng.Perm(rows) {
		degree[i] = math.Pow(float64(l+1), -0.7)
		total += degree[i]
	}
	for i := range rows {
		n := min(cols/2, max(1, int(degree[i]/total*float64(entries))))
		if i == rows-1 {
			n = min(cols/2, max(1, entries-len(p.col)))
		}
		seen := map[int32]bool{}
		for len(seen) < n {
			j, _ := slices.BinarySearch(popular, rng.Float64()*popular[cols])
			seen[int32(max(j-1, 0))] = true
		}
		p.col = append(p.col, slices.Sorted(maps.Keys(seen))...)
		p.ptr = append(p.ptr, int64(len(p.col)))
	}
	return p
}

// A rowBench goes over all rows; flops are for one entry, in units of k.
type rowBench struct {
	name  string
	flops int
	run   func()
}

func rowBenches[T Real](d *benchData[T]) []rowBench {
	k, ptr, cols := d.k, d.ptr, d.col
	return []rowBench{
		{"DotRows", 2, func() { DotRows(d.r, d.u, d.v, k, ptr, cols) }},
		{"ResidualRows", 2, func() { ResidualRows(d.r, d.u, d.v, k, ptr, cols, d.x) }},
		{"GradientRows", 4, func() { GradientRows(d.r, d.u, d.gu, d.v, k, ptr, cols, d.x) }},
		{"HessRows", 12, func() { HessRows(d.gu, d.gv, d.u, d.du, d.v, d.dv, k, ptr, cols, d.x) }},
		{"CoreRows", 4, func() { CoreRows(d.gu, d.u, d.v, k, ptr, cols) }},
		{"ColumnRows", 4, func() { ColumnRows(d.gv, d.u, d.v, k, ptr, cols) }},
		{"SpmmRows", 4, func() { SpmmRows(d.gu, d.gv, d.u, d.v, k, ptr, cols, d.x) }},
		{"GatherRows", 2, func() { GatherRows(d.gu, d.v, k, ptr, cols, d.x) }},
		{"ScatterRows", 2, func() { ScatterRows(d.gv, d.u, k, ptr, cols, d.x) }},
	}
}

// benchData holds factors with small entries: repeated products neither overflow nor become subnormal.
type benchData[T Real] struct {
	*ratings
	k                          int
	u, du, gu, v, dv, gv, x, r []T
}

func newBenchData[T Real](p *ratings, k int) *benchData[T] {
	rng := rand.New(rand.NewPCG(2, 2))
	fill := func(n int) []T {
		s := make([]T, n)
		for i := range s {
			s[i] = T(0.02 * (rng.Float64() - 0.5))
		}
		return s
	}
	m, n := p.rows*k, p.cols*k
	return &benchData[T]{p, k, fill(m), fill(m), fill(m), fill(n), fill(n), fill(n), fill(len(p.col)), fill(len(p.col))}
}

func benchRows[T Real](b *testing.B, p *ratings) {
	defer func(old *implementation) { active = old }(active)
	for _, k := range []int{16, 32, 64, 128} {
		d := newBenchData[T](p, k)
		for _, bench := range rowBenches(d) {
			for _, active = range implementations() {
				b.Run(fmt.Sprintf("%s/k=%d/%s", bench.name, k, active.name), func(b *testing.B) {
					for b.Loop() {
						bench.run()
					}
					entries := float64(b.N) * float64(len(p.col))
					b.ReportMetric(float64(bench.flops*k)*entries/b.Elapsed().Seconds()/1e9, "GF/s")
					b.ReportMetric(b.Elapsed().Seconds()*1e9/entries, "ns/entry")
				})
			}
		}
	}
}

// The shape of MovieLens-1M, 750,000 entries: one core goes over them once, row by row. Nothing is blocked by columns:
// v and gv are read and written all over, and together outgrow a level-2 cache of 1 MB from k = 32 on.
func near() *ratings { return newRatings(6040, 3706, 750_000) }

// A tenth of the rows of MovieLens-10M's shape: v and gv lie in the level-3 cache or in memory, and each is met by
// few entries.
func far() *ratings { return newRatings(7157, 65133, 930_000) }

func BenchmarkRows64(b *testing.B) { benchRows[float64](b, near()) }

func BenchmarkRows32(b *testing.B) { benchRows[float32](b, near()) }

func BenchmarkFarRows64(b *testing.B) { benchRows[float64](b, far()) }

func BenchmarkFarRows32(b *testing.B) { benchRows[float32](b, far()) }
