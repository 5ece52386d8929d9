package support_test

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
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// nearAndFar are features about 0, the same 30 to 150 deviations away, and these once more as sparse ones.
func nearAndFar(t *testing.T, n, p int, centred []float64) []*operator.Features {
	t.Helper()
	away := make([]float64, n*p)
	ptr, index := make([]int64, n+1), make([]int32, n*p)
	for e := range centred {
		away[e] = centred[e] + 30*float64(e%p+1)
		index[e], ptr[e/p+1] = int32(e%p), int64(e+1)
	}
	a, errA := operator.DenseFeatures(n, p, centred)
	b, errB := operator.DenseFeatures(n, p, away)
	c, errC := operator.SparseFeatures(n, p, ptr, index, away)
	if errA != nil || errB != nil || errC != nil {
		t.Fatal(errA, errB, errC)
	}
	return []*operator.Features{a, b, c}
}

// With an intercept features may lie anywhere: F and about the number of steps are those of features about 0.
func TestFeaturesFarFromZero(t *testing.T) {
	const n, p, outputs = 60, 5, 4
	rng := rand.New(rand.NewPCG(5, 6))
	centred, labels, task, y := make([]float64, n*p), make([]int32, n), make([]int32, n), make([]float64, n)
	for e := range centred {
		centred[e] = rng.NormFloat64()
	}
	for i := range y {
		task[i] = int32(rng.IntN(outputs))
		labels[i] = (task[i] + int32(math.Round(math.Abs(2*centred[i*p])))) % outputs
		y[i] = centred[i*p]*float64(task[i]) + centred[i*p+1] + 0.1*rng.NormFloat64() + 7*float64(task[i])
	}
	features := nearAndFar(t, n, p, centred)
	problems := map[string]func(x *operator.Features) (gcg.Operator, gcg.Loss){
		"classes": func(x *operator.Features) (gcg.Operator, gcg.Loss) {
			op, _ := operator.NewDesign(x, outputs)
			return op, &loss.Softmax{Labels: labels, Classes: outputs, Mean: true}
		},
		"tasks": func(x *operator.Features) (gcg.Operator, gcg.Loss) {
			op, _ := operator.NewTasks(x, task, outputs)
			return op, &loss.Squared{Y: y, Mean: true}
		},
	}
	for name, problem := range problems {
		for _, k := range []gcg.Gauge{gauge.Trace{}, gauge.Group{}, gauge.Lp{P: 1.5}} {
			for _, descent := range []bool{false, true} {
				about, last := 0, gcg.Certificate{LowerBound: math.Inf(-1), Objective: math.Inf(1)}
				for i, x := range features {
					q := &gcg.Problem{Gauge: k, Penalty: gauge.Linear{Lambda: 0.02}, Intercept: true}
					q.Operator, q.Loss = problem(x)
					method, opt := solver.Method(&support.AtomDescent{}), solver.Options{Tol: 1e-3, MaxIter: 500}
					if !descent {
						method, opt.Improver = &conditional.GCG{}, solver.Improver(&solver.Corrective{})
						if _, ok := k.(gauge.Trace); ok {
							opt.Improver = &fixedrank.Local{}
						}
					}
					r := testrun.Must(t, q, method, opt)
					if i == 0 {
						about = 2*r.Iter + 5
					}
					c := r.State.Cert
					if r.Status != solver.Converged || r.Iter > about || c.LowerBound > last.Objective ||
						c.Objective < last.LowerBound {
						t.Errorf("%s, %s, %s, features %d: %s after %d iterations, more than %d, with [%v, %v], before it [%v, %v]", name,
							k.Name(), method.Name(), i,
							r.Status, r.Iter, about, c.LowerBound, c.Objective, last.LowerBound, last.Objective)
					}
					last = c
				}
			}
		}
	}
}
