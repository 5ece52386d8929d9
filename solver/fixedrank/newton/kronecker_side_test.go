package newton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/factor"
	"github.com/seed-b18ef778/gcg/solver/fixedrank/model"
)

// gaussian is a factor of independent normal entries.
func gaussian(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = rng.NormFloat64()
		}
	}
	return f
}

// What a side solves for is put into L A J + λ A S⁻¹, with L of any kind.
func TestKroneckerSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range [][2]int{{1, 1}, {12, 5}, {19, 9}, {24, 24}} {
		m, k := size[0], size[1]
		sigma, slope := make([]float64, k), 0.3
		for i := range sigma {
			sigma[i] = math.Pow(10, -2*float64(i)/float64(k))
		}
		j, l := wishart(rng, k), wishart(rng, m)
		diagonal := model.Spectrum[float64]{Values: l.Diagonal()}
		for _, left := range []model.Spectrum[float64]{model.NewSpectrum(l), diagonal} {
			z, r := gcg.NewFactor(m, k), gaussian(rng, m, k)
			newKroneckerSide(m, left, whitened(j, sigma), slope).solveTo(z, r)
			back := gcg.Mul(left.Times(z), j)
			inverse := make([]float64, z.Stride)
			for c, s := range sigma {
				inverse[c] = slope / s
			}
			factor.AddByColumn(back, inverse, z)
			back.AddScaled(-1, r)
			if off := math.Sqrt(back.Dot(back) / r.Dot(r)); off > 1e-3 { // the floor is 1e-6 of L and J at most
				t.Errorf("%d×%d: the residual is %g of the right side", m, k, off)
			}
		}
	}
}

// The steps that are taken from M to A and back are those with I - PPᵀ written out, and make a symmetric matrix.
func TestKroneckerCouplesSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const m, c, k = 14, 11, 5
	left, _ := gcg.Orthonormal(gaussian(rng, m, k), 1e-9)
	right, _ := gcg.Orthonormal(gaussian(rng, c, k), 1e-9)
	n := &Iteration{position: position{left: left, right: right, sigma: []float64{3, 2, 1, 0.5, 0.1}, lambda: 0.3}}
	l := model.NewSpectrum(wishart(rng, m))
	pre := newKronecker[float64](n, l, model.Spectrum[float64]{Values: wishart(rng, c).Diagonal()})
	solve := func(r tangent[float64]) tangent[float64] {
		z := r.zero()
		pre.CoreTo(z.m, r.m)
		pre.sidesTo(z, r)
		z.a.Project(left)
		z.b.Project(right)
		return z
	}
	var r, z [2]tangent[float64]
	for i := range r {
		r[i] = tangent[float64]{gcg.Small(k, k), gaussian(rng, m, k), gaussian(rng, c, k)}
		for a := range k {
			copy(r[i].m.Row(a), gaussian(rng, 1, k).Row(0))
		}
		r[i].a.Project(left)
		r[i].b.Project(right)
		z[i] = solve(r[i])
	}
	if x, y := z[0].dot(r[1]), z[1].dot(r[0]); math.Abs(x-y) > 2*coreAccuracy*math.Sqrt(z[0].dot(r[0])*z[1].dot(r[1])) {
		t.Errorf("%g one way, %g the other", x, y)
	}

	want, m0 := r[0].a.Clone(), gcg.Small(k, k) // A by the definition
	pre.CoreTo(m0, r[0].m)
	want.AddScaled(-1, l.Times(gcg.Mul(left, gcg.Mul(m0, pre.core.j))))
	want.Project(left)
	got := gcg.NewFactor(m, k)
	pre.a.solveTo(got, want)
	got.Project(left)
	got.AddScaled(-1, z[0].a)
	if off := math.Sqrt(got.Dot(got) / z[0].a.Dot(z[0].a)); off > 1e-10 {
		t.Errorf("A is off by %g", off)
	}
}

// Transposes of any shape are what an entry at a time makes.
func TestTransposed(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, size := range [][2]int{{0, 3}, {1, 1}, {3, 0}, {7, 9}, {16, 8}, {30, 64}} {
		f := gaussian(rng, size[0], size[1])
		g := factor.Transposed(f, f.Rows)
		if g.K != f.Rows || g.Rows != (f.K+7)&^7 {
			t.Fatalf("%v: the transpose is %d×%d", size, g.Rows, g.K)
		}
		for i := range g.Rows {
			for j, x := range g.Row(i) {
				var want float64
				if i < f.K && j < f.Rows {
					want = f.Row(j)[i]
				}
				if x != want {
					t.Fatalf("%v: entry %d, %d is %v, want %v", size, i, j, x, want)
				}
			}
		}
	}
}

// Features that are hardly correlated take no eigenvectors, on whatever scales they are, and those that are alike do; what L makes of P within
// the space of P alone does not couple A with M.
func TestKroneckerOfUncorrelatedFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 11))
	x := gaussian(rng, 200, 20)
	by := make([]float64, x.Stride)
	for c := range by {
		by[c] = math.Pow(10, float64(c%4))
	}
	x.ScaleColumns(by)
	gram := gcg.TMul(x, x)
	l := new(model.Basis).spectrum(gram)
	if l.Vectors != nil {
		t.Error("eigenvectors of independent features")
	}
	for c, d := range gram.Diagonal() {
		if l.Values[c] != d {
			t.Errorf("value %d is %v, not %v", c, l.Values[c], d)
		}
	}
	for i := range x.Rows {
		for c := range 8 {
			x.Row(i)[c] += 1e3 * x.Row(i)[19]
		}
	}
	if new(model.Basis).spectrum(gcg.TMul(x, x)).Vectors == nil {
		t.Error("no eigenvectors of features that are alike")
	}

	left, _ := gcg.Orthonormal(gaussian(rng, 20, 5), 1e-9)
	right, _ := gcg.Orthonormal(gaussian(rng, 9, 5), 1e-9)
	n := &Iteration{position: position{left: left, right: right, sigma: []float64{3, 2, 1, 0.5, 0.1}, lambda: 0.3}}
	ones := model.Spectrum[float64]{Values: slices.Repeat([]float64{2}, 20)}
	if newKronecker[float64](n, ones, model.Spectrum[float64]{Values: wishart(rng, 9).Diagonal()}).lp != nil {
		t.Error("coupled by a multiple of the identity")
	}
	if newKronecker[float64](n, l, model.Spectrum[float64]{Values: wishart(rng, 9).Diagonal()}).lp == nil {
		t.Error("not coupled by features of different scales")
	}
}
