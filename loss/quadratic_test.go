package loss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/loss"
)

var _ gcg.CurvedLoss = (*loss.Quadratic)(nil)

// gramian is XᵀX of a rank×n matrix, row-major.
func gramian(rng *rand.Rand, n, rank int) []float64 {
	x, q := normals(rng, rank*n, 1), make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range rank {
				q[i*n+j] += x[k*n+i] * x[k*n+j]
			}
		}
	}
	return q
}

func TestQuadratic(t *testing.T) {
	rng := testRand(8)
	for _, size := range [][2]int{{1, 1}, {9, 9}, {200, 3}, {30, 0}} {
		n, rank := size[0], size[1]
		l := &loss.Quadratic{Q: gramian(rng, n, rank), C: normals(rng, n, 1)}
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		if l.Stride() != n || l.Len() != n {
			t.Errorf("length %d and stride %d of %d predictions that belong together", l.Len(), l.Stride(), n)
		}
		for _, c := range conform.Loss(l, rng) {
			if rank == 0 && c.Name == "loss: second derivative equals differences" {
				continue // of rounding errors relative to 0
			}
			if !c.OK() {
				t.Error(c)
			}
		}
		testCurvature(t, l, rng)
		testNaiveQuadratic(t, l, rng)
	}
}

func testNaiveQuadratic(t *testing.T, l *loss.Quadratic, rng *rand.Rand) {
	t.Helper()
	n := l.Len()
	z := normals(rng, n, 1)
	want, wantR := dot(l.C, z), make([]float64, n)
	for i := range n {
		wantR[i] = -l.C[i]
		for j := range n {
			want += z[i] * l.Q[i*n+j] * z[j] / 2
			wantR[i] -= l.Q[i*n+j] * z[j]
		}
	}
	near(t, "value", l.Eval(0, z, nil), want, 1e-12)
	h := append([]float64(nil), z...)
	l.HessTo(h, 0, z, h)
	near(t, "value in place", l.Eval(0, z, z), want, 1e-12)
	for i := range z {
		near(t, "r", z[i], wantR[i], 1e-12)
		near(t, "product", h[i], -wantR[i]-l.C[i], 1e-12)
	}
}

// Without Q blocks are free, and the curvature is 0.
func TestLinear(t *testing.T) {
	rng := testRand(9)
	l := &loss.Quadratic{C: normals(rng, 100, 1)}
	if err := l.Check(); err != nil || l.Stride() != 1 || l.Curvature() != 0 {
		t.Errorf("check %v, stride %d, curvature %v", err, l.Stride(), l.Curvature())
	}
	z, r := normals(rng, 100, 1), make([]float64, 100)
	value := l.Eval(0, z[:30], r[:30]) + l.Eval(30, z[30:], r[30:])
	near(t, "value", value, dot(l.C, z), 1e-13)
	l.HessTo(z, 0, z, z)
	for i := range r {
		if r[i] != -l.C[i] || z[i] != 0 {
			t.Fatalf("r %v and product %v at %d", r[i], z[i], i)
		}
	}
}

func TestQuadraticRefusesParts(t *testing.T) {
	l := &loss.Quadratic{Q: []float64{1, 0, 0, 1}, C: []float64{0, 0}}
	defer func() {
		if recover() == nil {
			t.Error("half of the predictions were evaluated")
		}
	}()
	l.Eval(0, []float64{1}, nil)
}

func TestQuadraticMessages(t *testing.T) {
	nan, c := math.NaN(), []float64{1, 1}
	testMessages(t, checked{
		"there are no observations":                       &loss.Quadratic{},
		"entry 2 of C is NaN; it must be a finite number": &loss.Quadratic{C: []float64{1, nan}},
		"Q has 3 entries; C has 2, so Q must have 2×2": &loss.Quadratic{Q: []float64{1, 2, 3},
			C: c},
		"entry (2, 1) of Q is NaN; it must be a finite number": &loss.Quadratic{C: c,
			Q: []float64{1, 2, nan, 4}},
		"Q is not symmetric: entry (1, 2) is 2 and entry (2, 1) is 2.1": &loss.Quadratic{C: c,
			Q: []float64{1, 2, 2.1, 9}},
		"Q is not symmetric: entry (1, 2) is 2.1 and entry (2, 1) is 2": &loss.Quadratic{C: c,
			Q: []float64{1, 2.1, 2, 9}},
		"Q has a negative eigenvalue (in its leading 2×2 block), so the loss is not convex": &loss.Quadratic{C: c,
			Q: []float64{1, 2, 2, 3.9}},
		"Q has a negative eigenvalue (in its leading 1×1 block), so the loss is not convex": &loss.Quadratic{Q: []float64{-1, 0, 0, 1},
			C: c},
	})
	for _, q := range [][]float64{{1, 2, 2, 4}, {0, 0, 0, 1}, {0, 0, 0, 0}, {1e300, 0, 0, 1e-300}} {
		if err := (&loss.Quadratic{Q: q, C: c}).Check(); err != nil {
			t.Errorf("Q = %v: %v", q, err)
		}
	}
}
