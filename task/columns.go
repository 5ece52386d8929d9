package task

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
)

// numbered says that the first row counts the columns from 0, as the header of a table without names does.
func numbered(x *dataset.Matrix) bool {
	if x.Dense == nil || x.Cols < 3 || x.Names != nil {
		return false
	}
	for j, v := range x.Dense[:x.Cols] {
		if v != float64(j) {
			return false
		}
	}
	return true
}

// zeroRows lists rows, by number from 0, that have no feature but 0.
func zeroRows(x *dataset.Matrix) (list []int) {
	for i := range x.Rows {
		var row []float64
		if x.Dense != nil {
			row = x.Dense[i*x.Cols : (i+1)*x.Cols]
		} else {
			row = x.Values[x.Ptr[i]:x.Ptr[i+1]]
		}
		if !slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			list = append(list, i)
		}
	}
	return list
}

// constantColumns lists features, by number from 0, that have one value in all rows.
func constantColumns(x *dataset.Matrix) []int {
	if x.Rows < 2 {
		return nil
	}
	var list []int
	if x.Dense != nil {
		for j := range x.Cols {
			same := true
			for i := 1; i < x.Rows && same; i++ {
				same = x.Dense[i*x.Cols+j] == x.Dense[j]
			}
			if same {
				list = append(list, j)
			}
		}
		return list
	}
	count, first, varies := make([]int, x.Cols), make([]float64, x.Cols), make([]bool, x.Cols)
	for e, j := range x.Index {
		if v := x.Values[e]; v != 0 {
			if count[j] == 0 {
				first[j] = v
			}
			varies[j] = varies[j] || v != first[j]
			count[j]++
		}
	}
	for j, n := range count {
		if n == 0 || n == x.Rows && !varies[j] {
			list = append(list, j)
		}
	}
	return list
}

// farColumns lists dense features, by number from 0, whose mean is over a million times their standard deviation, which is not
// 0: in one pass, of differences to the first row.
func farColumns(x *dataset.Matrix) (list []int) {
	if x.Dense == nil {
		return nil
	}
	first, sums, squares, n := x.Dense[:x.Cols], make([]float64, x.Cols), make([]float64, x.Cols), float64(x.Rows)
	for at := 0; at < len(x.Dense); at += x.Cols {
		for j, v := range x.Dense[at : at+x.Cols] {
			d := v - first[j]
			sums[j] += d
			squares[j] += d * d
		}
	}
	for j, sum := range sums {
		mean := sum / n
		if deviation := math.Sqrt(squares[j]/n - mean*mean); deviation > 0 && math.Abs(first[j]+mean) > 1e6*deviation {
			list = append(list, j)
		}
	}
	return list
}
