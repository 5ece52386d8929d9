package columns

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Greedy are the columns that each lower ‖D - C C⁺D‖ most [Farahat, Ghodsi, Kamel 2011]: with what is left E the one with the
// largest ‖Eᵀe_j‖²/‖e_j‖², k of them, or fewer where nothing is left.
func Greedy(d Matrix, k int) []int {
	all := make([]int, d.Q)
	for j := range all {
		all[j] = j
	}
	cols, _ := greedy(d, [][]int{all}, k, cmp.Compare[int])
	return cols
}

// Ranked orders the columns of levels: those of a level after those of the levels before it, and greedily among themselves.
// The columns from spare on come last, whatever their level: those before explain them wholly, as they do a column equal to one
// of them. Of columns that explain the same, to rounding, the one that before puts first is first.
func Ranked(d Matrix, levels [][]int, before func(a, b int) int) (order []int, spare int) {
	first, rest := greedy(d, levels, d.Q, before)
	return append(first, rest...), len(first)
}

// sameScore is the part of ‖D‖² by which scores differ that rounding leaves apart.
const sameScore = 1e-9

// greedy picks most columns of levels. rest are the others, by levels, and as before puts them within.
func greedy(d Matrix, levels [][]int, most int, before func(a, b int) int) (picked, rest []int) {
	s := newPicks(d.reduced(), slices.Concat(levels...))
	from := 0
	for _, level := range levels {
		open := make([]int, len(level))
		for t := range open {
			open[t] = from + t
		}
		from += len(level)
		slices.SortStableFunc(open, func(a, b int) int { return before(s.cols[a], s.cols[b]) })
		for len(picked) < most {
			at := s.best(open)
			if at < 0 {
				break
			}
			picked = append(picked, s.cols[open[at]])
			s.take(open[at])
			open = slices.Delete(open, at, at+1)
		}
		for _, t := range open {
			rest = append(rest, s.cols[t])
		}
	}
	return picked, rest
}

// A picks is what is left of D and of some of its columns outside of those that are taken. A column costs p² + pw.
type picks struct {
	p, w  int
	cols  []int
	e     []float64 // what is left of the columns, p×w
	gram  []float64 // E Eᵀ of all columns of D, p×p
	gains []float64 // ‖Eᵀe_j‖²
	norms []float64 // ‖e_j‖²
	whole float64   // ‖D‖²
	u, gu []float64 // work space: p
}

func newPicks(d Matrix, cols []int) *picks {
	p, w := d.P, len(cols)
	s := &picks{p: p, w: w, cols: cols, e: make([]float64, p*w), gram: make([]float64, p*p), gains: make([]float64, w),
		whole: kernel.SumSq(d.Data), u: make([]float64, p), gu: make([]float64, p)}
	for i := range p {
		for t, j := range cols {
			s.e[i*w+t] = d.Data[i*d.Q+j]
		}
	}
	kernel.GemmNT(s.gram, d.Data, d.Data, p, p, d.Q)
	ge := make([]float64, p*w)
	kernel.GemmNN(ge, s.gram, s.e, p, w, p)
	for i, x := range s.e {
		s.gains[i%w] += x * ge[i]
	}
	s.norms = squares(s.e, p, w)
	return s
}

// best is the place in open of the first column whose score is the largest, or -1 where nothing is left of any.
func (s *picks) best(open []int) int {
	scores, top := make([]float64, len(open)), math.Inf(-1)
	for at, t := range open {
		scores[at] = math.Inf(-1)
		if s.norms[t] > vanishing*s.whole {
			scores[at] = s.gains[t] / s.norms[t]
		}
		top = math.Max(top, scores[at])
	}
	if math.IsInf(top, -1) {
		return -1
	}
	return slices.IndexFunc(scores, func(x float64) bool { return x >= top-sameScore*s.whole })
}

// take removes the direction u of a column from all: G = E Eᵀ becomes (I - uuᵀ)G(I - uuᵀ), and e_jᵀG e_j loses
// 2 (uᵀe_j)(uᵀG e_j) - (uᵀe_j)² uᵀG u.
func (s *picks) take(t int) {
	length := math.Sqrt(s.norms[t])
	for i := range s.u {
		s.u[i] = s.e[i*s.w+t] / length
	}
	clear(s.gu)
	for i, x := range s.u {
		kernel.Axpy(x, s.gram[i*s.p:(i+1)*s.p], s.gu)
	}
	ugu := kernel.Dot(s.u, s.gu)
	along, across := make([]float64, s.w), make([]float64, s.w)
	for i := range s.p {
		kernel.Axpy(s.u[i], s.e[i*s.w:(i+1)*s.w], along)
		kernel.Axpy(s.gu[i], s.e[i*s.w:(i+1)*s.w], across)
	}
	for j, a := range along {
		s.gains[j] -= a * (2*across[j] - a*ugu)
	}
	for i, x := range s.u {
		row := s.gram[i*s.p : (i+1)*s.p]
		kernel.Axpy(x*ugu-s.gu[i], s.u, row)
		kernel.Axpy(-x, s.gu, row)
		kernel.Axpy(-x, along, s.e[i*s.w:(i+1)*s.w])
	}
	s.norms = squares(s.e, s.p, s.w)
}
