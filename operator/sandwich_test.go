package operator_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/operator"
	"gonum.org/v1/gonum/mat"
)

func normalMatrix(rng *rand.Rand, m, n int) []float64 {
	x := make([]float64, m*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// The adjoint is the adjoint, for matrices of every shape, and predictions of sparse and of factored W are products of matrices.
func TestSandwich(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 42))
	for _, d := range [][4]int{{1, 1, 1, 1}, {3, 7, 3, 7}, {12, 25, 12, 12}, {5, 40, 9, 2}, {150, 31, 20, 90}} {
		p, m, n, r := d[0], d[1], d[2], d[3]
		left, right := normalMatrix(rng, p, m), normalMatrix(rng, n, r)
		op, err := operator.NewSandwich(p, m, left, n, r, right)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range conform.Operator(op, rng) {
			if !c.OK() {
				t.Errorf("%v: %v", d, c)
			}
		}
		w := mat.NewDense(m, n, nil)
		var a gcg.Atom
		for range 2 + m*n/3 { // places may repeat
			i, j, x := rng.IntN(m), rng.IntN(n), rng.NormFloat64()
			a.Rows, a.Cols, a.Vals = append(a.Rows, int32(i)), append(a.Cols, int32(j)), append(a.Vals, x)
			w.Set(i, j, w.At(i, j)+x)
		}
		var want mat.Dense
		want.Product(mat.NewDense(p, m, left), w, mat.NewDense(n, r, right))
		whole := make([]float64, p*r)
		op.AtomTo(whole, 0, &a)
		lo, hi := p*r/3, p*r-p*r/5 // within rows
		part := make([]float64, hi-lo)
		op.AtomTo(part, lo, &a)
		for e, x := range whole {
			if math.Abs(x-want.At(e/r, e%r)) > 1e-12*mat.Norm(&want, 2) || e >= lo && e < hi &&
				math.Abs(part[e-lo]-x) > 1e-12*math.Abs(x)+1e-300 {
				t.Fatalf("%v: observation %d is %v", d, e, x)
			}
		}
	}
}

// With C for R the norm of the residual of Y = B R stays, for every W.
func TestReduced(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 42))
	for _, rank := range []int{2, 6} {
		const n, r = 6, 40
		var right mat.Dense
		right.Mul(mat.NewDense(n, rank, normalMatrix(rng, n, rank)), mat.NewDense(rank, r, normalMatrix(rng, rank, r)))
		c := mat.NewDense(n, n, operator.Reduced(n, r, right.RawMatrix().Data))
		b := mat.NewDense(3, n, normalMatrix(rng, 3, n))
		var long, short mat.Dense
		long.Mul(b, &right)
		short.Mul(b, c)
		if x, y := mat.Norm(&long, 2), mat.Norm(&short, 2); math.Abs(x-y) > 1e-12*x {
			t.Errorf("rank %d: ‖B R‖ = %v, ‖B C‖ = %v", rank, x, y)
		}
	}
}

func TestSandwichRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		left, right []float64
		cols        int
	}{
		"row 2, column 1": {[]float64{1, 2, math.NaN(), 4}, []float64{1, 2}, 2},
		"right matrix":    {[]float64{1, 2, 3, 4}, []float64{1, math.Inf(-1)}, 2},
		"is 2×3":          {[]float64{1, 2, 3, 4}, []float64{1, 2}, 3},
	} {
		if _, err := operator.NewSandwich(2, c.cols, c.left, 1, 2, c.right); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
