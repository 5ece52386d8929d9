package loss_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
)

// A separable loss has all capabilities; its blocks may be cut at every multiple of the stride.
type separable interface {
	gcg.CurvedLoss
	gcg.ConjugateLoss
	Check() error
}

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 5)) }

func normals(rng *rand.Rand, n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * rng.NormFloat64()
	}
	return x
}

// weights are positive, some of them 0.
func weights(rng *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		if i%7 != 3 {
			w[i] = 3 * rng.Float64()
		}
	}
	return w
}

func signs(rng *rand.Rand, n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(2*rng.IntN(2) - 1)
	}
	return y
}

func dot(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// near asks for |got-want| ≤ tol·max(1, |want|), or for the same infinity.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// testLoss runs every property that a separable loss of at most a few thousand predictions has.
func testLoss(t *testing.T, l separable, seed uint64) {
	t.Helper()
	rng := testRand(seed)
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	for _, c := range conform.Loss(l, rng) {
		if !c.OK() {
			t.Error(c)
		}
	}
	testBlocks(t, l, rng)
	testAliases(t, l, rng)
	testCurvature(t, l, rng)
	testFenchel(t, l, rng)
}

// testBlocks: values of blocks add up, and derivatives and products of a block are those of the whole.
func testBlocks(t *testing.T, l separable, rng *rand.Rand) {
	t.Helper()
	n, stride := l.Len(), l.Stride()
	z, e := normals(rng, n, 2), normals(rng, n, 1)
	r, h := make([]float64, n), make([]float64, n)
	value := l.Eval(0, z, r)
	l.HessTo(h, 0, z, e)
	near(t, "value without r", l.Eval(0, z, nil), value, 0)
	part, hp := make([]float64, n), make([]float64, n)
	var sum, conj float64
	for lo := 0; lo < n; {
		hi := min(n, lo+stride*(1+rng.IntN(5)))
		sum += l.Eval(lo, z[lo:hi], part[lo:hi])
		l.HessTo(hp[lo:hi], lo, z[lo:hi], e[lo:hi])
		conj += l.Conjugate(lo, r[lo:hi], 0.7)
		lo = hi
	}
	near(t, "sum over blocks", sum, value, 1e-13)
	near(t, "conjugate over blocks", conj, l.Conjugate(0, r, 0.7), 1e-12)
	for i := range r {
		if part[i] != r[i] || math.Abs(hp[i]-h[i]) > 1e-15 {
			t.Fatalf("prediction %d: a block has r %v and product %v, the whole %v and %v", i, part[i], hp[i], r[i], h[i])
		}
	}
}

// testAliases: r may be z, and dst may be e.
func testAliases(t *testing.T, l separable, rng *rand.Rand) {
	t.Helper()
	n := l.Len()
	z, e := normals(rng, n, 2), normals(rng, n, 1)
	r, h := make([]float64, n), make([]float64, n)
	value := l.Eval(0, z, r)
	l.HessTo(h, 0, z, e)
	l.HessTo(e, 0, z, e)
	if got := l.Eval(0, z, z); got != value {
		t.Errorf("value %v with r in place of z, %v without", got, value)
	}
	for i := range r {
		if z[i] != r[i] || e[i] != h[i] {
			t.Fatalf("prediction %d: in place r %v and product %v, else %v and %v", i, z[i], e[i], r[i], h[i])
		}
	}
}

// testCurvature: ∇² is symmetric, and 0 ≤ ⟨e, ∇²e⟩ ≤ curvature·‖e‖²; r is Lipschitz with the same constant.
func testCurvature(t *testing.T, l gcg.CurvedLoss, rng *rand.Rand) {
	t.Helper()
	n := l.Len()
	for range 20 {
		z, a, b := normals(rng, n, 1), normals(rng, n, 1), normals(rng, n, 1)
		ha, hb := make([]float64, n), make([]float64, n)
		l.HessTo(ha, 0, z, a)
		l.HessTo(hb, 0, z, b)
		near(t, "symmetry", dot(a, hb), dot(b, ha), 1e-12)
		top := l.Curvature() * (1 + 1e-12)
		if q := dot(a, ha); q < -1e-14 || q > top*dot(a, a) {
			t.Errorf("⟨e, ∇²e⟩ = %v is not in 0 … %v", q, top*dot(a, a))
		}
		r, s := make([]float64, n), make([]float64, n)
		l.Eval(0, z, r)
		l.Eval(0, a, s)
		for i := range r {
			r[i] -= s[i]
			z[i] -= a[i]
		}
		if gcg.Norm(r) > top*gcg.Norm(z) {
			t.Errorf("r changes by %v over a distance of %v: more than the curvature %v", gcg.Norm(r), gcg.Norm(z), top)
		}
	}
}

// testFenchel: L(x) + L*(-s r(z)) ≥ ⟨-s r(z), x⟩ at every x and s, with equality at x = z, s = 1; L* is finite for s ≤ 1,
// because ∇L(z) and a minimiser's 0, or a limit of such, are in its convex domain.
func testFenchel(t *testing.T, l separable, rng *rand.Rand) {
	t.Helper()
	n := l.Len()
	r := make([]float64, n)
	for _, size := range []float64{0.1, 1, 30} {
		z := normals(rng, n, size)
		f := l.Eval(0, z, r)
		near(t, "equality at z", f+l.Conjugate(0, r, 1), -dot(r, z), 1e-11)
		for _, s := range []float64{0, 0.3, 0.9, 1, 1.01, 3} {
			conj := l.Conjugate(0, r, s)
			if math.IsNaN(conj) || s <= 1 && math.IsInf(conj, 1) {
				t.Errorf("the conjugate at s = %v is %v", s, conj)
			}
			for range 20 {
				x := normals(rng, n, 3*size)
				left, right := l.Eval(0, x, nil)+conj, -s*dot(r, x)
				if left < right-1e-11*math.Max(1, math.Abs(right)) {
					t.Errorf("Fenchel at s = %v: %v < %v", s, left, right)
				}
			}
		}
	}
}

// testMessages: Check says each line.
func testMessages(t *testing.T, cases map[string]interface{ Check() error }) {
	t.Helper()
	for want, l := range cases {
		err := l.Check()
		if err == nil || err.Error() != "loss: "+want || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v\nwant loss: %s", err, want)
		}
	}
}
