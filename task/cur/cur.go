// Package cur selects rows and columns of a matrix D, by the convex problem of [Cheung15 eq 41; Mairal et al. 2011]
//
//	minimise over W   ½‖D - D W D‖² + λ (Σ_i ‖W_i:‖_∞ + Σ_j ‖W_:j‖_∞)
//
// Row i of W belongs to column i of D, and column j of W to row j of D. Those that are not 0 are selected, and ranked by their
// largest entries. cur.go is the data and the problem, ranking.go the selection, choose.go the λ for a number of rows and
// columns, measure.go what a selection is worth beside others.
package cur

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A Task selects rows and columns of D. It is a [selection.Source] of the whole problem alone: a selection predicts nothing that
// could be held out.
type Task struct {
	D    *dataset.Matrix // rows are samples; it is taken over, and made dense
	Name string          // of the data, for errors
	// UnitNorm divides D by its Frobenius norm, as λ = 5e-4 of [Cheung15] asks. cD has λ, W and the objective of D times c³, 1/c
	// and c².
	UnitNorm bool
	// Rows and Columns are how many of D to select at least, by the largest λ that does; 0 asks for nothing.
	Rows, Columns int
	// Visit, which may be nil, is told how many rows and columns each λ of the path to it has.
	Visit func(lambda float64, rows, columns int)

	norm    float64
	turned  bool      // D has more rows than columns, and the problem is that of Dᵀ
	d       []float64 // p×q, p ≤ q
	p, q    int
	fitting *selection.Fitting
}

// ErrWhole is for those who ask for a part of the problem.
var ErrWhole = errors.New("a selection of rows and columns predicts nothing that could be held out: give λ by --lambda or " +
	"--lambda-ratio, or a number of rows or columns by --rows or --columns")

// Load checks D. It refuses one without rows or columns, with fewer than are asked for, with a number that is
// not finite, whose place it names, or of zeros.
func (t *Task) Load() error {
	if t.d != nil {
		return nil
	}
	if t.D == nil || t.D.Rows < 1 || t.D.Cols < 1 {
		return fmt.Errorf("%s: a selection needs a matrix with rows and columns", t.Name)
	}
	if t.Rows > t.D.Rows || t.Columns > t.D.Cols {
		return fmt.Errorf("%s: %d rows and %d columns are asked for, and it has %d and %d", t.Name, t.Rows, t.Columns, t.D.Rows,
			t.D.Cols)
	}
	t.D.Densify()
	x := t.D.Dense
	for e, v := range x {
		if v-v != 0 {
			return fmt.Errorf("%s: row %d, column %d is %v; a selection needs finite numbers: fill it or leave the row out", t.Name,
				e/t.D.Cols+1, e%t.D.Cols+1, v)
		}
	}
	t.norm = gcg.Norm(x)
	if t.norm == 0 {
		return fmt.Errorf("%s: all numbers are 0: there is nothing to select", t.Name)
	}
	if t.UnitNorm {
		kernel.Scale(1/t.norm, x)
	} else if fourth := math.Pow(t.norm, 4); math.IsInf(fourth, 1) || fourth < math.SmallestNonzeroFloat64*0x1p60 {
		return fmt.Errorf("%s: the norm of the matrix is %.3g, whose fourth power is out of range: divide it by its norm (--unit-norm)",
			t.Name, t.norm)
	}
	t.p, t.q, t.d, t.turned = t.D.Rows, t.D.Cols, x, t.D.Rows > t.D.Cols
	if t.turned {
		t.p, t.q, t.d = t.q, t.p, transposed(x, t.p, t.q)
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

// Norm is ‖D‖ as it was read; Load must have been called.
func (t *Task) Norm() float64 { return t.norm }

// Whole is the problem, without its penalty. Predictions are D W C, C Cᵀ = D Dᵀ, in place of D W D, which has the same residuals
// but for a rotation: p² numbers rather than pq.
func (t *Task) Whole() (*selection.Fitting, error) {
	if t.fitting != nil {
		return t.fitting, nil
	}
	if err := t.Load(); err != nil {
		return nil, err
	}
	c := operator.Reduced(t.p, t.q, t.d)
	op, err := operator.NewSandwich(t.p, t.q, t.d, t.p, t.p, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	t.fitting = &selection.Fitting{Problem: &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: c, Group: t.p},
		Gauge: rowscolumns.Gauge{}}}
	return t.fitting, nil
}

// Validation is ErrWhole.
func (t *Task) Validation() (*selection.Fitting, error) { return nil, ErrWhole }

// Fold is ErrWhole.
func (t *Task) Fold(int, int) (*selection.Fitting, error) { return nil, ErrWhole }

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

// Warnings doubts constant rows and columns; Load must have been called.
func (t *Task) Warnings() (all []task.Warning) {
	var c Constant
	m, n, x := t.D.Rows, t.D.Cols, t.D.Dense
	for i := range m {
		same := n > 1
		for j := 1; j < n && same; j++ {
			same = x[i*n+j] == x[i*n]
		}
		if same {
			c.Rows = append(c.Rows, t.RowName(i))
		}
	}
	for j := range n {
		same := m > 1
		for i := 1; i < m && same; i++ {
			same = x[i*n+j] == x[j]
		}
		if same {
			c.Columns = append(c.Columns, t.ColumnName(j))
		}
	}
	if len(c.Rows)+len(c.Columns) > 0 {
		all = append(all, c)
	}
	return all
}

// RowName is the number of a row of D, from 1.
func (t *Task) RowName(i int) string { return strconv.Itoa(i + 1) }

// ColumnName is the name of a column of D in its header, or its number from 1.
func (t *Task) ColumnName(j int) string {
	if t.D.Names != nil {
		return t.D.Names[j]
	}
	return strconv.Itoa(j + 1)
}
