package task

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

// numbered says that the first row counts the columns from 0, as the header of a table without names does.
func (s *Samples) numbered() bool {
	x := s.X
	if x.Dense == nil || x.Cols < 3 || x.Names != nil {
		return false
	}
	for j, v := range s.firstRow() {
		if v != float64(j) {
			return false
		}
	}
	return true
}

// firstRow is that of dense features, which the first rank has.
func (s *Samples) firstRow() (row []float64) {
	if lo, hi := s.here(); lo == 0 && hi > 0 {
		row = s.X.Dense[:s.X.Cols]
	}
	return cluster.All(s.spread.Comm(), row)[0]
}

// zeroRows are how many rows have no feature but 0, and the first of them, by number from 0.
func (s *Samples) zeroRows() (count, first int) {
	x, first := s.X, -1
	lo, _ := s.here()
	for i := range x.Rows {
		var row []float64
		if x.Dense != nil {
			row = x.Dense[i*x.Cols : (i+1)*x.Cols]
		} else {
			row = x.Values[x.Ptr[i]:x.Ptr[i+1]]
		}
		if !slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			if count == 0 {
				first = lo + i
			}
			count++
		}
	}
	for _, of := range cluster.All(s.spread.Comm(), []int64{int64(first)}) {
		if of[0] >= 0 {
			first = int(of[0])
			break
		}
	}
	return s.spread.Comm().Count(count), first
}

// constantColumns lists features, by number from 0, that have one value in all rows.
func (s *Samples) constantColumns() (list []int) {
	x, ranks := s.X, s.spread.Comm()
	switch {
	case s.Rows() < 2:
		return nil
	case x.Dense != nil:
		first, varies := s.firstRow(), make([]bool, x.Cols)
		for j := range varies {
			for i := 0; i < x.Rows && !varies[j]; i++ {
				varies[j] = x.Dense[i*x.Cols+j] != first[j]
			}
		}
		ranks.Any(varies)
		for j, is := range varies {
			if !is {
				list = append(list, j)
			}
		}
		return list
	}
	count, least, most := make([]float64, x.Cols), make([]float64, x.Cols), make([]float64, x.Cols)
	for j := range least {
		least[j], most[j] = math.Inf(1), math.Inf(-1)
	}
	for e, j := range x.Index {
		if v := x.Values[e]; v != 0 {
			count[j]++
			least[j], most[j] = min(least[j], v), max(most[j], v)
		}
	}
	ranks.Total(count)
	ranks.Widest(least, most)
	for j, n := range count {
		if n == 0 || int(n) == s.Rows() && least[j] == most[j] {
			list = append(list, j)
		}
	}
	return list
}

// farColumns lists dense features, by number from 0, whose mean is over a million times their standard deviation, which is not
// 0: in one pass, of differences to the first row.
func (s *Samples) farColumns() (list []int) {
	x := s.X
	if x.Dense == nil {
		return nil
	}
	first, both, n := s.firstRow(), make([]float64, 2*x.Cols), float64(s.Rows())
	s.sum(x, both, func(x *dataset.Matrix, _ int, both []float64) {
		sums, squares := both[:x.Cols], both[x.Cols:]
		for at := 0; at < len(x.Dense); at += x.Cols {
			for j, v := range x.Dense[at : at+x.Cols] {
				d := v - first[j]
				sums[j] += d
				squares[j] += d * d
			}
		}
	})
	squares := both[x.Cols:]
	for j, sum := range both[:x.Cols] {
		mean := sum / n
		if deviation := math.Sqrt(squares[j]/n - mean*mean); deviation > 0 && math.Abs(first[j]+mean) > 1e6*deviation {
			list = append(list, j)
		}
	}
	return list
}
