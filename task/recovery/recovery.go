package recovery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task"
)

// A Cone is the set that X is from.
type Cone int

const (
	General      Cone = iota // any matrices
	Symmetric                // symmetric ones
	Semidefinite             // symmetric positive semidefinite ones
)

// Check is an error where c is no cone.
func (c Cone) Check() error {
	return enum.Check("task: Cone", c, "General", "Symmetric", "Semidefinite")
}

// String is the cone as flags and models have it.
func (c Cone) String() string { return [...]string{"general", "symmetric", "psd"}[c] }

// A Task is the recovery of a matrix. Only Train is needed. [Task.Fit] does all, and reads all fields each time; none is written.
// [Task.Prepare] is for those who want more than a fit of the same data.
type Task struct {
	Train *dataset.Ratings
	Test  *dataset.Ratings // to measure on; may be nil
	Valid *dataset.Ratings // to choose λ by; nil takes a tenth of Train
	Split dataset.Split    // cuts Train in two; the zero value cuts nothing

	Shape      [2]int  // rows and columns of X, which ids number; 0, 0 takes the ids of Train in the order of their appearance
	L1         float64 // λ₁ ≥ 0
	Cone       Cone
	Loss       task.Loss          // squared where it is not given; logistic and the hinges take signs
	Normalize  task.Normalization // usually a mean
	Duplicates dataset.Duplicates
	Seed       uint64 // of parts and folds
	// Smoothed states the problem with the ℓ1 norm by its envelope, for HCGS and other conditional gradient methods: all entries of
	// X are kept then.
	Smoothed bool
	// Full keeps all entries of X with the ℓ1 norm, also those that are 0 in every solution, for methods that need them all.
	Full bool
}

// A Prepared is a task whose entries are in order. It is a [selection.Source], and serves any number of fits: it never changes,
// whatever becomes of the task that it is made of. The ratings may not change meanwhile.
type Prepared struct {
	task    *Task // with Train, Test and Valid numbered by the shape, and cut by the split
	entries *dataset.Sparse
}

// Task is a copy of the task, with Train, Test and Valid as they are used: numbered by the Shape, and cut by the Split.
func (p *Prepared) Task() *Task {
	t := *p.task
	return &t
}

// A Result is a fitted matrix.
type Result struct {
	*task.Solution
	Model    *model.Model
	Errors   *metric.Errors // on Test, or on the training entries
	Tested   bool           // on Test
	Warnings []task.Warning
}

// Prepare puts the entries in order. Errors are of fields that do not go together, entries outside of the shape, entries that are
// given twice, and values that are not finite.
func (t *Task) Prepare() (*Prepared, error) {
	q := *t
	var err error
	if q.Loss, err = t.Loss.Filled(task.Squared); err != nil {
		return nil, err
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	q.Train = shaped(t.Train)
	if q.cuts() {
		train, err := q.Train.Merged(t.Duplicates)
		if err != nil {
			return nil, err
		}
		in, out, err := t.Split.Parts(train)
		if err != nil {
			return nil, err
		}
		q.Train, q.Test = train.Subset(in), train.Subset(out)
	}
	if err := q.number(); err != nil {
		return nil, err
	}
	entries, err := q.Train.Compress(t.Duplicates)
	if err != nil {
		return nil, err
	}
	if len(entries.Values) == 0 {
		return nil, fmt.Errorf("%s: has no entry whose row and column are known", q.Train.Name)
	}
	return &Prepared{&q, entries}, nil
}

// cuts says that Split cuts Train in two.
func (t *Task) cuts() bool { return t.Split != (dataset.Split{Seed: t.Split.Seed}) }

// check refuses fields that do not go together.
func (t *Task) check() error {
	if err := cmp.Or(t.Cone.Check(), t.Loss.OfRatings(), t.Normalize.Check(), t.Duplicates.Check()); err != nil {
		return err
	}
	switch {
	case t.Train == nil || t.Train.Len() == 0:
		return errors.New("task: a recovery needs Train, the entries that are known")
	case t.Test != nil && t.cuts():
		return errors.New("task: a recovery has a Test or a Split, not both")
	case !(t.L1 >= 0) || math.IsInf(t.L1, 1):
		return fmt.Errorf("task: the weight λ₁ of the ℓ1 norm is %v; it is a finite number, 0 or more", t.L1)
	case t.Cone != General && t.Shape[0] != t.Shape[1]:
		return fmt.Errorf("task: a %s matrix is square, and not %d×%d", t.Cone, t.Shape[0], t.Shape[1])
	}
	return t.Train.Check(t.Test, t.Valid)
}

// mean says that the loss is a mean over the observed entries.
func (t *Task) mean() bool { return t.Normalize != task.Sum }

// Fit chooses λ where none is given, solves, and measures. Not to converge is no error. Errors are those of Prepare and
// task.Solve.
func (t *Task) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	p, err := t.Prepare()
	if err != nil {
		return nil, err
	}
	return p.Fit(ctx, opt)
}

// Fit is that of the task.
func (p *Prepared) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	t := p.task
	if opt.Method == nil && t.Smoothed && t.L1 > 0 {
		return nil, errors.New("task: Smoothed is for a Method of Options that works with gradients, such as HCGS of solver/hybrid")
	}
	if opt.Method == nil {
		opt.Method = t.Method
	}
	res := &Result{}
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = task.Solve(ctx, p, opt); res.Solution == nil {
		return nil, cut
	}
	res.Model = p.Model(res.Fitting, res.Result)
	held := t.Train
	if res.Tested = t.Test != nil; res.Tested {
		held = t.Test
	}
	res.Errors = metric.Predicted(res.Model.Predict, held)
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	return res, cut
}

// Method is the way to solve the problem: by its blocks, see recovery.Auto; where there is no ℓ1 norm and no cone, as any
// other of the trace norm.
func (t *Task) Method(p *gcg.Problem) (solver.Method, solver.Improver) {
	if t.L1 == 0 && t.Cone == General {
		m, im, _ := solver.For(p)
		return m, im
	}
	return &recovery.Auto{}, nil
}

// Whole is the problem on all training entries, measured on Test.
func (p *Prepared) Whole() (*selection.Fitting, error) { return p.fittingOf(p.entries, p.task.Test) }

// Observations is how many entries are known: duplicates count once.
func (p *Prepared) Observations() int { return len(p.entries.Values) }

// validationFraction of the training entries chooses λ where none are given for that, as of ratings.
const validationFraction = 0.1

// Validation is the problem on nine tenths of the training entries, measured on the rest, or on all measured on Valid.
func (p *Prepared) Validation() (*selection.Fitting, error) {
	t := p.task
	if t.Valid != nil {
		return p.fittingOf(p.entries, t.Valid)
	}
	in, out, err := dataset.Split{Fraction: 1 - validationFraction, Seed: t.Seed}.Parts(t.Train)
	if err != nil {
		return nil, fmt.Errorf("%s: %w entries to choose λ by validation", t.Train.Name, task.ErrTooFew)
	}
	return p.part(in, out)
}

// Fold is the problem on all training entries but part k of n, measured on that part.
func (p *Prepared) Fold(k, n int) (*selection.Fitting, error) {
	t := p.task
	folds, err := dataset.Folds(len(t.Train.Values), n, t.Seed)
	if err != nil {
		return nil, err
	}
	in, out := dataset.HoldOut(folds, k)
	if len(in) == 0 || n > len(folds) {
		return nil, fmt.Errorf("%s: %w entries for %d folds", t.Train.Name, task.ErrTooFew, n)
	}
	return p.part(in, out)
}

// part is the problem on some of the training entries, measured on others.
func (p *Prepared) part(in, out []int32) (*selection.Fitting, error) {
	t := p.task
	data, err := t.Train.Subset(in).Compress(t.Duplicates)
	if err != nil {
		return nil, err
	}
	f, err := p.fittingOf(data, t.Train.Subset(out))
	if err == nil && !t.mean() {
		f.Share = float64(len(data.Values)) / float64(len(p.entries.Values))
	}
	return f, err
}
