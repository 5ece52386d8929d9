package dataset

import (
	"fmt"
	"math"
	"slices"
)

// Offsets are a centre: Global + Row_i + Col_j; nil slices are 0.
type Offsets struct {
	Global   float64
	Row, Col []float64
}

// At is the centre of an entry; -1 stands for an unknown row or column.
func (o *Offsets) At(i, j int) float64 {
	x := o.Global
	if o.Row != nil && i >= 0 {
		x += o.Row[i]
	}
	if o.Col != nil && j >= 0 {
		x += o.Col[j]
	}
	return x
}

// rest is what the centre leaves of x. A difference that is rounding is 0: ratings that the centre explains are not data.
func (o *Offsets) rest(i, j int, x float64) float64 {
	d := x - o.At(i, j)
	if math.Abs(d) <= centreRounding*(math.Abs(x)+math.Abs(o.Global)) {
		return 0
	}
	return d
}

// centreRounding is about what sums of millions of ratings lose, relative to a rating.
const centreRounding = 1e-12

// A Centring says which means are taken off the ratings before a matrix is fitted to what they leave.
type Centring int

const (
	AutoCentre  Centring = iota // nothing, or what package task chooses
	NoCentre                    // nothing
	GlobalMean                  // one number
	RowMeans                    // the global mean, and an offset for each row
	ColumnMeans                 // the global mean, and an offset for each column
	BothMeans                   // offsets for rows and columns together
	ShrunkMeans                 // the same as ridge biases, shrunk the more the fewer entries a row or column has
)

var centrings = []string{"auto", "none", "global", "rows", "cols", "both", "shrunk"}

// String is auto, none, global, rows, cols, both or shrunk.
func (c Centring) String() string { return centrings[c] }

// ParseCentring is the centring of a name that String gives.
func ParseCentring(name string) (Centring, error) {
	if c := slices.Index(centrings, name); c >= 0 {
		return Centring(c), nil
	}
	return 0, fmt.Errorf("dataset: a centre is auto, none, global, rows, cols, both or shrunk, not %q", name)
}

// Centre is the least-squares centre of the given kind, ShrunkMeans those with a ridge. Rows and columns without entries get
// offset 0.
func Centre(s Observed, kind Centring) *Offsets { return centre(s.coordinates(), kind, allDigits) }

// Biases is the centre of rows and columns both to about six digits: for predictions to compare others with.
func Biases(s Observed) *Offsets { return centre(s.coordinates(), BothMeans, sixDigits) }

// The last change of row offsets that are accurate to so much, in parts of the largest.
const (
	allDigits = 1e-14
	sixDigits = 1e-6
)

// coordinatesOf are the entries of a matrix by compressed rows, their values in any storage.
type coordinatesOf struct {
	m, n    int
	ptr     []int64
	cols    []int32
	entries func(f func(i, j int, x float64))
}

func centre(s coordinatesOf, kind Centring, accuracy float64) *Offsets {
	o := &Offsets{}
	if kind <= NoCentre || len(s.cols) == 0 {
		return o
	}
	o.Global = s.mean()
	if kind == GlobalMean {
		return o
	}
	byRow, byCol, square := newSums(s.m), newSums(s.n), 0.0
	s.entries(func(i, j int, x float64) {
		square += (x - o.Global) * (x - o.Global)
		byRow.add(i, x-o.Global)
		byCol.add(j, x-o.Global)
	})
	switch kind {
	case RowMeans:
		o.Row = byRow.means(nil)
	case ColumnMeans:
		o.Col = byCol.means(nil)
	case BothMeans:
		o.Row, o.Col = s.alternateMeans(byRow, byCol, accuracy)
	case ShrunkMeans:
		s.shrunkMeans(o, byRow, byCol, square)
	}
	return o
}

// mean is that of all entries. Differences from the first of them are averaged: the mean of ratings that are all the same is
// that rating, to the last digit, and nothing overflows.
func (s coordinatesOf) mean() float64 {
	n, first, rest, begun := float64(len(s.cols)), 0.0, 0.0, false
	s.entries(func(_, _ int, x float64) {
		if !begun {
			first, begun = x, true
		}
		rest += x/n - first/n
	})
	return first + rest
}

// alternateMeans takes row means of what column offsets leave and column means of what row offsets leave, in turn: they converge
// linearly. One pass over the columns' indices gathers the offsets of a row's columns and adds the new offset to these columns.
func (s coordinatesOf) alternateMeans(byRow, byCol sums, accuracy float64) (row, col []float64) {
	row, taken := make([]float64, s.m), make([]float64, s.n)
	for range sweeps {
		col = byCol.means(taken)
		clear(taken)
		largest, moved := 0.0, 0.0
		for i, old := range row {
			cols := s.cols[s.ptr[i]:s.ptr[i+1]]
			if len(cols) == 0 {
				continue
			}
			x := byRow.total[i]
			for _, j := range cols {
				x -= col[j]
			}
			x /= byRow.count[i]
			for _, j := range cols {
				taken[j] += x
			}
			row[i] = x
			largest, moved = max(largest, math.Abs(x)), max(moved, math.Abs(x-old))
		}
		if moved <= accuracy*largest {
			break
		}
	}
	return row, col
}

// sweeps of alternateMeans are enough for offsets to all digits but the last ones.
const sweeps = 30

// sums are of the entries in each row or column.
type sums struct{ total, count []float64 }

func newSums(n int) sums { return sums{make([]float64, n), make([]float64, n)} }

func (s sums) add(at int, x float64) {
	s.total[at] += x
	s.count[at]++
}

// means averages, less what is taken from each total; nil is nothing.
func (s sums) means(taken []float64) []float64 {
	mean := make([]float64, len(s.total))
	for i, c := range s.count {
		if c == 0 {
			continue
		}
		mean[i] = s.total[i]
		if taken != nil {
			mean[i] -= taken[i]
		}
		mean[i] /= c
	}
	return mean
}

// SubtractInPlace takes the centre off the values.
func (s *Sparse) SubtractInPlace(o *Offsets) {
	e := 0
	s.Entries(func(i, j int, x float64) {
		s.Values[e] = o.rest(i, j, x)
		e++
	})
}

// Subtract is the values less the centre; the values themselves where it is 0 everywhere.
func (s *Sparse) Subtract(o *Offsets) []float64 {
	if o.Global == 0 && o.Row == nil && o.Col == nil {
		return s.Values
	}
	y := make([]float64, 0, len(s.Values))
	s.Entries(func(i, j int, x float64) { y = append(y, o.rest(i, j, x)) })
	return y
}

// shrunkSweeps of the ridge biases end them where their means are slow, which few entries tell: what the biases leave is fitted
// anyway.
const shrunkSweeps = 40

// settled is the last change of the row biases, in parts of the largest, that is none any more.
const settled = 1e-6

// leastShare is the part of the variance of the entries that a kind of bias, or the noise, has at least: estimates of less are 0
// or negative by chance, and a bias of no variance is none.
const leastShare = 1e-4

// shrunkMeans are the posterior means of the biases y_ij = μ + r_i + c_j + ε, of variances τ_r², τ_c² and σ²: ridge biases,
//
//	min Σ (y_ij - μ - r_i - c_j)² + σ²/τ_r² Σ r_i² + σ²/τ_c² Σ c_j².
//
// The variances are estimated by moments: entries of one row differ by τ_c² + σ², those of one column by τ_r² + σ², and any two
// by all three. byRow and byCol are the sums of the entries less o.Global, square is that of their squares.
func (s coordinatesOf) shrunkMeans(o *Offsets, byRow, byCol sums, square float64) {
	o.Row, o.Col = make([]float64, s.m), make([]float64, s.n)
	if square == 0 {
		return
	}
	inRows, inCols := byRow.within(square), byCol.within(square)
	total := square / float64(len(s.cols))
	least := leastShare * total
	noise := math.Max(inRows+inCols-total, least)
	rows, cols := ridge{k: noise / math.Max(total-inRows, least)}, ridge{k: noise / math.Max(total-inCols, least)}
	taken := make([]float64, s.n)
	for range shrunkSweeps {
		for j, n := range byCol.count {
			o.Col[j] = cols.bias(byCol.total[j]-taken[j], n)
		}
		cols.centre(o.Col, byCol.count)
		clear(taken)
		largest, moved := 0.0, 0.0
		for i, old := range o.Row {
			entries, met := s.cols[s.ptr[i]:s.ptr[i+1]], 0.0
			for _, j := range entries {
				met += o.Col[j]
			}
			x := rows.bias(byRow.total[i]-met, byRow.count[i])
			for _, j := range entries {
				taken[j] += x
			}
			o.Row[i] = x
			largest, moved = max(largest, math.Abs(x)), max(moved, math.Abs(x-old))
		}
		rows.centre(o.Row, byRow.count)
		if moved <= settled*largest {
			break
		}
	}
	o.Global += rows.mean + cols.mean
	rows.shift(o.Row, byRow.count)
	cols.shift(o.Col, byCol.count)
}

// within is the variance of the entries in their rows or columns, or of all where each has one only.
func (s sums) within(square float64) float64 {
	total, free, entries := square, 0.0, 0.0
	for i, n := range s.count {
		if n > 0 {
			total -= s.total[i] * s.total[i] / n
			free += n - 1
			entries += n
		}
	}
	if free == 0 {
		return square / entries
	}
	return math.Max(total, 0) / free
}

// A ridge shrinks the biases of rows or columns to their mean, as k entries more would that had it.
type ridge struct{ k, mean float64 }

// bias is that of n entries with a sum; 0 of none.
func (r *ridge) bias(sum, n float64) float64 {
	if n == 0 {
		return 0
	}
	return (sum + r.k*r.mean) / (n + r.k)
}

// centre makes the mean that of the biases of rows or columns with entries.
func (r *ridge) centre(x, count []float64) {
	sum, met := 0.0, 0.0
	for i, n := range count {
		if n > 0 {
			sum += x[i]
			met++
		}
	}
	r.mean = sum / met
}

// shift takes the mean off the biases of rows or columns with entries.
func (r *ridge) shift(x, count []float64) {
	for i, n := range count {
		if n > 0 {
			x[i] -= r.mean
		}
	}
}
