package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"gonum.org/v1/gonum/mat"
)

// svt writes the singular value thresholding of a (m×n) at τ into dst, and returns its trace norm.
func svt(dst, a []float64, m, n int, tau float64) (norm float64) {
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(m, n, append([]float64(nil), a...)), mat.SVDThin) {
		panic("no singular values")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	s := svd.Values(nil)
	for k := range s {
		s[k] = math.Max(s[k]-tau, 0)
		norm += s[k]
	}
	var us, x mat.Dense
	us.Mul(&u, mat.NewDiagDense(len(s), s))
	x.Mul(&us, v.T())
	for i := range m {
		copy(dst[i*n:(i+1)*n], x.RawRowView(i))
	}
	return norm
}

// proxOfSum is the minimum over X of ½‖X-Y‖² + λ‖X‖_* + g(X) by Dykstra's splitting of proximity operators, slow and plain. prox
// overwrites x by argmin of ½‖·-x‖² + g, and value is g.
func proxOfSum(y []float64, m, n int, lambda float64, prox func(x []float64, n int),
	value func(x []float64, n int) float64) float64 {
	x, p, q := append([]float64(nil), y...), make([]float64, m*n), make([]float64, m*n)
	sum, mid := make([]float64, m*n), make([]float64, m*n)
	var norm float64
	for range 3000 {
		for e := range sum {
			sum[e] = x[e] + p[e]
		}
		copy(mid, sum)
		prox(mid, n)
		for e := range p {
			p[e] = sum[e] - mid[e]
			sum[e] = mid[e] + q[e]
		}
		norm = svt(x, sum, m, n, lambda)
		for e := range q {
			q[e] = sum[e] - x[e]
		}
	}
	f := lambda*norm + value(x, n)
	for e, v := range x {
		f += (v - y[e]) * (v - y[e]) / 2
	}
	return f
}

// lowRankPlusNoise is m×n, of rank 2 with a third of its rows 0, and some noise.
func lowRankPlusNoise(rng *rand.Rand, m, n int) []float64 {
	y := make([]float64, m*n)
	for range 2 {
		v := make([]float64, n)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		for i := range m {
			u := rng.NormFloat64()
			if i%3 == 0 {
				u = 0
			}
			for j := range n {
				y[i*n+j] += u * v[j]
			}
		}
	}
	for e := range y {
		y[e] += 0.1 * rng.NormFloat64()
	}
	return y
}

// l1Prox and l1Value are the proximity operator of 0.2‖·‖₁ and the norm, plain; rowsProx and rowsValue those of 0.6 Σ ‖·_i:‖₂.
func l1Prox(x []float64, _ int) {
	for e, v := range x {
		x[e] = math.Copysign(math.Max(math.Abs(v)-0.2, 0), v)
	}
}

func l1Value(x []float64, _ int) (g float64) {
	for _, v := range x {
		g += 0.2 * math.Abs(v)
	}
	return g
}

func rowsProx(x []float64, n int) {
	for i := 0; i < len(x); i += n {
		by := math.Max(1-0.6/gcg.Norm(x[i:i+n]), 0)
		for j := range n {
			x[i+j] *= by
		}
	}
}

func rowsValue(x []float64, n int) (g float64) {
	for i := 0; i < len(x); i += n {
		g += 0.6 * gcg.Norm(x[i:i+n])
	}
	return g
}

// stackedIdentities is W twice.
func stackedIdentities(t *testing.T, m, n int) gcg.Operator {
	t.Helper()
	id, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.Stack(id, id)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// Two penalties: the certificate is that of the original problem, and closes as the width shrinks, for an entry-wise penalty and
// for norms of rows.
func TestTwoPenalties(t *testing.T) {
	const m, n, lambda = 20, 15, 1.5
	y := lowRankPlusNoise(rand.New(rand.NewPCG(37, 1)), m, n)
	for name, c := range map[string]struct {
		penalty loss.Lipschitz
		prox    func(x []float64, n int)
		value   func(x []float64, n int) float64
	}{
		"l1":   {&loss.L1Norm{N: m * n, Lambda: 0.2}, l1Prox, l1Value},
		"rows": {&loss.GroupNorm{N: m * n, Size: n, Lambda: 0.6}, rowsProx, rowsValue},
	} {
		t.Run(name, func(t *testing.T) {
			want := proxOfSum(y, m, n, lambda, c.prox, c.value)
			l := loss.Stack(&loss.Squared{Y: y}, &loss.MoreauEnvelope{Penalty: c.penalty, Beta: 1})
			p := &gcg.Problem{Operator: stackedIdentities(t, m, n), Loss: l, Gauge: gauge.Trace{},
				Penalty: gauge.Linear{Lambda: lambda}}
			opt := solver.Options{Tol: 1e-7, MaxIter: 40, Improver: &solver.Local{}}
			gap := math.Inf(1)
			for _, beta := range []float64{1, 0.1, 0.01, 1e-3, 1e-4} {
				l.SetWidth(beta)
				r := testrun.Must(t, p, &solver.GCG{OutsideW: true}, opt)
				cert := r.State.Cert
				testrun.Bracket(t, r, want, 1e-7)
				if !(cert.Gap < gap) {
					t.Errorf("width %g: the gap is %g, after %g", beta, cert.Gap, gap)
				}
				opt.Start, gap = r.State.W, cert.Gap
			}
			if !(gap < 1e-6*want) {
				t.Errorf("the gap is %g at last", gap)
			}
		})
	}
}

// sparseGroups is ½‖W-Y‖² + λ₁‖W‖₁ + λ₂ Σ ‖W_i:‖₂ with λ₁ in the gauge and λ₂ in an envelope, and its minimum, a closed form:
// soft thresholding, and then shrinking of the rows.
func sparseGroups(t *testing.T, m, n int, lambda1, lambda2, width float64) (p *gcg.Problem, want float64) {
	t.Helper()
	y := lowRankPlusNoise(rand.New(rand.NewPCG(37, 4)), m, n)
	for i := range m {
		row := make([]float64, n)
		for j, v := range y[i*n : (i+1)*n] {
			row[j] = math.Copysign(math.Max(math.Abs(v)-lambda1, 0), v)
		}
		by := math.Max(1-lambda2/math.Max(gcg.Norm(row), 1e-300), 0)
		for j, v := range y[i*n : (i+1)*n] {
			x := by * row[j]
			want += (x-v)*(x-v)/2 + lambda1*math.Abs(x)
		}
		want += lambda2 * by * gcg.Norm(row)
	}
	groups := &loss.MoreauEnvelope{Penalty: &loss.GroupNorm{N: m * n, Size: n, Lambda: lambda2}, Beta: width}
	return &gcg.Problem{Operator: stackedIdentities(t, m, n), Loss: loss.Stack(&loss.Squared{Y: y}, groups),
		Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: lambda1}}, want
}

// Every method brackets the optimum of the original problem, within what its width leaves open.
func TestMethodsOnAStack(t *testing.T) {
	const m, n, width = 12, 9, 1e-4
	p, want := sparseGroups(t, m, n, 0.3, 0.5, width)
	for name, c := range map[string]struct {
		method solver.Method
		opt    solver.Options
		tol    float64
	}{
		"line search, corrective": {&solver.GCG{}, solver.Options{Improver: &solver.Corrective{}, MaxIter: 100}, 1e-5},
		"line search":             {&solver.GCG{}, solver.Options{MaxIter: 300}, 0.5},
		"open loop":               {&solver.GCG{Rule: solver.OpenLoop}, solver.Options{MaxIter: 300}, math.Inf(1)},
		"quadratic bound":         {&solver.GCG{Rule: solver.QuadraticBound}, solver.Options{MaxIter: 300}, math.Inf(1)},
		"atom descent":            {&solver.AtomDescent{}, solver.Options{MaxIter: 300}, 1e-5},
	} {
		t.Run(name, func(t *testing.T) {
			c.opt.Tol = 1e-9
			r, err := solver.Run(context.Background(), p, c.method, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			cert := r.State.Cert
			testrun.Bracket(t, r, want, 1e-9)
			if !(cert.Relative <= c.tol) {
				t.Errorf("%s with gap %.1e", r.Status, cert.Relative)
			}
		})
	}
}
