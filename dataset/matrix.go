package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// A Matrix is Rows×Cols, dense or by compressed rows. All values are finite, but for missing ones of ReadIncomplete, which are
// NaN.
type Matrix struct {
	Rows, Cols int
	Dense      []float64 // row-major, Rows·Cols; nil for a sparse matrix
	// The sparse matrix: row i holds entries Ptr[i] … Ptr[i+1]-1, with ascending columns Index.
	Ptr    []int64 // Rows+1
	Index  []int32
	Values []float64
	Names  []string // of the columns, from a header; nil without one
	// RowNames are those of the rows, from a first column of them; nil without one.
	RowNames []string
	// Categories are the names of text columns, of which each category is a column name=category of 0 and 1.
	Categories []string

	lines text.LineBreaks // of the rows of all ranks
	among *among          // those that are here, where ranks share the rows; else nil
}

// Line is the line of the file that row i stood on. It is 0 where that is unknown: for arrays, Matrix Market, and rows that were
// made of others.
func (m *Matrix) Line(i int) int { return m.lines.Line(m.from() + i) }

// Densify stores a sparse matrix as a dense one: 8 bytes for each entry, where the sparse one takes 12 for each that it stores.
// Where there is no such memory it is an error, which begins with name.
func (m *Matrix) Densify(name string) error {
	if m.Dense != nil {
		return nil
	}
	if err := memory.GrantMatrix(name, 1, m.Rows, m.Cols); err != nil {
		return err
	}
	dense := make([]float64, m.Rows*m.Cols)
	for i := range m.Rows {
		for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
			dense[i*m.Cols+int(m.Index[e])] = m.Values[e]
		}
	}
	m.Dense, m.Ptr, m.Index, m.Values = dense, nil, nil, nil
	return nil
}

const matrixKinds = "delimited text, Matrix Market, .npy or .npz"

// A MatrixReader says how a matrix is read; the zero value takes numbers alone, and row names.
type MatrixReader struct {
	// Gaps says that entries may be missing. They are NaN then: fields of text that are empty, NA or NaN, and NaN of arrays.
	Gaps bool
	// Categories makes columns of 0 and 1 of a text column: name=category for each.
	Categories bool
	// Known are the names of features that are expected. A first column of texts that is one of them has no names of rows.
	Known []string
	// Answers are columns whose numbers may be missing without Gaps, as Columns finds them; "" is none.
	Answers string
	// Decimal is the decimal mark of text, a point if it is 0; a comma does not separate fields then.
	Decimal byte
	// Transpose makes rows of columns.
	Transpose bool

	ranks *cluster.Comm // of RowsReader
}

// ReadMatrix reads a matrix of numbers.
func ReadMatrix(name string, stdin io.Reader) (*Matrix, error) {
	return MatrixReader{}.Read(name, stdin)
}

// Read reads a matrix from a file, plain or gzip or zstd, or from stdin for "-" (nil means the standard input of
// the process). The format is told by the content:
//
//   - text delimited by tabs, semicolons, commas, bars or blanks, with a header or without; 0, 1, 2, … is one, too. A first
//     column of texts, or without a name, has the names of the rows, as pandas and R write them;
//   - Matrix Market: coordinate (sparse) or array (dense), general or symmetric, real, integer or pattern;
//   - .npy of one or two axes (one axis is a column), and .npz: its first array, or those of a sparse matrix, as in a folder.
//
// Errors are one line that names the file, the line (in .npy the row and column), and the mend. Memory is twice
// that of the result, and buffers of about 1 MB; a file of .npy takes that of the result.
func (o MatrixReader) Read(name string, stdin io.Reader) (*Matrix, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.opt = tableOptions{gaps: o.Gaps, words: o.Categories, known: o.Known, decimal: o.Decimal, answers: o.Answers,
		ranks: o.ranks, path: in.path}
	m, err := in.matrix()
	if err == nil && o.Transpose {
		m = m.Transposed()
	}
	return m, err
}

// readTargets reads a dense matrix of numbers, one or more columns, from all formats of ReadMatrix; an .npz holds nothing else.
func readTargets(name string, stdin io.Reader) (*Matrix, error) {
	return RowsReader{}.numbers(name, stdin, false)
}

// numbers is readTargets, with NaN where gaps may be missing and are.
func (o RowsReader) numbers(name string, stdin io.Reader, gaps bool) (*Matrix, error) {
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	in.only, in.opt = true, tableOptions{gaps: gaps, decimal: o.Decimal}
	m, err := in.matrix()
	if err == nil && m.Dense == nil {
		return nil, fmt.Errorf("%s: is a sparse matrix; targets are dense, write them as CSV or .npy", in.Name)
	}
	return m, err
}

// ReadIncomplete reads a dense matrix some of whose entries are missing. What a sparse matrix does not store is 0, not missing.
func ReadIncomplete(name string, stdin io.Reader) (*Matrix, error) {
	return MatrixReader{}.ReadIncomplete(name, stdin)
}

// ReadIncomplete is Read of a dense matrix with Gaps.
func (o MatrixReader) ReadIncomplete(name string, stdin io.Reader) (*Matrix, error) {
	o.Gaps = true
	m, err := o.Read(name, stdin)
	if err != nil {
		return nil, err
	}
	if err := m.Densify(Called(name)); err != nil {
		return nil, err
	}
	return m, nil
}

func (in *input) matrix() (*Matrix, error) {
	if in.typed != nil {
		return typedMatrix(*in.typed, in.path, in.opt)
	}
	if in.dir {
		a, err := folderArrays(in.path, in.opt.gaps)
		if err != nil {
			return nil, err
		}
		return a.matrix()
	}
	head, _ := in.bytes.Peek(8)
	ending := in.ending()
	switch {
	case bytes.HasPrefix(head, []byte(npyMagic)):
		r, size, done := in.direct()
		defer done()
		return readNPY(r, in.Name, size, in.opt.gaps)
	case isZip(head):
		return in.readNPZ()
	case ending == "npy" || ending == "npz":
		if len(head) == 0 {
			return nil, fmt.Errorf("%s: is empty; save the array again", in.Name)
		}
		return nil, fmt.Errorf("%s: does not start like .%s; save it with NumPy, or give text another name", in.Name, ending)
	}
	lines := text.NewLineReader(in.bytes)
	if err := firstLine(lines, in.Name, "a matrix as "+matrixKinds); err != nil {
		return nil, err
	}
	if isMarket(lines.Text) {
		return readMarket(lines, in.Name)
	}
	if ending == "mtx" {
		return nil, lineError(in.Name, lines.Line, "a Matrix Market file starts with %%%%MatrixMarket; name other text .csv or .txt")
	}
	return readTable(lines, in.Name, in.opt)
}

// place is the row and the column of stored value e.
func (m *Matrix) place(e int) (row, col int) {
	if m.Dense != nil {
		return e / max(1, m.Cols), e % max(1, m.Cols)
	}
	return sort.Search(m.Rows, func(i int) bool { return m.Ptr[i+1] > int64(e) }), int(m.Index[e])
}

// Subset is some of the rows, copied.
func (m *Matrix) Subset(rows []int32) *Matrix {
	s := &Matrix{Rows: len(rows), Cols: m.Cols, Names: m.Names, Categories: m.Categories}
	if m.RowNames != nil {
		s.RowNames = taken(m.RowNames, rows)
	}
	if m.among != nil {
		s.among = &among{ranks: m.among.ranks} // which OverRanks completes
	}
	if m.Dense != nil {
		s.Dense = make([]float64, 0, len(rows)*m.Cols)
		for _, i := range rows {
			s.Dense = append(s.Dense, m.Dense[int(i)*m.Cols:(int(i)+1)*m.Cols]...)
		}
		return s
	}
	s.Ptr = append(s.Ptr, 0)
	for _, i := range rows {
		lo, hi := m.Ptr[i], m.Ptr[i+1]
		s.Index, s.Values = append(s.Index, m.Index[lo:hi]...), append(s.Values, m.Values[lo:hi]...)
		s.Ptr = append(s.Ptr, int64(len(s.Index)))
	}
	return s
}

// withRows is m with the rows of another matrix of as many columns, both dense or both sparse. It appends to the slices of m.
func (m *Matrix) withRows(other *Matrix) *Matrix {
	s := &Matrix{Rows: m.Rows + other.Rows, Cols: m.Cols, Dense: append(m.Dense, other.Dense...), Names: m.Names,
		Categories: m.Categories,
		Ptr:        m.Ptr, Index: append(m.Index, other.Index...), Values: append(m.Values, other.Values...)}
	if m.RowNames != nil && other.RowNames != nil {
		s.RowNames = slices.Concat(m.RowNames, other.RowNames)
	}
	if m.Ptr != nil {
		for _, end := range other.Ptr[1:] {
			s.Ptr = append(s.Ptr, m.Ptr[m.Rows]+end)
		}
	}
	return s
}

// Columns finds the columns of a list by names or numbers from 1, with commas between them; a name may have some itself.
func (m *Matrix) Columns(name, list string) (at []int, err error) {
	for _, want := range namesOf(m.Names, list) {
		j, err := m.Column(name, want)
		if err != nil {
			return nil, err
		}
		if slices.Contains(at, j) {
			return nil, fmt.Errorf("%s: column %s is asked for twice", name, FeatureName(m.Names, false, j))
		}
		at = append(at, j)
	}
	return at, nil
}

// namesOf are those of a list of columns, or the list where it is the name of one.
func namesOf(names []string, list string) []string {
	if slices.Contains(names, list) {
		return []string{list}
	}
	return strings.Split(list, ",")
}

// Column finds a column by name or by number from 1. An error, which name begins, is for what is neither.
func (m *Matrix) Column(name, want string) (int, error) {
	if at := slices.Index(m.Names, want); at >= 0 {
		return at, nil
	}
	if n, err := strconv.Atoi(want); err == nil && n >= 1 && n <= m.Cols {
		return n - 1, nil
	}
	if m.Names == nil {
		return 0, fmt.Errorf("%s: has no header and %s; the target is a number from 1 to %d, not %q", name,
			text.Counted(m.Cols, "column"), m.Cols, want)
	}
	return 0, fmt.Errorf("%s: %s", name, Absent(want, m.Names))
}

// RowName is the name of row i, or its number from 1.
func (m *Matrix) RowName(i int) string {
	if len(m.RowNames) == m.Rows {
		return m.RowNames[i]
	}
	return strconv.Itoa(i + 1)
}

// ColumnName is the name of column j in the header, or its number from 1.
func (m *Matrix) ColumnName(j int) string {
	if len(m.Names) == m.Cols {
		return m.Names[j]
	}
	return strconv.Itoa(j + 1)
}

// Without splits a dense matrix into the columns at, in this order, and the rest. Of ranks that share the rows each has these
// columns of all rows.
func (m *Matrix) Without(at ...int) (rest, columns *Matrix) {
	var others []int
	for j := range m.Cols {
		if !slices.Contains(at, j) {
			others = append(others, j)
		}
	}
	return m.taken(others), m.taken(at).joined()
}

// taken is some of the columns of a dense matrix.
func (m *Matrix) taken(columns []int) *Matrix {
	x := *m // with its lines
	x.Cols, x.Dense, x.Names = len(columns), make([]float64, 0, m.Rows*len(columns)), nil
	for i := range m.Rows {
		for _, j := range columns {
			x.Dense = append(x.Dense, m.Dense[i*m.Cols+j])
		}
	}
	for _, j := range columns {
		if m.Names != nil {
			x.Names = append(x.Names, m.Names[j])
		}
	}
	return &x
}

// ascending tells whether the columns of row i ascend strictly.
func (m *Matrix) ascending(i int) bool {
	row := m.Index[m.Ptr[i]:m.Ptr[i+1]]
	for k := 1; k < len(row); k++ {
		if row[k] <= row[k-1] {
			return false
		}
	}
	return true
}

// twice finds a place that has two entries, in rows of any order.
func (m *Matrix) twice() (row, col int, found bool) {
	var sorted []int32
	for i := range m.Rows {
		if m.ascending(i) {
			continue
		}
		sorted = append(sorted[:0], m.Index[m.Ptr[i]:m.Ptr[i+1]]...)
		slices.Sort(sorted)
		for k := 1; k < len(sorted); k++ {
			if sorted[k] == sorted[k-1] {
				return i, int(sorted[k]), true
			}
		}
	}
	return 0, 0, false
}

// sortRows sorts the entries of each row by columns.
func (m *Matrix) sortRows() {
	for i := range m.Rows {
		if !m.ascending(i) {
			lo, hi := m.Ptr[i], m.Ptr[i+1]
			sort.Sort(entries{m.Index[lo:hi], m.Values[lo:hi]})
		}
	}
}

type entries struct {
	index  []int32
	values []float64
}

func (e entries) Len() int { return len(e.index) }

func (e entries) Less(a, b int) bool { return e.index[a] < e.index[b] }

func (e entries) Swap(a, b int) {
	e.index[a], e.index[b] = e.index[b], e.index[a]
	e.values[a], e.values[b] = e.values[b], e.values[a]
}

// Occurring lists the columns of a sparse matrix that have an entry, ascending: few of very many where features are hashed. It
// takes time and memory in proportion to the entries, whatever the width. Of ranks that share the rows it lists those of all.
func (x *Matrix) Occurring() []int32 {
	columns := slices.Clone(x.Index)
	slices.Sort(columns)
	if columns = slices.Compact(columns); x.among != nil {
		columns = slices.Clone(cluster.Joined(x.among.ranks, columns))
		slices.Sort(columns)
		columns = slices.Compact(columns)
	}
	return slices.Clip(columns)
}

// WithColumns is a sparse matrix of some columns, ascending: column columns[k] becomes k, and the entries of others are left
// out. Nothing of x changes; names are not kept.
func (x *Matrix) WithColumns(columns []int32) *Matrix {
	y := &Matrix{Rows: x.Rows, Cols: len(columns), Ptr: make([]int64, len(x.Ptr)), lines: x.lines, among: x.among}
	y.Index, y.Values = make([]int32, 0, len(x.Index)), make([]float64, 0, len(x.Index))
	for i := range x.Rows {
		for e := x.Ptr[i]; e < x.Ptr[i+1]; e++ {
			if k, kept := slices.BinarySearch(columns, x.Index[e]); kept {
				y.Index, y.Values = append(y.Index, int32(k)), append(y.Values, x.Values[e])
			}
		}
		y.Ptr[i+1] = int64(len(y.Index))
	}
	return y
}

// CheckShape refuses a matrix whose parts do not go together, such as one that was put together by hand: nil, without rows or
// columns, with more or fewer numbers than rows and columns say, or with sparse rows that are no ascending columns. name is the
// data, for errors.
func (m *Matrix) CheckShape(name string) error {
	if m == nil || m.Rows < 1 || m.Cols < 1 {
		return fmt.Errorf("%s: is no matrix: it needs rows and columns", name)
	}
	if m.Names != nil && len(m.Names) != m.Cols {
		return fmt.Errorf("%s: has %d names of %d columns; give each its name, or none", name, len(m.Names), m.Cols)
	}
	if m.Dense == nil {
		return checkSparse(name, m.Rows, m.Cols, m.Ptr, m.Index, len(m.Values))
	}
	if high, low := bits.Mul64(uint64(m.Rows), uint64(m.Cols)); high != 0 || low != uint64(len(m.Dense)) {
		return fmt.Errorf("%s: has %d numbers, and a matrix of %d×%d has %d", name, len(m.Dense), m.Rows, m.Cols, low)
	}
	return nil
}

// checkSparse refuses offsets and columns that are no compressed rows of an m×n matrix with so many entries.
func checkSparse(name string, m, n int, ptr []int64, index []int32, entries int) error {
	if len(ptr) != m+1 || len(index) != entries || ptr[0] != 0 || ptr[m] != int64(entries) {
		return fmt.Errorf("%s: %d offsets, %d columns and %d values are no compressed rows of a matrix of %d×%d", name, len(ptr),
			len(index), entries, m, n)
	}
	for i := range m {
		if ptr[i] > ptr[i+1] || ptr[i+1] > int64(entries) {
			return fmt.Errorf("%s: the offsets of row %d descend, or are beyond the %d values", name, i+1, entries)
		}
		for e := ptr[i]; e < ptr[i+1]; e++ {
			if j := index[e]; j < 0 || int(j) >= n || e > ptr[i] && j <= index[e-1] {
				return fmt.Errorf("%s: row %d has column %d at the wrong place: columns ascend from 0 to %d", name, i+1, j, n-1)
			}
		}
	}
	return nil
}

// CheckNumbers refuses the first number that is not finite, or larger by size than the largest that is allowed: LargestNumber
// where squares are summed. With gaps NaN is taken, for a number that is missing. name is the data, for errors.
func (m *Matrix) CheckNumbers(name string, gaps bool, largest float64) error {
	values := m.Dense
	if values == nil {
		values = m.Values
	}
	for e, x := range values {
		if math.Abs(x) <= largest || gaps && math.IsNaN(x) {
			continue
		}
		i, j := m.place(e)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s: is %v, which is no finite number: fill it, or leave the row or the column out", m.Place(name, i, j), x)
		}
		return fmt.Errorf("%s: is %g; beyond %g the squares of numbers overflow: give it in a larger unit", m.Place(name, i, j), x,
			largest)
	}
	return nil
}

// Place says where entry (i, j) stands: by the line of the file where that is known, and by the name of the column where it has
// one.
func (m *Matrix) Place(name string, i, j int) string {
	column := FeatureName(m.Names, false, j)
	if line := m.Line(i); line > 0 {
		return fmt.Sprintf("%s:%d: column %s", name, line, column)
	}
	return fmt.Sprintf("%s: row %d, column %s", name, m.from()+i+1, column)
}
