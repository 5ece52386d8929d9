package cur

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/operator"
)

// WorkingSet is ADMM on a working set of rows. A step is
//
//	rows  ← those with ‖G_i:‖₁ > λ, without those of W that are 0 and have ‖G_i:‖₁ < 0.7 λ
//	X, Z  ← ADMM on the rows, until the gap of the problem on them is a thousandth of that of the whole one
//	W     ← Z₁, with the columns that are 0 in Z₂
//	bound ← at the residual of the exact quadratic step X, whose gradient is feasible where that of W is not
//
// It takes two gradients: at X, and at W for the certificate.
type WorkingSet struct {
	// Rows is how many rows it begins with; 0 means twice the rows of L. Rows alike come together.
	Rows int

	sandwich *operator.Sandwich
	lambda   float64 // λ/c
	admm     *admm
	tol      float64 // of the run
	idle     int     // rounds since the gap was idleGap, of which half is not closed
	idleGap  float64
}

const (
	// mostIdle is the rounds without half of the gap closed after which no more is to be expected: where λ is so small that W
	// interpolates, the residual is rounding, and its bound with it.
	mostIdle = 20
	// keepRow is the part of λ below which a row that is 0 leaves the set, so that rows do not come and go.
	keepRow = 0.7
	// innerPart is the part of the gap of the whole problem at which that on the rows is small enough: more gradients against more
	// steps on sets that change.
	innerPart = 0.001
	// sameSum is the relative difference that rounding leaves between sums of equal rows of D.
	sameSum = 1e-9
	// lastPart is the part of the tolerance below which the gap on the rows is of no use.
	lastPart = 0.8
)

// Name is working-set.
func (x *WorkingSet) Name() string { return "working-set" }

// Fits says why the method does not solve a problem, or nil.
func Fits(problem *gcg.Problem) error {
	p := view.Of(problem)
	switch {
	case !isSandwich(p.Operator):
		return fmt.Errorf("solver: the working set of rows is for a sandwich L W R; gauge %s and loss %T are here of %T",
			p.Gauge.Name(), p.Loss, p.Operator)
	case !p.Plain:
		return fmt.Errorf("solver: the working set of rows is for squares without weights or an intercept, not the loss %T",
			p.Loss)
	case p.Penalty == nil || !view.IsLinear(p.Penalty) || !(p.Penalty.Deriv(0) > 0):
		return fmt.Errorf("solver: the working set of rows is for a penalty λκ, λ > 0, not %T", p.Penalty)
	}
	if _, ok := p.Gauge.(rowscolumns.Gauge); !ok {
		return fmt.Errorf("solver: the working set of rows is for the gauge rows-columns, not %s", p.Gauge.Name())
	}
	return nil
}

// isSandwich reports whether the operator is L W R.
func isSandwich(op gcg.Operator) bool {
	_, ok := op.(*operator.Sandwich)
	return ok
}

// Init refuses what Fits refuses.
func (x *WorkingSet) Init(p *gcg.Problem, _ *gcg.State, set gcg.Settings) error {
	if err := Fits(p); err != nil {
		return err
	}
	squares := view.Of(p).LeastSquares
	x.sandwich, _ = p.Operator.(*operator.Sandwich)
	x.lambda = p.Penalty.Deriv(0) / squares.Scale()
	x.admm = newADMM(x.sandwich, squares.Target(), x.lambda)
	x.idle, x.tol = 0, set.Tol
	return nil
}

// Ask wants one block.
func (x *WorkingSet) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Descends is false: ADMM may raise F where rows come in.
func (x *WorkingSet) Descends() bool { return false }

// Limited says that rounds come to nothing.
func (x *WorkingSet) Limited(*gcg.Problem, *gcg.State) bool { return x.idle > mostIdle }

// Step is one round: rows, ADMM, bound.
func (x *WorkingSet) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	m, n, _ := p.Operator.Dims()
	g := make([]float64, m*n)
	gcg.DenseTo(g, s.Gradient(p))
	x.admm.choose(x.choose(p, s, g, m, n))
	goal := math.Max(innerPart*s.Cert.Gap, lastPart*x.tol*math.Abs(s.Cert.Objective)) / view.Of(p).LeastSquares.Scale()
	if x.idle++; x.idle == 1 || s.Cert.Gap < x.idleGap/2 {
		x.idle, x.idleGap = 1, s.Cert.Gap
	}
	x.admm.run(ctx, goal)
	if err := x.boundAt(ctx, p, s); err != nil {
		return gcg.Moved{}, err
	}
	z, rho := x.admm.primal()
	s.W, s.Rho = x.iterate(z, rho, m, n), rho
	s.Refresh(p)
	return gcg.Moved{}, nil
}

// choose are the rows of the next set, ascending, with the entries of W in them.
func (x *WorkingSet) choose(p *gcg.Problem, s *gcg.State, g []float64, m, n int) (rows []int, w [][]float64) {
	scale := view.Of(p).LeastSquares.Scale()
	sums, in := make([]float64, m), map[int][]float64{}
	for i := range sums {
		for _, v := range g[i*n : (i+1)*n] {
			sums[i] += math.Abs(v) / scale
		}
	}
	r, c, vals := s.W.Entries()
	for e, i := range r {
		if in[int(i)] == nil {
			in[int(i)] = make([]float64, n)
		}
		in[int(i)][c[e]] = vals[e]
	}
	was := map[int]bool{}
	for _, i := range x.admm.rows {
		was[i] = true
	}
	least := x.lambda
	if len(x.admm.rows) == 0 {
		least = x.firstLeast(sums)
	}
	for i, sum := range sums {
		if in[i] != nil || sum > least || was[i] && sum >= keepRow*x.lambda {
			rows, w = append(rows, i), append(w, in[i])
		}
	}
	return rows, w
}

// firstLeast is the sum beyond which the first Rows rows are, and all of the same sum as the last of them: equal rows of D have
// equal sums, and none would be beyond where the sums of more than Rows are the largest.
func (x *WorkingSet) firstLeast(sums []float64) float64 {
	count := x.Rows
	if count == 0 {
		p, _, _ := x.sandwich.Left()
		count = 2 * p
	}
	sorted := slices.Clone(sums)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	if count >= len(sorted) {
		return x.lambda
	}
	return math.Max(x.lambda, sorted[count-1]*(1-sameSum))
}

// boundAt raises the lower bound by that at the residual of the last exact quadratic step.
func (x *WorkingSet) boundAt(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	m, n, _ := p.Operator.Dims()
	at, err := s.InnerState(p, x.iterate(x.admm.x, rowscolumns.Gauge{}.Of(x.admm.x, len(x.admm.rows), n), m, n))
	if err != nil {
		return err
	}
	polar, err := s.Ask(ctx, p.Gauge, at.Gradient(p), x.Ask(p, s))
	if err != nil {
		return err
	}
	if d := p.Bound(at, polar); d > s.Cert.LowerBound {
		s.Cert.LowerBound, s.Cert.Kind = d, polar.Kind
	}
	return nil
}

// iterate is a matrix on the rows of the set as one atom.
func (x *WorkingSet) iterate(z []float64, rho float64, m, n int) *gcg.Iterate {
	w := &gcg.Iterate{M: m, N: n}
	var a gcg.Atom
	for e, v := range z {
		if v != 0 {
			a.Rows, a.Cols = append(a.Rows, int32(x.admm.rows[e/n])), append(a.Cols, int32(e%n))
			a.Vals = append(a.Vals, v/rho)
		}
	}
	if len(a.Vals) > 0 {
		w.Terms = []gcg.Term{{Atom: a, Weight: rho}}
	}
	return w
}
