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
		r := testrun.Must(t, p, &solver.GCG{OutsideW: true}, solver.Options{Tol: 1e-7, MaxIter: 60,
			Improver: &solver.Local{}})
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
			for solved, improver := range map[string]solver.Improver{"local": &solver.Local{},
				"corrective": &solver.Corrective{}, "none": nil} {
				p := &gcg.Problem{Operator: op, Loss: loss.Stack(&loss.Squared{Y: y1, Group: n}, c.second), Gauge: gauge.Trace{},
					Penalty: gauge.Linear{Lambda: lambda}, Intercept: true}
				tol := map[string]float64{"local": 1e-8, "corrective": 1e-4, "none": 1e-2}[solved]
				r := testrun.Must(t, p, &solver.GCG{OutsideW: solved == "local"},
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
