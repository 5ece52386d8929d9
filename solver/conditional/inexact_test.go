package conditional_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"gonum.org/v1/gonum/mat"
)

// inexact is the trace norm with a polar that returns, on purpose, an atom as bad as [Yu17 eq 30] allows: it attains
// ακ°-ε_t and no more, with ε_t = δ/(t+2) at the t-th call. The bound is true: κ° itself, or value/α where blind.
type inexact struct {
	gauge.Trace
	alpha, delta float64
	blind        bool
	rng          *rand.Rand
	calls        *int
}

func (k inexact) Polar(_ context.Context, g gcg.Map, _ gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	x, e := mat.NewDense(m, n, nil), make([]float64, n)
	col := make([]float64, m)
	for j := range n {
		e[j] = 1
		g.MulTo(col, e)
		e[j] = 0
		x.SetCol(j, col)
	}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return gcg.Polar{}, fmt.Errorf("no singular values")
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	top := svd.Values(nil)[0]
	u, v := mat.Col(nil, 0, &left), mat.Col(nil, 0, &right)
	value := math.Max(0, k.alpha*top-k.delta/float64(*k.calls+2))
	*k.calls++
	turn(v, value/math.Max(top, 1e-300), k.rng)
	a := gcg.RankOne(u, v)
	p := gcg.Polar{Atoms: []gcg.Atom{a}, Value: a.Dot(g), Bound: top * (1 + 1e-13), Kind: gcg.Proven, Alpha: k.alpha}
	if k.blind {
		p.Bound, p.Kind = p.Value/k.alpha*(1+1e-12), gcg.Approximate
	}
	p.Values = []float64{p.Value}
	return p, nil
}

// turn rotates a unit vector v by the angle of the given cosine, in a random direction.
func turn(v []float64, cos float64, rng *rand.Rand) {
	if len(v) < 2 || cos >= 1 {
		return
	}
	d := make([]float64, len(v))
	var dot, norm float64
	for i := range d {
		d[i] = rng.NormFloat64()
		dot += d[i] * v[i]
	}
	for i := range d {
		d[i] -= dot * v[i]
		norm += d[i] * d[i]
	}
	sin := math.Sqrt(1 - cos*cos)
	for i := range v {
		v[i] = cos*v[i] + sin*d[i]/math.Sqrt(norm)
	}
}

// With additive errors that fall like the steps the run converges; with a multiplicative one it comes as near as
// F ≤ F*/α [Yu17 eq 39]. At every iterate the bracket holds.
func TestInexactPolars(t *testing.T) {
	p, s := testproblem.Full(t, 14, 11, 1, 5)
	p.Penalty = gauge.Linear{Lambda: 0.4 * s[0]}
	want := testproblem.Thresholded(p.Penalty, s)
	for _, k := range []inexact{{alpha: 1, delta: 4}, {alpha: 0.8}, {alpha: 0.8, blind: true}, {alpha: 0.9, delta: 2}} {
		for _, im := range []solver.Improver{nil, &solver.Corrective{}, &fixedrank.Local{}} {
			for _, rule := range []conditional.Rule{conditional.LineSearch, conditional.OpenLoop, conditional.QuadraticBound} {
				t.Run(fmt.Sprintf("α=%g,δ=%g,blind=%t/%T/rule%d", k.alpha, k.delta, k.blind, im, rule), func(t *testing.T) {
					q := *p
					k.rng, k.calls = rand.New(rand.NewPCG(1, 1)), new(int)
					q.Gauge = k
					checkInexact(t, &q, &conditional.GCG{Rule: rule}, im, k.alpha, want)
				})
			}
		}
	}
}

func checkInexact(t *testing.T, p *gcg.Problem, method solver.Method, im solver.Improver, alpha, want float64) {
	bracketed := func(e solver.Event) {
		if f, l := e.State.Cert.Objective, e.State.Cert.LowerBound; f < want*(1-1e-12) || l > want*(1+1e-12) {
			t.Errorf("iteration %d: the optimum %.12g is not in [%.12g, %.12g]", e.Iter, want, l, f)
		}
	}
	r, err := solver.Run(context.Background(), p, method,
		solver.Options{Tol: 0.01, Improver: im, MaxIter: 180, Plateau: 180, Event: bracketed})
	if err != nil {
		t.Fatal(err)
	}
	if f := r.State.Cert.Objective; f > want/alpha*1.02 {
		t.Errorf("objective %.6g, at most %.6g was promised (%s after %d iterations)", f, want/alpha, r.Status, r.Iter)
	}
	if alpha == 1 && r.State.Cert.Relative > 0.02 {
		t.Errorf("gap %.2g (%s after %d iterations)", r.State.Cert.Relative, r.Status, r.Iter)
	}
}
