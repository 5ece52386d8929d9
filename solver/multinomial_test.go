package solver_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// labelled is rows of features whose labels, of so many classes, follow from the first features.
func labelled(rng *rand.Rand, n, p, classes int) (x []float64, labels []int32) {
	for range n {
		label := rng.IntN(classes)
		for j := range p {
			v := rng.NormFloat64()
			if j == label {
				v += 3
			}
			x = append(x, v)
		}
		labels = append(labels, int32(label))
	}
	return x, labels
}

// multinomial is a problem of tasks with so many classes each, [Dudik12 eq 2], and each task alone.
func multinomial(classes []int, k gcg.Gauge, lambda float64) (all *gcg.Problem, alone []*gcg.Problem, err error) {
	const n, p = 40, 6
	rng := rand.New(rand.NewPCG(8, 2))
	columns := 0
	for _, c := range classes {
		columns += c
	}
	var ops []gcg.Operator
	var losses []gcg.Loss
	at := 0
	for _, c := range classes {
		x, labels := labelled(rng, n, p, c)
		features, err := operator.DenseFeatures(n, p, x)
		if err != nil {
			return nil, nil, err
		}
		design, err := operator.NewDesign(features, c)
		if err != nil {
			return nil, nil, err
		}
		op, err := operator.OnColumns(design, at, columns)
		if err != nil {
			return nil, nil, err
		}
		l := &loss.Softmax{Labels: labels, Classes: c, Mean: true}
		ops, losses, at = append(ops, op), append(losses, l), at+c
		alone = append(alone, &gcg.Problem{Operator: design, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: lambda}})
	}
	op, err := operator.Stack(ops...)
	if err != nil {
		return nil, nil, err
	}
	return &gcg.Problem{Operator: op, Loss: loss.Stack(losses...), Gauge: k, Penalty: gauge.Linear{Lambda: lambda}}, alone, nil
}

// Two tasks with three and four classes each share what their features are worth: the trace norm of one W with a column for each
// class of each task [Dudik12 eq 2].
func Example_multinomialTasks() {
	p, _, err := multinomial([]int{3, 4}, gauge.Trace{}, 0.05)
	if err != nil {
		log.Fatal(err)
	}
	method, improver, _ := solver.For(p)
	r, err := solver.Run(context.Background(), p, method, solver.Options{Tol: 1e-4, Improver: improver})
	if err != nil {
		log.Fatal(err)
	}
	m, n, _ := p.Operator.Dims()
	fmt.Printf("%s: W is %d×%d of rank %d\n", r.Status, m, n, r.State.W.Rank())
	// Output: converged: W is 6×7 of rank 4
}

// Under ℓ1, which is a sum over the columns, the optimum of the tasks together is the sum of those of each alone, with intercepts
// too; under the trace norm it is less.
func TestMultinomialTasksTogether(t *testing.T) {
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Trace{}} {
		for _, intercept := range []bool{false, true} {
			all, alone, err := multinomial([]int{3, 4, 2}, k, 0.03)
			check(t, err)
			optimum := func(p *gcg.Problem) float64 {
				p.Intercept = intercept
				method, improver, _ := solver.For(p)
				r, err := solver.Run(context.Background(), p, method, solver.Options{Tol: 1e-6, Improver: improver})
				check(t, err)
				if r.Status != solver.Converged {
					t.Errorf("%s, %v: %s with a gap of %g", k.Name(), intercept, r.Status, r.State.Cert.Relative)
				}
				return r.State.Cert.Objective
			}
			together, sum := optimum(all), 0.0
			for _, p := range alone {
				sum += optimum(p)
			}
			if _, l1 := k.(gauge.L1); l1 && math.Abs(together-sum) > 1e-5*sum || !l1 && !(together < sum*(1-1e-3)) {
				t.Errorf("%s, %v: %v together, %v each alone", k.Name(), intercept, together, sum)
			}
		}
	}
}
