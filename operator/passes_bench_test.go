package operator_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/operator"
)

var passesOn = flag.String("passes", "netflix:1000000,netflix:10000000",
	"shapes of BenchmarkPasses, as of gcg fit completion --generate")

// Passes over generated ratings in float32, in nanoseconds a rating; docs/scale.md has the table. Flops are those of the ratings
// alone.
func BenchmarkPasses(b *testing.B) {
	shapes := strings.Split(*passesOn, ",")
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, name := range shapes {
		var q *operator.Squares[float32] // made for the first pass that is wanted
		for _, rank := range []int{16, 48} {
			for _, pass := range passes {
				b.Run(fmt.Sprintf("%s/rank-%d/%s", name, rank, pass.name), func(b *testing.B) {
					if q == nil {
						q = generatedSquares(b, name)
					}
					f := newPassFactors(q, rank)
					b.ResetTimer()
					for range b.N { // b.Loop would measure the first of -cpu 1,2 on all processors
						pass.run(q, f)
					}
					perRating := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(q.Entries())
					b.ReportMetric(perRating, "ns/rating")
					b.ReportMetric(float64(pass.flops*rank)/perRating, "GF/s")
				})
			}
		}
	}
}

// passes with their flops for each rating and column; a sweep has 12 over columns and 10 over rows, which are short.
var passes = []struct {
	name  string
	flops int
	run   func(q *operator.Squares[float32], f passFactors)
}{
	{"residual", 2, func(q *operator.Squares[float32], f passFactors) { q.Move(f.u, f.v) }},
	{"gradient", 4, func(q *operator.Squares[float32], f passFactors) {
		gv, gu := gcg.Both(q.Adjoint(nil), f.u, f.v)
		gcg.Repay(gv, gu)
	}},
	{"normal", 4, func(q *operator.Squares[float32], f passFactors) { q.Normal32To(f.gu, f.u32, f.v32) }},
	{"hessian", 12, func(q *operator.Squares[float32], f passFactors) {
		q.Along32To(f.gu, f.gv, f.u32, f.v32, f.du, f.dv)
	}},
	{"sweep", 22, func(q *operator.Squares[float32], f passFactors) {
		q.RidgeColumns(f.v32, f.u32, passRidge, 2)
		q.RidgeRows(f.u32, f.v32, passRidge, 2)
	}},
}

// passRidge is about λ of the first shape.
const passRidge = 200

// passFactors are U and V of normal numbers, in both types, and what passes write.
type passFactors struct {
	u, v                     *gcg.Factor
	u32, v32, du, dv, gu, gv *gcg.Factor32
}

func newPassFactors(q *operator.Squares[float32], rank int) passFactors {
	m, n, _ := q.Dims()
	rng := rand.New(rand.NewPCG(1, uint64(rank)))
	normal := func(rows int) *gcg.Factor {
		f := gcg.NewFactor(rows, rank)
		for i := range rows {
			for c := range rank {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
		return f
	}
	f := passFactors{u: normal(m), v: normal(n)}
	f.u32, f.v32 = gcg.FactorIn[float32](f.u), gcg.FactorIn[float32](f.v)
	f.du, f.dv = f.u32.Clone(), f.v32.Clone()
	f.gu, f.gv = f.u32.Clone(), f.v32.Clone()
	return f
}

func generatedSquares(b *testing.B, name string) *operator.Squares[float32] {
	shape, size, sized := strings.Cut(name, ":")
	for _, g := range dataset.Shapes {
		if g.Name != shape {
			continue
		}
		if sized {
			n, err := strconv.Atoi(size)
			if err != nil {
				b.Fatal(err)
			}
			g = g.Sized(n)
		}
		g.Seed = 1
		data, err := g.Compact()
		if err != nil {
			b.Fatal(err)
		}
		q, err := operator.NewSquares(data.M, data.N, data.Ptr, data.Cols, data.Values, false)
		if err != nil {
			b.Fatal(err)
		}
		return q
	}
	b.Fatalf("no shape %q", shape)
	return nil
}
