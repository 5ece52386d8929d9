package spca

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A featured covariance is that of the columns of X, (XᵀX - m·meanᵀmean)/divisor with columns divided by their scales. Only
// blocks of it are ever made.
type featured struct {
	x           *dataset.Matrix
	mean, scale []float64 // of each column; means are 0 where nothing is centred
	diag        []float64
	divisor     float64
}

// constantPart is the part of a column's mean square below which its variance is rounding.
const constantPart = rounding.Sum

// newFeatured takes the moments of the columns. Errors are of too few rows, and of columns that are constant where they are to be
// standardised.
func newFeatured(x *dataset.Matrix, name string, centre, standardize bool) (covariance, []string, error) {
	const ofColumn = 100 // bytes: its name, and a number of each kind below
	if err := memory.Grant(fmt.Sprintf("%s: has %d variables; what is kept of each alone would", name, x.Cols),
		ofColumn*float64(x.Cols)); err != nil {
		return nil, nil, err
	}
	f := &featured{x: x, mean: make([]float64, x.Cols), scale: make([]float64, x.Cols), diag: make([]float64, x.Cols)}
	f.divisor = float64(x.Rows)
	if centre {
		f.divisor--
	}
	if x.Cols == 0 || f.divisor < 1 {
		return nil, nil, fmt.Errorf("%s: has %d rows of %d columns; components need two rows and a column", name, x.Rows, x.Cols)
	}
	names, squares := namesOf(x), make([]float64, x.Cols)
	f.everyEntry(func(j int, v float64) { f.mean[j] += v / float64(x.Rows) })
	if !centre {
		clear(f.mean)
	}
	seen := make([]int, x.Cols)
	f.everyEntry(func(j int, v float64) {
		seen[j]++
		squares[j] += v * v
		f.diag[j] += (v - f.mean[j]) * (v - f.mean[j])
	})
	for j := range f.diag {
		f.diag[j] += float64(x.Rows-seen[j]) * f.mean[j] * f.mean[j] // entries that are not stored are 0
		f.scale[j] = 1
		if f.diag[j] <= constantPart*squares[j] {
			f.diag[j] = 0
		}
		f.diag[j] /= f.divisor
		if !standardize {
			continue
		}
		if f.diag[j] == 0 {
			return nil, nil, fmt.Errorf("%s: column %s is constant and has no standard deviation: leave it out, or do not "+
				"standardise", name, names[j])
		}
		f.scale[j], f.diag[j] = math.Sqrt(f.diag[j]), 1
	}
	return f, names, nil
}

// everyEntry calls do for each stored entry, by rows.
func (f *featured) everyEntry(do func(j int, v float64)) {
	for i := range f.x.Rows {
		f.inRow(i, do)
	}
}

// inRow calls do for each stored entry of a row.
func (f *featured) inRow(i int, do func(j int, v float64)) {
	if x := f.x; x.Dense != nil {
		for j, v := range x.Dense[i*x.Cols : (i+1)*x.Cols] {
			do(j, v)
		}
	} else {
		for e := x.Ptr[i]; e < x.Ptr[i+1]; e++ {
			do(int(x.Index[e]), x.Values[e])
		}
	}
}

func (f *featured) variables() int      { return f.x.Cols }
func (f *featured) diagonal() []float64 { return f.diag }

// mulTo takes two passes over X.
func (f *featured) mulTo(dst, x []float64) {
	scaled, offset := make([]float64, len(x)), 0.0
	for j, v := range x {
		scaled[j] = v / f.scale[j]
		offset += scaled[j] * f.mean[j]
	}
	clear(dst)
	var total float64
	for i := range f.x.Rows {
		s := -offset
		f.inRow(i, func(j int, v float64) { s += v * scaled[j] })
		total += s
		f.inRow(i, func(j int, v float64) { dst[j] += v * s })
	}
	for j := range dst {
		dst[j] = (dst[j] - total*f.mean[j]) / f.scale[j] / f.divisor
	}
}

// gramRows is the number of rows whose products are added at once.
const gramRows = 256

// block is made of the centred columns, so that no digits cancel.
func (f *featured) block(vars []int) []float64 {
	k := len(vars)
	place := make([]int, f.x.Cols)
	for j := range place {
		place[j] = -1
	}
	for c, j := range vars {
		place[j] = c
	}
	gram, rows := make([]float64, k*k), make([]float64, gramRows*k)
	for from := 0; from < f.x.Rows; from += gramRows {
		to := min(from+gramRows, f.x.Rows)
		for i := from; i < to; i++ {
			row := rows[(i-from)*k : (i-from+1)*k]
			for c, j := range vars {
				row[c] = -f.mean[j] / f.scale[j]
			}
			f.inRow(i, func(j int, v float64) {
				if c := place[j]; c >= 0 {
					row[c] += v / f.scale[j]
				}
			})
		}
		kernel.Gram(gram, rows[:(to-from)*k], to-from, k)
	}
	kernel.Mirror(gram, k)
	kernel.Scale(1/f.divisor, gram)
	return gram
}
