package solver_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

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
			r = testrun.Must(t, p, &solver.GCG{}, solver.Options{Tol: 1e-7, MaxIter: 200,
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
		r := testrun.Must(t, p, &solver.GCG{OutsideW: true}, solver.Options{Tol: 1e-6, MaxIter: 50,
			Improver: &solver.Local{}, Start: start})
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
	r := testrun.Must(t, p, &solver.GCG{}, solver.Options{Tol: 1e-9, MaxIter: 3000, Plateau: 3000})
	testrun.Bracket(t, r, want, 1e-9)
	if cert := r.State.Cert; !(cert.Relative < 0.2) || math.IsInf(cert.LowerBound, -1) {
		t.Errorf("[%v, %v] and %v: %s", cert.LowerBound, cert.Objective, want, r.Status)
	}
}
