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

// unevenTasks are tasks of very different sizes and levels, the last one of a single sample; centred are the same data less the
// means of each task.
func unevenTasks(t *testing.T) (op, centred gcg.Operator, y, yc []float64, task []int32) {
	t.Helper()
	const n, p, tasks = 150, 6, 9
	rng := rand.New(rand.NewPCG(4, 1))
	x, xc := make([]float64, n*p), make([]float64, n*p)
	y, yc, task = make([]float64, n), make([]float64, n), make([]int32, n)
	count, mean := make([]float64, tasks), make([]float64, tasks*(p+1))
	for i := range n {
		c := min(int(10*math.Pow(rng.Float64(), 3)), tasks-2)
		if i == 0 {
			c = tasks - 1
		}
		task[i] = int32(c)
		count[c]++
		y[i] = 20*float64(c) + rng.NormFloat64()
		for j := range p {
			x[i*p+j] = 3*float64(c%4) + rng.NormFloat64()
			y[i] += x[i*p+j] * float64(j%3-1)
			mean[c*(p+1)+j] += x[i*p+j]
		}
		mean[c*(p+1)+p] += y[i]
	}
	for i, c := range task {
		m := mean[int(c)*(p+1) : (int(c)+1)*(p+1)]
		for j := range p {
			xc[i*p+j] = x[i*p+j] - m[j]/count[c]
		}
		yc[i] = y[i] - m[p]/count[c]
	}
	ops := [2]gcg.Operator{}
	for k, data := range [][]float64{x, xc} {
		f, err := operator.DenseFeatures(n, p, data)
		if err != nil {
			t.Fatal(err)
		}
		if ops[k], err = operator.NewTasks(f, task, tasks); err != nil {
			t.Fatal(err)
		}
	}
	return ops[0], ops[1], y, yc, task
}

// Each task has a constant of its own: for squares that is the same problem as one without, on data less the means of the tasks.
func TestInterceptOfEachTask(t *testing.T) {
	op, centred, y, yc, _ := unevenTasks(t)
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Trace{}} {
		for _, m := range []solver.Method{&conditional.GCG{}, &support.AtomDescent{}} {
			opt := solver.Options{Tol: 1e-3, MaxIter: 500}
			if _, ok := m.(*conditional.GCG); ok {
				opt.Tol, opt.Improver = 1e-7, &solver.Corrective{}
				if _, ok := k.(gauge.Trace); ok {
					opt.Improver = &fixedrank.Local{}
				}
			}
			h := gauge.Linear{Lambda: 10}
			want := testrun.Must(t, &gcg.Problem{Operator: centred, Loss: &loss.Squared{Y: yc}, Gauge: k, Penalty: h}, m, opt)
			got := testrun.Must(t, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: k, Penalty: h,
				Intercept: true}, m, opt)
			a, b := want.State.Cert, got.State.Cert
			if got.Status != solver.Converged || b.LowerBound > a.Objective*(1+1e-9) || b.Objective < a.LowerBound*(1-1e-9) {
				t.Errorf("%s, %s: %s with [%v, %v], without the means [%v, %v]", k.Name(), m.Name(), got.Status,
					b.LowerBound, b.Objective,
					a.LowerBound, a.Objective)
			}
			if got.Iter > want.Iter+10 && m.Name() == "gcg" {
				t.Errorf("%s: %d steps, without the means %d", k.Name(), got.Iter, want.Iter)
			}
		}
	}
}

// A task whose labels are all alike is explained by its constant alone, which has no minimum: its rows cost nothing, and what
// there is of a certificate holds for the others.
func TestTaskOfOneLabel(t *testing.T) {
	op, _, y, _, task := unevenTasks(t)
	signs := make([]float64, len(y))
	for i, c := range task {
		signs[i] = math.Copysign(1, y[i]-20*float64(c)-1)
		if c == 1 || c == 8 {
			signs[i] = 1
		}
	}
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Trace{}} {
		improver := solver.Improver(&solver.Corrective{})
		if _, ok := k.(gauge.Trace); ok {
			improver = &fixedrank.Local{}
		}
		p := &gcg.Problem{Operator: op, Loss: &loss.Logistic{Y: signs}, Gauge: k, Penalty: gauge.Linear{Lambda: 1},
			Intercept: true}
		r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-6, Improver: improver, MaxIter: 200})
		if c := r.State.Cert; r.Status != solver.Converged || r.State.Intercept[1] < 10 {
			t.Errorf("%s: %s with [%v, %v], intercepts %v", k.Name(), r.Status, c.LowerBound, c.Objective, r.State.Intercept)
		}
	}
}
