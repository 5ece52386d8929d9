package loss_test

import (
	"fmt"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

// The benchmarks work on the blocks that solvers use, of about 8192 predictions, which stay in a second-level cache: 8
// bytes of z and 8 of r (HessTo: of e and dst) a prediction, and of the labels 8, or 4 a row. ns/prediction is what
// compares; the limit of Softmax is the exponential of internal/kernel (BenchmarkVector64/ExpTo there), and a logarithm a row.
func benchmarkLoss(b *testing.B, l separable) {
	n := l.Len()
	rng := testRand(1)
	z, e := normals(rng, n, 2), normals(rng, n, 1)
	r, h := make([]float64, n), make([]float64, n)
	l.Eval(0, z, r)
	for _, c := range []struct {
		name string
		call func()
	}{
		{"Value", func() { l.Eval(0, z, nil) }},
		{"Eval", func() { l.Eval(0, z, r) }},
		{"HessTo", func() { l.HessTo(h, 0, z, e) }},
		{"Conjugate", func() { l.Conjugate(0, r, 0.9) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.call()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/prediction")
		})
	}
}

func BenchmarkSoftmax(b *testing.B) {
	for _, classes := range []int{2, 10, 134, 1024} {
		b.Run(fmt.Sprintf("%d", classes), func(b *testing.B) {
			benchmarkLoss(b, &loss.Softmax{Labels: labels(testRand(2), 8192/classes, classes), Classes: classes, Mean: true})
		})
	}
}

func BenchmarkLogistic(b *testing.B) {
	benchmarkLoss(b, &loss.Logistic{Y: signs(testRand(2), 8192), Mean: true})
}
func BenchmarkHuber(b *testing.B) {
	benchmarkLoss(b, &loss.Huber{Y: normals(testRand(2), 8192, 1), Mu: 1})
}
func BenchmarkSquared(b *testing.B) {
	benchmarkLoss(b, &loss.Squared{Y: normals(testRand(2), 8192, 1)})
}
