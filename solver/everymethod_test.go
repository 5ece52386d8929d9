package solver_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
	"github.com/seed-b18ef778/gcg/solver/cur"
	"github.com/seed-b18ef778/gcg/solver/dense"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/solver/sliding"
	"github.com/seed-b18ef778/gcg/solver/support"
	"gonum.org/v1/gonum/mat"
)

// A knownOptimum is a problem whose optimum is known by another way than a solver's.
type knownOptimum struct {
	name    string
	problem *gcg.Problem
	optimum float64
}

// denoising is ½‖W - Y‖² of an m×n Y on all entries, whose solutions under ℓ1, groups of rows and the trace norm are closed
// forms.
func denoising(t *testing.T) (op gcg.Operator, y []float64, m, n int) {
	t.Helper()
	m, n = 9, 7
	op, err := operator.NewIdentity(m, n)
	check(t, err)
	y = make([]float64, m*n)
	for e := range y {
		y[e] = 3 * math.Sin(float64(7*e+e*e%11))
	}
	return op, y, m, n
}

// shrunk is the optimum of ½‖W - Y‖² + λκ(W) where the solution takes λ, or all, off each of these sizes of parts of Y.
func shrunk(sizes []float64, lambda float64) (f float64) {
	for _, s := range sizes {
		left := math.Max(s-lambda, 0)
		f += (s-left)*(s-left)/2 + lambda*left
	}
	return f
}

// knownOptima are the table: gauges of every kind with a linear penalty, and balls of the trace norm.
func knownOptima(t *testing.T) (table []knownOptimum) {
	op, y, m, n := denoising(t)
	var entries, rows []float64
	for i := range m {
		rows = append(rows, gcg.Norm(y[i*n:(i+1)*n]))
		for _, x := range y[i*n : (i+1)*n] {
			entries = append(entries, math.Abs(x))
		}
	}
	var positive []float64
	var below float64
	for _, x := range y {
		positive = append(positive, math.Max(x, 0))
		below += math.Pow(math.Min(x, 0), 2) / 2
	}
	const lambda = 1.25
	add := func(name string, k gcg.Gauge, h gcg.Penalty, optimum float64) {
		table = append(table, knownOptimum{name, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: k,
			Penalty: h}, optimum})
	}
	add("entries", gauge.L1{}, gauge.Linear{Lambda: lambda}, shrunk(entries, lambda))
	add("positive entries", gauge.PositiveL1{}, gauge.Linear{Lambda: lambda}, shrunk(positive, lambda)+below)
	add("rows", gauge.Group{}, gauge.Linear{Lambda: lambda}, shrunk(rows, lambda))
	add("trace norm of a matrix", gauge.Trace{}, gauge.Linear{Lambda: lambda}, shrunk(singularValues(t, y, m, n), lambda))
	for name, h := range map[string]gcg.Penalty{"λ": gauge.Linear{Lambda: 3}, "square": gauge.Square{Lambda: 0.3},
		"ball": gauge.Ball{Zeta: 9}} {
		p, s := testproblem.Full(t, 12, 10, 1, 9)
		p.Penalty = h
		table = append(table, knownOptimum{"trace norm of entries, " + name, p, testproblem.Thresholded(h, s)})
	}
	for name, lambda := range map[string]float64{"rows and columns": 0.02, "no rows and columns": 1} {
		p := testproblem.Selection(t, 6, 11, testproblem.FactorMatrix(3, 6, 11, 3), lambda)
		table = append(table, knownOptimum{name, p, selectionOptimum(t, p)})
	}
	return table
}

// selectionOptimum is by accelerated proximal gradient steps, until F is the same for so long that it is least but for rounding.
func selectionOptimum(t *testing.T, p *gcg.Problem) float64 {
	t.Helper()
	lambda := p.Penalty.Deriv(0)
	m, n, _ := p.Operator.Dims()
	k := p.Gauge.(rowscolumns.Gauge)
	s, err := gcg.NewState(p, nil)
	check(t, err)
	w, g := make([]float64, m*n), make([]float64, m*n)
	y, f, theta := slices.Clone(w), s.Objective(p), 1.0
	for still := 0; still < 300; still++ {
		s.W, _ = k.Split(y, m, n)
		s.Refresh(p)
		gcg.DenseTo(g, s.Gradient(p))
		next := slices.Clone(y)
		for e := range next { // ‖D‖ = 1 bounds the curvature
			next[e] += g[e]
		}
		rho := k.ProxTo(next, next, m, n, lambda)
		s.W, _ = k.Split(next, m, n)
		s.Refresh(p)
		last := s.Loss + lambda*rho
		if last < f-1e-15 {
			still = 0
		}
		if f = math.Min(f, last); last > f {
			theta = 1
		}
		t2 := (1 + math.Sqrt(1+4*theta*theta)) / 2
		for e := range y {
			y[e] = next[e] + (theta-1)/t2*(next[e]-w[e])
		}
		w, theta = next, t2
	}
	return f
}

// A contender is a method with an improver.
type contender struct {
	name     string
	method   func() solver.Method
	improver func() solver.Improver
	closes   bool // its gap falls below closeTo in its steps on every problem that it takes
	steps    int
}

// contenders are every method and every improver of the module.
func contenders() (all []contender) {
	improvers := map[string]func() solver.Improver{
		"none":       func() solver.Improver { return nil },
		"corrective": func() solver.Improver { return &solver.Corrective{} },
		"local":      func() solver.Improver { return &fixedrank.Local{} },
		"proximal":   func() solver.Improver { return &solver.Proximal{} },
		"tighten":    func() solver.Improver { return dense.Tighten{} },
	}
	rules := map[string]conditional.Rule{"line search": conditional.LineSearch, "open loop": conditional.OpenLoop,
		"open loop 1": conditional.OpenLoop1,
		"constant":    conditional.ConstantStep, "quadratic bound": conditional.QuadraticBound}
	for rule, r := range rules {
		for improver, im := range improvers {
			all = append(all, contender{rule + ", " + improver, func() solver.Method {
				return &conditional.GCG{Rule: r, Horizon: tableSteps, OutsideW: improver == "local" &&
					r == conditional.LineSearch}
			}, im, r == conditional.LineSearch && (improver == "corrective" || improver == "local" || improver == "proximal"),
				tableSteps})
		}
	}
	for _, c := range []sliding.Method{{}, {Refined: true}, {Printed: true}, {Printed: true, Refined: true}} {
		name, steps := c.Name(), tableSteps
		if c.Printed { // whose inner loops grow with the step
			name, steps = name+" as printed", tableSteps/3
		}
		all = append(all, contender{name, func() solver.Method {
			m := c
			return &m
		}, improvers["none"], false, steps})
	}
	all = append(all, contender{"working set", func() solver.Method { return &cur.WorkingSet{} }, improvers["none"], true,
		tableSteps})
	all = append(all, contender{"coordinate descent", func() solver.Method { return &coordinate.Descent{} }, improvers["none"],
		true, tableSteps})
	all = append(all, contender{"hcgs", func() solver.Method { return &hybrid.HCGS{} }, improvers["none"], false, tableSteps})
	return append(all, contender{"atom descent", func() solver.Method { return &support.AtomDescent{} }, improvers["none"], true,
		tableSteps})
}

const (
	tableSteps = 150  // of most methods on each problem
	closeTo    = 1e-6 // the gap of those that close
)

// Every method on every problem of the table, or a refusal that names both nouns: the bracket holds the optimum after every step,
// F of a descending method never rises, and Z, R, Loss and Rho are those of W.
func TestEveryMethodOnEveryProblem(t *testing.T) {
	for _, k := range knownOptima(t) {
		ran := 0
		for _, c := range contenders() {
			t.Run(k.name+"/"+c.name, func(t *testing.T) {
				if contend(t, k, c) {
					ran++
				}
			})
		}
		if ran < 8 {
			t.Errorf("%s: only %d methods take it", k.name, ran)
		}
	}
}

// contend runs a method on a problem, and reports whether it takes it.
func contend(t *testing.T, k knownOptimum, c contender) bool {
	t.Helper()
	rounding := 1e-10 * math.Max(k.optimum, 1)
	last := math.Inf(1)
	method := c.method()
	d, _ := method.(solver.Descender)
	opt := solver.Options{Tol: closeTo, MaxIter: c.steps, Improver: c.improver(), Event: func(e solver.Event) {
		cert := e.State.Cert
		if cert.LowerBound > k.optimum+rounding || cert.Objective < k.optimum-rounding {
			t.Errorf("step %d: the optimum %.12g is not in [%.12g, %.12g]", e.Iter, k.optimum, cert.LowerBound, cert.Objective)
		}
		if d != nil && d.Descends() && cert.Objective > last+rounding {
			t.Errorf("step %d: F rose from %.12g to %.12g", e.Iter, last, cert.Objective)
		}
		last = cert.Objective
		for _, x := range conform.State(k.problem, e.State) {
			if !x.OK() {
				t.Errorf("step %d: %v", e.Iter, x)
			}
		}
	}}
	r, err := solver.Run(context.Background(), k.problem, method, opt)
	if err != nil {
		nouns := []string{k.problem.Gauge.Name(), fmt.Sprintf("%T", k.problem.Loss), fmt.Sprintf("%T", k.problem.Penalty)}
		for _, noun := range nouns {
			if strings.Contains(err.Error(), noun) {
				return false
			}
		}
		t.Fatalf("the refusal names none of %v: %v", nouns, err)
	}
	if c.closes && r.State.Cert.Relative > closeTo {
		t.Errorf("%s after %d steps with a gap of %.2g", r.Status, r.Iter, r.State.Cert.Relative)
	}
	return true
}

// singularValues are those of a row-major m×n matrix.
func singularValues(t *testing.T, y []float64, m, n int) []float64 {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(m, n, y), mat.SVDNone) {
		t.Fatal("no singular values")
	}
	return svd.Values(nil)
}
