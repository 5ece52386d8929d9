package gauge

import (
	"math"
	"sort"

	"github.com/seed-b18ef778/gcg"
)

// leaders keeps the best of many candidates, best first; of equal ones, those that came first. Except for the best, only
// candidates above a floor are kept.
type leaders struct {
	count  int       // the most that are kept
	above  float64   // the floor
	index  []int     // the candidates that are kept
	values []float64 // and their values, descending
}

// newLeaders keeps as many candidates as ask.Count, at least one, above ask.Above.
func newLeaders(ask gcg.Ask) *leaders { return &leaders{count: max(ask.Count, 1), above: ask.Above} }

// offer takes a candidate into the leaders if it is among the best so far. For nearly all candidates that is one comparison.
func (l *leaders) offer(index int, value float64) {
	k := len(l.values)
	if math.IsNaN(value) {
		value = math.Inf(1) // it comes of numbers too large to be told apart
	}
	if k == l.count && value <= l.values[k-1] || k > 0 && value <= l.above && value <= l.values[0] {
		return
	}
	at := sort.Search(k, func(i int) bool { return l.values[i] < value })
	if k < l.count {
		l.index, l.values = append(l.index, 0), append(l.values, 0)
	}
	copy(l.index[at+1:], l.index[at:])
	copy(l.values[at+1:], l.values[at:])
	l.index[at], l.values[at] = index, value
	for k = len(l.values); k > 1 && l.values[k-1] <= l.above; k-- { // a first one at or below the floor was overtaken
		l.index, l.values = l.index[:k-1], l.values[:k-1]
	}
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
	return gcg.Atom{Rows: []int32{int32(i)}, Cols: []int32{int32(j)}, Vals: []float64{x}, Key: 1 + int64(i)*int64(n) + int64(j)}
}
