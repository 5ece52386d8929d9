package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/text"
	"gonum.org/v1/gonum/mat"
)

// Rows are rows of features with their answers as files have them: text or numbers, which a task takes for classes, labels or
// targets.
type Rows struct {
	Name, XName string // what messages call the answers and the features: files, mostly
	X           *Matrix
	Labels      []string      // of each row; nil where the answers are Targets, or none is known
	Targets     *Matrix       // a row for each row; nil where the answers are Labels, or none is known
	Spread      *cluster.Rows // how ranks share the rows of X, of which this one has its own; nil where all are here
	Weights     []float64     // of each row, what its loss is multiplied by: finite, not negative, and some positive; nil for 1
	Task        []int32       // of each row, among Tasks
	Tasks       []string
	Lacks       []string // columns of answers that a file has not, which has others of them: no answer is known then
	LIBSVM      bool     // the last features may be left out, where they are 0
	ZeroBased   bool     // features are counted from 0

	parts []rowsPart // of Append: the files, in order
}

// A rowsPart is the file of the answers of the rows from a number on.
type rowsPart struct {
	name  string
	from  int
	lines text.LineBreaks
}

// ErrNoNumber is in the error of labels that are taken for targets and are no numbers.
var ErrNoNumber = errors.New("is not a finite number")

// Check refuses answers that are not one for each row, tasks that are not there, and features that are not as many as their
// matrix says.
func (r *Rows) Check() error {
	x := r.X
	if x == nil || x.Dense != nil && len(x.Dense) != x.Rows*x.Cols {
		return fmt.Errorf("%s: its features are no matrix of the size that it says", r.XName)
	}
	if x.Dense == nil && x.Rows > 0 {
		if err := checkSparse(r.XName, x.Rows, x.Cols, x.Ptr, x.Index, len(x.Values)); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		what string
		n    int
		has  bool
	}{{"labels", len(r.Labels), r.Labels != nil}, {"rows of targets", r.targets(), r.Targets != nil},
		{"tasks", len(r.Task), r.Task != nil}, {"weights", len(r.Weights), r.Weights != nil}} {
		if part.has && part.n != r.Len() {
			return fmt.Errorf("%s: has %d %s for %s of features", r.Name, part.n, part.what, text.Counted(r.Len(), "row"))
		}
	}
	for i, k := range r.Task {
		if k < 0 || int(k) >= len(r.Tasks) {
			return fmt.Errorf("%s: row %d has the task %d; Tasks has %d, from 0", r.Name, i+1, k, len(r.Tasks))
		}
	}
	return r.checkWeights(r.Name)
}

// checkWeights refuses weights that weigh no loss.
func (r *Rows) checkWeights(name string) error {
	if r.Weights == nil {
		return nil
	}
	some := false
	for i, w := range r.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("%s: row %d has the weight %v; weights are finite and not negative", name, i+1, w)
		}
		some = some || w > 0
	}
	if !some {
		return fmt.Errorf("%s: all rows have the weight 0", name)
	}
	return nil
}

// targets is the number of rows of targets.
func (r *Rows) targets() int {
	if r.Targets == nil {
		return 0
	}
	return r.Targets.Rows
}

// Unanswered says that all targets are missing, as those of rows to predict may be.
func (r *Rows) Unanswered() bool {
	return r.Targets != nil && !slices.ContainsFunc(r.Targets.Dense, func(y float64) bool { return !math.IsNaN(y) })
}

// AnswerAt says where the answer of row i stands.
func (r *Rows) AnswerAt(i int) string {
	for k := len(r.parts) - 1; k >= 0; k-- {
		if p := &r.parts[k]; i >= p.from {
			return rowAt(p.name, p.lines, i-p.from)
		}
	}
	switch {
	case r.Targets != nil && r.Targets.Line(i) > 0:
		return rowAt(r.Name, r.Targets.lines, i)
	case r.Name == r.XName:
		return rowAt(r.Name, r.X.lines, i)
	}
	return rowAt(r.Name, nil, i)
}

// rowAt is a file with the line of row i, or with its number where no line is known.
func rowAt(name string, lines text.LineBreaks, i int) string {
	if line := lines.Line(i); line > 0 {
		return fmt.Sprintf("%s:%d", Called(name), line)
	}
	return fmt.Sprintf("%s: row %d", Called(name), i+1)
}

// Called is what messages call a file: standard input where it is "-".
func Called(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// Numbers are the labels as targets. An error, with ErrNoNumber in it, names the first that is no finite number.
func (r *Rows) Numbers() ([]float64, error) {
	y := make([]float64, len(r.Labels))
	for i, label := range r.Labels {
		v, ok := text.Number(label)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: the target %q %w", r.AnswerAt(i), label, ErrNoNumber)
		}
		y[i] = v
	}
	return y, nil
}

// Values are the targets, rows × names, or the labels as one of them.
func (r *Rows) Values() (y []float64, names []string, err error) {
	if r.Targets == nil {
		y, err = r.Numbers()
		return y, []string{"y"}, err
	}
	if names = r.Targets.Names; names == nil {
		for j := range r.Targets.Cols {
			names = append(names, "y"+strconv.Itoa(j+1))
		}
		if r.Targets.Cols == 1 {
			names[0] = "y"
		}
	}
	return r.Targets.Dense, names, nil
}

// CountFrom0 makes room for a feature 0, which the file did not use.
func (r *Rows) CountFrom0() {
	for e := range r.X.Index {
		r.X.Index[e]++
	}
	r.X.Cols++
	r.ZeroBased = true
}

// Feature is the name of a feature in quotes, or its number as the file counts.
func (r *Rows) Feature(j int) string { return FeatureName(r.X.Names, r.ZeroBased, j) }

// FeatureName is the name of feature j in quotes, or its number, from 1 or from 0, where there are no names.
func FeatureName(names []string, zeroBased bool, j int) string {
	if names != nil {
		return strconv.Quote(names[j])
	}
	if !zeroBased {
		j++
	}
	return strconv.Itoa(j)
}

// CheckSizes refuses features and targets y whose squares overflow, and features that are missing, unless there may be gaps;
// feature names one.
func (r *Rows) CheckSizes(y []float64, gaps bool, feature func(j int) string) error {
	tooLarge := func(v float64) bool { return math.Abs(v) > LargestNumber }
	values := r.X.Dense
	if values == nil {
		values = r.X.Values
	}
	e := -1
	if !(kernel.SumSq(values) <= LargestNumber*LargestNumber) { // the sum is one fast pass
		e = slices.IndexFunc(values, func(v float64) bool { return tooLarge(v) || math.IsNaN(v) && !gaps })
	}
	if e >= 0 {
		row, j := r.X.place(e)
		at := rowAt(r.XName, r.X.lines, r.X.from()+row)
		if math.IsNaN(values[e]) {
			return missing{fmt.Errorf("%s: feature %s is missing; fill it in or leave the row out", at, feature(j))}
		}
		return fmt.Errorf("%s: feature %s is %g; beyond %g the squares of numbers overflow: give it in a larger unit",
			at, feature(j), values[e], LargestNumber)
	}
	if e := slices.IndexFunc(y, tooLarge); e >= 0 {
		return fmt.Errorf("%s: the target is %g; beyond %g the squares of numbers overflow: give it in a larger unit",
			r.AnswerAt(e/(len(y)/r.Len())), y[e], LargestNumber)
	}
	return nil
}

// Fits checks that features belong to those of training, width of them with names, or none, and makes them these. LIBSVM rows
// that never use the last ones are padded; features beyond those of training, of which nothing was learnt, are left out. So are
// categories that training did not meet; those that are not met here are 0. Columns with names may come in another order.
func (r *Rows) Fits(width int, names []string) error {
	x := r.X
	if r.LIBSVM {
		if x.Cols > width {
			r.X = x.firstColumns(width)
		}
		r.X.Cols = width
		return nil
	}
	named := names != nil && x.Names != nil && x.Dense != nil
	if named && !slices.Equal(names, x.Names) {
		return r.align(names)
	}
	if x.Cols != width {
		return fmt.Errorf("%s: has %s; there are %d in training: give the same ones", r.XName, text.Counted(x.Cols, "feature"), width)
	}
	if names != nil && x.Names != nil && !slices.Equal(names, x.Names) {
		return fmt.Errorf("%s: its features are called otherwise than in training: give the same columns in the same order", r.XName)
	}
	return nil
}

// align puts the features of training, which have names, in their order.
func (r *Rows) align(names []string) error {
	x := r.X
	at := make(map[string]int, len(x.Names))
	for j, name := range x.Names {
		at[name] = j
	}
	from := make([]int, len(names))
	for k, name := range names {
		j, known := at[name]
		if !known {
			if x.category(name) == "" {
				return fmt.Errorf("%s: %s; training has it as a feature", r.XName, Absent(name, x.Names))
			}
			j = -1
		}
		from[k] = j
		delete(at, name)
	}
	for _, name := range x.Names {
		if _, left := at[name]; left && !trained(names, x.category(name)) {
			return fmt.Errorf("%s: has a feature %q that training has not; leave it out", r.XName, name)
		}
	}
	y := *x
	y.Cols, y.Names, y.Dense = len(names), names, make([]float64, x.Rows*len(names))
	for i := range x.Rows {
		for k, j := range from {
			if j >= 0 {
				y.Dense[i*y.Cols+k] = x.Dense[i*x.Cols+j]
			}
		}
	}
	r.X = &y
	return nil
}

// category is the name of the text column that a feature is a category of; "" of none.
func (m *Matrix) category(name string) string {
	for _, c := range m.Categories {
		if strings.HasPrefix(name, c+"=") {
			return c
		}
	}
	return ""
}

// trained says whether training has categories of a text column.
func trained(names []string, column string) bool {
	return column != "" && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, column+"=") })
}

// firstColumns is a sparse matrix without the columns behind the first n.
func (m *Matrix) firstColumns(n int) *Matrix {
	x := &Matrix{Rows: m.Rows, Cols: n, Ptr: make([]int64, len(m.Ptr)), lines: m.lines, among: m.among, RowNames: m.RowNames}
	for i := range m.Rows {
		for e := m.Ptr[i]; e < m.Ptr[i+1] && int(m.Index[e]) < n; e++ {
			x.Index, x.Values = append(x.Index, m.Index[e]), append(x.Values, m.Values[e])
		}
		x.Ptr[i+1] = int64(len(x.Index))
	}
	return x
}

// Append adds the rows of another file with the same features, and with one target or labels. Of the lines of both those of the
// answers are known afterwards.
func (r *Rows) Append(s *Rows) error {
	if r.LIBSVM != s.LIBSVM {
		return fmt.Errorf("%s: is of another format than %s; give all tasks in one", s.Name, r.Name)
	}
	alignBase(r, s)
	if !r.LIBSVM && r.X.Cols != s.X.Cols {
		return fmt.Errorf("%s: has %s, and %s has %d; tasks share theirs", s.Name, text.Counted(s.X.Cols, "feature"), r.Name, r.X.Cols)
	}
	width, names := max(r.X.Cols, s.X.Cols), r.X.Names
	for _, t := range []*Rows{r, s} {
		if err := t.Fits(width, names); err != nil {
			return err
		}
	}
	if r.parts == nil {
		r.parts = []rowsPart{r.part(0)}
	}
	r.parts = append(r.parts, s.part(r.X.Rows))
	r.X = r.X.withRows(s.X)
	if r.Targets != nil {
		r.Targets = r.Targets.withRows(s.Targets)
	}
	r.Labels = append(r.Labels, s.Labels...)
	return nil
}

// part is the file of the answers, whose rows are those from a number on.
func (r *Rows) part(from int) rowsPart {
	p := rowsPart{name: r.Name, from: from}
	switch {
	case r.Targets != nil && r.Targets.Line(0) > 0:
		p.lines = r.Targets.lines
	case r.Name == r.XName:
		p.lines = r.X.lines
	}
	return p
}

// alignBase makes two LIBSVM files count features alike: one that never uses feature 0 looks as if it counted from 1.
func alignBase(r, s *Rows) {
	if r.ZeroBased && !s.ZeroBased {
		s.CountFrom0()
	} else if s.ZeroBased && !r.ZeroBased {
		r.CountFrom0()
	}
}

// NewRows makes Rows of slices of features, one for each row. The answers are to be set: Labels, or SetTargets and SetTasks. Rows
// of different lengths are an error, and so are infinite numbers. NaN is a feature that is missing.
func NewRows(x [][]float64) (*Rows, error) {
	m := &Matrix{Rows: len(x)}
	if len(x) > 0 {
		m.Cols = len(x[0])
	}
	m.Dense = make([]float64, 0, m.Rows*m.Cols)
	for i, row := range x {
		if len(row) != m.Cols {
			return nil, fmt.Errorf("dataset: row %d has %d features, and row 1 has %d", i+1, len(row), m.Cols)
		}
		for j, v := range row {
			if math.IsInf(v, 0) {
				return nil, fmt.Errorf("dataset: row %d, feature %d is %v; features are finite numbers, or NaN where they are missing",
					i+1, j+1, v)
			}
		}
		m.Dense = append(m.Dense, row...)
	}
	return &Rows{Name: "the rows", XName: "the rows", X: m}, nil
}

// RowsOf makes Rows of a matrix of samples × features, as NewRows does of slices: Dense shares the memory of one whose rows
// follow each other, and others are copied.
func RowsOf(x mat.Matrix) (*Rows, error) {
	if x == nil {
		return nil, errors.New("dataset: there are no rows: the matrix is nil")
	}
	m := MatrixOf(x)
	if err := m.CheckNumbers("the rows", true, math.MaxFloat64); err != nil {
		return nil, err
	}
	return &Rows{Name: "the rows", XName: "the rows", X: m}, nil
}

// MatrixOf is a matrix of gonum as one of this package. It shares the memory of a [mat.Dense] whose rows follow each other, and
// copies others.
func MatrixOf(x mat.Matrix) *Matrix {
	rows, cols := x.Dims()
	if d, is := x.(mat.RawMatrixer); is {
		if raw := d.RawMatrix(); raw.Stride == cols {
			return &Matrix{Rows: rows, Cols: cols, Dense: raw.Data[:rows*cols]}
		}
	}
	return &Matrix{Rows: rows, Cols: cols, Dense: mat.DenseCopyOf(x).RawMatrix().Data}
}

// SetTargets makes targets the answers, y[i·k + t] of row i for target t of k, NaN where it is missing. It copies them.
func (r *Rows) SetTargets(y []float64) error {
	if len(y) == 0 || len(y)%max(1, r.X.Rows) != 0 {
		return fmt.Errorf("dataset: %d targets are not the same number for each of %d rows", len(y), r.X.Rows)
	}
	for e, v := range y {
		if math.IsInf(v, 0) {
			return fmt.Errorf("dataset: target %d is %v; targets are finite numbers, or NaN where they are missing", e+1, v)
		}
	}
	r.Targets = &Matrix{Rows: r.X.Rows, Cols: len(y) / r.X.Rows, Dense: append([]float64(nil), y...)}
	return nil
}

// SetTasks names the task of each row.
func (r *Rows) SetTasks(tasks []string) error {
	if len(tasks) != r.X.Rows {
		return fmt.Errorf("dataset: %d tasks are not one for each of %d rows", len(tasks), r.X.Rows)
	}
	ids := &IDs{}
	r.Task = make([]int32, len(tasks))
	for i, name := range tasks {
		r.Task[i] = ids.Add([]byte(name))
	}
	r.Tasks = ids.Texts()
	return nil
}
