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
	if l.fill, empty = means(x, l.gaps, l.train.rowWeights(nil)); empty >= 0 {
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
	}
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

// means are those of the columns of X over what is not in gaps, ascending places, with weights of the rows or nil. A column of
// which nothing is left has the mean 0; the first such is empty, or -1.
func means(x *dataset.Matrix, gaps []int, w []float64) (mean []float64, empty int) {
	mean = make([]float64, x.Cols)
	weight := make([]float64, x.Cols)
	eachFeature(x, func(i, j int, v *float64) {
		part := 1.0
		if w != nil {
			part = w[i]
		}
		if len(gaps) > 0 && i*x.Cols+j == gaps[0] {
			gaps, part = gaps[1:], 0
		}
		if part > 0 { // a mean as it goes does not overflow
			weight[j] += part
			mean[j] += (*v - mean[j]) * part / weight[j]
		}
	})
	return mean, slices.Index(weight, 0)
}

// Gaps are the columns, ascending, in which features of the training rows were missing, and are filled; none where none may be.
func (l *PreparedLinear) Gaps() (columns []int) {
	some := make([]bool, l.train.X.Cols)
	for _, e := range l.gaps {
		some[e%l.train.X.Cols] = true
	}
	for j, yes := range some {
		if yes {
			columns = append(columns, j)
		}
	}
	return columns
}
