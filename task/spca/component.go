package spca

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/spca"
)

// A Component is one sparse principal component.
type Component struct {
	Lambda  float64
	Support []int     // its variables, ascending
	Shrunk  []float64 // the leading eigenvector of X, of all variables
	Loading []float64 // the leading eigenvector of C among the Support: without the shrinking of the penalty
	Rank    int       // of X; beyond 1 the relaxation is not tight
	Leading float64   // λ₁(X), of the trace 1
	Result  *solver.Result

	// Screened is how many variables could be in it, and Largest the largest connected component of |C_ij| > λ among these.
	Screened, Largest int

	// Variances are vᵀCv of the shrunk loading and of the refitted one, on the whole C. Adjusted is what the refitted one adds to
	// those before it: scores of components that are not orthogonal are correlated.
	ShrunkVariance, Variance, Adjusted float64

	vars []int   // that the factors of the result are of
	top  float64 // the largest C_ii
	// found is how many variables X has, where a number was asked for.
	found int
}

const (
	// negligibleLoading is the part of the largest entry below which one of an X that is not of the support's form counts as 0.
	negligibleLoading = 1e-3
	// usualPlateau is the number of steps without progress that end a run: alternating directions are slow in between.
	usualPlateau = 300
	// refitTol is the accuracy of the eigenvalue that a refitted loading attains.
	refitTol = rounding.Decomposed
)

// solve finds the component of C at λ. near, which may be nil, is one to begin at; without it there is no component where ctx
// ends before the first step.
func (p *Prepared) solve(ctx context.Context, c covariance, lambda float64, near *Component,
	run solver.Options) (*Component, error) {
	t := p.task
	vars, err := screened(c, lambda)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	block := c.block(vars)
	x := &Component{Lambda: lambda, vars: vars, Screened: len(vars), top: slices.Max(c.diagonal())}
	problem, m, start, err := t.problem(block, x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	if run.Start = near.start(vars); run.Start == nil {
		run.Start = start
	}
	if run.Plateau == 0 {
		run.Plateau = usualPlateau
	}
	x.Result, err = solver.Run(ctx, problem, m, run)
	if r := x.Result; r == nil || near == nil && r.Status == solver.Interrupted && r.Iter == 0 {
		return nil, err
	}
	x.read(c.variables())
	return x, x.refit(ctx, c)
}

// problem is that of the component's variables, with its solver and an X to start from.
func (t *Task) problem(block []float64, x *Component) (*gcg.Problem, solver.Method, *gcg.Iterate, error) {
	n := len(x.vars)
	m, err := spca.New(block, n, x.Lambda)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, size := range m.Components() {
		x.Largest = max(x.Largest, size)
	}
	if t.Method != nil {
		return t.Method(block, n, x.Lambda)
	}
	return m.Problem(), m, m.Start(), nil
}

// Problem is what is solved for the first component at λ, for checks of its parts; 0 is a tenth of the largest C_ii.
func (p *Prepared) Problem(lambda float64) (*gcg.Problem, error) {
	if lambda == 0 {
		lambda = checkedPart * slices.Max(p.c.diagonal())
	}
	vars, err := screened(p.c, lambda)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.task.Name, err)
	}
	problem, _, _, err := p.task.problem(p.c.block(vars), &Component{Lambda: lambda, vars: vars})
	return problem, err
}

// checkedPart is the λ of a problem that is only checked, as a part of the largest C_ii: several variables are in it.
const checkedPart = 0.1

// start is the X of the component among other variables, or nil where nothing of it is left, or there is none.
func (x *Component) start(vars []int) *gcg.Iterate {
	if x == nil {
		return nil
	}
	old, row := x.Result.State.W.U, make(map[int]int, len(x.vars))
	for i, v := range x.vars {
		row[v] = i
	}
	u := gcg.NewFactor(len(vars), old.K)
	for i, v := range vars {
		if at, ok := row[v]; ok {
			copy(u.Row(i)[:old.K], old.Row(at)[:old.K])
		}
	}
	trace := u.Dot(u)
	if !(trace > 0) {
		return nil
	}
	u.Scale(1 / math.Sqrt(trace))
	return &gcg.Iterate{M: len(vars), N: len(vars), U: u, V: u.Clone()}
}

// read takes the leading eigenvector off X, and its support.
func (x *Component) read(n int) {
	w := x.Result.State.W
	u, s, _ := gcg.SVD(w.U, w.V, rankPart)
	x.Rank, x.Leading = len(s), s[0]
	x.Shrunk = make([]float64, n)
	var top float64
	for i := range x.vars {
		top = math.Max(top, math.Abs(u.Row(i)[0]))
	}
	for i, v := range x.vars {
		if e := u.Row(i)[0]; math.Abs(e) > negligibleLoading*top {
			x.Shrunk[v] = e
			x.Support = append(x.Support, v)
		}
	}
	unit(x.Shrunk)
}

// rankPart is the part of λ₁(X) below which an eigenvalue of X is not counted.
const rankPart = 1e-6

// unit scales a loading to length 1, with its largest entry positive.
func unit(v []float64) {
	var top float64
	for _, e := range v {
		if math.Abs(e) > math.Abs(top) {
			top = e
		}
	}
	kernel.Scale(math.Copysign(1/gcg.Norm(v), top), v)
}

// keepLargest cuts the support to its k largest entries, and refits.
func (x *Component) keepLargest(ctx context.Context, c covariance, k int) error {
	x.found = len(x.Support)
	if x.found <= k {
		return nil
	}
	slices.SortStableFunc(x.Support, func(a, b int) int { return cmp.Compare(math.Abs(x.Shrunk[b]), math.Abs(x.Shrunk[a])) })
	for _, v := range x.Support[k:] {
		x.Shrunk[v] = 0
	}
	x.Support = x.Support[:k]
	slices.Sort(x.Support)
	unit(x.Shrunk)
	return x.refit(ctx, c)
}

// refit makes Loading, from C among the support.
func (x *Component) refit(ctx context.Context, c covariance) error {
	k, sub := len(x.Support), c.block(x.Support)
	op, err := operator.NewIdentity(k, k)
	if err != nil {
		return err
	}
	w := &gcg.Iterate{M: k, N: k, U: gcg.NewFactor(k, 1)}
	for a, i := range x.Support {
		w.U.Row(a)[0] = x.Shrunk[i]
	}
	w.V = w.U
	p, err := gauge.Spectrahedron{}.Polar(context.WithoutCancel(ctx), op.Adjoint(sub), gcg.Ask{Count: 1, Tol: refitTol, W: w})
	if err != nil {
		return err
	}
	x.Loading = make([]float64, len(x.Shrunk))
	for a, i := range x.Support {
		x.Loading[i] = p.Atoms[0].U.Row(a)[0]
	}
	unit(x.Loading)
	return nil
}
