package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// spd is AᵀA + shift·I, in both forms.
func spd(rng *rand.Rand, n int, shift float64) (*Lower, *mat.SymDense) {
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	var g mat.Dense
	g.Mul(a.T(), a)
	l, s := NewLower(n), mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			x := g.At(i, j)
			if i == j {
				x += shift
			}
			l.Row(i, j)[j%PanelWidth] = x
			s.SetSym(i, j, x)
		}
	}
	return l, s
}

func TestCholeskyAgainstGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 63, 64, 65, 128, 150, 259} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			l, s := spd(rng, n, 1)
			if got, want := l.Trace(), mat.Trace(s); math.Abs(got-want) > 1e-12*want {
				t.Fatalf("trace %g, want %g", got, want)
			}
			if !l.Cholesky() {
				t.Fatal("a positive definite matrix has no factor")
			}
			var chol mat.Cholesky
			chol.Factorize(s)
			var want mat.TriDense
			chol.LTo(&want)
			for i := range n {
				for j := range i + 1 {
					if d := math.Abs(l.At(i, j) - want.At(i, j)); d > 1e-10*(1+math.Abs(want.At(i, j)))*float64(n) {
						t.Fatalf("L[%d,%d] = %g, want %g", i, j, l.At(i, j), want.At(i, j))
					}
				}
			}
		})
	}
}

// The factorization succeeds just above the largest eigenvalue and fails just below.
func TestCholeskyTellsDefiniteness(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 5, 64, 130} {
		l, s := spd(rng, n, 0)
		var eig mat.EigenSym
		eig.Factorize(s, false)
		top := eig.Values(nil)[n-1]
		if !l.ShiftedNegative(top * (1 + 1e-9)).Cholesky() {
			t.Errorf("n = %d: not definite above the largest eigenvalue", n)
		}
		if l.ShiftedNegative(top * (1 - 1e-9)).Cholesky() {
			t.Errorf("n = %d: definite below the largest eigenvalue", n)
		}
	}
	bad := NewLower(70)
	for i := range 70 {
		bad.Row(i, i)[i%PanelWidth] = 1
	}
	bad.Row(66, 66)[2] = math.NaN()
	if bad.Cholesky() {
		t.Error("NaN has a factor")
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{500, 1000, 1500} {
		l, _ := spd(rand.New(rand.NewPCG(5, 6)), n, 1)
		neg := l.ShiftedNegative(0)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				neg.ShiftedNegative(0).Cholesky()
			}
			b.ReportMetric(float64(n)*float64(n)*float64(n)/3*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
		})
	}
}

// A factor that is extended row by row is that of the whole matrix.
func TestCholeskyFromARow(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	const n = 200
	whole, _ := spd(rng, n, 1)
	entry := func(i, j int) float64 { return whole.At(i, j) }
	part := NewLower(0)
	matrix := whole.Extended(n)
	if !matrix.Cholesky() {
		t.Fatal("a positive definite matrix has no factor")
	}
	for first, next := 0, 0; first < n; first = next {
		next = min(n, first+1+rng.IntN(90))
		part = part.Extended(next)
		for i := first; i < next; i++ {
			for j := range i + 1 {
				part.Row(i, j)[j%PanelWidth] = entry(i, j)
			}
		}
		if !part.CholeskyFrom(t.Context(), first) {
			t.Fatalf("the first %d rows of a positive definite matrix have no factor", next)
		}
		for i := range next {
			for j := range i + 1 {
				if d := math.Abs(part.At(i, j) - matrix.At(i, j)); d > 1e-11*(1+math.Abs(matrix.At(i, j))) {
					t.Fatalf("L[%d,%d] of %d rows is %g, want %g", i, j, next, part.At(i, j), matrix.At(i, j))
				}
			}
		}
	}
}
