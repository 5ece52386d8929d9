package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Eigenvectors of matrices large enough for many rotations: random ones, graded ones, and projections, whose values are all 0 or
// 1.
func TestEigenvectorsOfLargeMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{40, 97} {
		for kind, value := range map[string]func(i int) float64{
			"random":     func(int) float64 { return rng.NormFloat64() },
			"graded":     func(i int) float64 { return math.Pow(0.7, float64(i)) },
			"projection": func(i int) float64 { return float64(i % 2) },
		} {
			t.Run(fmt.Sprint(kind, n), func(t *testing.T) {
				a := mat.NewDense(n, n, nil)
				for i := range n {
					for j := range n {
						a.Set(i, j, rng.NormFloat64())
					}
				}
				p, _, _ := ThinSVD(a)
				s := mat.NewSymDense(n, nil)
				for l := range n {
					s.SymRankOne(s, value(l), p.ColView(l))
				}
				values, q := SymEigen(s, true)
				var back, gram mat.Dense
				back.Product(q, mat.NewDiagDense(n, values), q.T())
				back.Sub(&back, s)
				gram.Mul(q.T(), q)
				gram.Sub(&gram, identity(n))
				if off, skew := largest(&back), largest(&gram); off > 1e-13*largest(s) || skew > 1e-13 {
					t.Errorf("QΛQᵀ is off by %g, QᵀQ by %g", off, skew)
				}
			})
		}
	}
}

// QL alone, where it may not converge or has more rotations than it puts off at a time: entries of random size, equal ones,
// Wilkinson's pairs, and ones that fall by 16 or 200 powers of ten, of which the smallest are rounding of the largest.
func TestImplicitQL(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for kind, entries := range map[string]func(i, n int) (d, e float64){
		"random":    func(int, int) (float64, float64) { return rng.NormFloat64(), rng.NormFloat64() },
		"equal":     func(int, int) (float64, float64) { return 2, -1 },
		"wilkinson": func(i, n int) (float64, float64) { return math.Abs(float64(n-1)/2 - float64(i)), 1 },
		"rising": func(i, n int) (float64, float64) {
			x := math.Pow(10, 16*(float64(i+1)/float64(n)-1))
			return x, x / 10
		},
		"falling": func(i, n int) (float64, float64) {
			x := math.Pow(10, -200*float64(i)/float64(n))
			return x, x
		},
	} {
		for _, n := range []int{1, 2, 20, 113, 320} {
			d, e := make([]float64, n), make([]float64, n)
			for i := range n {
				d[i], e[i] = entries(i, n)
			}
			values, z := append([]float64(nil), d...), (&tridiagonal{n: n}).columns(count(n))
			if !implicitQL(values, append([]float64(nil), e...), z) {
				t.Errorf("%s, n=%d: no convergence", kind, n)
				continue
			}
			vectors := mat.NewDense(n, n, nil)
			for _, p := range z {
				for i := range n {
					copy(vectors.RawRowView(i)[p.first:], p.z[i*p.width:i*p.width+p.columns])
				}
			}
			var skew, off mat.Dense
			skew.Mul(vectors, vectors.T())
			skew.Sub(&skew, identity(n))
			off.Mul(vectors, dense(d, e))
			for i, v := range values {
				row := mat.NewVecDense(n, off.RawRowView(i))
				row.AddScaledVec(row, -v, vectors.RowView(i))
			}
			rounding := 1e-16 * float64(n+60)
			if a, b := largest(&skew), largest(&off); !(a < rounding && b <= rounding*largest(dense(d, e))) {
				t.Errorf("%s, n=%d: the vectors are orthonormal but for %g, and eigenvectors but for %g", kind, n, a, b)
			}
			repay(z)
		}
	}
}

// dense is the tridiagonal matrix with diagonal d and off-diagonal e.
func dense(d, e []float64) *mat.Dense {
	a := mat.NewDense(len(d), len(d), nil)
	for i, x := range d {
		a.Set(i, i, x)
		if i > 0 {
			a.Set(i, i-1, e[i-1])
			a.Set(i-1, i, e[i-1])
		}
	}
	return a
}

// Rows of the eigenvectors are those that all of them have.
func TestSymEigenRows(t *testing.T) {
	for _, n := range []int{1, 2, 3, 9, 40, 97} {
		s := falling(n)
		values, q := SymEigen(s, true)
		rows := []int{n - 1, 0, n / 2}
		same, part := SymEigenRows(s, rows)
		top := TopEigenvalue(s)
		if math.Abs(top-values[n-1]) > 1e-14*values[n-1] {
			t.Errorf("n=%d: the largest value is %.17g, alone %.17g", n, values[n-1], top)
		}
		for c, v := range values {
			if math.Abs(v-same[c]) > 1e-14*values[n-1] {
				t.Fatalf("n=%d: value %d is %.17g, with some rows %.17g", n, c, v, same[c])
			}
			for to, from := range rows {
				if d := math.Abs(part.At(to, c) - q.At(from, c)); d > 1e-10 {
					t.Fatalf("n=%d: entry %d of vector %d is off by %g", n, from, c, d)
				}
			}
		}
	}
}

// Singular values far below the largest are as accurate as the columns determine them, and the vectors orthogonal.
func TestThinSVDOfGradedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{20, 61, 113} {
		a := mat.NewDense(n+7, n, nil)
		for i := range n + 7 {
			for j := range n {
				a.Set(i, j, rng.NormFloat64())
			}
		}
		u, _, v := ThinSVD(a)
		want := make([]float64, n)
		for j := range want { // columns that are orthogonal but for little, of lengths 1 to 1e-9
			want[j] = math.Pow(10, -9*float64(j)/float64(n))
		}
		var scaled mat.Dense
		scaled.Mul(u, mat.NewDiagDense(n, want))
		for turned, m := range map[bool]*mat.Dense{false: &scaled, true: new(mat.Dense)} {
			if turned {
				m.Mul(&scaled, v.T())
			}
			p, s, q := ThinSVD(m)
			for j, x := range s {
				off := math.Abs(x - want[j])
				if !turned && off > 1e-13*want[j] || off > 5e-14 {
					t.Errorf("n=%d, turned %v: value %d is %g, want %g", n, turned, j, x, want[j])
				}
			}
			var back mat.Dense
			back.Product(p, mat.NewDiagDense(n, s), q.T())
			back.Sub(&back, m)
			for name, x := range map[string]*mat.Dense{"P": p, "Q": q} {
				var gram mat.Dense
				gram.Mul(x.T(), x)
				gram.Sub(&gram, identity(n))
				if d := largest(&gram); d > 5e-14 {
					t.Errorf("n=%d, turned %v: %s is orthogonal but for %g", n, turned, name, d)
				}
			}
			if d := largest(&back); d > 5e-14 {
				t.Errorf("n=%d, turned %v: PSQᵀ is off by %g", n, turned, d)
			}
		}
	}
}
