package columns

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Pick is a column that was chosen, and how many had its score then, itself among them.
type Pick struct{ Column, Tied int }

// Greedy are the columns that each lower ‖D - C C⁺D‖ most [Farahat, Ghodsi, Kamel 2011]: with what is left E the one with the
// largest ‖Eᵀe_j‖²/‖e_j‖², k of them, or fewer where nothing is left. Of columns of the same score, to rounding, the one that
// before puts first is taken.
func Greedy(d Matrix, k int, before func(a, b int) int) []Pick {
	return sequence(d, k, before, (*picks).explaining)
}

// PivotedQR are the columns that QR with pivots takes: each time the one with the largest ‖e_j‖², what is left of it outside of
// those before, and fewer where nothing is left. Of columns of the same length the one that explains most is taken, and of
// those the one that before puts first.
func PivotedQR(d Matrix, k int, before func(a, b int) int) []Pick {
	return sequence(d, k, before, (*picks).longest)
}

// sequence takes k of all columns, each time the first of those that best leaves of the open ones.
func sequence(d Matrix, k int, before func(a, b int) int, best func(*picks, []int) (int, int)) (cols []Pick) {
	all := make([]int, d.Q)
	for j := range all {
		all[j] = j
	}
	slices.SortStableFunc(all, before)
	s := newPicks(d.reduced(), all)
	open := make([]int, d.Q)
	for t := range open {
		open[t] = t
	}
	for len(cols) < k {
		at, tied := best(s, open)
		if at < 0 {
			break
		}
		cols = append(cols, Pick{s.cols[open[at]], tied})
		s.take(open[at])
		open = slices.Delete(open, at, at+1)
	}
	return cols
}

// Ranked orders the columns of levels: those of a level after those of the levels before it, and greedily among themselves.
// The columns from spare on come last, whatever their level: those before explain them wholly, as they do a column equal to one
// of them. Of columns that explain the same, to rounding, the one that before puts first is first.
func Ranked(d Matrix, levels [][]int, before func(a, b int) int) (order []int, spare int) {
	s := newPicks(d.reduced(), slices.Concat(levels...))
	from := 0
	var rest []int
	for _, level := range levels {
		open := make([]int, len(level))
		for t := range open {
			open[t] = from + t
		}
		from += len(level)
		slices.SortStableFunc(open, func(a, b int) int { return before(s.cols[a], s.cols[b]) })
		for {
			at, _ := s.explaining(open)
			if at < 0 {
				break
			}
			order = append(order, s.cols[open[at]])
			s.take(open[at])
			open = slices.Delete(open, at, at+1)
		}
		for _, t := range open {
			rest = append(rest, s.cols[t])
		}
	}
	return append(order, rest...), len(order)
}

// sameScore is the part of ‖D‖² by which scores differ that rounding leaves apart.
const sameScore = 1e-9

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

// explaining is the place in open of the first column that explains most, or -1 where nothing is left of any, and how many do.
func (s *picks) explaining(open []int) (at, tied int) {
	return first(s.most(open, s.explained, sameScore*s.whole))
}

// longest is the place in open of the first of the longest columns that explains most of them, or -1 where nothing is left of
// any, and how many are as long.
func (s *picks) longest(open []int) (at, tied int) {
	length := func(t int) float64 { return s.norms[t] }
	long := s.most(open, length, vanishing*s.whole)
	if len(long) < 2 {
		return first(long)
	}
	those := make([]int, len(long))
	for k, at := range long {
		those[k] = open[at]
	}
	at, _ = s.explaining(those)
	return long[at], len(long)
}

// first is the first of some places, or -1 of none, and their number.
func first(places []int) (at, n int) {
	if len(places) == 0 {
		return -1, 0
	}
	return places[0], len(places)
}

// explained is ‖Eᵀe_j‖²/‖e_j‖²: by how much a column lowers the error.
func (s *picks) explained(t int) float64 { return s.gains[t] / s.norms[t] }

// most are the places in open of the columns whose score is the largest, to rounding and to a slack. Columns of which nothing is
// left have none.
func (s *picks) most(open []int, score func(t int) float64, slack float64) (places []int) {
	scores, top := make([]float64, len(open)), math.Inf(-1)
	for at, t := range open {
		scores[at] = math.Inf(-1)
		if s.norms[t] > vanishing*s.whole {
			scores[at] = score(t)
		}
		top = math.Max(top, scores[at])
	}
	if math.IsInf(top, -1) {
		return nil
	}
	for at, x := range scores {
		if x >= top-sameScore*top-slack {
			places = append(places, at)
		}
	}
	return places
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
