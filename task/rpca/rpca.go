package rpca

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task"
)

// A Task is the decomposition of a matrix D. It needs Rows, Cols and Values. [Task.Fit] does all, and reads all fields each time;
// none is written. [Task.Prepare] is for those who want more than a fit of the same data.
type Task struct {
	Name       string // of the data, for models and errors
	Checksum   string
	Rows, Cols int
	// Ptr and Index are the known entries by rows: those of row i are Ptr[i] … Ptr[i+1]-1, at ascending columns Index. Both are nil
	// where all are known.
	Ptr    []int64
	Index  []int32
	Values []float64

	// L1 is λ₁; 0 is λ/√max(m, n), or where λ is not given either what follows from the noise, see [Prepared.Choose].
	L1 float64
	// Equal asks for L + S = D.
	Equal bool
	Seed  uint64 // of parts and folds

	RowIDs, ColIDs []string // for models; nil for numbers from 1
}

// A Result is a decomposition.
type Result struct {
	*task.Solution
	Model    *model.Model // of L
	Parts    *Parts
	L1       float64 // λ₁
	Equal    bool    // L + S = D
	Noise    *Noise  // that λ and λ₁ were chosen by, or nil
	Warnings []task.Warning
}

// check refuses data that is no matrix, or whose numbers are not finite. Squares of them must not overflow; with Equal there are
// none.
func (t *Task) check() error {
	if !(t.L1 >= 0) || math.IsInf(t.L1, 1) {
		return fmt.Errorf("task: the weight λ₁ of the sparse part is %v; it is a finite number, 0 for the usual one", t.L1)
	}
	x := &dataset.Matrix{Rows: t.Rows, Cols: t.Cols, Dense: t.Values}
	if t.Ptr != nil || t.Index != nil {
		x.Dense, x.Ptr, x.Index, x.Values = nil, t.Ptr, t.Index, t.Values
	}
	name := cmp.Or(t.Name, "task")
	if err := x.CheckShape(name); err != nil {
		return err
	}
	if len(t.Values) == 0 {
		return fmt.Errorf("%s: has no entries", name)
	}
	for _, ids := range []struct {
		what string
		have []string
		want int
	}{{"rows", t.RowIDs, t.Rows}, {"columns", t.ColIDs, t.Cols}} {
		if ids.have != nil && len(ids.have) != ids.want {
			return fmt.Errorf("%s: has %d ids of %d %s; give each its id, or none", name, len(ids.have), ids.want, ids.what)
		}
	}
	largest := dataset.LargestNumber
	if t.Equal {
		largest = math.MaxFloat64
	}
	return x.CheckNumbers(name, false, largest)
}

// UsualL1 is λ₁ for a λ: L1, or where that is not given λ/√max(m, n).
func (t *Task) UsualL1(lambda float64) float64 {
	if t.L1 != 0 {
		return t.L1
	}
	if lambda == 0 {
		lambda = 1
	}
	return lambda / math.Sqrt(float64(max(t.Rows, t.Cols, 1)))
}

// Fit solves the problem. Without λ it is 1 where the parts are to be equal to D. Else it is chosen: with L1 on a validation
// part, and without by the noise that is found, see [Prepared.Choose]. Not to converge is no error. Errors are of data that is no
// matrix, and those of task.Solve.
func (t *Task) Fit(ctx context.Context, opt task.Options) (*Result, error) {
	if opt.Zeta > 0 || opt.Square {
		return nil, errors.New("task: robust decompositions have the penalty λ‖L‖_*")
	}
	if opt.Lambda == 0 && opt.LambdaRatio > 0 && t.L1 == 0 && !t.Equal {
		return nil, errors.New("task: of a ratio a robust decomposition needs λ₁, or Equal")
	}
	nothing := opt.Lambda == 0 && opt.LambdaRatio == 0 && (t.Equal || t.L1 == 0 && opt.Folds == 0) // to choose on a path
	if nothing && (opt.Points != 0 || opt.Ratio != 0 || opt.Folds != 0) {
		return nil, errors.New("task: with Equal λ is 1, and without L1 it follows the noise, which leave nothing to choose by " +
			"Points, Ratio or Folds")
	}
	q := *t
	if opt.Lambda > 0 {
		q.L1 = t.UsualL1(opt.Lambda)
	}
	p, err := q.Prepare()
	if err != nil {
		return nil, err
	}
	if p.task.Equal && opt.LambdaRatio == 0 {
		opt.Lambda = cmp.Or(opt.Lambda, 1)
	}
	return p.fit(ctx, opt)
}

// fit is Fit of what was prepared.
func (p *Prepared) fit(ctx context.Context, opt task.Options) (*Result, error) {
	if p.other = opt.Method != nil; !p.other {
		opt.Method = p.task.Method
	}
	res := &Result{}
	var err error
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = task.Solve(ctx, p, opt); res.Solution == nil {
		return nil, cut
	}
	res.L1, res.Equal, res.Noise = p.l1, p.task.Equal, p.noise
	if res.Model, err = p.Model(res.Fitting, res.Result); err != nil {
		return nil, err
	}
	res.Parts = p.PartsOf(res.Result.State.W)
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	return res, cut
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

// Whole is the problem on all known entries.
func (p *Prepared) Whole() (*selection.Fitting, error) { return p.fittingOf(nil) }

// validationParts is into how many parts the known entries are cut, of which one chooses λ.
const validationParts = 10

// Validation is the problem on nine tenths of the known entries, measured on the rest.
func (p *Prepared) Validation() (*selection.Fitting, error) { return p.Fold(0, validationParts) }

// Fold is the problem on all known entries but part k of n, measured on that part.
func (p *Prepared) Fold(k, n int) (*selection.Fitting, error) {
	t := p.task
	if n < 2 || n > len(t.Values) {
		return nil, fmt.Errorf("%s: %w entries for %d folds", cmp.Or(t.Name, "task"), task.ErrTooFew, n)
	}
	held := make([]bool, len(t.Values))
	for at, e := range rand.New(rand.NewPCG(t.Seed, 0x5eed)).Perm(len(held)) {
		held[e] = at%n == k
	}
	return p.fittingOf(held)
}
