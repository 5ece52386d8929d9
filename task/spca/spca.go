// Package spca is sparse principal components of a covariance, or of features whose covariance is made as far as it is needed.
//
//	spca.go        the task: fields, and Fit
//	covariance.go  a covariance as it is given; features.go one of features; deflated.go one without the components so far
//	screen.go      the variables that can be in a component at a λ
//	component.go   one component: the run, and what is read off its X
//	choose.go      λ for a number of variables, or for a part of the variance
//	variance.go    what loadings explain, though they are not orthogonal
//	path.go        a path of λ; cv.go what its components explain of rows that were held out
//	model.go       the model: scores of new rows
//	warning.go     what a user should hear
package spca

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A Task is the sparse principal components of a covariance C,
//
//	minimise over X ⪰ 0, tr X = 1   λ‖X‖₁ - ⟨C, X⟩
//
// one after the other, each of what those before leave of C. One of Covariance and Features is given. [Task.Fit] reads all fields
// each time, and none is written. [Task.Prepare] is for those who want more than a fit of the same data.
type Task struct {
	Covariance *dataset.Matrix // symmetric and positive semidefinite
	// Features has a row for each sample. C is XᵀX/(rows-1) of the columns less their means.
	Features    *dataset.Matrix
	Uncentered  bool   // columns are not centred: C is XᵀX/rows
	Standardize bool   // columns are divided by their standard deviations: C is their correlation
	Name        string // what messages call the data

	Nonzeros   int // the number of variables of each component, in place of λ
	Components int // how many; 0 means 1

	// Method makes the problem of a covariance, row-major and n×n, at λ, and its solver, with an X to start from; nil is
	// [sparsepca.Splitting].
	Method   func(c []float64, n int, lambda float64) (*gcg.Problem, solver.Method, *gcg.Iterate, error)
	Progress func(string) // what is done before the runs at the final λ, in words; may be nil
}

// A Prepared is a task whose data was checked, with what its covariance is asked for. It serves any number of fits and paths, and
// never changes, whatever becomes of the task that it is made of. The numbers of the data may not change meanwhile.
type Prepared struct {
	task  *Task
	opt   task.Options
	c     covariance
	names []string
}

// UsualKept is the part of the variance of an unpenalised component that the component keeps where λ is chosen.
const UsualKept = 0.9

// A Result is a fitted Task.
type Result struct {
	Components []Component
	Total      float64 // tr C
	Max        float64 // the largest C_ii: beyond this λ a component is one variable
	Model      *model.Model
	Warnings   []task.Warning
}

// Prepare makes what C is asked for. A covariance is copied; features are not, and may be sparse. Errors are of data that is no
// covariance, of numbers that are not finite, and of fields that exclude each other. Of the options those of [Task.Fit] count.
func (t *Task) Prepare(opt task.Options) (*Prepared, error) {
	q := *t
	q.Name = cmp.Or(t.Name, "task")
	if err := q.checkFields(&opt); err != nil {
		return nil, err
	}
	x := t.Features
	if x == nil {
		x = t.Covariance
	}
	if err := x.CheckShape(q.Name); err != nil {
		return nil, err
	}
	if err := x.CheckNumbers(q.Name, false, dataset.LargestNumber); err != nil {
		return nil, err
	}
	p := &Prepared{task: &q, opt: opt}
	var err error
	if t.Covariance != nil {
		p.c, p.names, err = newGiven(t.Covariance, q.Name)
	} else {
		p.c, p.names, err = newFeatured(t.Features, q.Name, !t.Uncentered, t.Standardize)
	}
	if err != nil {
		return nil, err
	}
	n := len(p.c.diagonal())
	switch {
	case t.Nonzeros > n:
		return nil, fmt.Errorf("%s: has %d variables, and %d are asked for of each component", q.Name, n, t.Nonzeros)
	case max(t.Components, 1) > n:
		return nil, fmt.Errorf("%s: has %d variables, and cannot have %d components", q.Name, n, t.Components)
	}
	return p, nil
}

// checkFields refuses fields that exclude each other, or are out of range.
func (t *Task) checkFields(opt *task.Options) error {
	given := 0
	for _, is := range []bool{opt.Lambda > 0, opt.LambdaRatio > 0, t.Nonzeros > 0} {
		if is {
			given++
		}
	}
	switch {
	case (t.Covariance == nil) == (t.Features == nil):
		return errors.New("spca: a task has either a covariance or features")
	case t.Covariance != nil && (t.Standardize || t.Uncentered):
		return errors.New("spca: a covariance is taken as it is: only features are centred and standardised")
	case given > 1:
		return errors.New("spca: Lambda, LambdaRatio and Nonzeros exclude each other")
	case opt.Zeta != 0 || opt.Square || opt.Folds != 0 || opt.Method != nil:
		return errors.New("spca: the penalty is λ‖X‖₁ with tr X = 1; Prepared.CrossValidate is for folds, and Task.Method for methods")
	case opt.Points != 0 || opt.Ratio != 0 || opt.Rule != "":
		return errors.New("spca: λ is for Nonzeros or by the variance; Points, Ratio and Rule are of a path, see Prepared.Path")
	case !(opt.Lambda >= 0) || !(opt.LambdaRatio >= 0) || t.Nonzeros < 0 || t.Components < 0:
		return errors.New("spca: Lambda, LambdaRatio, Nonzeros and Components are not negative")
	case math.IsInf(opt.Lambda, 1) || math.IsInf(opt.LambdaRatio, 1):
		return errors.New("spca: Lambda and LambdaRatio are finite numbers")
	}
	return nil
}

// Names are those of the variables: of the columns, or numbers from 1.
func (p *Prepared) Names() []string { return slices.Clone(p.names) }

// checkVaries refuses a covariance that is 0.
func (p *Prepared) checkVaries() error {
	if slices.Max(p.c.diagonal()) > 0 {
		return nil
	}
	return fmt.Errorf("%s: no variable varies: every component explains nothing", p.task.Name)
}

// Fit finds the components, at opt.Lambda, the weight of ‖X‖₁ of every component, or at opt.LambdaRatio times the largest
// C_ii, at which one variable is left. Without both λ gives Nonzeros variables, or keeps UsualKept of the variance. opt.Run is
// for each component, and its Event is told of the runs at the final λ. Not to converge is no error, see Component.Result.
// Errors are those of Prepare and of the solver, and of a covariance that is 0.
func (t *Task) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	p, err := t.Prepare(opt)
	if err != nil {
		return nil, err
	}
	return p.Fit(ctx)
}

// Fit is that of the task.
func (p *Prepared) Fit(ctx context.Context) (*Result, error) {
	if err := p.checkVaries(); err != nil {
		return nil, err
	}
	t := p.task
	r := &Result{Total: sum(p.c.diagonal()), Max: slices.Max(p.c.diagonal())}
	left := p.c
	for k := range max(t.Components, 1) {
		top := slices.Max(left.diagonal())
		if k > 0 && top <= negligibleVariance*r.Max {
			r.Warnings = append(r.Warnings, fewer{k, t.Components})
			break
		}
		x, err := p.next(ctx, left, top)
		if err != nil && ctx.Err() != nil && k > 0 {
			break // those before are there
		}
		if err != nil {
			return nil, err
		}
		r.Components = append(r.Components, *x)
		if k+1 < max(t.Components, 1) {
			left = deflate(left, x.Loading)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if n := len(r.Components); n < max(t.Components, 1) && ctx.Err() != nil {
		r.Warnings = append(r.Warnings, interrupted{n, t.Components})
	}
	p.explain(r.Components)
	r.Warnings = append(r.Warnings, p.warnings(r)...)
	r.Model = p.model(r)
	return r, p.cut(ctx, r)
}

// next is the component of what those before leave of C, whose largest variance is top.
func (p *Prepared) next(ctx context.Context, left covariance, top float64) (*Component, error) {
	lambda, found, err := p.lambda(ctx, left, top)
	if err != nil {
		return nil, err
	}
	run := p.quiet()
	run.Event = p.opt.Run.Event
	x, err := p.solve(ctx, left, lambda, found, run)
	if err == nil && p.task.Nonzeros > 0 {
		err = x.keepLargest(ctx, left, p.task.Nonzeros)
	}
	return x, err
}

// cut is the error beside what was found before ctx ended, or nil where that was all.
func (p *Prepared) cut(ctx context.Context, r *Result) error {
	if last := r.Components[len(r.Components)-1].Result; ctx.Err() == nil ||
		len(r.Components) == max(p.task.Components, 1) && last.Status != solver.Interrupted {
		return nil
	}
	return fmt.Errorf("%s: interrupted at component %d: %w", p.task.Name, len(r.Components), ctx.Err())
}

// negligibleVariance is the part of the largest C_ii below which what deflation leaves is rounding.
const negligibleVariance = rounding.Null

// lambda is λ as it is given, or chosen, with an X near its solution to begin at, or none.
func (p *Prepared) lambda(ctx context.Context, c covariance, top float64) (float64, *Component, error) {
	t := p.task
	switch {
	case p.opt.Lambda > 0:
		return p.opt.Lambda, nil, nil
	case p.opt.LambdaRatio > 0:
		return p.opt.LambdaRatio * top, nil, nil
	case t.Nonzeros > 0:
		return p.forNonzeros(ctx, c, top)
	}
	return p.forVariance(ctx, c, top)
}

func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}
