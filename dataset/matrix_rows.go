package dataset

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// place is the row and the column of stored value e.
func (m *Matrix) place(e int) (row, col int) {
	if m.Dense != nil {
		return e / max(1, m.Cols), e % max(1, m.Cols)
	}
	return sort.Search(m.Rows, func(i int) bool { return m.Ptr[i+1] > int64(e) }), int(m.Index[e])
}

// Subset is some of the rows, copied.
func (m *Matrix) Subset(rows []int32) *Matrix {
	s := &Matrix{Rows: len(rows), Cols: m.Cols, Names: m.Names}
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
		Ptr: m.Ptr, Index: append(m.Index, other.Index...), Values: append(m.Values, other.Values...)}
	if m.Ptr != nil {
		for _, end := range other.Ptr[1:] {
			s.Ptr = append(s.Ptr, m.Ptr[m.Rows]+end)
		}
	}
	return s
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
		return 0, fmt.Errorf("%s: has no header and %d columns; the target is a number from 1 to %d, not %q", name, m.Cols, m.Cols,
			want)
	}
	shown := m.Names[:min(len(m.Names), 20)]
	return 0, fmt.Errorf("%s: has no column %q; there are %s", name, want, strings.Join(shown, ", "))
}

// Without takes a column out of a dense matrix.
func (m *Matrix) Without(at int) (rest, column *Matrix) {
	a, b := *m, *m // with its lines
	rest, column = &a, &b
	rest.Cols, rest.Dense = m.Cols-1, make([]float64, 0, m.Rows*(m.Cols-1))
	column.Cols, column.Dense = 1, make([]float64, m.Rows)
	for i := range m.Rows {
		row := m.Dense[i*m.Cols : (i+1)*m.Cols]
		column.Dense[i] = row[at]
		rest.Dense = append(append(rest.Dense, row[:at]...), row[at+1:]...)
	}
	if m.Names != nil {
		rest.Names = slices.Delete(slices.Clone(m.Names), at, at+1)
		column.Names = m.Names[at : at+1]
	}
	return rest, column
}
