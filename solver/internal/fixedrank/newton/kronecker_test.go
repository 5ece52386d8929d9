package newton_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// The residual of a solution is as small as it is to be.
func TestCoreEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{1, 2, 7, 24} {
		sigma := make([]float64, k)
		for i := range sigma {
			sigma[i] = math.Pow(10, -3*float64(i)/float64(k))
		}
		e := newton.NewCoreEquation(wishart(rng, k), wishart(rng, k), sigma, 0.3)
		r, m, back := gcg.Small(k, k), gcg.Small(k, k), gcg.Small(k, k)
		for i := range k {
			for c := range k {
				r.Row(i)[c] = rng.NormFloat64()
			}
		}
		e.Solve(m, r)
		e.Apply(back, m)
		back.AddScaled(-1, r)
		left, before := gcg.Small(k, k), gcg.Small(k, k)
		e.Pairs(left, back)
		e.Pairs(before, r)
		if got, want := math.Sqrt(back.Dot(left)), 1.01*newton.CoreAccuracy*math.Sqrt(r.Dot(before)); got > want {
			t.Errorf("k = %d: residual %g, want at most %g", k, got, want)
		}
	}
}

// The pairs are the whole equation where K and J are diagonal.
func TestCorePairs(t *testing.T) {
	const k = 5
	d := gcg.Small(k, k)
	for i := range k {
		d.Row(i)[i] = float64(1 + i*i)
	}
	e := newton.NewCoreEquation(d, d, []float64{4, 2, 1, 0.5, 1e-3}, 2)
	r, m, back := gcg.Small(k, k), gcg.Small(k, k), gcg.Small(k, k)
	for i := range k {
		for c := range k {
			r.Row(i)[c] = float64(1 + 3*i - c*c)
		}
	}
	e.Pairs(m, r)
	e.Apply(back, m)
	for i := range k {
		for c := range k {
			if got, want := back.Row(i)[c], r.Row(i)[c]; math.Abs(got-want) > 1e-9 {
				t.Errorf("entry %d, %d: %g, want %g", i, c, got, want)
			}
		}
	}
}

// gaussian is a factor of independent normal entries.
func gaussian(rng *rand.Rand, rows, k int) *gcg.Factor { return normal(rng, gcg.NewFactor(rows, k)) }

// wishart is XᵀX/n of n = 2k Gaussian rows, whose columns grow to ten times the first.
func wishart(rng *rand.Rand, k int) *gcg.Factor {
	x := gaussian(rng, 2*k, k)
	by := make([]float64, x.Stride)
	for c := range k {
		by[c] = (1 + 9*float64(c)/float64(k)) / math.Sqrt(float64(x.Rows))
	}
	x.ScaleColumns(by)
	return gcg.TMul(x, x)
}

// What a side solves for is put into L A J + λ A S⁻¹, with L of any kind.
func TestKroneckerSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range [][2]int{{1, 1}, {12, 5}, {19, 9}, {24, 24}} {
		m, k := size[0], size[1]
		sigma, lambda := make([]float64, k), 0.3
		for i := range sigma {
			sigma[i] = math.Pow(10, -2*float64(i)/float64(k))
		}
		j, l := wishart(rng, k), wishart(rng, m)
		diagonal := model.Spectrum[float64]{Values: l.Diagonal()}
		for _, left := range []model.Spectrum[float64]{model.NewSpectrum(l), diagonal} {
			z, r := gcg.NewFactor(m, k), gaussian(rng, m, k)
			newton.Side(m, left, j, sigma, lambda)(z, r)
			back := gcg.Mul(left.Times(z), j)
			inverse := make([]float64, z.Stride)
			for c, s := range sigma {
				inverse[c] = lambda / s
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
	n := newton.At(left, right, []float64{3, 2, 1, 0.5, 0.1}, 0.3)
	l := model.NewSpectrum(wishart(rng, m))
	pre := newton.NewKronecker(n, l, model.Spectrum[float64]{Values: wishart(rng, c).Diagonal()})
	var r, z [2]newton.Tangent
	for i := range r {
		m0 := gcg.Small(k, k)
		a0, b0 := gaussian(rng, m, k), gaussian(rng, c, k)
		for a := range k {
			copy(m0.Row(a), gaussian(rng, 1, k).Row(0))
		}
		a0.Project(left)
		b0.Project(right)
		r[i] = newton.NewTangent(m0, a0, b0)
		z[i] = pre.Solve(r[i])
		_, za, zb := z[i].Blocks()
		za.Project(left)
		zb.Project(right)
	}
	if x, y := z[0].Dot(r[1]), z[1].Dot(r[0]); math.Abs(x-y) > 2*newton.CoreAccuracy*math.Sqrt(z[0].Dot(r[0])*z[1].Dot(r[1])) {
		t.Errorf("%g one way, %g the other", x, y)
	}

	rm, ra, _ := r[0].Blocks()
	_, za, _ := z[0].Blocks()
	want, zm := ra.Clone(), gcg.Small(k, k) // A by the definition
	pre.CoreTo(zm, rm)
	want.AddScaled(-1, l.Times(gcg.Mul(left, gcg.Mul(zm, pre.J()))))
	want.Project(left)
	got := gcg.NewFactor(m, k)
	pre.SolveA(got, want)
	got.Project(left)
	got.AddScaled(-1, za)
	if off := math.Sqrt(got.Dot(got) / za.Dot(za)); off > 1e-10 {
		t.Errorf("A is off by %g", off)
	}
}

// What L makes of P within the space of P alone does not couple A with M, and features of different scales do.
func TestKroneckerCouplesOnlyWhatMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 11))
	left, _ := gcg.Orthonormal(gaussian(rng, 20, 5), 1e-9)
	right, _ := gcg.Orthonormal(gaussian(rng, 9, 5), 1e-9)
	n := newton.At(left, right, []float64{3, 2, 1, 0.5, 0.1}, 0.3)
	ones, scales := slices.Repeat([]float64{2}, 20), make([]float64, 20)
	for c := range scales {
		scales[c] = math.Pow(100, float64(c%4)) // the squares of scales from 1 to 1000
	}
	r := model.Spectrum[float64]{Values: wishart(rng, 9).Diagonal()}
	if newton.NewKronecker(n, model.Spectrum[float64]{Values: ones}, r).Couples() {
		t.Error("coupled by a multiple of the identity")
	}
	if !newton.NewKronecker(n, model.Spectrum[float64]{Values: scales}, r).Couples() {
		t.Error("not coupled by features of different scales")
	}
}
