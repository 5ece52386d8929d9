package spca

import "math"

// components are the connected components of |C_ij| > λ, i ≠ j, of a row-major symmetric n×n matrix: its variables in ascending
// order. Rows are read only while there are variables left that none has reached.
func components(c []float64, n int, lambda float64) [][]int {
	left := make([]int, n) // variables that are in no component yet
	for i := range left {
		left[i] = i
	}
	var all [][]int
	member := make([]int, n)
	for len(left) > 0 {
		queue := []int{left[0]}
		left = left[1:]
		for at := 0; at < len(queue) && len(left) > 0; at++ {
			row, untouched := c[queue[at]*n:(queue[at]+1)*n], left[:0:0]
			for _, j := range left {
				if math.Abs(row[j]) > lambda {
					queue = append(queue, j)
				} else {
					untouched = append(untouched, j)
				}
			}
			left = untouched
		}
		for _, i := range queue {
			member[i] = len(all)
		}
		all = append(all, nil)
	}
	for i, k := range member {
		all[k] = append(all[k], i)
	}
	return all
}
