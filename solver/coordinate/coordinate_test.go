package coordinate_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
)

// A design is n samples of p features, row-major, with what makes it odd.
type design struct {
	name string
	n, p int
	x    []float64
}

// gaussian is a design of independent features.
func gaussian(n, p int, seed uint64) design {
	rng := rand.New(rand.NewPCG(seed, 7))
	d := design{fmt.Sprintf("%d×%d", n, p), n, p, make([]float64, n*p)}
	for i := range d.x {
		d.x[i] = rng.NormFloat64()
	}
	return d
}

// changed is the design with each value replaced by f.
func (d design) changed(name string, f func(i, j int, x float64) float64) design {
	c := design{d.name + " " + name, d.n, d.p, make([]float64, len(d.x))}
	for e, x := range d.x {
		c.x[e] = f(e/d.p, e%d.p, x)
	}
	return c
}

// oddDesigns are those that coordinate methods fall over.
func oddDesigns() []design {
	wide, tall := gaussian(20, 45, 1), gaussian(60, 12, 2)
	return []design{wide, tall, gaussian(1, 6, 3), gaussian(30, 1, 4), gaussian(0+2, 2, 5),
		tall.changed("with columns of 0", func(_, j int, x float64) float64 {
			if j%3 == 0 {
				return 0
			}
			return x
		}),
		wide.changed("with columns twice", func(i, j int, x float64) float64 { return wide.x[i*wide.p+j/2] }),
		tall.changed("with a constant column", func(_, j int, x float64) float64 {
			if j == 5 {
				return 3.25
			}
			return x
		}),
		tall.changed("far from 0", func(_, j int, x float64) float64 { return x + 1e4*float64(j%2) }),
		tall.changed("of wild scales", func(_, j int, x float64) float64 { return x * math.Pow(10, float64(j-6)) }),
		tall.changed("mostly 0", func(i, j int, x float64) float64 {
			if (i*7+j*3)%5 > 0 {
				return 0
			}
			return x
		}),
		tall.changed("nearly collinear", func(i, _ int, x float64) float64 { return tall.x[i*tall.p] + 1e-3*x }),
	}
}

// features are those of a design, by compressed rows or in full.
func (d design) features(t *testing.T, sparse bool) *operator.Features {
	t.Helper()
	f, err := operator.DenseFeatures(d.n, d.p, d.x)
	if sparse {
		ptr, index, values := []int64{0}, []int32{}, []float64{}
		for i := range d.n {
			for j, x := range d.x[i*d.p : (i+1)*d.p] {
				if x != 0 {
					index, values = append(index, int32(j)), append(values, x)
				}
			}
			ptr = append(ptr, int64(len(index)))
		}
		f, err = operator.SparseFeatures(d.n, d.p, ptr, index, values)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// losses are those that the method takes, of targets that depend on the features; some weights are 0.
func (d design) losses() map[string]gcg.Loss {
	rng := rand.New(rand.NewPCG(9, 9))
	y, signs, omega := make([]float64, d.n), make([]float64, d.n), make([]float64, d.n)
	for i := range y {
		top := 1e-300
		for j := 0; j < d.p; j += 2 {
			y[i] += d.x[i*d.p+j]
			top = math.Max(top, math.Abs(d.x[i*d.p+j]))
		}
		y[i] = 3*y[i]/top + 0.5*rng.NormFloat64() + 2
		signs[i] = math.Copysign(1, y[i]-2+rng.NormFloat64())
		omega[i] = float64(i%4) / 2
	}
	if d.n == 1 {
		omega[0] = 1
	}
	return map[string]gcg.Loss{
		"squares": &loss.Squared{Y: y}, "weighed squares": &loss.Squared{Y: y, Omega: omega, Mean: true},
		"logistic": &loss.Logistic{Y: signs}, "huber": &loss.Huber{Y: y, Mu: 0.3},
	}
}

// gauges are ℓ1, groups of three, and ℓ1 of positive entries.
func (d design) gauges() map[string]gcg.Gauge {
	groups, weights := make([][]int32, (d.p+2)/3), make([]float64, d.p)
	for j := range d.p {
		groups[j/3] = append(groups[j/3], int32(j))
		weights[j] = 1 + float64(j%3)
	}
	return map[string]gcg.Gauge{"l1": gauge.L1{}, "weighed l1": gauge.L1{Weights: weights}, "positive": gauge.PositiveL1{},
		"groups": gauge.Group{Index: groups, BySize: true}}
}

// The certificate, which is of the problem and not of the method, closes on every odd design with every loss and gauge: dense
// or sparse, with or without an intercept, by turns.
func TestClosesOnOddDesigns(t *testing.T) {
	turn := 0
	for _, d := range oddDesigns() {
		for lossName, l := range d.losses() {
			for gaugeName, k := range d.gauges() {
				turn++
				sparse, constant := turn%2 == 0, turn/2%2 == 0
				op, err := operator.NewDesign(d.features(t, sparse), 1)
				if err != nil {
					t.Fatal(err)
				}
				closes(t, fmt.Sprintf("%s, %s, %s, sparse %v, intercept %v", d.name, lossName, gaugeName, sparse, constant),
					&gcg.Problem{Operator: op, Loss: l, Gauge: k, Intercept: constant, Penalty: gauge.Linear{Lambda: 1}})
			}
		}
	}
}

// So it does for several outputs, dense and sparse, of the same samples or each of its own, with a constant of each, with one of
// all by the operator's word, or with none; and the optimum is that of Newton steps on the weights of atoms.
func TestClosesOnSeveralOutputs(t *testing.T) {
	const outputs = 3
	turn := 0
	for _, d := range oddDesigns() {
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Group{ByColumns: true}} {
			for _, of := range []string{"design", "tasks"} {
				turn++
				sparse, constant := turn%2 == 0, turn/2%2 == 0
				x := d.features(t, sparse)
				var op gcg.Operator
				var err error
				y := make([]float64, d.n)
				if of == "design" {
					op, err = operator.NewDesign(x, outputs)
					y = make([]float64, d.n*outputs)
				} else {
					task := make([]int32, d.n)
					for i := range task {
						task[i] = int32(i * outputs / d.n)
					}
					op, err = operator.NewTasks(x, task, outputs)
				}
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(uint64(turn), 3))
				for e := range y {
					y[e] = 2*float64(e%outputs) + rng.NormFloat64() + d.x[e*len(d.x)/len(y)]
				}
				p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Group: len(y) / d.n}, Gauge: k, Intercept: constant,
					Penalty: gauge.Linear{Lambda: 1}}
				name := fmt.Sprintf("%s, %s, %s, sparse %v, intercept %v", d.name, of, k.Name(), sparse, constant)
				closes(t, name, p)
				agrees(t, name, p)
			}
		}
	}
}

// agrees compares the optimum at λmax/10 with that of corrective steps.
func agrees(t *testing.T, name string, p *gcg.Problem) {
	t.Helper()
	top, err := solver.MaxLambda(context.Background(), p)
	if err != nil {
		t.Fatal(name, err)
	}
	p.Penalty = gauge.Linear{Lambda: top / 10}
	own, err := solver.Run(context.Background(), p, &coordinate.Descent{}, solver.Options{Tol: 1e-8, MaxIter: 300})
	if err != nil {
		t.Fatal(name, err)
	}
	other, err := solver.Run(context.Background(), p, &conditional.GCG{},
		solver.Options{Tol: 1e-8, MaxIter: 300, Improver: &solver.Corrective{}})
	if err != nil {
		t.Fatal(name, err)
	}
	if a, b := own.State.Cert, other.State.Cert; a.LowerBound > b.Objective+1e-9*math.Abs(b.Objective) ||
		b.LowerBound > a.Objective+1e-9*math.Abs(a.Objective) {
		t.Errorf("%s: %.12g to %.12g, and by corrective steps %.12g to %.12g", name, a.LowerBound, a.Objective, b.LowerBound,
			b.Objective)
	}
}

// closes runs a short path down to λmax/100, from above λmax, with one method, and asks for a gap of 1e-6 at every λ.
func closes(t *testing.T, name string, p *gcg.Problem) {
	t.Helper()
	top, err := solver.MaxLambda(context.Background(), p)
	if err != nil {
		t.Fatal(name, err)
	}
	if top == 0 { // no feature says anything
		top = 1
	}
	m := &coordinate.Descent{}
	lambdas := []float64{1.1 * top, 0.3 * top, 0.05 * top, 0.01 * top}
	err = solver.Path(context.Background(), p, func() solver.Method { return m }, solver.Options{Tol: 1e-6, MaxIter: 100},
		lambdas,
		func(x float64) gcg.Penalty { return gauge.Linear{Lambda: x} }, func(x float64, r *solver.Result) bool {
			if r.Status != solver.Converged || len(r.Warnings) > 0 {
				t.Errorf("%s, λ = %.2gλmax: %s after %d steps with a gap of %.2g %v", name, x/top, r.Status, r.Iter,
					r.State.Cert.Relative, r.Warnings)
			}
			if x > top && !r.State.W.Zero() {
				t.Errorf("%s: above λmax W has %d atoms", name, len(r.State.W.Terms))
			}
			return true
		})
	if err != nil {
		t.Fatal(name, err)
	}
}

// λ = 0 leaves the loss alone: fits go to its minimum, and no number is lost.
func TestWithoutPenalty(t *testing.T) {
	d := gaussian(60, 12, 2)
	op, err := operator.NewDesign(d.features(t, false), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: d.losses()["squares"], Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 0}}
	r, err := solver.Run(context.Background(), p, &coordinate.Descent{}, solver.Options{Tol: 1e-9, MaxIter: 50})
	if err != nil {
		t.Fatal(err)
	}
	g := make([]float64, d.p)
	gcg.DenseTo(g, op.Adjoint(r.State.R))
	for j, x := range g {
		if math.Abs(x) > 1e-4 {
			t.Errorf("the slope of feature %d is %g", j, x)
		}
	}
}

// A start of another method's atoms, without keys and in factors, is taken.
func TestTakesAnyStart(t *testing.T) {
	d := gaussian(20, 45, 1)
	op, err := operator.NewDesign(d.features(t, false), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: d.losses()["squares"], Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 2}}
	atom := gcg.Atom{Rows: []int32{3, 1}, Cols: []int32{0, 0}, Vals: []float64{1, -1}}
	start := &gcg.Iterate{M: d.p, N: 1, Terms: []gcg.Term{{Atom: atom, Weight: 0.1}}}
	r, err := solver.Run(context.Background(), p, &coordinate.Descent{}, solver.Options{Tol: 1e-9, Start: start})
	if err != nil || r.Status != solver.Converged {
		t.Fatal(err, r)
	}
}

// What the method cannot do it refuses with the name of both sides.
func TestRefuses(t *testing.T) {
	d := gaussian(20, 6, 1)
	op, err := operator.NewDesign(d.features(t, false), 1)
	if err != nil {
		t.Fatal(err)
	}
	l := d.losses()["squares"]
	for want, p := range map[string]*gcg.Problem{
		"blocks; gauge trace": {Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}},
		"λκ; gauge.Ball":      {Operator: op, Loss: l, Gauge: gauge.L1{}, Penalty: gauge.Ball{Zeta: 1}},
		"*loss.Softmax": {Operator: op, Loss: &loss.Softmax{Labels: make([]int32, d.n/2), Classes: 2}, Gauge: gauge.L1{},
			Penalty: gauge.Linear{Lambda: 1}},
	} {
		if err := coordinate.Check(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not have %q", err, want)
		}
	}
}

// One method along a path has the optima of fresh ones.
func TestKeepsNothingWrong(t *testing.T) {
	for name, k := range gaussian(40, 90, 6).gauges() {
		d := gaussian(40, 90, 6)
		for lossName, l := range d.losses() {
			op, err := operator.NewDesign(d.features(t, false), 1)
			if err != nil {
				t.Fatal(err)
			}
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
			top, err := solver.MaxLambda(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			grid, _ := solver.Grid(top, 0.02, 9)
			kept := &coordinate.Descent{}
			err = solver.Path(context.Background(), p, func() solver.Method { return kept }, solver.Options{Tol: 1e-8}, grid,
				func(x float64) gcg.Penalty { return gauge.Linear{Lambda: x} }, func(x float64, r *solver.Result) bool {
					q := *p
					q.Penalty = gauge.Linear{Lambda: x}
					fresh, err := solver.Run(context.Background(), &q, &coordinate.Descent{}, solver.Options{Tol: 1e-8})
					if err != nil {
						t.Fatal(err)
					}
					if a, b := r.State.Cert.Objective, fresh.State.Cert.Objective; math.Abs(a-b) > 2e-8*math.Abs(b) {
						t.Errorf("%s, %s: %.12g on a path, %.12g alone", name, lossName, a, b)
					}
					return true
				})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
