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
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/support"
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
			opt := solver.Options{Tol: 1e-7, MaxIter: 40, Improver: &fixedrank.Local{}}
			gap := math.Inf(1)
			for _, beta := range []float64{1, 0.1, 0.01, 1e-3, 1e-4} {
				l.SetWidth(beta)
				r := testrun.Must(t, p, &conditional.GCG{OutsideW: true}, opt)
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
		"line search, corrective": {&conditional.GCG{}, solver.Options{Improver: &solver.Corrective{}, MaxIter: 100}, 1e-5},
		"line search":             {&conditional.GCG{}, solver.Options{MaxIter: 300}, 0.5},
		"open loop":               {&conditional.GCG{Rule: conditional.OpenLoop}, solver.Options{MaxIter: 300}, math.Inf(1)},
		"quadratic bound": {&conditional.GCG{Rule: conditional.QuadraticBound}, solver.Options{MaxIter: 300},
			math.Inf(1)},
		"atom descent": {&support.AtomDescent{}, solver.Options{MaxIter: 300}, 1e-5},
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

// fusedLasso is the minimum over x of ½‖x-y‖² + λ₁‖x‖₁ + λ₂ Σ|x_{i+1} - x_i|: the proximity operator of the total variation by
// projected gradients on its dual, which is then soft-thresholded.
func fusedLasso(y []float64, lambda1, lambda2 float64) (f float64) {
	n := len(y)
	v, x := make([]float64, n+1), make([]float64, n) // v₀ = v_n = 0
	for range 200000 {
		for i := range x {
			x[i] = y[i] - v[i+1] + v[i]
		}
		for i := 1; i < n; i++ {
			v[i] = math.Max(-lambda2, math.Min(lambda2, v[i]+(x[i-1]-x[i])/4))
		}
	}
	for i := range x {
		x[i] = math.Copysign(math.Max(math.Abs(x[i])-lambda1, 0), x[i])
		f += (x[i]-y[i])*(x[i]-y[i])/2 + lambda1*math.Abs(x[i])
		if i > 0 {
			f += lambda2 * math.Abs(x[i]-x[i-1])
		}
	}
	return f
}

// A piecewise constant signal: the total variation as a penalty of its own, and as the ℓ1 norm after an operator that takes
// differences, close on the same optimum.
func TestFusedLasso(t *testing.T) {
	const n, lambda1, lambda2, width = 40, 0.05, 0.4, 1e-6
	rng := rand.New(rand.NewPCG(37, 9))
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i/10%3) + 0.2*rng.NormFloat64()
	}
	want := fusedLasso(y, lambda1, lambda2)
	id, err := operator.NewIdentity(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	ptr, index, values := make([]int64, n), []int32(nil), []float64(nil)
	for i := range n - 1 {
		index, values = append(index, int32(i), int32(i+1)), append(values, -1, 1)
		ptr[i+1] = int64(len(index))
	}
	features, err := operator.SparseFeatures(n-1, n, ptr, index, values)
	if err != nil {
		t.Fatal(err)
	}
	differences, err := operator.NewDesign(features, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		second  gcg.Operator
		penalty loss.Lipschitz
	}{
		"total variation": {id, &loss.TotalVariation{N: n, Size: n, Lambda: lambda2}},
		"differences":     {differences, &loss.L1Norm{N: n - 1, Lambda: lambda2}},
	} {
		op, err := operator.Stack(id, c.second)
		if err != nil {
			t.Fatal(err)
		}
		l := loss.Stack(&loss.Squared{Y: y}, &loss.MoreauEnvelope{Penalty: c.penalty, Beta: 1})
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: lambda1}}
		var r *solver.Result
		var start *gcg.Iterate
		for beta := 1.0; beta >= width; beta /= 10 {
			l.SetWidth(beta)
			r = testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-7, MaxIter: 200,
				Improver: &solver.Corrective{}, Start: start})
			testrun.Bracket(t, r, want, 1e-7)
			start = r.State.W
		}
		if cert := r.State.Cert; !(cert.Relative < 1e-4) {
			t.Errorf("%s: [%.9g, %.9g] and %.9g: %s with gap %.1e", name, cert.LowerBound, cert.Objective, want, r.Status,
				cert.Relative)
		}
	}
}

// rounded is a stranger's smoothing, Σ √((zᵢ-yᵢ)² + β²), of Σ |zᵢ-yᵢ|: above it, and no envelope.
type rounded struct {
	y    []float64
	beta float64
}

func (l *rounded) Len() int           { return len(l.y) }
func (l *rounded) Stride() int        { return 1 }
func (l *rounded) Original() gcg.Loss { return exactAbsolute{l.y} }
func (l *rounded) Curvature() float64 { return 1 / l.beta }
func (l *rounded) Eval(lo int, z, r []float64) (sum float64) {
	for i, x := range z {
		d := x - l.y[lo+i]
		root := math.Hypot(d, l.beta)
		sum += root
		if r != nil {
			r[i] = -d / root
		}
	}
	return sum
}

func (l *rounded) HessTo(dst []float64, lo int, z, e []float64) {
	for i, x := range z {
		root := math.Hypot(x-l.y[lo+i], l.beta)
		dst[i] = e[i] * l.beta * l.beta / (root * root * root)
	}
}

// exactAbsolute is Σ |zᵢ-yᵢ| with its conjugate.
type exactAbsolute struct{ y []float64 }

func (l exactAbsolute) Len() int    { return len(l.y) }
func (l exactAbsolute) Stride() int { return 1 }
func (l exactAbsolute) Eval(lo int, z, _ []float64) (sum float64) {
	for i, x := range z {
		sum += math.Abs(x - l.y[lo+i])
	}
	return sum
}

func (l exactAbsolute) Conjugate(lo int, r []float64, s float64) (sum float64) {
	for i, x := range r {
		if math.Abs(s*x) > 1 {
			return math.Inf(1)
		}
		sum -= s * x * l.y[lo+i]
	}
	return sum
}

// A stranger's smoothed loss is certified as what it smooths. With λ = 1 and the norm of a vector, W = y is the optimum of
// Σ|wᵢ-yᵢ| + ‖w‖₂, as every |yᵢ| ≤ ‖y‖.
func TestStrangersSmoothing(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(37, 10))
	l := &rounded{y: make([]float64, n)}
	for i := range l.y {
		l.y[i] = rng.NormFloat64()
	}
	id, err := operator.NewIdentity(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: id, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
	gap := math.Inf(1)
	var start *gcg.Iterate
	for _, beta := range []float64{1, 0.1, 1e-2, 1e-3, 1e-4} {
		l.beta = beta
		r := testrun.Must(t, p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-6, MaxIter: 50,
			Improver: &fixedrank.Local{}, Start: start})
		testrun.Bracket(t, r, gcg.Norm(l.y), 1e-6)
		if start = r.State.W; !(r.State.Cert.Gap < gap) {
			t.Errorf("width %g: gap %g after %g", beta, r.State.Cert.Gap, gap)
		}
		gap = r.State.Cert.Gap
	}
	if gap > 1e-3*gcg.Norm(l.y) {
		t.Errorf("the gap is %g at last", gap)
	}
}

// Where a part of a stack has no conjugate the whole is linearised, and the bound still holds for the original.
func TestLinearisedStack(t *testing.T) {
	p, want := sparseGroups(t, 8, 6, 0.3, 0.5, 1e-3)
	parts := p.Loss.(loss.Stacked).Parts()
	p.Loss = loss.Stack(bounded{parts[0].(*loss.Squared)}, parts[1])
	r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-9, MaxIter: 3000, Plateau: 3000})
	testrun.Bracket(t, r, want, 1e-9)
	if cert := r.State.Cert; !(cert.Relative < 0.2) || math.IsInf(cert.LowerBound, -1) {
		t.Errorf("[%v, %v] and %v: %s", cert.LowerBound, cert.Objective, want, r.Status)
	}
}

// twoViews are m1 and m2 rows of one n-column matrix, with entries missing: the squared loss on the first view, Huber on the
// second.
type twoViews struct {
	m1, m2, n int
	y         []float64 // NaN where an entry is missing
	mu        float64
}

func newTwoViews(rng *rand.Rand, m1, m2, n int, missing float64) *twoViews {
	v := &twoViews{m1, m2, n, lowRankPlusNoise(rng, m1+m2, n), 0.1}
	for e := range v.y {
		if e >= m1*n && rng.Float64() < 0.1 {
			v.y[e] += 10 * rng.Float64() // gross errors
		}
		if rng.Float64() < missing {
			v.y[e] = math.NaN()
		}
	}
	return v
}

// minimum is that of the loss plus λ‖W‖_*, by accelerated proximal gradient steps on the dense matrix. residual writes -∇L at W
// and returns L, whose curvature is at most bound.
func minimum(m, n int, lambda, bound float64, residual func(r, w []float64) float64) float64 {
	w, at, next, r := make([]float64, m*n), make([]float64, m*n), make([]float64, m*n), make([]float64, m*n)
	t, best := 1.0, math.Inf(1)
	for range 6000 {
		residual(r, at)
		for e := range at {
			next[e] = at[e] + r[e]/bound
		}
		norm := svt(next, next, m, n, lambda/bound)
		f := residual(r, next) + lambda*norm
		after := (1 + math.Sqrt(1+4*t*t)) / 2
		if f > best { // restart
			after, t = 1, 1
		}
		best = math.Min(best, f)
		for e := range at {
			at[e] = next[e] + (t-1)/after*(next[e]-w[e])
		}
		copy(w, next)
		t = after
	}
	return best
}

// residual is the plain loss of both views.
func (v *twoViews) residual(r, w []float64) (sum float64) {
	for e, y := range v.y {
		d := w[e] - y
		switch {
		case math.IsNaN(d):
			r[e] = 0
		case e < v.m1*v.n:
			sum, r[e] = sum+d*d/2, -d
		case math.Abs(d) <= v.mu:
			sum, r[e] = sum+d*d/(2*v.mu), -d/v.mu
		default:
			sum, r[e] = sum+math.Abs(d)-v.mu/2, -math.Copysign(1, d)
		}
	}
	return sum
}

// sampling is the entries of rows lo ≤ i < hi that are not missing, of a matrix of all rows, and their values.
func (v *twoViews) sampling(t *testing.T, lo, hi int) (*operator.Sampling, []float64) {
	t.Helper()
	m := v.m1 + v.m2
	ptr, cols, y := make([]int64, m+1), []int32(nil), []float64(nil)
	for i := range m {
		for j := range v.n {
			if x := v.y[i*v.n+j]; i >= lo && i < hi && !math.IsNaN(x) {
				cols, y = append(cols, int32(j)), append(y, x)
			}
		}
		ptr[i+1] = int64(len(cols))
	}
	op, err := operator.NewSampling(m, v.n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	return op, y
}

// Views with losses of their own are one operator with stacked losses, or stacked operators too: both close the gap on the
// optimum of the dense problem.
func TestViewsWithLossesOfTheirOwn(t *testing.T) {
	const lambda = 4
	rng := rand.New(rand.NewPCG(37, 2))
	v := newTwoViews(rng, 12, 15, 10, 0.3)
	want := minimum(27, 10, lambda, 1/v.mu, v.residual)
	first, y1 := v.sampling(t, 0, 12)
	second, y2 := v.sampling(t, 12, 27)
	whole, _ := v.sampling(t, 0, 27)
	both, err := operator.Stack(first, second)
	if err != nil {
		t.Fatal(err)
	}
	l := loss.Stack(&loss.Squared{Y: y1}, &loss.Huber{Y: y2, Mu: v.mu})
	for name, op := range map[string]gcg.Operator{"one operator": whole, "two operators": both} {
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
		r := testrun.Must(t, p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-7, MaxIter: 60,
			Improver: &fixedrank.Local{}})
		testrun.Bracket(t, r, want, 1e-7)
		if r.Status != solver.Converged || math.Abs(r.State.Cert.Objective-want) > 1e-7*want {
			t.Errorf("%s: %s at %.12g, %d iterations, gap %.1e; the optimum is %.12g", name, r.Status,
				r.State.Cert.Objective, r.Iter, r.State.Cert.Relative, want)
		}
	}
}

// centred is ½‖y - W - b‖² and its residual r, for the best b: a constant for each column of the first view, and one for all of
// the second or none.
func (v *twoViews) centred(r, w []float64, second bool) (sum float64) {
	b, one := make([]float64, v.n), 0.0
	cut := v.m1 * v.n
	for e, y := range v.y {
		if r[e] = y - w[e]; e < cut {
			b[e%v.n] += r[e] / float64(v.m1)
		} else if second {
			one += r[e] / float64(v.m2*v.n)
		}
	}
	for e := range r {
		if e < cut {
			r[e] -= b[e%v.n]
		} else {
			r[e] -= one
		}
		sum += r[e] * r[e] / 2
	}
	return sum
}

// An intercept in one segment only, or in each of two with strides of their own: the constants of a segment are the means of what
// its predictions leave, and where there are none the other segment's are left alone.
func TestInterceptOfSegments(t *testing.T) {
	const m1, m2, n, lambda = 9, 8, 6, 3.0
	rng := rand.New(rand.NewPCG(37, 3))
	v := newTwoViews(rng, m1, m2, n, 0)
	for e := range v.y {
		v.y[e] += 5 + float64(e%n)
	}
	y1, y2 := v.y[:m1*n], v.y[m1*n:]
	whole, _ := v.sampling(t, 0, m1+m2)
	first, _ := v.sampling(t, 0, m1)
	second, _ := v.sampling(t, m1, m1+m2)
	both, err := operator.Stack(first, second)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		second    gcg.Loss
		constants int
		hasSecond bool
	}{
		"first only": {loss.WithoutIntercept(&loss.Squared{Y: y2}), n, false},
		"each":       {&loss.Squared{Y: y2}, n + 1, true},
	} {
		want := minimum(m1+m2, n, lambda, 1, func(r, w []float64) float64 { return v.centred(r, w, c.hasSecond) })
		for form, op := range map[string]gcg.Operator{"one operator": whole, "two operators": both} {
			for solved, improver := range map[string]solver.Improver{"local": &fixedrank.Local{},
				"corrective": &solver.Corrective{}, "none": nil} {
				p := &gcg.Problem{Operator: op, Loss: loss.Stack(&loss.Squared{Y: y1, Group: n}, c.second), Gauge: gauge.Trace{},
					Penalty: gauge.Linear{Lambda: lambda}, Intercept: true}
				tol := map[string]float64{"local": 1e-8, "corrective": 1e-4, "none": 1e-2}[solved]
				r := testrun.Must(t, p, &conditional.GCG{OutsideW: solved == "local"},
					solver.Options{Tol: tol, MaxIter: 500, Improver: improver})
				testrun.Bracket(t, r, want, tol)
				if r.Status != solver.Converged || len(r.State.Intercept) != c.constants {
					t.Errorf("%s, %s, %s: %s with gap %.1e and %d constants", name, form, solved, r.Status,
						r.State.Cert.Relative, len(r.State.Intercept))
				}
			}
		}
	}
}
