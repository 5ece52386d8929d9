package gauge_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/operator"
	"gonum.org/v1/gonum/mat"
)

// clustered is W + noise at sampled entries: near a solution the spectrum clusters at the top. It returns the map, its
// singular values and an iterate that spans the leading spaces but for a perturbation.
func clustered(t *testing.T, m, n, k int, tail, tilt float64, seed uint64) (gcg.Map, []float64, *gcg.Iterate) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	u, v := orthonormal(rng, m, n), orthonormal(rng, n, n)
	s := make([]float64, n)
	for i := range s {
		if i < k {
			s[i] = 1 + 1e-6*rng.Float64()
		} else {
			s[i] = tail * math.Pow(0.97, float64(i-k))
		}
	}
	var g mat.Dense
	g.Mul(u, mat.NewDiagDense(n, s))
	g.Mul(&g, v.T())
	op := dense(t, m, n)
	w := &gcg.Iterate{M: m, N: n}
	for c := range k {
		a, b := mat.Col(nil, c, u), mat.Col(nil, c, v)
		for i := range a {
			a[i] += tilt * rng.NormFloat64() / math.Sqrt(float64(m))
		}
		for i := range b {
			b[i] += tilt * rng.NormFloat64() / math.Sqrt(float64(n))
		}
		w.Add([]gcg.Atom{gcg.RankOne(a, b)}, []float64{1 + float64(c)})
	}
	gauge.Trace{}.Compress(w)
	return op.Adjoint(g.RawMatrix().Data), s, w
}

func orthonormal(rng *rand.Rand, m, n int) *mat.Dense {
	x := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(x)
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, m, 0, n))
}

// dense observes every entry.
func dense(t *testing.T, m, n int) *operator.Sampling {
	t.Helper()
	ptr, cols := make([]int64, m+1), make([]int32, m*n)
	for i := range m {
		ptr[i+1] = int64((i + 1) * n)
		for j := range n {
			cols[i*n+j] = int32(j)
		}
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// The bound is never below σ₁, whatever the spectrum, and sharp when asked to be.
func TestBoundIsHonest(t *testing.T) {
	for _, c := range []struct{ tail, tilt float64 }{{0.5, 1e-4}, {0.9, 1e-4}, {0.98, 1e-3}, {0.9999, 1e-5}, {1, 0}, {0.3, 0.3}} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("tail%g/tilt%g/%d", c.tail, c.tilt, seed), func(t *testing.T) {
				g, s, w := clustered(t, 340, 300, 6, c.tail, c.tilt, seed)
				top := 0.0
				for _, x := range s {
					top = math.Max(top, x)
				}
				for _, fresh := range []bool{false, true} {
					p, err := gauge.Trace{}.Polar(context.Background(), g, gcg.Ask{Count: 4, Above: 1, Tol: 1e-5, OutsideW: fresh, W: w,
						Seed: seed})
					if err != nil {
						t.Fatal(err)
					}
					if p.Bound < top*(1-1e-12) {
						t.Errorf("bound %.12g (%s) below σ₁ = %.12g", p.Bound, p.Kind, top)
					}
					if p.Value > top*(1+1e-12) {
						t.Errorf("value %.12g above σ₁ = %.12g", p.Value, top)
					}
					distant := fresh && c.tilt > 0.1 // an iterate far from optimal is improved before its bound is sharpened
					if p.Bound > top*1.01 && len(p.Atoms) == 0 && !distant {
						t.Errorf("bound %.6g is loose: σ₁ = %.6g", p.Bound, top)
					}
				}
				exact, err := gauge.Trace{}.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 1e-6, Exact: true, W: w})
				if err != nil || exact.Kind != gcg.Proven || exact.Bound < top*(1-1e-12) || exact.Bound > top*(1+1e-4) {
					t.Errorf("exact bound %.12g (%s), σ₁ = %.12g, %v", exact.Bound, exact.Kind, top, err)
				}
			})
		}
	}
}

// What is known of the spaces of W is taken over, once, and gives the same bound; what is not orthonormal is not taken.
func TestSidesAreTakenOver(t *testing.T) {
	g, s, w := clustered(t, 340, 300, 6, 0.9, 1e-3, 3)
	polar := func(projections *gcg.Projections) gcg.Polar {
		p, err := gauge.Trace{}.Polar(context.Background(), g, gcg.Ask{Count: 4, Above: 1, Tol: 1e-5, OutsideW: true, W: w,
			Spectral: gcg.SpectralAsk{Projections: projections}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	projections := func() *gcg.Projections {
		p, _ := gcg.Orthonormal(w.U, 1e-10)
		q, _ := gcg.Orthonormal(w.V, 1e-10)
		gq, gp := gcg.Both(g, p, q)
		return &gcg.Projections{P: p, Q: q, GQ: gq, GP: gp}
	}
	want := polar(nil).Bound
	taken, crooked := projections(), projections()
	crooked.Q.ScaleColumn(0, 0.5)
	crooked.GQ.Scale(0)
	for name, projections := range map[string]*gcg.Projections{"taken": taken, "crooked": crooked} {
		if p := polar(projections); math.Abs(p.Bound-want) > 1e-9 || p.Bound < slices.Max(s)*(1-1e-12) {
			t.Errorf("%s: bound %.12g, without %.12g", name, p.Bound, want)
		}
	}
	if taken.GQ != nil || crooked.GQ.Data == nil {
		t.Error("what was given was not taken over, or was though it is not orthonormal")
	}
	if p := polar(taken); math.Abs(p.Bound-want) > 1e-9 {
		t.Errorf("asked again with what was taken: bound %.12g, without %.12g", p.Bound, want)
	}
}

// reflected is (I-2ppᵀ) diag(s) (I-2qqᵀ) for unit p (m) and q (n ≤ m): any spectrum on any scale, for the price of a vector.
type reflected struct{ p, q, s []float64 }

func (g reflected) Dims() (m, n int) { return len(g.p), len(g.q) }

func (g reflected) MulTo(dst, x []float64)  { g.product(dst, x, g.p, g.q) }
func (g reflected) TMulTo(dst, y []float64) { g.product(dst, y, g.q, g.p) }

func (g reflected) product(dst, x, left, right []float64) {
	x = append([]float64(nil), x...)
	reflect(x, right)
	clear(dst)
	for i, si := range g.s {
		dst[i] = si * x[i]
	}
	reflect(dst, left)
}

func reflect(x, unit []float64) {
	var d float64
	for i, u := range unit {
		d += u * x[i]
	}
	for i, u := range unit {
		x[i] -= 2 * d * u
	}
}

// A short Lanczos run must not certify: with few steps allowed the bound grows, it never falls below σ₁. The sides are beyond
// those that are decomposed whole or proven.
func TestFewStepsWidenTheBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, tail := range []float64{0.3, 0.99, 1} {
		g := reflected{unitVector(rng, 1700), unitVector(rng, 1600), make([]float64, 1600)}
		for i := range g.s {
			g.s[i] = tail * math.Pow(0.97, float64(i-2))
		}
		g.s[0], g.s[1], g.s[2] = 1, 1-1e-6*rng.Float64(), 1-1e-6*rng.Float64()
		for _, steps := range []int{1, 2, 5, 12, 30, 200} {
			for seed := range uint64(5) {
				p, err := gauge.Trace{Steps: steps}.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 1e-6, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				if p.Bound < 1 || p.Value > 1+1e-12 {
					t.Errorf("tail %g, %d steps: %v ≤ σ₁ ≤ %v is wrong of σ₁ = 1", tail, steps, p.Value, p.Bound)
				}
				if steps == 200 && p.Bound > 1.01 {
					t.Errorf("tail %g: after %d steps the bound is %v of σ₁ = 1", tail, steps, p.Bound)
				}
			}
		}
	}
}

func unitVector(rng *rand.Rand, n int) []float64 {
	u := make([]float64, n)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	norm := gcg.Norm(u)
	for i := range u {
		u[i] /= norm
	}
	return u
}

// The probability that a bound does not hold is the one that was asked for, and said.
func TestFailureIsTheOption(t *testing.T) {
	g, _, w := clustered(t, 340, 300, 6, 0.9, 1e-3, 3)
	for _, c := range []struct{ asked, want float64 }{{0, 1e-9}, {1e-5, 1e-5}} {
		p, err := gauge.Trace{Failure: c.asked}.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 0.5, W: w})
		if err != nil || p.Kind != gcg.Probable || p.Failure != c.want {
			t.Errorf("asked for %g: %s with probability %g, %v", c.asked, p.Kind, p.Failure, err)
		}
	}
}

func TestTraceConforms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, d := range [][2]int{{1, 1}, {1, 9}, {30, 1}, {20, 30}, {300, 280}} {
		op := dense(t, d[0], d[1])
		for _, scale := range []float64{1, 1e-100, 1e100} {
			r := make([]float64, d[0]*d[1])
			for i := range r {
				r[i] = scale * rng.NormFloat64()
			}
			checks, err := conform.Gauge(context.Background(), gauge.Trace{}, op.Adjoint(r), rng)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range checks {
				if !c.OK() {
					t.Errorf("%v at %g: %v", d, scale, c)
				}
			}
		}
		zero, err := gauge.Trace{}.Polar(context.Background(), op.Adjoint(make([]float64, d[0]*d[1])), gcg.Ask{Count: 1})
		if err != nil || zero.Value != 0 || zero.Bound != 0 {
			t.Errorf("%v: the polar at 0 is %v ≤ κ° ≤ %v, %v", d, zero.Value, zero.Bound, err)
		}
	}
}

func TestCompressIsTheTraceNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	w := &gcg.Iterate{M: 30, N: 20}
	want := mat.NewDense(30, 20, nil)
	for range 12 {
		u, v := make([]float64, 30), make([]float64, 20)
		for i := range u {
			u[i] = rng.NormFloat64()
		}
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		w.Add([]gcg.Atom{gcg.RankOne(u, v), gcg.RankOne(u, v)}, []float64{0.5, 0.25}) // parallel atoms
		want.RankOne(want, 0.75, mat.NewVecDense(30, u), mat.NewVecDense(20, v))
	}
	var svd mat.SVD
	svd.Factorize(want, mat.SVDNone)
	var sum float64
	for _, x := range svd.Values(nil) {
		sum += x
	}
	if rho := (gauge.Trace{}).Compress(w); math.Abs(rho-sum) > 1e-10*sum || w.Rank() != 12 {
		t.Errorf("κ = %.12g with rank %d, want %.12g with 12", rho, w.Rank(), sum)
	}
	for i := range 30 {
		for j := range 20 {
			var x float64
			for c := range w.Rank() {
				x += w.U.Row(i)[c] * w.V.Row(j)[c]
			}
			if math.Abs(x-want.At(i, j)) > 1e-10 {
				t.Fatalf("W[%d,%d] became %g, was %g", i, j, x, want.At(i, j))
			}
		}
	}
}

func TestPenaltiesAreConjugate(t *testing.T) {
	for name, h := range map[string]gcg.Penalty{"linear": gauge.Linear{Lambda: 2}, "square": gauge.Square{Lambda: 3},
		"no square": gauge.Square{}, "ball": gauge.Ball{Zeta: 1.5}} {
		for _, y := range []float64{-1, 0, 0.5, 2, 7} {
			got, at := h.Conj(y, 4)
			best := math.Inf(-1)
			for x := 0.0; x <= 4; x += 1e-3 {
				best = math.Max(best, x*y-h.Value(x))
			}
			if math.Abs(got-best) > 1e-2 || at < 0 || at > math.Min(4, h.Max()) {
				t.Errorf("%s: h*(%g) = %g at %g, a scan finds %g", name, y, got, at, best)
			}
		}
	}
}

// Subnormal entries have a polar like others.
func TestSubnormalPolar(t *testing.T) {
	g := conform.Matrix{M: 2, N: 2, Data: []float64{3e-310, 0, 0, 1e-310}}
	k := gauge.Factor{C: 2, R: math.Inf(1)}
	p, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 1e-9})
	if err != nil || !(math.Abs(p.Atoms[0].Dot(g)/p.Value-1) < 1e-9) {
		t.Errorf("%s: %v, value %v, and the atom attains %v", k.Name(), err, p.Value, p.Atoms[0].Dot(g))
	}
	for _, k := range []gcg.Gauge{gauge.Trace{}, gauge.PSDTrace{}} {
		p, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 1e-9})
		if err != nil || math.Abs(p.Value/3e-310-1) > 1e-9 || !(p.Bound >= p.Value) || p.Bound > 3.1e-310 {
			t.Errorf("%s: %v, %v to %v", k.Name(), err, p.Value, p.Bound)
		}
	}
}
