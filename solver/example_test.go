package solver_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// Matrix completion from triplets: the trace norm finds the matrix of rank one behind seven of its nine entries.
func ExampleRun_completion() {
	ratings, err := dataset.RatingsReader{}.Read(strings.NewReader(`user,item,rating
ann,tea,1
ann,milk,2
ann,rum,3
bob,tea,2
bob,milk,4
cid,tea,3
cid,rum,9
`), "ratings.csv")
	if err != nil {
		log.Fatal(err)
	}
	x, err := ratings.Compress(dataset.RefuseDuplicates)
	if err != nil {
		log.Fatal(err)
	}
	op, err := operator.NewSampling(x.M, x.N, x.Ptr, x.Cols)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: x.Values}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.01}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-6,
		Improver: &fixedrank.Local{}})
	if err != nil {
		log.Fatal(err)
	}
	w := r.State.W
	predict := func(user, item string) (z float64) {
		i, j := ratings.RowIDs.Find([]byte(user)), ratings.ColIDs.Find([]byte(item))
		for c := range w.Rank() {
			z += w.U.Row(int(i))[c] * w.V.Row(int(j))[c]
		}
		return z
	}
	fmt.Printf("%s, rank %d, gap below 1e-6: %t\n", r.Status, w.Rank(), r.State.Cert.Relative <= 1e-6)
	fmt.Printf("bob, rum: %.2f\ncid, milk: %.2f\n", predict("bob", "rum"), predict("cid", "milk"))
	// Output:
	// converged, rank 1, gap below 1e-6: true
	// bob, rum: 5.99
	// cid, milk: 5.99
}

// The lasso: a design matrix, the ℓ1 norm, and an intercept that is not penalised. Targets are 1 + 2 x₁ - x₃, so that two of
// four coefficients are found.
func ExampleRun_lasso() {
	x := []float64{
		1, 0, 0, 1,
		0, 1, 0, -1,
		0, 0, 1, 1,
		1, 1, 0, 0,
		0, 1, 1, 0,
		1, 0, 1, -1,
	}
	y := []float64{3, 1, 0, 3, 0, 2}
	features, err := operator.DenseFeatures(6, 4, x)
	if err != nil {
		log.Fatal(err)
	}
	op, err := operator.NewDesign(features, 1)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 0.05},
		Intercept: true}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}})
	if err != nil {
		log.Fatal(err)
	}
	coefficients := make([]float64, 4)
	for _, t := range r.State.W.Terms {
		for e, i := range t.Atom.Rows {
			coefficients[i] += t.Weight * t.Atom.Vals[e]
		}
	}
	fmt.Printf("%s: intercept %.3f, coefficients %.3f\n", r.Status, r.State.Intercept[0], coefficients)
	// Output:
	// converged: intercept 1.000, coefficients [1.975 0.000 -0.975 0.000]
}

// logCosh is a loss of one's own, Σ log cosh(z-y): quadratic near the target, linear far from it. Eval is all that a Loss
// needs; the second derivatives let improvers take Newton steps, and the infimum gives a certificate.
type logCosh struct{ y []float64 }

func (l logCosh) Len() int           { return len(l.y) }
func (l logCosh) Stride() int        { return 1 }
func (l logCosh) Infimum() float64   { return 0 }
func (l logCosh) Curvature() float64 { return 1 }

func (l logCosh) Eval(lo int, z, r []float64) (sum float64) {
	for i := range z {
		d := l.y[lo+i] - z[i]
		sum += math.Abs(d) + math.Log1p(math.Exp(-2*math.Abs(d))) - math.Ln2
		if r != nil {
			r[i] = math.Tanh(d)
		}
	}
	return sum
}

func (l logCosh) HessTo(dst []float64, lo int, z, e []float64) {
	for i := range e {
		c := math.Cosh(l.y[lo+i] - z[i])
		dst[i] = e[i] / (c * c)
	}
}

// A loss of one's own: one wild entry does not spoil the others' rank-one structure.
func ExampleRun_customLoss() {
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
	p := &gcg.Problem{Operator: op, Loss: logCosh{y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1.5}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-4,
		Improver: &fixedrank.Local{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, rank %d; where 100 was observed and 1.5 is true, %.1f\n", r.Status, r.State.W.Rank(), r.State.Z[8])
	// Output: converged, rank 1; where 100 was observed and 1.5 is true, 1.6
}

// jumps is a gauge of one's own on vectors, κ(w) = |w₁| + Σ |wᵢ-wᵢ₋₁|, whose atoms are ± the steps (0, …, 0, 1, …, 1). The polar
// is the largest sum Gₖ + … + G_m, in size.
type jumps struct{}

func (jumps) Name() string { return "jumps" }

func (jumps) Polar(_ context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	if n != 1 {
		return gcg.Polar{}, fmt.Errorf("jumps: works on one column, not %d", n)
	}
	col := make([]float64, m)
	g.MulTo(col, []float64{1})
	best, at, sum := 0.0, m-1, 0.0
	for k := m - 1; k >= 0; k-- {
		if sum += col[k]; math.Abs(sum) > math.Abs(best) {
			best, at = sum, k
		}
	}
	a := gcg.Atom{Key: 1 + int64(at)} // the sparse form: merged with those of its key
	for i := at; i < m; i++ {
		a.Rows, a.Cols, a.Vals = append(a.Rows, int32(i)), append(a.Cols, 0), append(a.Vals, math.Copysign(1, best))
	}
	value := math.Abs(best)
	return gcg.Polar{Atoms: []gcg.Atom{a}, Values: []float64{value}, Value: value, Bound: value * (1 + 1e-13*float64(m)),
		Kind: gcg.Proven}, nil
}

// A gauge of one's own: its polar is enough for a solver, a certificate included.
func ExampleRun_customGauge() {
	noisy := []float64{0.1, -0.1, 0.2, 5.1, 4.9, 5.2, 4.8, 2.1, 1.9, 2.0}
	op, err := operator.NewIdentity(len(noisy), 1)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: noisy}, Gauge: jumps{}, Penalty: gauge.Linear{Lambda: 0.3}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.2f\n", r.Status, r.State.Z)
	// Output:
	// converged: [0.00 0.00 0.20 4.87 4.87 4.87 4.80 2.10 2.10 2.10]
}

// A path of λ from the one that gives W = 0 on, each point from the solution before.
func ExamplePath() {
	op, err := operator.NewIdentity(2, 2)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{4, 0, 0, 1}}, Gauge: gauge.Trace{}}
	p.Penalty = gauge.Linear{Lambda: 1}
	ctx := context.Background()
	top, err := solver.MaxLambda(ctx, p)
	if err != nil {
		log.Fatal(err)
	}
	grid, err := solver.Grid(top, 0.125, 4)
	if err != nil {
		log.Fatal(err)
	}
	method := func() solver.Method { return &conditional.GCG{OutsideW: true} }
	err = solver.Path(ctx, p, method, solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}}, grid,
		func(lambda float64) gcg.Penalty { return gauge.Linear{Lambda: lambda} },
		func(lambda float64, r *solver.Result) bool {
			fmt.Printf("λ = %.2f: rank %d, trace norm %.2f\n", lambda, r.State.W.Rank(), r.State.Rho)
			return true
		})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// λ = 4.00: rank 0, trace norm 0.00
	// λ = 2.00: rank 1, trace norm 2.00
	// λ = 1.00: rank 1, trace norm 3.00
	// λ = 0.50: rank 2, trace norm 4.00
}

// Two penalties: a matrix that is sparse and of low rank. The ℓ1 norm enters by its envelope, whose width is made smaller from
// run to run; objective and bound are those of the problem without it.
func ExampleRun_twoPenalties() {
	y := []float64{
		2, 0.1, 2, 0, // two groups of rows and columns, and a little noise
		2, 0, 1.9, 0.1,
		0, 1, 0.1, 1,
		0.1, 1, 0, 1,
	}
	id, err := operator.NewIdentity(4, 4)
	if err != nil {
		log.Fatal(err)
	}
	both, err := operator.Stack(id, id)
	if err != nil {
		log.Fatal(err)
	}
	l := loss.Stack(&loss.Squared{Y: y}, &loss.MoreauEnvelope{Penalty: &loss.L1Norm{N: 16, Lambda: 0.2}, Beta: 0.1})
	p := &gcg.Problem{Operator: both, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.3}}
	opt := solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}}
	for _, width := range []float64{1e-1, 1e-3, 1e-6} {
		l.SetWidth(width)
		r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, opt)
		if err != nil {
			log.Fatal(err)
		}
		c := r.State.Cert
		fmt.Printf("width %g: F* in [%.4f, %.4f], rank %d\n", width, c.LowerBound, c.Objective, r.State.W.Rank())
		opt.Start = r.State.W
	}
	// Output:
	// width 0.1: F* in [3.6964, 3.7020], rank 2
	// width 0.001: F* in [3.6965, 3.6966], rank 2
	// width 1e-06: F* in [3.6965, 3.6965], rank 2
}

// The proximity operator of the trace norm at a matrix of low rank plus a sparse one, known through products.
func ExampleRun_innerProblem() {
	u, v := gcg.NewFactor(3, 1), gcg.NewFactor(4, 1)
	u.SetColumn(0, []float64{1, 2, 2}, 1)
	v.SetColumn(0, []float64{2, 2, 2, 2}, 1)
	sampled, err := operator.NewSampling(3, 4, []int64{0, 1, 1, 2}, []int32{3, 0})
	if err != nil {
		log.Fatal(err)
	}
	target := gcg.Sum(gcg.LowRank(u, v), gcg.Scaled(sampled.Adjoint([]float64{1, -1}), 0.5))
	prox, err := operator.NewProximal(target, 2)
	if err != nil {
		log.Fatal(err)
	}
	p := &gcg.Problem{Operator: prox, Loss: prox, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 3}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-9,
		Improver: &fixedrank.Local{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, rank %d, trace norm %.4f\n", r.Status, r.State.W.Rank(), r.State.Rho)
	// Output:
	// converged, rank 1, trace norm 10.4272
}
