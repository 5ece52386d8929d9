package gauge

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// leaders keeps the best of many candidates; of equal ones, those that came first. Except for the best, only candidates above a
// floor are kept.
type leaders struct {
	count int      // the most that are kept
	floor float64  // at and below which candidates are not, but for the best
	kept  []leader // above the floor, at most twice as many as count, in any order
	best  leader   // where none is above the floor
	any   bool     // a candidate came
	came  int      // those that were kept
}

// A leader is a candidate, its value, and its place among those that were kept.
type leader struct {
	index int
	value float64
	came  int
}

// newLeaders keeps as many candidates as ask.Count, at least one, above ask.Above.
func newLeaders(ask gcg.Ask) *leaders { return &leaders{count: max(ask.Count, 1), floor: ask.Above} }

// offer takes a candidate into the leaders if it may be among the best. For nearly all candidates that is one comparison.
func (l *leaders) offer(index int, value float64) {
	if value <= l.floor && l.any && (len(l.kept) > 0 || value <= l.best.value) {
		return
	}
	if math.IsNaN(value) {
		value = math.Inf(1) // it comes of numbers too large to be told apart
	}
	if !l.any || value > l.best.value {
		l.any, l.best = true, leader{index, value, 0}
	}
	if value > l.floor {
		l.came++
		if l.kept = append(l.kept, leader{index, value, l.came}); len(l.kept) == 2*l.count {
			l.cut()
			l.floor = l.kept[l.count-1].value
		}
	}
}

// cut leaves the best, best first.
func (l *leaders) cut() {
	slices.SortFunc(l.kept, func(a, b leader) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return a.came - b.came
	})
	l.kept = l.kept[:min(len(l.kept), l.count)]
}

// ranked are the leaders and their values, best first: one at least where a candidate came.
func (l *leaders) ranked() (index []int, values []float64) {
	if l.cut(); len(l.kept) == 0 && l.any {
		l.kept = append(l.kept, l.best)
	}
	index, values = make([]int, len(l.kept)), make([]float64, len(l.kept))
	for c, k := range l.kept {
		index[c], values[c] = k.index, k.value
	}
	return index, values
}

// proven is the polar with the given atoms and what they attain, best first. The values are true up to a relative rounding, which
// makes the bound.
func proven(atoms []gcg.Atom, values []float64, rounding float64) gcg.Polar {
	p := gcg.Polar{Atoms: atoms, Values: values, Value: values[0], Kind: gcg.Proven, Alpha: 1}
	for _, v := range values {
		p.Bound = math.Max(p.Bound, v+rounding*math.Abs(v))
	}
	return p
}

// entry is the sparse atom with the one entry x at (i, j), for a matrix of n columns. The key is the same for both signs of
// x.
func entry(i, j, n int, x float64) gcg.Atom {
	return singles([]int{i*n + j}, n, func(int) float64 { return x })[0]
}

// singles are the sparse atoms with one entry each, x(c) at place i·n + j of the list's c.
func singles(places []int, n int, x func(c int) float64) []gcg.Atom {
	atoms, at, values := make([]gcg.Atom, len(places)), make([]int32, 2*len(places)), make([]float64, len(places))
	for c, e := range places {
		at[2*c], at[2*c+1], values[c] = int32(e/n), int32(e%n), x(c)
		atoms[c] = gcg.Atom{Rows: at[2*c : 2*c+1 : 2*c+1], Cols: at[2*c+1 : 2*c+2 : 2*c+2], Vals: values[c : c+1 : c+1],
			Key: 1 + int64(e)}
	}
	return atoms
}
