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
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var table = flag.String("table", "", "measure the kernels against the limits of this machine and write the table to this file")

// TestTable measures only when it is asked to:
//
//	go test ./internal/kernel -run TestTable -table ../../docs/kernels.md
//
// On the way it prints the kernels that lost more than a quarter of their part of the limit since the table in that file. Ratios
// to limits measured in the same minute can be compared between machines and days where times cannot.
func TestTable(t *testing.T) {
	if *table == "" {
		t.Skip("measures with -table FILE only")
	}
	text, _ := os.ReadFile(*table)
	old := readRatios(text)
	var b bytes.Buffer
	write := func(all []ratio) {
		for _, r := range all {
			b.WriteString(r.line())
			if before, ok := old[r.key()]; ok && r.ofLimit < 0.75*before {
				t.Logf("%s: %.2f of the limit, %.2f in the table before", r.key(), r.ofLimit, before)
			}
		}
	}
	f := peak()
	fmt.Fprintf(&b, tableHead, processor(), Name(), f)
	write(append(rowRatios[float64](f), rowRatios[float32](2*f)...))
	write(append(packedRatios(2*f), ridgeRatios(2*f)...))
	b.WriteString(denseHead)
	write(append(denseRatios[float64](f), denseRatios[float32](2*f)...))
	write(append(expRatios[float64](f, 13), expRatios[float32](2*f, 7)...))
	write(slices.Concat(entropyRatios(f), reflectionRatios(f), convertRatios()))
	if err := os.WriteFile(*table, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// processor is the name of this machine's, or at least its architecture.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return runtime.GOARCH
}

// What is written is read again, also from the table of the repository.
func TestTableIsRead(t *testing.T) {
	rows := []ratio{{"GemmNN64", "70000×16×16", 1571.4, 22.8, 12, 0.43}, {"DotRows64", "16", 1.763, 18.2, 73, 0.62},
		{"ExpTo32", "10", 0.0213, 15.5, 8, 0.26}}
	text := denseHead
	for _, r := range rows {
		text += r.line()
	}
	got := readRatios([]byte(text))
	for _, r := range rows {
		if got[r.key()] != r.ofLimit || len(got) != len(rows) {
			t.Errorf("%s: %v in %v", r.key(), got[r.key()], got)
		}
	}
	written, err := os.ReadFile("../../docs/kernels.md")
	if err != nil {
		t.Fatal(err)
	}
	old := readRatios(written)
	for _, key := range []string{"DotRows64 16", "HessRows32 64", "PackedCoreRows32 16"} {
		if !(old[key] > 0 && old[key] < 1.5) {
			t.Errorf("docs/kernels.md has %v for %s", old[key], key)
		}
	}
}

const tableHead = `# The kernels and their limits

Written by ` + "`go test ./internal/kernel -run TestTable -table ../../docs/kernels.md`" + `. It also prints what lost more than a quarter of its part
of the limit since the table that it replaces.

- One core of %s, kernels %s. Each figure is the best of many short runs.
- The pattern has the shape of MovieLens-1M's, with a quarter of the rows. Kernels go over whole rows.
- The limit of an entry is the larger of two times. One is its flops at the peak of fused multiply-adds: %.0f GF/s in float64, twice that in
  float32. The other is its bytes at the speed at which memory of the same size is read, or read and written, in order. Both are measured
  in the same run.
- Columns: nanoseconds an entry, flops, bytes of factors read and written, and the part of the limit that is reached.

To see whether a change made a kernel faster:

    go test -run '^$' -bench 'Rows64|Rows32' -count 10 ./internal/kernel > old.txt   # before the change
    go test -run '^$' -bench 'Rows64|Rows32' -count 10 ./internal/kernel > new.txt   # after it
    go run golang.org/x/perf/cmd/benchstat@latest old.txt new.txt

| kernel | k | ns | GF/s | GB/s | of the limit |
|---|---|---|---|---|---|
`

// A ratio is a row of a table: what a kernel of a size takes, and its part of the limit.
type ratio struct {
	name, size                    string
	time, gflops, gbytes, ofLimit float64
}

func (r ratio) key() string { return r.name + " " + r.size }

func (r ratio) line() string {
	time := fmt.Sprintf("%#.3g", r.time)
	if r.time >= 100 {
		time = fmt.Sprintf("%.0f", r.time)
	}
	return fmt.Sprintf("| %s | %s | %s | %.1f | %.0f | %.2f |\n", r.name, r.size, time, r.gflops, r.gbytes, r.ofLimit)
}

// readRatios are the parts of the limit in a table, by the keys of its rows.
func readRatios(text []byte) map[string]float64 {
	ratios := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 6 {
			continue
		}
		if of, err := strconv.ParseFloat(strings.TrimSuffix(cells[5], " |\n"), 64); err == nil {
			ratios[strings.TrimPrefix(cells[0], "| ")+" "+cells[1]] = of
		}
	}
	return ratios
}

// work is what an entry, or a call, asks for: flops, bytes that are read and written, and the size of the memory in which they
// lie.
type work struct {
	flops, read, written float64
	memory               int
}

// measure divides the time of f by n; peak is in GF/s.
func (w work) measure(name, size string, peak, n float64, f func()) ratio {
	ns := 1e9 / n * shortest(f)
	read, write := streams(w.memory)
	limit := math.Max(w.flops/peak, w.read*read+w.written*write)
	return ratio{name, size, ns, w.flops / ns, (w.read + w.written) / ns, limit / ns}
}

// traffic is the number of rows of factors that an entry reads and writes, and of matrices they lie in.
var traffic = map[string][3]float64{"DotRows": {1, 0, 1}, "ResidualRows": {1, 0, 1}, "GradientRows": {1, 0, 1},
	"HessRows": {3, 1, 3},
	"CoreRows": {1, 0, 1}, "ColumnRows": {2, 1, 2}, "SpmmRows": {2, 1, 2}, "GatherRows": {1, 0, 1}, "ScatterRows": {1, 1, 1}}

func rowRatios[T Real](peak float64) (all []ratio) {
	p := newRatings(1510, 3706, 187_500)
	for _, k := range []int{16, 32, 64} {
		d := newBenchData[T](p, k)
		for _, bench := range rowBenches(d) {
			moved, ok := traffic[bench.name]
			if !ok {
				continue
			}
			size := float64(bytesOf[T]() * k)
			w := work{float64(bench.flops * k), size * moved[0], size * moved[1], int(moved[2]*size) * p.cols}
			all = append(all, w.measure(named[T](bench.name), strconv.Itoa(k), peak, float64(len(p.col)), bench.run))
		}
	}
	return all
}

// packedRatios are those of ten rows of 120 entries that meet any of 3,706 rows of v: packed, and with two products and squares.
func packedRatios(peak float64) (all []ratio) {
	const rows, n, each = 3706, 120, 10
	for _, k := range []int{8, 16} {
		rng := rand.New(rand.NewPCG(1, 1))
		ptr := make([]int64, each+1)
		for i := range ptr {
			ptr[i] = int64(i * n)
		}
		v, p, x, none := make([]float32, rows*k), make([]float32, PackedLen(k, ptr)), make([]float32, each*n), make([]float32, k)
		cols := make([]int32, 30*each*n)
		u, g, squares := make([]float32, each*k), make([]float32, each*k), make([]float32, each)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		for e := range cols {
			cols[e] = int32(rng.IntN(rows))
		}
		at, size := 0, float64(4*k)
		add := func(name string, w work, call func()) {
			all = append(all, w.measure(named[float32](name), strconv.Itoa(k), peak, 10*each*n, func() {
				for range 10 {
					call()
				}
			}))
		}
		add("PackRows", work{0, size, size, rows * int(size)}, func() {
			PackRows(p, v, none, x, k, k, ptr, cols[at:at+each*n])
			at = (at + each*n) % len(cols)
		})
		packed := int(size) * each * n
		add("PackedGradientRows", work{float64(4 * k), size, 0, packed}, func() { PackedGradientRows(g, p, u, k, k, ptr) })
		add("PackedCoreRows", work{float64(4 * k), size, 0, packed}, func() { PackedCoreRows(g, p, u, k, k, ptr) })
		add("PackedSquareRows", work{float64(2 * k), size, 0, packed}, func() { PackedSquareRows(squares, p, u, k, k, ptr) })
	}
	return all
}

// ridgeRatios are those of the vectors of a step, a row for an entry.
func ridgeRatios(peak float64) (all []ratio) {
	for _, k := range []int{16, 64} {
		const rows = 64
		var m [4][]float32
		for i := range m {
			m[i] = make([]float32, rows*k)
		}
		mean, counts, ridge, old := make([]float32, k), make([]float32, rows), make([]float32, rows), make([]float32, rows)
		for i := range ridge {
			ridge[i], old[i] = 1, 1
		}
		size := float64(4 * k)
		add := func(name string, w work, call func()) {
			all = append(all, w.measure(named[float32](name), strconv.Itoa(k), peak, 100*rows, func() {
				for range 100 {
					call()
				}
			}))
		}
		add("RidgeBegin", work{float64(9 * k), 2 * size, 3 * size, 4 * rows * int(size)}, func() {
			RidgeBegin(m[0], m[1], m[2], m[3], mean, k, counts, ridge, old)
		})
		add("RidgeStep", work{float64(17 * k), 4 * size, 4 * size, 4 * rows * int(size)}, func() {
			for i := range rows { // that none stays
				old[i], m[2][i*k], m[3][i*k], m[1][i*k] = 1, 1, 1, 1
			}
			RidgeStep(m[0], m[1], m[2], m[3], mean, k, counts, ridge, old)
		})
	}
	return all
}

// named is the name of a kernel for T.
func named[T Real](name string) string { return fmt.Sprintf("%s%d", name, 8*bytesOf[T]()) }

func bytesOf[T Real]() int {
	if _, ok := any(T(0)).(float32); ok {
		return 4
	}
	return 8
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
