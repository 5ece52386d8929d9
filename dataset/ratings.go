package dataset

import (
	"errors"
	"fmt"
	"math"
)

// Ratings are observed entries of a matrix, in the order of their file.
type Ratings struct {
	Name      string
	Checksum  string
	Rows      []int32 // index of the user, -1 where it is unknown to the ids that were given
	Cols      []int32
	Values    []float64
	Times     []int64 // empty unless asked for and given
	RowIDs    *IDs
	ColIDs    *IDs
	NoValues  bool   // the file has users and items alone
	TimesLost error  // why Times are empty where they were optional
	Shape     [2]int // the numbers of ids, of which some may have no rating

	narrow *narrow // in place of Rows, Cols and Values, or nil
	breaks lineBreaks
}

// narrow are ratings of 12 bytes each, which grow without copying.
type narrow struct {
	rows, cols pile[int32]
	values     pile[float32]
}

func (r *Ratings) count() int {
	if r.narrow != nil {
		return r.narrow.values.n
	}
	return len(r.Values)
}

func (r *Ratings) push(i, j int32, x float64) {
	if n := r.narrow; n != nil {
		n.rows.push(i)
		n.cols.push(j)
		n.values.push(float32(x))
		return
	}
	r.Rows, r.Cols, r.Values = append(r.Rows, i), append(r.Cols, j), append(r.Values, x)
}

// rating is number e, with the value that float32 has of it.
func (r *Ratings) rating(e int) (i, j int32, x float32) {
	if n := r.narrow; n != nil {
		return n.rows.at(e), n.cols.at(e), n.values.at(e)
	}
	return r.Rows[e], r.Cols[e], float32(r.Values[e])
}

func (r *Ratings) noteLine(line int) { r.breaks.note(r.count(), line) }

// Line is the line of the file that observation e stood on, or 0.
func (r *Ratings) Line(e int) int { return r.breaks.line(e) }

// place is the file with the line of observation e, where that is known.
func (r *Ratings) place(e int) string {
	if line := r.Line(e); line > 0 {
		return fmt.Sprintf("%s:%d", r.Name, line)
	}
	return r.Name
}

// Duplicates says what to do with an entry that is given twice.
type Duplicates int

const (
	RefuseDuplicates Duplicates = iota
	LastDuplicate
	MeanDuplicates
)

// Sparse is a matrix by compressed rows: row i holds entries Ptr[i] … Ptr[i+1]-1, columns ascending.
type Sparse struct {
	M, N   int
	Ptr    []int64
	Cols   []int32
	Values []float64
}

// Subset is the ratings with the given indices and their times, sharing the ids.
func (r *Ratings) Subset(index []int32) *Ratings {
	s := *r
	s.Rows, s.Cols, s.Values = make([]int32, len(index)), make([]int32, len(index)), make([]float64, len(index))
	s.Times, s.breaks = nil, nil
	if len(r.Times) > 0 {
		s.Times = make([]int64, len(index))
		for t, e := range index {
			s.Times[t] = r.Times[e]
		}
	}
	for t, e := range index {
		s.Rows[t], s.Cols[t], s.Values[t] = r.Rows[e], r.Cols[e], r.Values[e]
	}
	return &s
}

// Compress sorts the ratings by rows and columns, by counting. Ratings of unknown users or items are left out; duplicates
// are treated as told. An error names both lines of a duplicate.
func (r *Ratings) Compress(d Duplicates) (*Sparse, error) {
	m, n := r.Shape[0], r.Shape[1]
	byCol := countingOrder(r.Cols, n, nil)
	order := countingOrder(r.Rows, m, byCol)
	s := &Sparse{M: m, N: n, Ptr: make([]int64, m+1)}
	s.Cols = make([]int32, 0, len(order))
	s.Values = make([]float64, 0, len(order))
	var row, times int32 = -1, 1
	for t, e := range order {
		i, j, x := r.Rows[e], r.Cols[e], r.Values[e]
		if i < 0 || j < 0 {
			continue
		}
		if last := len(s.Cols) - 1; i == row && s.Cols[last] == j {
			switch d {
			case RefuseDuplicates:
				return nil, r.duplicate(int(order[t-1]), int(e))
			case LastDuplicate:
				s.Values[last] = x
			case MeanDuplicates:
				times++
				s.Values[last] += (x - s.Values[last]) / float64(times)
			}
			continue
		}
		row, times = i, 1
		s.Cols, s.Values = append(s.Cols, j), append(s.Values, x)
		s.Ptr[i+1]++
	}
	for i := range m {
		s.Ptr[i+1] += s.Ptr[i]
	}
	return s, nil
}

// ErrDuplicate is in the error of Compress and Compact for an entry that is given twice.
var ErrDuplicate = errors.New("already rated")

// duplicate is the error of two ratings of one entry.
func (r *Ratings) duplicate(a, b int) error {
	i, j, _ := r.rating(b)
	return fmt.Errorf("%s: user %q and item %q are %w on line %d; remove one",
		r.place(b), r.RowIDs.Text(int(i)), r.ColIDs.Text(int(j)), ErrDuplicate, r.Line(a))
}

// countingOrder is a stable order of the observations by key, negative keys first; from is the order to start from.
func countingOrder(key []int32, n int, from []int32) []int32 {
	count := make([]int64, n+2)
	for _, k := range key {
		count[k+2]++
	}
	for k := range n + 1 {
		count[k+1] += count[k]
	}
	order := make([]int32, len(key))
	put := func(e int32) {
		at := &count[key[e]+1]
		order[*at] = e
		*at++
	}
	if from == nil {
		for e := range key {
			put(int32(e))
		}
		return order
	}
	for _, e := range from {
		put(e)
	}
	return order
}

// Range is the smallest and the largest rating.
func (s *Sparse) Range() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range s.Values {
		lo, hi = math.Min(lo, x), math.Max(hi, x)
	}
	return lo, hi
}

// Entries lists the coordinates of the matrix, for those who want them flat.
func (s *Sparse) Entries(f func(i, j int, x float64)) {
	for i := range s.M {
		for e := s.Ptr[i]; e < s.Ptr[i+1]; e++ {
			f(i, int(s.Cols[e]), s.Values[e])
		}
	}
}
