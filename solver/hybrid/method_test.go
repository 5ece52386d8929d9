package hybrid_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
)

// A known problem has an optimum that no solver has found.
type known struct {
	name    string
	problem *gcg.Problem
	optimum float64
	start   *gcg.Iterate // where W = 0 is none
}

// must is x, of a constructor that is given what it takes.
func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// envelope is a penalty of the first width.
func envelope(g loss.Lipschitz) gcg.Loss { return &loss.MoreauEnvelope{Penalty: g, Beta: 1} }

// stacked is L(W) + Σ gᵢ(BᵢW) + h(κ(W)) for an m×n W.
func stacked(m, n int, l gcg.Loss, k gcg.Gauge, h gcg.Penalty, maps []gcg.Operator, penalties ...loss.Lipschitz) *gcg.Problem {
	ops, losses := []gcg.Operator{must(operator.NewIdentity(m, n))}, []gcg.Loss{l}
	for i, g := range penalties {
		if maps == nil {
			ops = append(ops, ops[0])
		} else {
			ops = append(ops, maps[i])
		}
		losses = append(losses, envelope(g))
	}
	return &gcg.Problem{Operator: must(operator.Stack(ops...)), Loss: loss.Stack(losses...), Gauge: k, Penalty: h}
}

// inBall is the minimum of Σ f(xᵢ) with Σ|xᵢ| ≤ ζ, where at(i, μ) ≥ 0 minimises f(xᵢ) + μ|xᵢ|: by bisection of μ.
func inBall(n int, zeta float64, f, at func(i int, x float64) float64) (sum float64) {
	lo, hi := 0.0, 1e3
	for range 200 {
		mu, size := lo+(hi-lo)/2, 0.0
		for i := range n {
			size += at(i, mu)
		}
		if size > zeta {
			lo = mu
		} else {
			hi = mu
		}
	}
	for i := range n {
		sum += f(i, at(i, hi))
	}
	return sum
}

// diagonal is a sparse and low-rank problem of a diagonal Y, whose solution is diagonal too, as neither norm grows by leaving
// entries off the diagonal out: ½‖X-Y‖² + λ₁‖X‖₁ with ‖X‖_* ≤ τ.
func diagonal(k gcg.Gauge) known {
	const n, lambda, tau = 7, 0.3, 3
	d := []float64{3, 2, 1.5, 1, 0.7, 0.4, 0.1}
	y := make([]float64, n*n)
	for i, x := range d {
		y[i*n+i] = x
	}
	want := inBall(n, tau,
		func(i int, x float64) float64 { return (x-d[i])*(x-d[i])/2 + lambda*x },
		func(i int, mu float64) float64 { return math.Max(0, d[i]-lambda-mu) })
	p := stacked(n, n, &loss.Squared{Y: y}, k, gauge.Ball{Zeta: tau}, nil, &loss.L1Norm{N: n * n, Lambda: lambda})
	return known{"diagonal, " + k.Name(), p, want, nil}
}

// groups is ½‖w-y‖² + λ Σ|wᵢ| with ‖w‖₁ ≤ ζ, where the penalty is of groups of one entry.
func groups() known {
	const n, lambda, zeta = 12, 0.25, 2
	rng := rand.New(rand.NewPCG(41, 1))
	y := make([]float64, n)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	want := inBall(n, zeta,
		func(i int, x float64) float64 { d := x - math.Abs(y[i]); return d*d/2 + lambda*x },
		func(i int, mu float64) float64 { return math.Max(0, math.Abs(y[i])-lambda-mu) })
	return known{"groups of one", stacked(n, 1, &loss.Squared{Y: y}, gauge.L1{}, gauge.Ball{Zeta: zeta}, nil,
		&loss.GroupNorm{N: n, Size: 1, Lambda: lambda}), want, nil}
}

// power is Σ |zᵢ-yᵢ|^1.5/1.5, whose gradient is Hölder continuous of exponent ½ and not Lipschitz.
type power struct{ y []float64 }

func (l power) Len() int    { return len(l.y) }
func (l power) Stride() int { return 1 }
func (l power) Eval(lo int, z, r []float64) (sum float64) {
	for i, x := range z {
		d := x - l.y[lo+i]
		root := math.Sqrt(math.Abs(d))
		sum += math.Abs(d) * root / 1.5
		if r != nil {
			r[i] = -math.Copysign(root, d)
		}
	}
	return sum
}

func (l power) Conjugate(lo int, r []float64, s float64) (sum float64) {
	for i, x := range r {
		p := math.Abs(s * x)
		sum += p*p*p/3 - s*x*l.y[lo+i]
	}
	return sum
}

// hölder is power with an ℓ1 penalty within an ℓ1 ball, entry by entry.
func hölder() known {
	const n, lambda, zeta = 10, 0.4, 3
	y := make([]float64, n)
	for i := range y {
		y[i] = 2 * math.Sin(float64(3*i+1))
	}
	want := inBall(n, zeta,
		func(i int, x float64) float64 { return math.Pow(math.Abs(y[i])-x, 1.5)/1.5 + lambda*x },
		func(i int, mu float64) float64 { return math.Max(0, math.Abs(y[i])-(lambda+mu)*(lambda+mu)) })
	return known{"Hölder", stacked(n, 1, power{y}, gauge.L1{}, gauge.Ball{Zeta: zeta}, nil, &loss.L1Norm{N: n, Lambda: lambda}),
		want, nil}
}

// without is λ‖x‖_∞ on the simplex, with no smooth part: λ/n.
func without() known {
	const n, lambda = 8, 3.0
	return known{"no smooth part", &gcg.Problem{Operator: must(operator.NewIdentity(n, 1)),
		Loss: envelope(&loss.MaxNorm{N: n, Size: n, Lambda: lambda}), Gauge: gauge.Simplex{}, Penalty: gauge.Equal{Zeta: 1}},
		lambda / n, gcg.Join(n, 1, []gcg.Term{{Atom: gcg.Atom{Rows: []int32{0}, Cols: []int32{0}, Vals: []float64{1}, Key: 1},
			Weight: 1}})}
}

// penalised is groups with λκ in place of the ball.
func penalised() known {
	const n, lambda, mu = 12, 0.25, 0.3
	y := make([]float64, n)
	var want float64
	for i := range y {
		y[i] = 2 * math.Cos(float64(5*i))
		x := math.Max(0, math.Abs(y[i])-lambda-mu)
		want += (math.Abs(y[i])-x)*(math.Abs(y[i])-x)/2 + (lambda+mu)*x
	}
	return known{"penalty", stacked(n, 1, &loss.Squared{Y: y}, gauge.L1{}, gauge.Linear{Lambda: mu}, nil,
		&loss.L1Norm{N: n, Lambda: lambda}), want, nil}
}

// summed is ½‖x-y‖² + λ TV(x) + λ₁‖x‖₁ on an ℓ1 ball whose radius is the norm of the penalised solution: the proximity operator
// of the sum is soft-thresholding after that of the total variation, here by projected gradients on the dual.
func summed() known {
	const n, lambda, lambda1, mu = 20, 0.3, 0.05, 0.1
	rng := rand.New(rand.NewPCG(41, 2))
	y, v, x := make([]float64, n), make([]float64, n+1), make([]float64, n)
	for i := range y {
		y[i] = float64(i/7) + 0.2*rng.NormFloat64()
	}
	for range 100000 {
		for i := range x {
			x[i] = y[i] - v[i+1] + v[i]
		}
		for i := 1; i < n; i++ {
			v[i] = math.Max(-lambda, math.Min(lambda, v[i]+(x[i-1]-x[i])/4))
		}
	}
	var want, zeta float64
	for i := range x {
		x[i] = math.Copysign(math.Max(math.Abs(x[i])-lambda1-mu, 0), x[i])
		want += (x[i]-y[i])*(x[i]-y[i])/2 + lambda1*math.Abs(x[i])
		zeta += math.Abs(x[i])
		if i > 0 {
			want += lambda * math.Abs(x[i]-x[i-1])
		}
	}
	return known{"sum of two", stacked(n, 1, &loss.Squared{Y: y}, gauge.L1{}, gauge.Ball{Zeta: zeta}, nil,
		&loss.TotalVariation{N: n, Size: n, Lambda: lambda}, &loss.L1Norm{N: n, Lambda: lambda1}), want, nil}
}

func table() []known {
	return []known{diagonal(gauge.Trace{}), diagonal(gauge.PSDTrace{}), groups(), hölder(), without(), penalised(), summed()}
}

// Algorithm 2: the optimum is in the bracket after every step, and the gap falls as the bound of Corollary 4.5 says.
func TestAlgorithm2(t *testing.T) {
	const steps, left = 3000, 0.2
	for _, k := range table() {
		t.Run(k.name, func(t *testing.T) {
			rounding := 1e-10 * math.Max(k.optimum, 1)
			r := testrun.Must(t, k.problem, &hybrid.HCGS{}, solver.Options{Tol: 1e-3, MaxIter: steps, Plateau: steps,
				Start: k.start,
				Event: func(e solver.Event) {
					if c := e.State.Cert; c.LowerBound > k.optimum+rounding || c.Objective < k.optimum-rounding {
						t.Fatalf("step %d: %.12g is not in [%.12g, %.12g]", e.Iter, k.optimum, c.LowerBound, c.Objective)
					}
				}})
			if c := r.State.Cert; c.Relative > left {
				t.Errorf("[%.6g, %.6g] for %.6g after %d steps", c.LowerBound, c.Objective, k.optimum, r.Iter)
			}
		})
	}
}

// A line search and weights that are optimised anew close the gap on the problem of each width, which is sharpened faster.
func TestSteps(t *testing.T) {
	for _, k := range table() {
		if strings.HasPrefix(k.name, "Hölder") || strings.HasPrefix(k.name, "no smooth") {
			continue // a loss without second derivatives; a penalty without steps of its own
		}
		t.Run(k.name, func(t *testing.T) {
			m := &hybrid.HCGS{Steps: &conditional.GCG{}, Decay: 2}
			r := testrun.Must(t, k.problem, m, solver.Options{Tol: 1e-4, MaxIter: 300, Plateau: 300,
				Improver: &solver.Corrective{}})
			testrun.Bracket(t, r, k.optimum, 1e-4)
			if r.Status != solver.Converged {
				c := r.State.Cert
				t.Errorf("%s: [%.6g, %.6g] for %.6g after %d steps", r.Status, c.LowerBound, c.Objective, k.optimum, r.Iter)
			}
		})
	}
}

// Rescaling the objective changes nothing where β follows the formula, and divides the best β by the scale [Argyriou14 §4.4].
func TestScale(t *testing.T) {
	run := func(m *hybrid.HCGS) float64 {
		k := groups()
		r, err := solver.Run(context.Background(), k.problem, m, solver.Options{MaxIter: 50, Plateau: 100})
		if err != nil {
			t.Fatal(err)
		}
		return r.State.Cert.LowerBound
	}
	plain := run(&hybrid.HCGS{})
	beta := 2 * math.Sqrt2 * 2 / (0.25 * math.Sqrt(12))
	for name, m := range map[string]*hybrid.HCGS{"scale": {Scale: 5}, "the formula's β": {Beta: beta},
		"both": {Beta: beta / 5, Scale: 5}} {
		if f := run(m); math.Abs(f-plain) > 1e-9*plain {
			t.Errorf("%s: the bound is %v, not %v", name, f, plain)
		}
	}
	if f := run(&hybrid.HCGS{Beta: beta / 5}); f == plain {
		t.Error("another β changes nothing")
	}
}

// ‖B‖ of differences of neighbours is 2 cos(π/2n).
func TestNormOfThePenalty(t *testing.T) {
	const n = 10
	ptr, index, values := make([]int64, n), []int32(nil), []float64(nil)
	for i := range n - 1 {
		index, values = append(index, int32(i), int32(i+1)), append(values, -1, 1)
		ptr[i+1] = int64(len(index))
	}
	d := must(operator.NewDesign(must(operator.SparseFeatures(n-1, n, ptr, index, values)), 1))
	y := make([]float64, n)
	p := stacked(n, 1, &loss.Squared{Y: append(y, 1)[1:]}, gauge.L1{}, gauge.Ball{Zeta: 2}, []gcg.Operator{d},
		&loss.L1Norm{N: n - 1, Lambda: 0.5})
	m := &hybrid.HCGS{}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Oracle = new(gcg.Oracle)
	if err := m.Init(p, s, gcg.Settings{Tol: 1e-3}); err != nil {
		t.Fatal(err)
	}
	width := p.Loss.(loss.Stacked).Width()
	norm := width * 0.5 * math.Sqrt(n-1) / (2 * math.Sqrt2 * 2)
	if want := 2 * math.Cos(math.Pi/(2*n)); math.Abs(norm-want) > 0.05*want {
		t.Errorf("‖B‖ = %v, not %v", norm, want)
	}
}

// What bounds nothing, and numbers that are no numbers, are refused.
func TestRefused(t *testing.T) {
	k := groups()
	for _, m := range []*hybrid.HCGS{{Beta: -1}, {Radius: math.NaN()}, {Norm: math.Inf(1)}} {
		if _, err := solver.Run(context.Background(), k.problem, m, solver.Options{}); err == nil {
			t.Errorf("%+v is taken", m)
		}
	}
	k.problem.Penalty = gauge.Linear{Lambda: 1}
	k.problem.Loss = loss.Stack(noInfimum{12}, envelope(&loss.L1Norm{N: 12, Lambda: 1}))
	_, err := solver.Run(context.Background(), k.problem, &hybrid.HCGS{}, solver.Options{})
	if err == nil || !strings.Contains(err.Error(), "gauge.Linear") {
		t.Errorf("a problem without a bound: %v", err)
	}
}

// noInfimum is a loss that states neither an infimum nor a conjugate.
type noInfimum struct{ n int }

func (l noInfimum) Len() int    { return l.n }
func (l noInfimum) Stride() int { return 1 }
func (l noInfimum) Eval(_ int, z, r []float64) (sum float64) {
	for i, x := range z {
		sum += x * x / 2
		if r != nil {
			r[i] = -x
		}
	}
	return sum
}
