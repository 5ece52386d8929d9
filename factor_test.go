package gcg_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"gonum.org/v1/gonum/mat"
)

// Ill-conditioned and dependent columns: the basis is orthonormal and reproduces F.
func TestOrthonormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, tiny := range []float64{1, 1e-4, 1e-9, 1e-13, 0} {
		f := gcg.NewFactor(200, 9)
		for i := range f.Rows {
			row := f.Row(i)
			for c := range f.K {
				row[c] = rng.NormFloat64()
			}
			row[7] = row[0] + row[1] + tiny*row[7] // nearly dependent
			row[8] = 1e-9 * row[8]                 // small, but a direction of its own
		}
		q, c := gcg.Orthonormal(f, 1e-14)
		orthonormal(t, q, 1e-12)
		back := gcg.Mul(q, c)
		back.AddScaled(-1, f)
		if d := math.Sqrt(back.Dot(back) / f.Dot(f)); d > 1e-13 {
			t.Errorf("tiny %g: QC differs from F by %g", tiny, d)
		}
		if tiny >= 1e-9 && q.K != 9 || tiny == 0 && q.K != 8 {
			t.Errorf("tiny %g: rank %d", tiny, q.K)
		}
	}
}

// Far more columns than rows, of sizes that fall geometrically, down to where their squares underflow: what is left after the
// whole space is found is rounding, and must not be taken for more directions.
func TestOrthonormalOfWideFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, c := range []struct{ rows, k, rank int }{{25, 400, 25}, {25, 150, 7}, {3, 50, 1}, {1, 9, 1}, {40, 130, 39}} {
		for _, ratio := range []float64{1, 0.9, 0.1} {
			f := lowRank(rng, c.rows, c.k, c.rank)
			for j := range c.k {
				f.ScaleColumn(j, math.Pow(ratio, float64(j)))
			}
			q, coef := gcg.Orthonormal(f, 1e-14)
			if q.K != c.rank {
				t.Errorf("%+v, ratio %g: rank %d", c, ratio, q.K)
			}
			orthonormal(t, q, 1e-12)
			back := gcg.Mul(q, coef)
			back.AddScaled(-1, f)
			if d := math.Sqrt(back.Dot(back) / f.Dot(f)); !(d < 1e-13) {
				t.Errorf("%+v, ratio %g: QC differs from F by %g", c, ratio, d)
			}
		}
	}
}

// The decomposition of a product of wide factors keeps its trace norm, that of the product written out.
func TestSVDOfWideFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	u, v := lowRank(rng, 25, 400, 25), lowRank(rng, 20, 400, 20)
	p, s, q := gcg.SVD(u, v, 1e-15)
	orthonormal(t, p, 1e-12)
	orthonormal(t, q, 1e-12)
	var full mat.Dense
	full.Mul(u.Dense(25), v.Dense(20).T())
	var svd mat.SVD
	if !svd.Factorize(&full, mat.SVDThin) {
		t.Fatal("no singular values")
	}
	for i, want := range svd.Values(nil) {
		if math.Abs(s[i]-want) > 1e-12*s[0] {
			t.Errorf("σ%d = %.15g, the dense matrix says %.15g", i, s[i], want)
		}
	}
}

// Factors with NaN or infinite entries have no basis, no norm and no singular values; the largest and the smallest numbers are
// numbers.
func TestOrthonormalOfNotNumbers(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.MaxFloat64, 5e-324} {
		f := lowRank(rand.New(rand.NewPCG(4, 1)), 12, 5, 5)
		f.Row(3)[2] = bad
		q, _ := gcg.Orthonormal(f, 1e-14)
		norm := f.SpectralNorm()
		_, s, _ := gcg.SVD(f, f, 1e-15)
		if math.IsNaN(bad) || math.IsInf(bad, 0) {
			if q.K != 0 || !math.IsNaN(norm) || len(s) != 0 {
				t.Errorf("with %v: a basis of %d columns, norm %v, singular values %v", bad, q.K, norm, s)
			}
			continue
		}
		orthonormal(t, q, 1e-13)
		if q.K != 5 || !(norm >= bad*(1-1e-14)) || math.IsInf(norm, 0) {
			t.Errorf("with %v: a basis of %d columns, norm %v", bad, q.K, norm)
		}
	}
}

func lowRank(rng *rand.Rand, rows, k, rank int) *gcg.Factor {
	left, right := gcg.NewFactor(rows, rank), gcg.Small(rank, k)
	for i := range rows {
		for c := range rank {
			left.Row(i)[c] = rng.NormFloat64()
		}
	}
	for c := range rank {
		for j := range k {
			right.Row(c)[j] = rng.NormFloat64()
		}
	}
	return gcg.Mul(left, right)
}

func orthonormal(t *testing.T, q *gcg.Factor, tol float64) {
	t.Helper()
	gram := gcg.TMul(q, q)
	for i := range q.K {
		for j := range q.K {
			want := 0.0
			if i == j {
				want = 1
			}
			if d := math.Abs(gram.Row(i)[j] - want); !(d <= tol) {
				t.Fatalf("QᵀQ[%d,%d] is off by %g", i, j, d)
			}
		}
	}
}

// Factors that take the memory of others have nothing of them, in their padding neither: all that was there are NaN.
func TestMemoryOfOthersIsOverwritten(t *testing.T) {
	const m, k = 700, 21
	spoil := func() {
		var all []*gcg.Factor
		for _, rows := range []int{24, 32, m, 2 * m} {
			for _, columns := range []int{8, 16, 24, 32} {
				all = append(all, gcg.Room[float64](rows, columns), gcg.Room[float64](rows, columns))
			}
		}
		for _, f := range all {
			for i := range f.Data {
				f.Data[i] = math.NaN()
			}
			gcg.Repay(f)
		}
	}
	rng := rand.New(rand.NewPCG(3, 1))
	f := lowRank(rng, m, k, k)
	g := gcg.TMul(f, f)
	for name, make := range map[string]func() *gcg.Factor{
		"NewFactor":   func() *gcg.Factor { return gcg.NewFactor(m, k) },
		"Small":       func() *gcg.Factor { return gcg.Small(k, k) },
		"Clone":       f.Clone,
		"Widen":       func() *gcg.Factor { return f.Widen(30) },
		"narrower":    func() *gcg.Factor { return f.Widen(5) },
		"FactorIn":    func() *gcg.Factor { return gcg.FactorIn[float64](gcg.FactorIn[float32](f)) },
		"Mul":         func() *gcg.Factor { return gcg.Mul(f, g) },
		"TMul":        func() *gcg.Factor { return gcg.TMul(f, f) },
		"Project":     func() *gcg.Factor { q, _ := gcg.Orthonormal(f, 1e-10); return q.Project(f) },
		"Orthonormal": func() *gcg.Factor { q, _ := gcg.Orthonormal(f, 1e-10); return q },
		"dependent":   func() *gcg.Factor { q, _ := gcg.Orthonormal(lowRank(rng, m, k, 3), 1e-10); return q },
		"SVD":         func() *gcg.Factor { p, _, _ := gcg.SVD(f, f.Clone(), 1e-14); return p },
		"EigenRows":   func() *gcg.Factor { _, z := g.EigenRows(); return z },
	} {
		spoil()
		h := make()
		for i := range h.Rows {
			for c, x := range h.Row(i) {
				if math.IsNaN(x) || c >= h.K && x != 0 {
					t.Fatalf("%s: entry (%d, %d) of %d×%d is %v", name, i, c, h.Rows, h.K, x)
				}
			}
		}
	}
}

// A clone is equal and its own, copied by one or by many.
func TestClone(t *testing.T) {
	for _, rows := range []int{0, 1, 1000, 1<<15 + 1} {
		f := gcg.NewFactorOf[float32](rows, 8)
		for i := range f.Data {
			f.Data[i] = float32(i)
		}
		g := f.Clone()
		if g.Rows != f.Rows || g.K != f.K || !slices.Equal(f.Data, g.Data) {
			t.Errorf("the clone of %d rows differs", rows)
		}
		if rows > 0 {
			if g.Data[0] = -1; f.Data[0] != 0 {
				t.Errorf("the clone of %d rows is the original", rows)
			}
		}
	}
}
