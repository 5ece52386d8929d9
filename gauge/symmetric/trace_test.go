package symmetric_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge/symmetric"
	"gonum.org/v1/gonum/mat"
)

// naive is max |λᵢ| of the symmetric part of a row-major n×n matrix.
func naive(x []float64, n int) (top float64) {
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, (x[i*n+j]+x[j*n+i])/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(s, false) {
		panic("no decomposition")
	}
	for _, v := range eig.Values(nil) {
		top = math.Max(top, math.Abs(v))
	}
	return top
}

// The polar is the largest eigenvalue by size of the symmetric part, by a whole decomposition and by Lanczos steps; the atom
// attains it, and the bound holds.
func TestPolar(t *testing.T) {
	for _, n := range []int{1, 5, 40, 300} {
		for _, shift := range []float64{-3, 0, 3} {
			rng := rand.New(rand.NewPCG(uint64(n), 41))
			x := make([]float64, n*n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			for i := range n {
				x[i*n+i] += shift * math.Sqrt(float64(n))
			}
			want := naive(x, n)
			g := conform.Matrix{M: n, N: n, Data: x}
			for _, exact := range []bool{false, true} {
				p, err := symmetric.Trace{}.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 1e-4, Exact: exact})
				if err != nil {
					t.Fatal(err)
				}
				dot := p.Atoms[0].Dot(g)
				if p.Bound < want*(1-1e-12) || p.Value > want*(1+1e-9) || p.Bound > want*(1+1e-2) || math.Abs(dot-p.Value) > 1e-8*want ||
					exact && p.Kind != gcg.Proven {
					t.Errorf("n = %d, shift %v, exact %v: [%v, %v] %v for %v, the atom attains %v", n, shift, exact, p.Value, p.Bound,
						p.Kind, want, dot)
				}
			}
		}
	}
	if _, err := (symmetric.Trace{}).Polar(context.Background(), conform.Matrix{M: 2, N: 3, Data: make([]float64, 6)},
		gcg.Ask{}); err == nil {
		t.Error("a matrix that is not square is taken")
	}
}

// κ is the sum of the sizes of the eigenvalues, of factors and of entries.
func TestGauge(t *testing.T) {
	const n = 6
	w := []float64{2, 0, 0, 0, 0, 0, 0, -3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5}
	if got := (symmetric.Trace{}).Of(w, n, n); math.Abs(got-7.5) > 1e-12 {
		t.Errorf("κ = %v, not 7.5", got)
	}
	w[1] = 1
	if got := (symmetric.Trace{}).Of(w, n, n); !math.IsInf(got, 1) {
		t.Errorf("κ = %v of a matrix that is not symmetric", got)
	}
	it := &gcg.Iterate{M: n, N: n, U: gcg.NewFactor(n, 2), V: gcg.NewFactor(n, 2)}
	it.U.Row(0)[0], it.V.Row(0)[0], it.U.Row(1)[1], it.V.Row(1)[1] = 2, 2, 3, -3
	if got := (symmetric.Trace{}).Compress(it); math.Abs(got-13) > 1e-12 {
		t.Errorf("κ = %v of factors, not 13", got)
	}
	it.Terms = []gcg.Term{{Atom: gcg.Atom{Rows: []int32{4, 5}, Cols: []int32{5, 4}, Vals: []float64{1, 1}}, Weight: 2}}
	if got := (symmetric.Trace{}).Compress(it); math.Abs(got-17) > 1e-12 {
		t.Errorf("κ = %v of factors and entries, not 17", got)
	}
}
