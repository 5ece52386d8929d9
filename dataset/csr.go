package dataset

import (
	"slices"
	"sort"
)

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

func (e entries) Len() int           { return len(e.index) }
func (e entries) Less(a, b int) bool { return e.index[a] < e.index[b] }
func (e entries) Swap(a, b int) {
	e.index[a], e.index[b] = e.index[b], e.index[a]
	e.values[a], e.values[b] = e.values[b], e.values[a]
}
