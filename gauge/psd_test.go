package gauge_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"gonum.org/v1/gonum/mat"
)

// largestEigenvalue of the symmetric part, by the general solver.
func largestEigenvalue(g conform.Matrix) float64 {
	var top float64
	for _, x := range g.Data {
		top = math.Max(top, math.Abs(x))
	}
	s := mat.NewDense(g.N, g.N, nil)
	for i := range g.N {
		for j := range g.N {
			s.Set(i, j, (g.Data[i*g.N+j]+g.Data[j*g.N+i])/2/top)
		}
	}
	var eig mat.Eigen
	if !eig.Factorize(s, mat.EigenNone) {
		panic("no convergence")
	}
	best := math.Inf(-1)
	for _, v := range eig.Values(nil) {
		best = math.Max(best, real(v)*top)
	}
	return best
}

func TestPSDConforms(t *testing.T) {
	squares := [][2]int{{1, 1}, {2, 2}, {5, 5}, {17, 17}}
	conforms(t, squares, func(m, n int) gcg.Gauge { return gauge.Spectrahedron{} }, largestEigenvalue)
	conforms(t, squares, func(m, n int) gcg.Gauge { return gauge.PSDTrace{} }, func(g conform.Matrix) float64 {
		return math.Max(0, largestEigenvalue(g))
	})
}

func TestPSDNeedsSquareMatrices(t *testing.T) {
	g := conform.Matrix{M: 1, N: 2, Data: []float64{1, 2}}
	for _, k := range []gcg.Gauge{gauge.PSDTrace{}, gauge.Spectrahedron{}} {
		if _, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1}); err == nil ||
			!strings.Contains(err.Error(), k.Name()+" is for square matrices, this one is 1×2") {
			t.Errorf("%s: error %v", k.Name(), err)
		}
	}
}

func TestPSDValue(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		w    []float64
		want float64
	}{{[]float64{2, 1, 1, 2}, 4}, {[]float64{1, 2, 2, 1}, inf}, {[]float64{1, 0.5, 0, 1}, inf}, {[]float64{1, 1, 1, 1},
		2}, {make([]float64, 4), 0}, {[]float64{-1, 0, 0, -1}, inf}} {
		if got := (gauge.PSDTrace{}).Of(c.w, 2, 2); got != c.want {
			t.Errorf("κ(%v) = %v, want %v", c.w, got, c.want)
		}
	}
}

// spectral is Q diag(s) Qᵀ with a skew part, and an iterate that spans the first k columns of Q but for a tilt.
func spectral(rng *rand.Rand, s []float64, k int, tilt float64) (conform.Matrix, *gcg.Iterate) {
	n := len(s)
	q := orthonormal(rng, n, n)
	var d mat.Dense
	d.Mul(q, mat.NewDiagDense(n, s))
	d.Mul(&d, q.T())
	for i := range n {
		for j := range i {
			x := rng.NormFloat64()
			d.Set(i, j, d.At(i, j)+x)
			d.Set(j, i, d.At(j, i)-x)
		}
	}
	w := &gcg.Iterate{M: n, N: n}
	for c := range k {
		u := mat.Col(nil, c, q)
		for i := range u {
			u[i] += tilt * rng.NormFloat64() / math.Sqrt(float64(n))
		}
		w.Add([]gcg.Atom{gcg.RankOne(u, u)}, []float64{1})
	}
	return conform.Matrix{M: n, N: n, Data: d.RawMatrix().Data}, w
}

// Above the dense limit the bound is never below λ₁, whatever the spectrum: clustered, with a much larger negative end, or
// negative altogether. The structure of an iterate makes it sharp, and so does a proof.
func TestLargeEigenvalueBoundIsHonest(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const n = 264
	for _, c := range []struct{ top, second, bottom float64 }{{1, 0.9, -1}, {1, 0.999, -1}, {1, 0.5, -50}, {-1, -1.1, -2},
		{-1e-3, -1, -3}, {1, 1, 1}} {
		s := make([]float64, n)
		for i := range s {
			s[i] = c.second + (c.bottom-c.second)*float64(i)/n
			if i < 4 {
				s[i] = c.top
			}
		}
		g, w := spectral(rng, s, 4, 1e-5)
		for _, k := range []gauge.Spectrahedron{{}, {Steps: 1}, {Steps: 15}} {
			for name, ask := range map[string]gcg.Ask{"plain": {Tol: 0.1}, "structure": {Tol: 1e-4, W: w},
				"exact": {Tol: 1e-8, Exact: true, W: w}} {
				ask.Count, ask.Seed = 6, 3
				t.Run(fmt.Sprintf("%v/%s/steps%d", c, name, k.Steps), func(t *testing.T) {
					p, err := k.Polar(context.Background(), productsOnly{g}, ask)
					if err != nil {
						t.Fatal(err)
					}
					size := math.Max(math.Abs(c.top), math.Abs(c.bottom))
					if p.Bound < c.top-1e-12*size || p.Value > c.top+1e-12*size {
						t.Errorf("%v ≤ %v ≤ %v (%s) does not hold", p.Value, c.top, p.Bound, p.Kind)
					}
					if name == "exact" && (p.Kind != gcg.Proven || p.Bound > c.top+1e-7*size && k.Steps == 0) {
						t.Errorf("exact bound %v (%s) of %v", p.Bound, p.Kind, c.top)
					}
					for i := range p.Atoms {
						if d := math.Abs(p.Atoms[i].Dot(g) - p.Values[i]); d > 1e-10*size || !p.Atoms[i].Symmetric {
							t.Errorf("atom %d attains %v, off by %g", i, p.Values[i], d)
						}
					}
				})
			}
		}
	}
}

// Without a proof at hand the probable bound must hold too: many seeds, a side above the limit of proofs would be slow,
// so a spectrum that few steps resolve badly.
func TestProbableEigenvalueBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	s := make([]float64, 280)
	for i := range s {
		s[i] = 1 - math.Pow(float64(i)/280, 2)*3
	}
	g, _ := spectral(rng, s, 0, 0)
	for seed := range uint64(20) {
		p, err := gauge.Spectrahedron{Steps: 40}.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 0.5, Seed: seed})
		if err != nil || p.Kind != gcg.Probable || p.Bound < 1 || p.Bound > 2 {
			t.Errorf("seed %d: %v ≤ κ° ≤ %v (%s), %v", seed, p.Value, p.Bound, p.Kind, err)
		}
	}
}
