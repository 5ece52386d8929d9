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
	ptr        []int
	col        []int32
}

func newRatings(rows, cols, entries int) *ratings {
	p := &ratings{rows: rows, cols: cols, ptr: []int{0}}
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
		p.ptr = append(p.ptr, len(p.col))
	}
	return p
}

// rowBenches calls each row kernel on row i, entries lo to hi; flops are for one entry, in units of k.
func rowBenches[T real](s surface[T], d *benchData[T]) []struct {
	name  string
	flops int
	row   func(i, lo, hi int)
} {
	k, cols := d.k, d.col
	at := func(f []T, i int) []T { return f[i*k : i*k+k] }
	return []struct {
		name  string
		flops int
		row   func(i, lo, hi int)
	}{
		{"DotRow", 2, func(i, lo, hi int) { s.dotRow(d.r[lo:hi], at(d.u, i), d.v, k, cols[lo:hi]) }},
		{"ResidualRow", 2, func(i, lo, hi int) { s.residualRow(d.r[lo:hi], at(d.u, i), d.v, k, cols[lo:hi], d.x[lo:hi]) }},
		{"GradientRow", 4, func(i, lo, hi int) {
			s.gradientRow(d.r[lo:hi], at(d.u, i), at(d.gu, i), d.v, k, cols[lo:hi], d.x[lo:hi])
		}},
		{"PassRow", 6, func(i, lo, hi int) {
			s.passRow(d.r[lo:hi], at(d.u, i), at(d.gu, i), d.v, d.gv, k, cols[lo:hi], d.x[lo:hi])
		}},
		{"HessRow", 12, func(i, lo, hi int) {
			s.hessRow(at(d.gu, i), d.gv, at(d.u, i), at(d.du, i), d.v, d.dv, k, cols[lo:hi], d.x[lo:hi])
		}},
		{"CoreRow", 4, func(i, lo, hi int) { s.coreRow(at(d.gu, i), at(d.u, i), d.v, k, cols[lo:hi]) }},
		{"ColumnRow", 4, func(i, lo, hi int) { s.columnRow(d.gv, at(d.u, i), d.v, k, cols[lo:hi]) }},
		{"SpmmRow", 4, func(i, lo, hi int) {
			s.spmmRow(at(d.gu, i), d.gv, at(d.u, i), d.v, k, cols[lo:hi], d.x[lo:hi])
		}},
		{"GatherRow", 2, func(i, lo, hi int) { s.gatherRow(at(d.gu, i), d.v, k, cols[lo:hi], d.x[lo:hi]) }},
		{"ScatterRow", 2, func(i, lo, hi int) { s.scatterRow(d.gv, at(d.u, i), k, cols[lo:hi], d.x[lo:hi]) }},
	}
}

// benchData holds factors with small entries: repeated products neither overflow nor become subnormal.
type benchData[T real] struct {
	*ratings
	k                          int
	u, du, gu, v, dv, gv, x, r []T
}

func newBenchData[T real](p *ratings, k int) *benchData[T] {
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

func benchRows[T real](b *testing.B, p *ratings, all []*kernels[T], active **kernels[T], s surface[T]) {
	defer func(old *kernels[T]) { *active = old }(*active)
	for _, k := range []int{16, 32, 64, 128} {
		d := newBenchData[T](p, k)
		for _, bench := range rowBenches(s, d) {
			for _, impl := range all {
				*active = impl
				b.Run(fmt.Sprintf("%s/k=%d/%s", bench.name, k, impl.name), func(b *testing.B) {
					for b.Loop() {
						for i := range p.rows {
							bench.row(i, p.ptr[i], p.ptr[i+1])
						}
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

func BenchmarkRow64(b *testing.B) { benchRows(b, near(), implementations64(), &active64, surface64) }

func BenchmarkRow32(b *testing.B) { benchRows(b, near(), implementations32(), &active32, surface32) }

func BenchmarkFarRow64(b *testing.B) { benchRows(b, far(), implementations64(), &active64, surface64) }

func BenchmarkFarRow32(b *testing.B) { benchRows(b, far(), implementations32(), &active32, surface32) }
