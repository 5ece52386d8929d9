package gauge_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
)

var inf = math.Inf(1)

// signMaximum is max ‖Gᵀu‖_q over all sign vectors u.
func signMaximum(g conform.Matrix, q float64) float64 {
	best, u, x := 0.0, make([]float64, g.M), make([]float64, g.N)
	for code := range 1 << (g.M - 1) {
		for i := range u {
			u[i] = float64(1 - 2*(code>>i&1))
		}
		g.TMulTo(x, u)
		var s float64
		for _, v := range x {
			if q == 1 {
				s += math.Abs(v)
			} else {
				s = math.Hypot(s, v)
			}
		}
		best = math.Max(best, s)
	}
	return best
}

func flip(g conform.Matrix) conform.Matrix {
	t := conform.Matrix{M: g.N, N: g.M, Data: make([]float64, len(g.Data))}
	for i := range g.M {
		for j := range g.N {
			t.Data[j*g.M+i] = g.Data[i*g.N+j]
		}
	}
	return t
}

// most is the largest norm of a row.
func most(g conform.Matrix, q float64) float64 {
	var top float64
	for i := range g.M {
		top = math.Max(top, naiveNorm(g.Data[i*g.N:(i+1)*g.N], q))
	}
	return top
}

// naiveFactor is max uᵀGv by a closed form or by all sign vectors.
func naiveFactor(c, r float64) func(g conform.Matrix) float64 {
	return func(g conform.Matrix) float64 {
		switch {
		case c == 2 && r == 2:
			return spectrum(g)[0]
		case c == 1:
			return most(g, conjugate(r))
		case r == 1:
			return most(flip(g), conjugate(c))
		case c == 2:
			return signMaximum(flip(g), 2)
		case r == 2:
			return signMaximum(g, 2)
		case g.M > g.N:
			return signMaximum(flip(g), 1)
		}
		return signMaximum(g, 1)
	}
}

func TestFactorConforms(t *testing.T) {
	for _, c := range []float64{1, 2, inf} {
		for _, r := range []float64{1, 2, inf} {
			k := gauge.Factor{C: c, R: r}
			use := sizes
			if c != 1 && r != 1 && c+r > 4 {
				use = [][2]int{{1, 1}, {1, 7}, {6, 1}, {5, 7}, {17, 15}} // twins of 2¹⁶ vectors
			}
			t.Run(k.Name(), func(t *testing.T) {
				conforms(t, use, func(m, n int) gcg.Gauge { return k }, naiveFactor(c, r))
			})
		}
	}
}

func TestFactorNames(t *testing.T) {
	for want, k := range map[string]gauge.Factor{
		"factor(2,2)": {}, "factor(2,1)": {R: 1}, "factor(inf,1)": {C: inf, R: 1}, "factor(2,inf) approximate": {R: inf},
		"factor(inf,2) approximate": {C: inf}, "factor(inf,inf) approximate": {C: inf, R: inf},
	} {
		if k.Name() != want || (k.Plain() == nil) != strings.HasSuffix(want, "approximate") {
			t.Errorf("%q, want %q", k.Name(), want)
		}
	}
	_, err := gauge.Factor{C: 3}.Polar(context.Background(), conform.Matrix{M: 1, N: 1, Data: []float64{1}}, gcg.Ask{Count: 1})
	if err == nil || !strings.Contains(err.Error(), "1, 2 or infinite, not 3") {
		t.Errorf("error %v", err)
	}
}

// Too large to enumerate for the gauge, but not for the test: value and bound enclose the maximum, the ratio is kept, and the
// bound is no looser than the inequalities of Nesterov and Krivine promise of the relaxation. Gradients of low rank, sparse and
// badly scaled.
func TestApproximateFactorsKeepTheirPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		k       gauge.Factor
		m, n    int
		promise float64
	}{{gauge.Factor{C: inf, R: 2}, 17, 40, math.Sqrt(math.Pi / 2)}, {gauge.Factor{C: 2, R: inf}, 4, 17,
		math.Sqrt(math.Pi / 2)}, {gauge.Factor{C: inf, R: inf}, 17, 18, 1.783}} {
		for _, kind := range []string{"normal", "low rank", "sparse", "uneven", "zero rows"} {
			g := conform.Matrix{M: c.m, N: c.n, Data: make([]float64, c.m*c.n)}
			u, v := gaussians(rng, c.m), gaussians(rng, c.n)
			for e := range g.Data {
				i, j := e/c.n, e%c.n
				x := rng.NormFloat64()
				switch kind {
				case "low rank":
					x = u[i]*v[j] + 0.01*x
				case "sparse":
					x *= float64(rng.IntN(4) / 3)
				case "uneven":
					x *= math.Exp(3*u[i] + 3*v[j])
				case "zero rows":
					x *= float64(min(i%3, 1))
				}
				g.Data[e] = x
			}
			want := naiveFactor(c.k.C, c.k.R)(g)
			p, err := c.k.Polar(context.Background(), g, gcg.Ask{Count: 4, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s %d×%d %s: value %.4f, bound %.4f of the maximum, %d atoms", c.k.Name(), c.m, c.n, kind, p.Value/want, p.Bound/want,
				len(p.Atoms))
			if p.Kind != gcg.Approximate || p.Value > want*(1+1e-12) || p.Bound < want*(1-1e-12) {
				t.Errorf("%s %s: %v ≤ %v ≤ %v (%s) does not hold", c.k.Name(), kind, p.Value, want, p.Bound, p.Kind)
			}
			if p.Bound > c.promise*want*1.001 || p.Value < p.Alpha*want*(1-1e-12) {
				t.Errorf("%s %s: value %v, bound %v with ratio %v; the maximum is %v", c.k.Name(), kind, p.Value, p.Bound, p.Alpha, want)
			}
			for i, a := range p.Atoms {
				if math.Abs(a.Dot(g)-p.Values[i]) > 1e-12*want {
					t.Errorf("%s %s: atom %d attains %v, not %v", c.k.Name(), kind, i, a.Dot(g), p.Values[i])
				}
			}
		}
	}
}

func gaussians(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// A side too long to enumerate, by products alone, within limits of time; and the Lanczos bound behind it.
func TestLargeFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	g := conform.Matrix{M: 300, N: 270, Data: gaussians(rng, 300*270)}
	for _, k := range []gauge.Factor{{C: inf, R: 2}, {C: 2, R: inf}, {C: inf, R: inf}} {
		p, err := k.Polar(context.Background(), productsOnly{g}, gcg.Ask{Count: 1, Seed: 2})
		if err != nil || p.Alpha < 0.5 || p.Value > p.Bound || math.Abs(p.Atoms[0].Dot(g)-p.Value) > 1e-9*p.Value {
			t.Errorf("%s: %v ≤ κ° ≤ %v, ratio %v, %v", k.Name(), p.Value, p.Bound, p.Alpha, err)
		}
		t.Logf("%s: ratio %.4f (%s, failure %g)", k.Name(), p.Alpha, p.Kind, p.Failure)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (gauge.Factor{C: inf}).Polar(stopped, g, gcg.Ask{Count: 1}); err == nil {
		t.Error("a cancelled context went unnoticed")
	}
}

// Compress gives the cost of the atoms in their own norms, not in Euclidean ones.
func TestFactorCompress(t *testing.T) {
	w := &gcg.Iterate{M: 2, N: 3}
	w.Add([]gcg.Atom{gcg.RankOne([]float64{1, -1}, []float64{1, 1, -1}), gcg.RankOne([]float64{1, 1}, []float64{1, 1, 1})},
		[]float64{2, 3})
	w.Add([]gcg.Atom{{Rows: []int32{0}, Cols: []int32{0}, Vals: []float64{1}, Key: 1}}, []float64{0.5})
	if rho := (gauge.Factor{C: inf, R: inf}).Compress(w); math.Abs(rho-5.5) > 1e-14 {
		t.Errorf("ρ = %v, want 5.5", rho)
	}
}
