package extending_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"example.org/extending"
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/task"
)

// One wild entry does not spoil the rank one of the others: where 100 was observed and 1.5 is true, 1.6 is predicted.
func ExampleLogCosh() {
	const n = 6
	y := make([]float64, n*n)
	for e := range y {
		y[e] = float64(1+e/n) * float64(1+e%n) / 4
	}
	y[8] = 100
	op, err := operator.NewIdentity(n, n)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: extending.LogCosh{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1.5}}
	opt := solver.Options{Tol: 1e-4, Improver: &fixedrank.Local{}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, opt)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, rank %d, prediction %.1f\n", r.Status, r.State.W.Rank(), r.State.Z[8])
	// Output: converged, rank 1, prediction 1.6
}

// A signal of three levels, from ten noisy values.
func ExampleJumps() {
	noisy := []float64{0.1, -0.1, 0.2, 5.1, 4.9, 5.2, 4.8, 2.1, 1.9, 2.0}
	op, err := operator.NewIdentity(len(noisy), 1)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: noisy}, Gauge: extending.Jumps{}, Penalty: gauge.Linear{Lambda: 0.6}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s (%s): %.1f\n", r.Status, r.State.Cert.Kind, r.State.Z)
	// Output: converged (proven): [0.0 0.0 0.2 4.7 4.7 4.7 4.7 2.2 2.2 2.2]
}

// Four users compared five items in pairs. The first two like them in one order, the others in the opposite one. What user 3
// was not asked follows from what the others said.
func ExampleComparisons() {
	op := &extending.Comparisons{Users: 4, Items: 5}
	for user := range 4 {
		for j := range 5 {
			for k := range j {
				switch {
				case user == 3 && j == 4 && k == 0: // not asked
				case user < 2:
					op.Of = append(op.Of, extending.Comparison{User: user, Better: j, Worse: k})
				default:
					op.Of = append(op.Of, extending.Comparison{User: user, Better: k, Worse: j})
				}
			}
		}
	}
	y := make([]float64, len(op.Of))
	for e := range y {
		y[e] = 1
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Logistic{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-6,
		Improver: &fixedrank.Local{}})
	if err != nil {
		log.Fatal(err)
	}
	unasked := &extending.Comparisons{Users: 4, Items: 5, Of: []extending.Comparison{{User: 3, Better: 0, Worse: 4}}}
	z := make([]float64, 1)
	unasked.FactoredTo(z, 0, r.State.W.U, r.State.W.V)
	fmt.Printf("%s, rank %d: user 3 prefers item 0 to item 4 by %.1f\n", r.Status, r.State.W.Rank(), z[0])
	// Output: converged, rank 1: user 3 prefers item 0 to item 4 by 4.9
}

// The lasso under λκ³/3: at the optimum it is the one under λκ² ‖w‖₁ in the place of λ.
func ExamplePower() {
	op, err := operator.NewIdentity(4, 1)
	if err != nil {
		log.Fatal(err)
	}
	y := []float64{5, -3, 1, 0.5}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: extending.Power{Lambda: 0.1, P: 3}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.3f, κ = %.3f, λκ² = %.3f\n", r.Status, r.State.Z, r.State.Rho, 0.1*r.State.Rho*r.State.Rho)
	// Output: converged: [3.150 -1.150 0.000 0.000], κ = 4.301, λκ² = 1.850
}

// The same problem by a method of one's own, bare and with an improver of gcg.
func ExampleFrankWolfe() {
	op, err := operator.NewIdentity(4, 1)
	if err != nil {
		log.Fatal(err)
	}
	y := []float64{5, -3, 1, 0.5}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Ball{Zeta: 5}}
	for _, improver := range []solver.Improver{nil, &solver.Corrective{}} {
		opt := solver.Options{Tol: 1e-3, Improver: improver}
		r, err := solver.Run(context.Background(), p, &extending.FrankWolfe{}, opt)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %.1f, in less than ten steps: %t\n", r.Status, r.State.Z, r.Iter < 10)
	}
	// Output:
	// converged: [3.5 -1.5 0.0 0.0], in less than ten steps: false
	// converged: [3.5 -1.5 0.0 0.0], in less than ten steps: true
}

// An improver of one's own, under a method of gcg.
func ExampleRescale() {
	op, err := operator.NewIdentity(2, 2)
	if err != nil {
		log.Fatal(err)
	}
	y := []float64{3, 0, 0, 1}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.5}}
	for _, improver := range []solver.Improver{nil, extending.Rescale{}} {
		opt := solver.Options{Tol: 1e-3, Improver: improver}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{Rule: conditional.OpenLoop}, opt)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: trace norm %.1f, in less than fifty steps: %t\n", r.Status, r.State.Rho, r.Iter < 50)
	}
	// Output:
	// converged: trace norm 3.0, in less than fifty steps: false
	// converged: trace norm 3.0, in less than fifty steps: true
}

// Counts of visits, of which some were not taken down: a completion with a loss that this module has, and a certificate.
func ExamplePoisson() {
	var list []dataset.Rating
	for user := range 12 {
		for place := range 8 {
			if (user+2*place)%5 > 0 {
				count := math.Round(math.Exp(0.25 * float64(1+user%4) * float64(1+place%3)))
				list = append(list, dataset.Rating{User: fmt.Sprint("user", user), Item: fmt.Sprint("place", place),
					Value: count})
			}
		}
	}
	visits, err := dataset.FromSlice(list)
	if err != nil {
		log.Fatal(err)
	}
	c := task.Completion{Train: visits, Own: extending.NewPoisson}
	fit, err := c.Fit(context.Background(), task.Options{Lambda: 1})
	if err != nil {
		log.Fatal(err)
	}
	mean := math.Exp(fit.Model.PredictID("user3", "place1"))
	fmt.Printf("%s, within 0.001: %v; %.1f visits are expected\n", fit.Result.Status, fit.Result.State.Cert.Relative < 1e-3, mean)
	// Output: converged, within 0.001: true; 6.9 visits are expected
}

// What four series gain in each period has rank one, and only their running totals are seen.
func ExampleTotals() {
	gains := []float64{1, 2, 0, 1, 3}
	share := []float64{1, 2, 3, 4}
	op := &extending.Totals{M: 5, N: 4}
	y := make([]float64, 20)
	total := 0.0
	for i, g := range gains {
		total += g
		for j, s := range share {
			y[i*4+j] = total * s
		}
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.01}}
	m, im, _ := solver.For(p)
	r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-6, Improver: im})
	if err != nil {
		log.Fatal(err)
	}
	w := r.State.W.Dense()
	fmt.Printf("%s, rank %d, the first series gains %.1f in the last period\n", r.Status, r.State.W.Rank(), w[4*4])
	// Output: converged, rank 1, the first series gains 3.0 in the last period
}
