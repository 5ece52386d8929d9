package linalg

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// X G Xᵀ = I with X lower triangular; what is singular is refused.
func TestInverseRoot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a := matrices(t, n, n)
		toUnit(a.RawMatrix().Data)
		var g, back mat.Dense
		g.Mul(a, a.T())
		for i := range n {
			g.Set(i, i, g.At(i, i)+0.1)
		}
		raw := g.RawMatrix()
		root, data, ok := InverseRoot(raw.Data, n, raw.Stride, 1e-3)
		if !ok {
			t.Fatal("a well-conditioned matrix is refused")
		}
		x, l := mat.NewDense(n, n, data), mat.NewDense(n, n, root)
		back.Mul(l, l.T())
		back.Sub(&back, &g)
		if d := largest(&back); d > 1e-13*largest(&g) {
			t.Fatalf("L Lᵀ is off by %g", d)
		}
		back.Product(x, &g, x.T())
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = 1
				} else if j > i && x.At(i, j) != 0 {
					t.Fatalf("X is not lower triangular: %v", x)
				}
				if math.Abs(back.At(i, j)-want) > 1e-11 {
					t.Fatalf("X G Xᵀ is %v at (%d, %d)", back.At(i, j), i, j)
				}
			}
		}
	})
	for _, g := range [][]float64{{1, 1, 1, 1}, {1, 2, 2, 1}, {math.NaN(), 0, 0, 1}, {math.Inf(1), 0, 0, 1}} {
		if _, _, ok := InverseRoot(g, 2, 2, 1e-12); ok {
			t.Errorf("%v is not refused", g)
		}
	}
}
