package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// matrices draws an m×n matrix: full, of low rank, graded over many powers of ten, or with equal entries.
func matrices(t *rapid.T, m, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	a := mat.NewDense(m, n, nil)
	switch kind := rapid.SampledFrom([]string{"full", "low rank", "graded", "equal", "huge", "tiny", "zero"}).Draw(t, "kind"); kind {
	case "low rank":
		u, v := make([]float64, m), make([]float64, n)
		for range 2 {
			normals(rng, u)
			normals(rng, v)
			a.RankOne(a, 1, mat.NewVecDense(m, u), mat.NewVecDense(n, v))
		}
	case "graded":
		a.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() * math.Pow(10, -8*float64(i+j)) }, a)
	case "equal":
		a.Apply(func(int, int, float64) float64 { return 1 }, a)
	case "zero":
	default:
		scale := map[string]float64{"full": 1, "huge": 1e300, "tiny": 1e-300}[kind]
		a.Apply(func(int, int, float64) float64 { return scale * rng.NormFloat64() }, a)
	}
	return a
}

func normals(rng *rand.Rand, x []float64) {
	for i := range x {
		x[i] = rng.NormFloat64()
	}
}

// The largest entry in size, the measure of every error below.
func largest(a mat.Matrix) float64 {
	return math.Max(mat.Max(a), -mat.Min(a))
}

func checkColumns(t *rapid.T, name string, q *mat.Dense) {
	var g mat.Dense
	g.Mul(q.T(), q)
	n, _ := g.Dims()
	g.Sub(&g, identity(n))
	if d := largest(&g); !(d < 1e-13*float64(n)) {
		t.Fatalf("%s: the columns are orthonormal but for %g", name, d)
	}
}

// Both ways to the eigenvalues: QSQᵀ is the matrix, Q is orthogonal, the values ascend and agree.
func TestSymEigen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		a := matrices(t, n, n)
		s := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				s.SetSym(i, j, a.At(i, j)/2+a.At(j, i)/2)
			}
		}
		scale := largest(s)
		full := bothTriangles(s)
		exponent, _ := toUnit(full)
		ql, q := SymEigen(s, true)
		jacobi, w := jacobiEigen(full, n)
		byRow, z := VectorsByRow(bothTriangles(s), n)
		for i := range n {
			for j := range n {
				if byRow[i] != ql[i] || z[i*stride(n)+j] != q.At(j, i) {
					t.Fatalf("by row, eigenvalue %d is %.17g and entry %d of its vector %.17g, not %.17g and %.17g", i, byRow[i], j,
						z[i*stride(n)+j], ql[i], q.At(j, i))
				}
			}
		}
		for i := range jacobi {
			jacobi[i] = math.Ldexp(jacobi[i], exponent)
		}
		for i := range n {
			if math.Abs(ql[i]-jacobi[i]) > 1e-14*float64(n)*scale || i > 0 && (ql[i] < ql[i-1] || jacobi[i] < jacobi[i-1]) {
				t.Fatalf("eigenvalue %d is %.17g, Jacobi says %.17g", i, ql[i], jacobi[i])
			}
		}
		for name, e := range map[string]struct {
			values []float64
			q      *mat.Dense
		}{"QL": {ql, q}, "Jacobi": {jacobi, w}} {
			checkColumns(t, name, e.q)
			var back mat.Dense
			back.Mul(e.q, mat.NewDiagDense(n, e.values))
			back.Mul(&back, e.q.T())
			back.Sub(&back, s)
			if d := largest(&back); d > 1e-13*float64(n)*scale {
				t.Fatalf("%s: QΛQᵀ is off by %g of %g", name, d, scale)
			}
		}
		if only, none := SymEigen(s, false); none != nil || math.Abs(only[n-1]-ql[n-1]) > 1e-14*float64(n)*scale {
			t.Fatalf("without vectors the last eigenvalue is %.17g, with them %.17g", only[n-1], ql[n-1])
		}
		if top := TopEigenvalue(s); math.Abs(top-ql[n-1]) > 1e-14*float64(n)*scale {
			t.Fatalf("the largest eigenvalue is %.17g, alone %.17g", ql[n-1], top)
		}
	})
}

// Singular values of tall and wide matrices.
func TestThinSVD(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 12).Draw(t, "m"), rapid.IntRange(1, 12).Draw(t, "n")
		a := matrices(t, m, n)
		checkSVD(t, a)
	})
}

func checkSVD(t *rapid.T, a *mat.Dense) {
	m, n := a.Dims()
	p, s, q := ThinSVD(a)
	checkColumns(t, "left", p)
	checkColumns(t, "right", q)
	for i := range s {
		if s[i] < 0 || i > 0 && s[i] > s[i-1] {
			t.Fatalf("the values are %v", s)
		}
	}
	var ps, back mat.Dense
	ps.Mul(p, mat.NewDiagDense(len(s), s))
	back.Mul(&ps, q.T())
	back.Sub(&back, a)
	if d, scale := largest(&back), largest(a); d > 1e-13*float64(m+n)*scale {
		t.Fatalf("PSQᵀ is off by %g of %g", d, scale)
	}
}

// Of what is not a matrix of numbers the values are NaN, and the vectors can still be used.
func TestDecompositionsOfNotNumbers(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		s := mat.NewSymDense(3, []float64{1, 2, bad, 2, 1, 0, bad, 0, 1})
		values, q := SymEigen(s, true)
		if values, z := VectorsByRow(bothTriangles(s), 3); !math.IsNaN(values[0]) || z[0] != 1 {
			t.Errorf("with an entry %g the values by row are %v, and the vectors %v", bad, values, z)
		}
		p, singular, w := ThinSVD(mat.NewDense(3, 2, []float64{1, 2, 3, bad, 5, 6}))
		if !math.IsNaN(values[0]) || !math.IsNaN(singular[0]) {
			t.Errorf("with an entry %g the values are %v and %v", bad, values, singular)
		}
		for i, d := range []*mat.Dense{q, p, w} {
			r, c := d.Dims()
			if want := [][2]int{{3, 3}, {3, 2}, {2, 2}}[i]; r != want[0] || c != want[1] || d.At(0, 0) != 1 {
				t.Errorf("with an entry %g the vectors are %d×%d", bad, r, c)
			}
		}
	}
	if top := TopEigenvalue(mat.NewSymDense(1, []float64{math.NaN()})); !math.IsNaN(top) {
		t.Errorf("the largest eigenvalue of NaN is %v", top)
	}
	if values, q := SymEigen(mat.NewSymDense(1, []float64{-2}), true); values[0] != -2 || math.Abs(q.At(0, 0)) != 1 {
		t.Errorf("the eigenvalue of (-2) is %v", values)
	}
}
