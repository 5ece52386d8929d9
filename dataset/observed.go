package dataset

import (
	"math"
)

// Observed is a matrix of which some entries are known, in either storage: a Sparse (float64) or a Compact (float32).
type Observed interface {
	// Dims are the numbers of rows, columns and entries.
	Dims() (m, n, nobs int)
	// Entries lists the entries by rows.
	Entries(f func(i, j int, x float64))
	// Range is the smallest and the largest value, +Inf and -Inf of none.
	Range() (lo, hi float64)
	// SubtractInPlace takes the centre off the values.
	SubtractInPlace(o *Offsets)
	coordinates() coordinatesOf
}

// Dims are the numbers of rows, columns and entries.
func (s *Sparse) Dims() (m, n, nobs int) { return s.M, s.N, len(s.Values) }

// Dims are the numbers of rows, columns and entries.
func (c *Compact) Dims() (m, n, nobs int) { return c.M, c.N, len(c.Values) }

// Range is the smallest and the largest rating.
func (s *Sparse) Range() (lo, hi float64) { return rangeOf(s.Values) }

// Range is the smallest and the largest rating.
func (c *Compact) Range() (lo, hi float64) { return rangeOf(c.Values) }

// LaterIn are the places of the ratings that came in later among the entries that all of them were compressed to; nil where none
// did.
func (r *Ratings) LaterIn(s *Sparse) (places []int32) {
	for e := len(r.Values) - r.Later; e < len(r.Values); e++ {
		if r.Rows[e] >= 0 && r.Cols[e] >= 0 {
			places = append(places, int32(s.at(r.Rows[e], r.Cols[e])))
		}
	}
	return places
}

func rangeOf[T float32 | float64](values []T) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		lo, hi = min(lo, float64(x)), max(hi, float64(x))
	}
	return lo, hi
}

// Entries lists the entries of the matrix, for those who want them flat.
func (s *Sparse) Entries(f func(i, j int, x float64)) { eachEntry(s.M, s.Ptr, s.Cols, s.Values, f) }

// Entries lists the entries of the matrix.
func (c *Compact) Entries(f func(i, j int, x float64)) { eachEntry(c.M, c.Ptr, c.Cols, c.Values, f) }

func eachEntry[T float32 | float64](m int, ptr []int64, cols []int32, values []T, f func(i, j int, x float64)) {
	for i := range m {
		for e := ptr[i]; e < ptr[i+1]; e++ {
			f(i, int(cols[e]), float64(values[e]))
		}
	}
}

func (s *Sparse) coordinates() coordinatesOf {
	return coordinatesOf{s.M, s.N, s.Ptr, s.Cols, s.Omega, s.Entries}
}

func (c *Compact) coordinates() coordinatesOf {
	return coordinatesOf{c.M, c.N, c.Ptr, c.Cols, nil, c.Entries}
}

// Weights are those of the entries, in their order, or nil for ones.
func Weights(s Observed) []float64 { return s.coordinates().omega }

// Counts are the numbers of entries in each row and column.
func Counts(s Observed) (rows, cols []float64) {
	m, n, _ := s.Dims()
	rows, cols = make([]float64, m), make([]float64, n)
	c := s.coordinates()
	for i := range rows {
		rows[i] = float64(c.ptr[i+1] - c.ptr[i])
	}
	for _, j := range c.cols {
		cols[j]++
	}
	return rows, cols
}
