package support

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
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
		r, err := solver.Run(context.Background(), p, &gcg.Method{}, solver.Options{Tol: 1e-8, Improver: &Corrective{}, MaxIter: 12})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
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
	u := (&Corrective{}).supportFor(view.Of(p))
	u.grow([]int64{1, 2, 3, 4, 5}, s.W.M, s.W.N)
	u.extract()
	x = []float64{
		0, 0, 0, 0,
		0.5, -0.5, 0.5, -0.5,
		0.2, 0.1, -0.2, 0,
		-0.3, 0, 0.1, 0.2,
		0.1, 0.2, 0.3, -0.3,
	}
	return u.model(view.Of(p), s), x
}

// A face has r_b and the entries that are not largest; zero blocks stay.
func TestFace(t *testing.T) {
	m, x := facedModel(t)
	f := m.newFace(x)
	want := []int{-1, -1, -1, -1, 0, 0, 0, 0, 1, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 10}
	for i, a := range f.of {
		if a != want[i] {
			t.Fatalf("variables %v, want %v", f.of, want)
		}
	}
	z := make([]float64, len(f.count))
	for i, v := range x {
		if a := f.of[i]; a >= 0 {
			z[a] = f.sign[i] * v
		}
	}
	for i, v := range f.expand(z) {
		if v != x[i] {
			t.Errorf("entry %d of E z is %g, want %g", i, v, x[i])
		}
	}
	inOrder := make([]float64, len(x))
	for i, v := range x {
		inOrder[m.hess.Place[i]] = v
	}
	for a, v := range f.gather(inOrder) {
		if want := f.count[a] * z[a]; math.Abs(v-want) > 1e-15 {
			t.Errorf("variable %d of EᵀE z is %g, want %g", a, v, want)
		}
	}
}

// What solve returns satisfies (EᵀE + σEᵀHE) s = z.
func TestFaceSolves(t *testing.T) {
	m, x := facedModel(t)
	f := m.newFace(x)
	rng := rand.New(rand.NewPCG(2, 3))
	z := make([]float64, len(f.count))
	for a := range z {
		z[a] = rng.NormFloat64()
	}
	const sigma = 0.3
	s := f.solve(sigma, slices.Clone(z))
	h := f.gather(m.times(f.expand(s)))
	for a, v := range z {
		if got := f.count[a]*s[a] + sigma*h[a]; math.Abs(got-v) > 1e-9*(1+math.Abs(sigma*h[a])) {
			t.Errorf("variable %d: %g, want %g", a, got, v)
		}
	}
}

// The dual function of a proximal point has the slope H(x(v) - ξ), is below the primal one, and Newton steps end where both meet.
func TestProximalPoint(t *testing.T) {
	m, from := facedModel(t)
	const mu, sigma = 0.5, 0.2
	p := &proximalPoint{m: m, mu: mu, sigma: sigma, from: from}
	rng := rand.New(rand.NewPCG(4, 5))
	xi, way := slices.Clone(from), make([]float64, len(from))
	for i := range xi {
		xi[i] += 0.1 * rng.NormFloat64()
		way[i] = rng.NormFloat64()
	}
	phi := func(part float64) *dualPoint {
		y := slices.Clone(xi)
		kernel.Axpy(part, way, y)
		return p.at(y, m.gradientAt(y))
	}
	at := phi(0)
	r := slices.Clone(at.x)
	kernel.Axpy(-1, xi, r)
	var slope float64
	for i, v := range m.times(r) {
		slope += v * way[slices.Index(m.hess.Place, i)]
	}
	const by = 1e-5
	if got := (phi(by).phi - phi(-by).phi) / (2 * by); math.Abs(got-slope) > 1e-5*math.Abs(slope) {
		t.Errorf("the slope of φ is %g, want %g", got, slope)
	}
	primal := func(x []float64) float64 {
		f := m.Value(x, m.gradientAt(x), mu)
		for i, v := range x {
			f += (v - from[i]) * (v - from[i]) / (2 * sigma)
		}
		return f
	}
	x, steps := p.solve(context.Background(), m.gradientAt(from), 1e-12, proximalSteps)
	end := p.at(slices.Clone(x), m.gradientAt(x))
	offset := kernel.Dot(m.grad, m.start) // what φ leaves out
	if gap := primal(x) - (end.phi - offset); !(math.Abs(gap) <= 1e-9*math.Abs(primal(x))) || steps >= proximalSteps {
		t.Errorf("a gap of %g at %g after %d steps", gap, primal(x), steps)
	}
	for range 100 {
		y := slices.Clone(x)
		for i := range y {
			y[i] += 1e-3 * rng.NormFloat64()
		}
		if primal(y) < primal(x) {
			t.Fatalf("%v is below %v", primal(y), primal(x))
		}
	}
}

// With more entries than observations, which W nearly interpolates, Newton steps on faces alone went on for thousands of iterations: they are
// singular there.
func TestFacesNearInterpolation(t *testing.T) {
	const rows, features, size = 40, 200, 10
	rng := rand.New(rand.NewPCG(6, 8))
	op, x := dense.normalDesign(t, rng, rows, features)
	y, index := make([]float64, rows), make([][]int32, features/size)
	for i := range y {
		for j := range 3 * size {
			y[i] += x[i*features+j] * math.Cos(float64(j))
		}
		y[i] += rng.NormFloat64()
	}
	for j := range features {
		index[j/size] = append(index[j/size], int32(j))
	}
	groups := gauge.Group{Inner: gauge.LInf, Index: index}
	for name, l := range map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "huber": &loss.Huber{Y: y, Mu: 1}} {
		for _, h := range []gcg.Penalty{gauge.Linear{Lambda: 0.05}, gauge.Ball{Zeta: 3}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: groups, Penalty: h}
			r, err := solver.Run(context.Background(), p, &gcg.Method{}, solver.Options{Tol: 1e-6, Improver: &Corrective{}, MaxIter: 20})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%s, %T: %s after %d iterations at a gap of %g", name, h, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}

// Newton steps of proximal points wait for H, so that products of all models count for forming it; of other gauges those of one do.
func TestFacesCountAllProducts(t *testing.T) {
	for _, k := range []gauge.Group{{}, {Inner: gauge.LInf}} {
		p := facedProblem(t, 60, 5, 4, 1)
		p.Gauge, p.Loss = k, &loss.Softmax{Labels: make([]int32, 60), Classes: 4}
		s, err := gcg.NewState(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		u := (&Corrective{}).supportFor(view.Of(p))
		u.grow([]int64{1, 2}, s.W.M, s.W.N)
		d := make([]float64, len(u.x))
		first := newProducts(u, view.Of(p), s)
		first.timesTo(make([]float64, len(d)), d)
		second := newProducts(u, view.Of(p), s)
		if faceProducts := k.Inner == gauge.LInf; first.taken < 1 || faceProducts != (second.taken >= first.taken) || !faceProducts && second.taken != 0 {
			t.Errorf("%+v: a model begins with %g products after one that took %g", k, second.taken, first.taken)
		}
	}
}
