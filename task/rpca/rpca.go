package rpca

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task"
)

// A Task is the decomposition of a matrix D. It needs Rows, Cols and Values.
type Task struct {
	Name       string // of the data, for models and errors
	Checksum   string
	Rows, Cols int
	// Ptr and Index are the known entries by rows: those of row i are Ptr[i] … Ptr[i+1]-1, at ascending columns Index. Both are nil
	// where all are known.
	Ptr    []int64
	Index  []int32
	Values []float64

	// L1 is λ₁; 0 is λ/√max(m, n).
	L1 float64
	// Equal asks for L + S = D. Fit does, too, where neither λ nor L1 is given: nothing says then how much noise there is.
	Equal bool
	Seed  uint64 // of parts and folds

	RowIDs, ColIDs []string // for models; nil for numbers from 1

	whole *Fitting
}

// A Result is a decomposition.
type Result struct {
	*task.Solution
	Model    *model.Model // of L
	Parts    *Parts
	L1       float64 // λ₁
	Warnings []task.Warning
}

// check refuses data that is no matrix.
func (t *Task) check() error {
	switch {
	case t.Rows < 1 || t.Cols < 1:
		return errors.New("task: a robust decomposition needs a matrix")
	case t.Ptr == nil && len(t.Values) != t.Rows*t.Cols:
		return fmt.Errorf("task: a matrix of %d×%d has not %d entries", t.Rows, t.Cols, len(t.Values))
	case t.Ptr != nil && (len(t.Ptr) != t.Rows+1 || len(t.Index) != len(t.Values)):
		return fmt.Errorf("task: %d offsets, %d columns and %d values are no entries of %d rows", len(t.Ptr), len(t.Index),
			len(t.Values), t.Rows)
	case len(t.Values) == 0:
		return fmt.Errorf("%s: has no entries", t.Name)
	case !(t.L1 >= 0) || math.IsInf(t.L1, 1):
		return fmt.Errorf("task: the weight λ₁ of the sparse part is %v; it is a finite number, 0 for the usual one", t.L1)
	}
	return nil
}

// l1 is λ₁ for a λ.
func (t *Task) l1(lambda float64) float64 {
	if t.L1 > 0 {
		return t.L1
	}
	if lambda == 0 {
		lambda = 1
	}
	return lambda / math.Sqrt(float64(max(t.Rows, t.Cols)))
}

// SetLambda settles λ₁ by a λ, unless it is given.
func (t *Task) SetLambda(lambda float64) { t.L1, t.whole = t.l1(lambda), nil }

// Fit solves the problem. Without λ it is 1 where the parts are to be equal to D; else it is chosen on a validation part, with L1
// as it is. Not to converge is no error. Errors are of data that is no matrix, and those of task.Solve.
func (t *Task) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if opt.Zeta > 0 || opt.Square {
		return nil, errors.New("task: robust decompositions have the penalty λ‖L‖_*")
	}
	if opt.Lambda == 0 && opt.LambdaRatio == 0 && (t.Equal || t.L1 == 0) {
		t.Equal, opt.Lambda, t.whole = true, 1, nil
	}
	if opt.Lambda == 0 && t.L1 == 0 {
		return nil, errors.New("task: of a ratio a robust decomposition needs λ₁, or Equal")
	}
	t.SetLambda(opt.Lambda)
	if opt.Method == nil {
		opt.Method = t.Method
	}
	res := &Result{L1: t.L1}
	var err error
	if res.Solution, err = task.Solve(ctx, t, opt); err != nil {
		return nil, err
	}
	f, err := t.Fitting()
	if err != nil {
		return nil, err
	}
	if res.Model, err = f.Model(res.Result); err != nil {
		return nil, err
	}
	res.Parts = f.PartsOf(res.Result.State.W)
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	return res, nil
}

// denseLimit is the number of entries of D up to which four dense matrices of its size are held, 2 GB: beyond it, entries that
// are known are worked on alone, which takes longer where many are.
const denseLimit = 1 << 26

// Method is splitting; where D has too many entries for it and the loss is smooth, as for any other problem of the trace norm.
func (t *Task) Method(p *gcg.Problem) (solver.Method, solver.Improver) {
	if m, n, _ := p.Operator.Dims(); m > denseLimit/n && !t.Equal {
		m, im, _ := solver.For(p)
		return m, im
	}
	return &recovery.Splitting{}, nil
}

// Fitting is the problem on all known entries.
func (t *Task) Fitting() (*Fitting, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if t.whole == nil {
		f, err := t.fittingOf(nil)
		if err != nil {
			return nil, err
		}
		t.whole = f
	}
	return t.whole, nil
}

// Whole is the problem on all known entries.
func (t *Task) Whole() (*selection.Fitting, error) {
	f, err := t.Fitting()
	if err != nil {
		return nil, err
	}
	return &f.Fitting, nil
}

// validationParts is into how many parts the known entries are cut, of which one chooses λ.
const validationParts = 10

// Validation is the problem on nine tenths of the known entries, measured on the rest.
func (t *Task) Validation() (*selection.Fitting, error) { return t.Fold(0, validationParts) }

// Fold is the problem on all known entries but part k of n, measured on that part.
func (t *Task) Fold(k, n int) (*selection.Fitting, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if n < 2 || n > len(t.Values) {
		return nil, fmt.Errorf("%s: %w entries for %d folds", t.Name, task.ErrTooFew, n)
	}
	held := make([]bool, len(t.Values))
	for at, e := range rand.New(rand.NewPCG(t.Seed, 0x5eed)).Perm(len(held)) {
		held[e] = at%n == k
	}
	f, err := t.fittingOf(held)
	if err != nil {
		return nil, err
	}
	return &f.Fitting, nil
}
