package conform_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"gonum.org/v1/gonum/mat"
)

// A drawn is a random problem, as one of the library and as matrices.
type drawn struct {
	t       testing.TB
	rng     *rand.Rand
	p       gcg.Problem
	dense   denseProblem
	start   *gcg.Iterate
	words   string // what it is
	m, n    int
	outputs int   // observations of a row
	place   []int // the constant that an observation takes
}

// draw is the problem of a seed.
func draw(t testing.TB, seed uint64) *drawn {
	d := &drawn{t: t, rng: rand.New(rand.NewPCG(seed, 38)), outputs: 1}
	d.m, d.n = 1+d.rng.IntN(15), 1+d.rng.IntN(10)
	kind := pick(d.rng, "ℓ1", "ℓ1", "weighted ℓ1", "positive ℓ1", "rows", "rows of LInf", "ℓ2", "trace", "trace", "Frobenius", "psd",
		"simplex", "spectrahedron")
	if kind == "psd" || kind == "spectrahedron" {
		d.n = 1 + d.rng.IntN(9)
		d.m = d.n
	}
	d.operator()
	d.gauge(kind)
	truth, y := d.truth(kind)
	d.loss(y)
	d.penalty(kind, truth)
	d.words = fmt.Sprintf("%d×%d, %s", d.m, d.n, d.words)
	return d
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

func (d *drawn) say(format string, args ...any) { d.words += fmt.Sprintf(format, args...) + ", " }

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// operator draws A, and writes it out from its definition.
func (d *drawn) operator() {
	switch pick(d.rng, "sampling", "design", "design", "tasks", "identity") {
	case "sampling":
		d.sampling()
	case "design":
		x, samples := d.features()
		d.outputs = d.n
		d.p.Operator = must(operator.NewDesign(must(operator.DenseFeatures(samples, d.m, x))(d.t), d.n))(d.t)
		a := d.matrix(samples * d.n)
		for i := range samples * d.n {
			for j := range d.m {
				a.Set(i, j*d.n+i%d.n, x[i/d.n*d.m+j])
			}
			d.place = append(d.place, i%d.n)
		}
		d.say("design of %d samples", samples)
	case "tasks":
		x, samples := d.features()
		task := make([]int32, samples)
		a := d.matrix(samples)
		for i := range task {
			task[i] = int32(d.rng.IntN(d.n))
			for j := range d.m {
				a.Set(i, j*d.n+int(task[i]), x[i*d.m+j])
			}
			d.place = append(d.place, int(task[i]))
		}
		d.p.Operator = must(operator.NewTasks(must(operator.DenseFeatures(samples, d.m, x))(d.t), task, d.n))(d.t)
		d.say("%d samples of tasks", samples)
	case "identity":
		d.p.Operator = must(operator.NewIdentity(d.m, d.n))(d.t)
		a := d.matrix(d.m * d.n)
		for i := range d.m * d.n {
			a.Set(i, i, 1)
		}
		d.place = make([]int, d.m*d.n)
		d.say("identity")
	}
}

// matrix makes room for A of so many observations.
func (d *drawn) matrix(observations int) *mat.Dense {
	d.dense.a, d.dense.size = mat.NewDense(observations, d.m*d.n, nil), d.m*d.n
	return d.dense.a
}

func (d *drawn) sampling() {
	ptr, cols, cells := []int64{0}, []int32{}, []int{}
	share := pick(d.rng, 0.2, 0.5, 0.9)
	for i := range d.m {
		for j := range d.n {
			if d.rng.Float64() < share || i+1 == d.m && j+1 == d.n && len(cols) == 0 {
				cols, cells = append(cols, int32(j)), append(cells, i*d.n+j)
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	d.p.Operator = must(operator.NewSampling(d.m, d.n, ptr, cols))(d.t)
	a := d.matrix(len(cells))
	for i, cell := range cells {
		a.Set(i, cell, 1)
	}
	d.place = make([]int, len(cells))
	d.say("%d entries", len(cells))
}

// features draws X: columns of odd scales, some of them 0 or equal, some rows equal, and sometimes integers, which tie.
func (d *drawn) features() (x []float64, samples int) {
	rng := d.rng
	samples = 1 + rng.IntN(15)
	spread, ties := pick(rng, 0, 0, 1.0, 3), rng.IntN(4) == 0
	x = make([]float64, samples*d.m)
	for j := range d.m {
		scale, like := math.Exp(spread*rng.NormFloat64()), rng.IntN(d.m)
		odd := rng.IntN(12)
		for i := range samples {
			v := rng.NormFloat64()
			switch {
			case odd == 0:
				v = 0
			case odd == 1 && like < j:
				v, scale = x[i*d.m+like], 1
			case ties:
				v = math.Round(v)
			}
			x[i*d.m+j] = scale * v
		}
	}
	if samples > 2 && rng.IntN(4) == 0 {
		copy(x[d.m:2*d.m], x[:d.m])
	}
	return x, samples
}

func (d *drawn) gauge(kind string) {
	entries := entryGauge{weights: ones(d.m * d.n)}
	switch kind {
	case "ℓ1":
		d.p.Gauge, d.dense.gauge = gauge.L1{}, entries
	case "weighted ℓ1":
		for i := range entries.weights {
			entries.weights[i] = math.Exp(d.rng.NormFloat64())
		}
		d.p.Gauge, d.dense.gauge = gauge.L1{Weights: entries.weights}, entries
	case "positive ℓ1":
		entries.positive = true
		d.p.Gauge, d.dense.gauge = gauge.PositiveL1{}, entries
	case "simplex":
		entries.positive = true
		d.p.Gauge, d.dense.gauge = gauge.Simplex{}, entries
	case "rows":
		d.p.Gauge, d.dense.gauge = gauge.Group{}, rowGauge{n: d.n}
	case "rows of LInf":
		d.p.Gauge, d.dense.gauge = gauge.Group{Inner: gauge.LInf}, rowGauge{n: d.n, max: true}
	case "ℓ2":
		d.p.Gauge, d.dense.gauge = gauge.Lp{}, rowGauge{n: d.m * d.n}
	case "Frobenius":
		d.p.Gauge, d.dense.gauge = gauge.SchattenP{}, rowGauge{n: d.m * d.n}
	case "trace":
		d.p.Gauge, d.dense.gauge = gauge.Trace{}, traceGauge{d.m, d.n}
	case "psd":
		d.p.Gauge, d.dense.gauge = gauge.PSDTrace{}, psdGauge{d.n}
	case "spectrahedron":
		d.p.Gauge, d.dense.gauge = gauge.Spectrahedron{}, psdGauge{d.n}
	}
	d.say("%s", kind)
}

// truth draws a W of the gauge's domain, and predictions of it with noise.
func (d *drawn) truth(kind string) (w, y []float64) {
	w = make([]float64, d.m*d.n)
	switch kind {
	case "trace", "psd", "spectrahedron":
		for range 1 + d.rng.IntN(2) {
			u, v := normals(d.rng, d.m), normals(d.rng, d.n)
			if kind != "trace" {
				v = u
			}
			for e := range w {
				w[e] += u[e/d.n] * v[e%d.n]
			}
		}
	default:
		for e := range w {
			if d.rng.IntN(3) == 0 {
				w[e] = d.rng.NormFloat64()
			}
			if kind == "positive ℓ1" || kind == "simplex" {
				w[e] = math.Abs(w[e])
			}
		}
	}
	w[0] += 0.1
	n, size := d.dense.a.Dims()
	y = make([]float64, n)
	mat.NewVecDense(n, y).MulVec(d.dense.a, mat.NewVecDense(size, w))
	noise := pick(d.rng, 0, 0.1, 1)
	for i := range y {
		y[i] += noise * d.rng.NormFloat64()
	}
	return w, y
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// weights draws those of so many observations, nil for ones, and the factor of each within the loss.
func (d *drawn) weights(n int) (omega []float64, mean bool, factors []float64) {
	mean, factors = d.rng.IntN(3) == 0, ones(n)
	if d.rng.IntN(4) == 0 {
		omega = make([]float64, n)
		for i := range omega {
			omega[i] = math.Exp(d.rng.NormFloat64())
			if d.rng.IntN(6) == 0 && i > 0 {
				omega[i] = 0
			}
		}
		copy(factors, omega)
		d.say("weights")
	}
	if mean {
		for i := range factors {
			factors[i] /= float64(n)
		}
		d.say("mean")
	}
	return omega, mean, factors
}

// loss draws L for predictions y, and whether there is an intercept.
func (d *drawn) loss(y []float64) {
	kind := pick(d.rng, "squared", "squared", "squared", "huber", "quantile", "logistic", "smoothed hinge", "squared hinge",
		"softmax")
	if kind == "softmax" && d.outputs > 1 {
		d.softmax(y)
	} else {
		d.separable(kind, y)
	}
	if d.p.Intercept = d.rng.IntN(3) == 0; d.p.Intercept {
		d.intercept()
	}
}

func (d *drawn) softmax(y []float64) {
	rows := len(y) / d.outputs
	labels := make([]int32, rows)
	for i := range labels {
		for l := range d.outputs {
			if y[i*d.outputs+l] > y[i*d.outputs+int(labels[i])] {
				labels[i] = int32(l)
			}
		}
	}
	d.say("softmax")
	omega, mean, factors := d.weights(rows)
	d.p.Loss = &loss.Softmax{Labels: labels, Classes: d.outputs, Omega: omega, Mean: mean}
	d.dense.loss = softmaxOf(labels, d.outputs, factors)
}

func (d *drawn) separable(kind string, y []float64) {
	scale, width := pick(d.rng, 1, 1, 1, 1e-6, 1e6), pick(d.rng, 1, 0.1, 0.01)
	unit := pick(d.rng, scale, scale, 1) // of the width
	labels := make([]float64, len(y))
	for i := range y {
		y[i] *= scale
		labels[i] = math.Copysign(1, y[i])
	}
	d.say("%s", kind)
	omega, mean, f := d.weights(len(y))
	switch kind {
	case "huber":
		width *= unit
		d.p.Loss = &loss.Huber{Y: y, Mu: width, Omega: omega, Mean: mean, Group: d.outputs}
		d.dense.loss = separable(y, f, 1/width, huberPart(width))
	case "quantile":
		width *= unit
		d.p.Loss = &loss.Smoothed{Loss: &loss.Quantile{Y: y, Tau: 0.3}, Mu: width, Omega: omega, Mean: mean, Group: d.outputs}
		d.dense.loss = separable(y, f, 1/width, quantilePart(width, 0.3))
	case "logistic":
		d.p.Loss = &loss.Logistic{Y: labels, Omega: omega, Mean: mean, Group: d.outputs}
		d.dense.loss = separable(labels, f, 0.25, logisticPart)
	case "smoothed hinge":
		d.p.Loss = &loss.SmoothedHinge{Y: labels, Mu: width, Omega: omega, Mean: mean, Group: d.outputs}
		d.dense.loss = separable(labels, f, 1/width, smoothedHingePart(width))
	case "squared hinge":
		d.p.Loss = &loss.SquaredHinge{Y: labels, Omega: omega, Mean: mean, Group: d.outputs}
		d.dense.loss = separable(labels, f, 1, squaredHingePart)
	default:
		d.p.Loss = &loss.Squared{Y: y, Omega: omega, Mean: mean, Group: d.outputs}
		d.dense.loss = separable(y, f, 1, squaredPart)
	}
	d.say("scale %g, width %g", scale, width)
}

// intercept adds the columns of the constants that the problem asks for.
func (d *drawn) intercept() {
	d.say("intercept")
	count := 1
	if _, ok := d.p.Operator.(gcg.InterceptOperator); ok || d.outputs > 1 {
		count = d.n
	}
	n, size := d.dense.a.Dims()
	d.dense.a = d.dense.a.Grow(0, count).(*mat.Dense)
	for i := range n {
		d.dense.a.Set(i, size+d.place[i], 1)
	}
}

// penalty draws h on the scale of the problem: fractions of the λ above which W = 0, or of κ at the truth.
func (d *drawn) penalty(kind string, truth []float64) {
	_, size := d.dense.a.Dims()
	g, negative := make([]float64, size), make([]float64, d.dense.size)
	d.dense.gradient(g, make([]float64, size))
	for i := range negative {
		negative[i] = -g[i]
	}
	top, rho := math.Abs(d.dense.gauge.polar(negative)), math.Max(d.dense.gauge.of(truth), 1e-3)
	if top == 0 {
		top = 1
	}
	h := densePenalty{pick(d.rng, "linear", "linear", "linear", "square", "ball"), top * pick(d.rng, 2, 0.5, 0.1, 0.01, 1e-3)}
	if kind == "simplex" || kind == "spectrahedron" {
		h = densePenalty{"equal", rho * pick(d.rng, 0.3, 1, 3)}
	}
	switch h.kind {
	case "linear":
		d.p.Penalty = gauge.Linear{Lambda: h.value}
	case "square":
		h.value /= rho
		d.p.Penalty = gauge.Square{Lambda: h.value}
	case "ball":
		h.value = rho * pick(d.rng, 0.1, 1, 10)
		d.p.Penalty = gauge.Ball{Zeta: h.value}
	case "equal":
		d.p.Penalty = gauge.Equal{Zeta: h.value}
		d.startAt(kind, h.value)
	}
	d.dense.penalty = h
	d.say("%s %.4g", h.kind, h.value)
}

// startAt puts all of κ = ζ on the first entry, as a constraint with an equality needs a start.
func (d *drawn) startAt(kind string, zeta float64) {
	d.start = &gcg.Iterate{M: d.m, N: d.n}
	atom := gcg.Atom{Key: 1, Rows: []int32{0}, Cols: []int32{0}, Vals: []float64{1}}
	if kind == "spectrahedron" {
		u := make([]float64, d.n)
		u[0] = 1
		atom = gcg.RankOne(u, u)
	}
	d.start.Add([]gcg.Atom{atom}, []float64{zeta})
}
