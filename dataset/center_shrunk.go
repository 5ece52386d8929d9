package dataset

import (
	"math"

	"github.com/seed-b18ef778/gcg/cluster"
)

// square is Σ ω_ij d_ij² of what a centre leaves.
func (s coordinatesOf) square(o *Offsets) float64 {
	return s.sum(1, func(lo, hi int, sum []float64) {
		s.weighted(lo, hi, func(i, j int, w, x float64) {
			d := x - o.At(i, j)
			sum[0] += w * d * d
		})
	})[0]
}

// shrunkMeans are the posterior means of the biases y_ij = μ + r_i + c_j + ε, of variances τ_r², τ_c² and σ²: ridge biases,
//
//	min Σ (y_ij - μ - r_i - c_j)² + σ²/τ_r² Σ r_i² + σ²/τ_c² Σ c_j².
//
// The variances are estimated by moments: entries of one row differ by τ_c² + σ², those of one column by τ_r² + σ², and any two
// by all three. byRow and byCol are the sums of the entries less o.Global, square is that of their squares. Weights are taken
// over their mean: an entry of the mean weight counts as one, and weights that are all scaled alike leave all as it is.
func (s coordinatesOf) shrunkMeans(o *Offsets, byRow, byCol sums, square float64) {
	o.Row, o.Col = make([]float64, s.m), make([]float64, s.n)
	if square == 0 {
		return
	}
	count := float64(s.count())
	unit := count / s.total()
	byRow, byCol, square = byRow.scaled(unit), byCol.scaled(unit), square*unit
	inRows, inCols := byRow.within(square), byCol.within(square)
	total := square / count
	least := leastShare * total
	noise := math.Max(inRows+inCols-total, least)
	rows, cols := ridge{k: noise / math.Max(total-inRows, least)}, ridge{k: noise / math.Max(total-inCols, least)}
	o.RowShrink = rows.k
	taken := make([]float64, s.n)
	for range shrunkSweeps {
		for j, n := range byCol.weight {
			o.Col[j] = cols.bias(byCol.total[j]-taken[j], n)
		}
		cols.centre(o.Col, byCol.weight)
		largest, moved := 0.0, 0.0
		taken = s.sum(s.n, func(lo, hi int, taken []float64) {
			for i := lo; i < hi; i++ {
				x := rows.bias(byRow.total[i]-s.explained(i, unit, o), byRow.weight[i])
				for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
					taken[s.cols[e]] += unit * s.weight(e) * x
				}
				largest, moved = max(largest, math.Abs(x)), max(moved, math.Abs(x-o.Row[i]))
				o.Row[i] = x
			}
		})
		cluster.Fill(s.spread, o.Row, 1)
		_, largest = s.spread.Comm().Extremes(0, largest)
		_, moved = s.spread.Comm().Extremes(0, moved)
		rows.centre(o.Row, byRow.weight)
		if moved <= settled*largest {
			break
		}
	}
	o.Global += rows.mean + cols.mean
	rows.shift(o.Row, byRow.weight)
	cols.shift(o.Col, byCol.weight)
}

// explained is what the biases of columns make of the sum of row i, its weights times unit.
func (s coordinatesOf) explained(i int, unit float64, o *Offsets) (sum float64) {
	for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
		sum += unit * s.weight(e) * o.Col[s.cols[e]]
	}
	return sum
}

// scaled are the sums with weights times unit.
func (s sums) scaled(unit float64) sums {
	if unit == 1 {
		return s
	}
	by := func(x []float64) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = unit * v
		}
		return y
	}
	return sums{by(s.total), by(s.weight)}
}

// within is the variance of the entries in their rows or columns, or of all where each has one only.
func (s sums) within(square float64) float64 {
	total, free, entries := square, 0.0, 0.0
	for i, n := range s.weight {
		if n > 0 {
			total -= s.total[i] * s.total[i] / n
			free += math.Max(n-1, 0)
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
