package task

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/enum"
)

// A MissingRule says what becomes of features that are missing, which are NaN.
type MissingRule int

const (
	RefuseMissing MissingRule = iota // an error
	FillMean                         // x_ij = Σ w_k x_kj / Σ w_k over the training rows k that have feature j, of weights w_k
)

// Check is an error where r is no rule.
func (r MissingRule) Check() error {
	return enum.Check("task: Missing", r, "RefuseMissing", "FillMean")
}

// fillMissing fills what is missing by the means of the training rows, in place, and keeps them for the model.
func (l *PreparedLinear) fillMissing() error {
	x := l.train.X
	if x.Dense == nil {
		return fmt.Errorf("%s: is sparse, and what it leaves out is 0, not missing: only dense features are filled", l.train.XName)
	}
	for e, v := range x.Dense {
		if math.IsNaN(v) {
			l.gaps = append(l.gaps, e)
		}
	}
	var empty int
	if l.fill, empty = l.train.means(x, l.gaps, l.train.rowWeights(nil)); empty >= 0 {
		return fmt.Errorf("%s: feature %s is missing in all rows of training; leave it out", l.train.XName, l.schema.Feature(empty))
	}
	for _, s := range []*Samples{l.train, l.test, l.valid} {
		if s == nil {
			continue
		}
		eachFeature(s.X, func(_, j int, v *float64) {
			if math.IsNaN(*v) {
				*v = l.fill[j]
				s.Filled++
			}
		})
		s.Filled = s.spread.Comm().Count(s.Filled)
	}
	l.gapColumns()
	return nil
}

// gapsOf is how many features are missing.
func gapsOf(x *dataset.Matrix) (n int) {
	eachFeature(x, func(_, _ int, v *float64) {
		if math.IsNaN(*v) {
			n++
		}
	})
	return n
}

// means are those of the columns of x, the features of the rows, over what is not in gaps, ascending places, with weights of the
// rows or nil. A column of which nothing is left has the mean 0; the first such is empty, or -1.
func (s *Samples) means(x *dataset.Matrix, gaps []int, w []float64) (mean []float64, empty int) {
	if s.spread == nil {
		mean, weight := meansOf(x, 0, gaps, w)
		return mean, slices.Index(weight, 0)
	}
	begin, _ := s.spread.OwnRows()
	sums := make([]float64, 2*x.Cols)
	s.sum(x, sums, func(part *dataset.Matrix, first int, sums []float64) {
		at, _ := slices.BinarySearch(gaps, (first-begin)*x.Cols)
		own := w
		if w != nil {
			own = w[first:]
		}
		mean, weight := meansOf(part, (first-begin)*x.Cols, gaps[at:], own)
		for j, v := range mean {
			sums[j], sums[x.Cols+j] = weight[j]*v, weight[j]
		}
	})
	mean, weight := sums[:x.Cols], sums[x.Cols:]
	for j, w := range weight {
		if w > 0 {
			mean[j] /= w
		}
	}
	return mean, slices.Index(weight, 0)
}

// meansOf are the means of columns and their weights. The first place of x has the number from among those that gaps count.
func meansOf(x *dataset.Matrix, from int, gaps []int, w []float64) (mean, weight []float64) {
	mean, weight = make([]float64, x.Cols), make([]float64, x.Cols)
	eachFeature(x, func(i, j int, v *float64) {
		part := 1.0
		if w != nil {
			part = w[i]
		}
		if len(gaps) > 0 && from+i*x.Cols+j == gaps[0] {
			gaps, part = gaps[1:], 0
		}
		if part > 0 { // a mean as it goes does not overflow
			weight[j] += part
			mean[j] += (*v - mean[j]) * part / weight[j]
		}
	})
	return mean, weight
}

// Gaps are the columns, ascending, in which features of the training rows were missing, and are filled; none where none may be.
func (l *PreparedLinear) Gaps() (columns []int) { return l.filled }

// gapColumns finds them, on all ranks.
func (l *PreparedLinear) gapColumns() {
	some := make([]bool, l.train.X.Cols)
	for _, e := range l.gaps {
		some[e%l.train.X.Cols] = true
	}
	l.train.spread.Comm().Any(some)
	for j, yes := range some {
		if yes {
			l.filled = append(l.filled, j)
		}
	}
}
