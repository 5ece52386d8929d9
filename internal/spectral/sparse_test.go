package spectral_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/spectral"
	"gonum.org/v1/gonum/mat"
)

// The trace norm of a sparse matrix is that of the dense one, repeated places and separate components included.
func TestTraceNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 3))
	for _, c := range []struct{ m, n, entries int }{{1, 1, 1}, {8, 5, 6}, {5, 9, 30}, {30, 30, 25}, {40, 7, 200}} {
		rows, cols, vals := make([]int32, c.entries), make([]int32, c.entries), make([]float64, c.entries)
		dense := mat.NewDense(c.m, c.n, nil)
		for e := range vals {
			rows[e], cols[e], vals[e] = int32(rng.IntN(c.m)), int32(rng.IntN(c.n)), rng.NormFloat64()
			dense.Set(int(rows[e]), int(cols[e]), dense.At(int(rows[e]), int(cols[e]))+vals[e])
		}
		var svd mat.SVD
		if !svd.Factorize(dense, mat.SVDNone) {
			t.Fatal("no decomposition")
		}
		var want float64
		for _, s := range svd.Values(nil) {
			want += s
		}
		if got := spectral.TraceNorm(c.m, c.n, rows, cols, vals); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%d×%d: %v, not %v", c.m, c.n, got, want)
		}
	}
}

// Proven bounds are above the norm and the eigenvalue, and near where the estimate is; a wrong estimate costs only time.
func TestDenseBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 4))
	for _, c := range [][2]int{{1, 1}, {20, 70}, {70, 20}, {40, 40}} {
		m, n := c[0], c[1]
		x := make([]float64, m*n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(m, n, append([]float64(nil), x...)), mat.SVDNone) {
			t.Fatal("no decomposition")
		}
		norm := svd.Values(nil)[0]
		for _, estimate := range []float64{0, norm / 2, norm * (1 - 1e-12), norm} {
			if got := spectral.DenseNorm(context.Background(), x, m, n, estimate, 1e-3); got < norm || got > norm*1.01+1e-300 &&
				estimate > 0 {
				t.Errorf("%d×%d from %v: %v for %v", m, n, estimate, got, norm)
			}
		}
		if m != n {
			continue
		}
		s := make([]float64, n*n)
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range n {
				s[i*n+j] = (x[i*n+j]+x[j*n+i])/2 - 2*float64(i%2)
				if j <= i {
					sym.SetSym(i, j, s[i*n+j])
				}
			}
		}
		for i := range n {
			for j := range i {
				s[j*n+i] = s[i*n+j]
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(sym, false) {
			t.Fatal("no decomposition")
		}
		top := eig.Values(nil)[n-1]
		for _, estimate := range []float64{0, top / 2, top} {
			if got := spectral.DenseEigenvalue(context.Background(), s, n, estimate, 1e-3); got < top {
				t.Errorf("eigenvalue %d from %v: %v for %v", n, estimate, got, top)
			}
		}
	}
}
