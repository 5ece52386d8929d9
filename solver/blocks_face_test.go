package solver

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// facedProblem has features of several scales, offset from 0, and a few that matter.
func facedProblem(t *testing.T, rows, features, outputs int, seed uint64) *gcg.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	x, y := make([]float64, rows*features), make([]float64, rows*outputs)
	scale, offset := make([]float64, features), make([]float64, features)
	for j := range features {
		scale[j], offset[j] = math.Pow(10, 2*rng.Float64()-1), 3*rng.NormFloat64()
	}
	w := make([]float64, features*outputs)
	for i := range w {
		if i/outputs%3 == 0 {
			w[i] = rng.NormFloat64()
		}
	}
	for i := range rows {
		for j := range features {
			z := rng.NormFloat64()
			x[i*features+j] = (z + offset[j]) * scale[j]
			for c := range outputs {
				y[i*outputs+c] += z * w[j*outputs+c]
			}
		}
		for c := range outputs {
			y[i*outputs+c] += rng.NormFloat64()
		}
	}
	f, err := operator.DenseFeatures(rows, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: 1, Group: outputs}, Gauge: gauge.Group{Inner: gauge.LInf}, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
}

// Descent over blocks alone stalls on such data: at gaps of 1e-5 and more, after many iterations.
func TestFacesCloseTheGap(t *testing.T) {
	for seed := range uint64(4) {
		p := facedProblem(t, 150, 25, 4, seed)
		r, err := Run(context.Background(), p, &GCG{}, Options{Tol: 1e-8, Improver: &Corrective{}, MaxIter: 12})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != Converged {
			t.Errorf("seed %d: %s after %d iterations at a gap of %g", seed, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
}

// facedModel is the model at W = 0 with a point of every kind of block.
func facedModel(t *testing.T) (m *blockModel, x []float64) {
	t.Helper()
	p := facedProblem(t, 60, 5, 4, 1)
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := (&Corrective{}).supportFor(p)
	u.grow([]int64{1, 2, 3, 4, 5}, s.W.M, s.W.N)
	u.extract()
	x = []float64{
		0, 0, 0, 0,
		0.5, -0.5, 0.5, -0.5,
		0.2, 0.1, -0.2, 0,
		-0.3, 0, 0.1, 0.2,
		0.1, 0.2, 0.3, -0.3,
	}
	return u.model(p, s), x
}

// A face has r_b and the entries that are not largest; largest ones that the gradient pulls inwards are free.
func TestFace(t *testing.T) {
	m, x := facedModel(t)
	g := make([]float64, len(x))
	for i, v := range x {
		g[m.hess.place[i]] = -v
	}
	g[m.hess.place[10]], g[m.hess.place[12]] = -1, -1 // of x = -0.2 and -0.3: the first is let go, the second is alone
	f := m.newFace(gauge.Group{Inner: gauge.LInf, Weights: []float64{1, 2, 3, 4, 5}}, x, g, 2)
	want := []int{-1, -1, -1, -1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 9, 9}
	for i, a := range f.of {
		if a != want[i] {
			t.Fatalf("variables %v, want %v", f.of, want)
		}
		if s := f.sign[i]; a >= 0 && s != 1 && (f.level[i/4] != a || s != math.Copysign(1, x[i])) {
			t.Errorf("entry %d has sign %g", i, s)
		}
	}
	for a, slope := range f.slope {
		if want := map[int]float64{0: 4, 1: 6, 5: 8, 9: 10}[a]; slope != want {
			t.Errorf("slope %g in variable %d, want %g", slope, a, want)
		}
	}
}

// Where a Newton step stays on the face, the model has no slope along it there.
func TestFaceStepEndsLevel(t *testing.T) {
	m, x := facedModel(t)
	const mu = 0.1
	g := m.gradientAt(x)
	f := m.newFace(gauge.Group{Inner: gauge.LInf}, x, g, mu)
	d := f.step(g)
	if d == nil {
		t.Fatal("no step")
	}
	y := make([]float64, len(x))
	for i, a := range f.of {
		if y[i] = x[i]; a >= 0 {
			y[i] += f.sign[i] * d[a]
		}
	}
	left := append([]float64(nil), f.slope...)
	gy := m.gradientAt(y)
	for i, a := range f.of {
		if a >= 0 {
			left[a] += f.sign[i] * gy[m.hess.place[i]]
		}
	}
	if off := linalg.MaxAbs(left); off > 1e-6*linalg.MaxAbs(g) {
		t.Errorf("a slope of %g is left, of %g", off, linalg.MaxAbs(g))
	}
}

// Steps on faces are kept where the model falls, and wait for sweeps to have taken as long.
func TestFaceStepsFallAndWait(t *testing.T) {
	m, x := facedModel(t)
	const mu = 0.1
	g := m.gradientAt(x)
	if part := m.newtonOnFace(gauge.Group{Inner: gauge.LInf}, x, g, mu); part != 0 {
		t.Errorf("part %g of a step before any sweep", part)
	}
	m.swept = math.Inf(1)
	for range 30 {
		before := m.value(x, g, mu)
		if part := m.newtonOnFace(gauge.Group{Inner: gauge.LInf}, x, g, mu); part == 0 {
			break
		}
		if now := m.value(x, g, mu); !(now <= before) || math.Abs(now-m.value(x, m.gradientAt(x), mu)) > 1e-12*math.Abs(now) {
			t.Fatalf("from %v to %v", before, now)
		}
	}
	if m.value(x, g, mu) >= 0 {
		t.Errorf("%v at the end, more than at 0", m.value(x, g, mu))
	}
}

// A step ends where entries become as large as the largest ones, and where a block becomes 0.
func TestFaceMove(t *testing.T) {
	m, x := facedModel(t)
	g := make([]float64, len(x))
	f := m.newFace(gauge.Group{Inner: gauge.LInf}, x, g, 1)
	d := make([]float64, len(f.slope))
	d[f.level[1]], d[f.level[2]], d[f.level[3]], d[f.of[13]], d[f.of[14]] = 0.5, -1, 0.1, -2, 0.1
	y := make([]float64, len(x))
	if f.move(y, x, d, 1) {
		t.Error("a step that leaves the face is called whole")
	}
	want := []float64{
		0, 0, 0, 0,
		1, -1, 1, -1,
		0, 0, 0, 0,
		-0.4, -0.4, 0.2, 0.2,
		0.1, 0.2, 0.3, -0.3,
	}
	for i, v := range y {
		if math.Abs(v-want[i]) > 1e-15 {
			t.Fatalf("%v, want %v", y, want)
		}
	}
	d[f.level[2]], d[f.of[13]] = 0, 0
	if !f.move(y, x, d, 1) || f.move(y, x, d, 0.5) {
		t.Error("of the parts of a step that stays on the face, the whole is whole")
	}
}

// Newton steps on faces wait for H, so that products of all models count for forming it; of other gauges those of one do.
func TestFacesCountAllProducts(t *testing.T) {
	for _, k := range []gauge.Group{{}, {Inner: gauge.LInf}} {
		p := facedProblem(t, 60, 5, 4, 1)
		p.Gauge, p.Loss = k, &loss.Softmax{Labels: make([]int32, 60), Classes: 4}
		s, err := gcg.NewState(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		u := (&Corrective{}).supportFor(p)
		u.grow([]int64{1, 2}, s.W.M, s.W.N)
		d := make([]float64, len(u.x))
		first := newProducts(u, p, s)
		first.timesTo(make([]float64, len(d)), d)
		second := newProducts(u, p, s)
		if faced := k.Inner == gauge.LInf; first.taken < 1 || faced != (second.taken >= first.taken) || !faced && second.taken != 0 {
			t.Errorf("%+v: a model begins with %g products after one that took %g", k, second.taken, first.taken)
		}
	}
}
