// Package cur selects rows and columns of a matrix D, by the convex problem of [Cheung15 eq 41; Mairal et al. 2011]
//
//	minimise over W   ½‖D - D W D‖² + λ (Σ_i ‖W_i:‖_∞ + Σ_j ‖W_:j‖_∞)
//
// Row i of W belongs to column i of D, and column j of W to row j of D. Those that are not 0 are selected, and ranked by their
// largest entries. cur.go is the data and the problem, ranking.go the selection, choose.go the λ for a number of rows and
// columns, measure.go what a selection is worth beside others.
package cur

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/param"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A Task selects rows and columns of D. Its fields are read when it is prepared, and none is written.
type Task struct {
	D    *dataset.Matrix // rows are samples
	Name string          // of the data, for errors
	// UnitNorm divides D by its Frobenius norm, as λ = 5e-4 of [Cheung15] asks. cD has λ, W and the objective of D times c³, 1/c
	// and c².
	UnitNorm bool
	// Rows and Columns are how many of D to select at least, by the largest λ that does; 0 asks for nothing.
	Rows, Columns int
	// Warm is a model that Fit starts from, of a D of as many rows and columns; nil starts where the choice of λ ended, or at 0.
	Warm *model.Model
	// Visit, which may be nil, is told how many rows and columns each λ of the path to it has.
	Visit func(lambda float64, rows, columns int)
}

// A Prepared is a task whose matrix was checked. It is a [selection.Source] of the whole problem alone: a selection predicts
// nothing that could be held out. It serves any number of fits, and never changes, whatever becomes of the task that it is made
// of. The numbers of a dense D may not change meanwhile.
type Prepared struct {
	task   *Task
	x      *dataset.Matrix // D, dense, of norm 1 with UnitNorm
	norm   float64         // as it was given
	turned bool            // D has more rows than columns, and the problem is that of Dᵀ
	d      []float64       // p×q, p ≤ q
	p, q   int
	core   []float64 // C with C Cᵀ = D Dᵀ, p×p
}

// ErrWhole is for those who ask for a part of the problem.
var ErrWhole = param.Errorf("a selection of rows and columns predicts nothing that could be held out: give λ by %v or %v, or a "+
	"number of rows or columns by %v or %v", param.Lambda, param.LambdaRatio, param.Rows, param.Columns)

// Prepare checks D, and copies it where it is sparse, is to be scaled, or has more rows than columns. It refuses one without rows
// or columns, with fewer than are asked for, with a number that is not finite, whose place it names, or of zeros.
func (t *Task) Prepare() (*Prepared, error) {
	q := *t
	q.Name = cmp.Or(t.Name, "task")
	if err := t.D.CheckShape(q.Name); err != nil {
		return nil, err
	}
	if min(t.Rows, t.Columns) < 0 || t.Rows > t.D.Rows || t.Columns > t.D.Cols {
		return nil, fmt.Errorf("%s: %d rows and %d columns are asked for, and it has %d and %d", q.Name, t.Rows, t.Columns, t.D.Rows,
			t.D.Cols)
	}
	if err := t.D.CheckNumbers(q.Name, false, math.MaxFloat64); err != nil {
		return nil, err
	}
	x := *t.D
	if err := x.Densify(q.Name); err != nil {
		return nil, err
	}
	p := &Prepared{task: &q, x: &x, norm: gcg.Norm(x.Dense)}
	if err := p.checkNorm(); err != nil {
		return nil, err
	}
	if t.UnitNorm {
		x.Dense = slices.Clone(x.Dense)
		kernel.Scale(1/p.norm, x.Dense)
	}
	p.p, p.q, p.d, p.turned = x.Rows, x.Cols, x.Dense, x.Rows > x.Cols
	if p.turned {
		p.p, p.q, p.d = p.q, p.p, transposed(x.Dense, p.p, p.q)
	}
	p.core = operator.Reduced(p.p, p.q, p.d)
	return p, nil
}

// checkNorm refuses a D of which fourth powers are out of range, unless it is divided by its norm.
func (p *Prepared) checkNorm() error {
	switch fourth := math.Pow(p.norm, 4); {
	case p.norm == 0:
		return fmt.Errorf("%s: all numbers are 0: there is nothing to select", p.task.Name)
	case math.IsInf(p.norm, 1) || 1/p.norm == 0 || math.IsInf(1/p.norm, 1):
		return fmt.Errorf("%s: the norm of the matrix is %.3g, which is out of range: give it in another unit", p.task.Name, p.norm)
	case !p.task.UnitNorm && (math.IsInf(fourth, 1) || fourth < math.SmallestNonzeroFloat64*0x1p60):
		return param.Errorf("%s: the norm of the matrix is %.3g, whose fourth power is out of range: divide it by its norm (%v)",
			p.task.Name, p.norm, param.UnitNorm)
	}
	return nil
}

// transposed is the transpose of a row-major p×q matrix.
func transposed(x []float64, p, q int) []float64 {
	out := make([]float64, len(x))
	for e, v := range x {
		out[e%q*p+e/q] = v
	}
	return out
}

// Norm is ‖D‖ as it was given.
func (p *Prepared) Norm() float64 { return p.norm }

// Whole is the problem, without its penalty. Predictions are D W C, C Cᵀ = D Dᵀ, in place of D W D, which has the same residuals
// but for a rotation: p² numbers rather than pq.
func (p *Prepared) Whole() (*selection.Fitting, error) {
	op, err := operator.NewSandwich(p.p, p.q, p.d, p.p, p.p, p.core)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.task.Name, err)
	}
	return &selection.Fitting{Problem: &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: p.core, Group: p.p},
		Gauge: rowscolumns.Gauge{}}}, nil
}

// Validation is ErrWhole.
func (p *Prepared) Validation() (*selection.Fitting, error) { return nil, ErrWhole }

// Fold is ErrWhole.
func (p *Prepared) Fold(int, int) (*selection.Fitting, error) { return nil, ErrWhole }

// Constant says which rows and columns are constant.
type Constant struct{ Rows, Columns []string }

func (c Constant) String() string {
	text := ""
	for _, part := range []struct {
		names []string
		what  string
	}{{c.Rows, "row"}, {c.Columns, "column"}} {
		if len(part.names) == 0 {
			continue
		}
		if text != "" {
			text += "; "
		}
		verb := "s are constant"
		if len(part.names) == 1 {
			verb = " is constant"
		}
		text += fmt.Sprintf("%d %s%s (%s first)", len(part.names), part.what, verb, part.names[0])
	}
	return text + ": they tell the level of the others only; leave them out, or subtract means first"
}

// Warnings doubts constant rows and columns.
func (p *Prepared) Warnings() (all []task.Warning) {
	var c Constant
	m, n, x := p.x.Rows, p.x.Cols, p.x.Dense
	for i := range m {
		same := n > 1
		for j := 1; j < n && same; j++ {
			same = x[i*n+j] == x[i*n]
		}
		if same {
			c.Rows = append(c.Rows, p.task.D.RowName(i))
		}
	}
	for j := range n {
		same := m > 1
		for i := 1; i < m && same; i++ {
			same = x[i*n+j] == x[j]
		}
		if same {
			c.Columns = append(c.Columns, p.task.D.ColumnName(j))
		}
	}
	if len(c.Rows)+len(c.Columns) > 0 {
		all = append(all, c)
	}
	return all
}
