package gauge

import (
	"math"
	"sort"

	"github.com/seed-b18ef778/gcg"
)

// leaders keeps the best of many candidates, best first; ties go to the one that came first. After the best, only those
// above a floor are kept.
type leaders struct {
	count  int
	above  float64
	index  []int
	values []float64
}

func newLeaders(ask gcg.Ask) *leaders { return &leaders{count: max(ask.Count, 1), above: ask.Above} }

// offer is one comparison for nearly all candidates.
func (l *leaders) offer(index int, value float64) {
	k := len(l.values)
	if math.IsNaN(value) {
		value = math.Inf(1) // is too large to be told from others that are
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

// proven is the polar with the given atoms, whose values hold up to a relative slack.
func proven(atoms []gcg.Atom, values []float64, slack float64) gcg.Polar {
	p := gcg.Polar{Atoms: atoms, Values: values, Value: values[0], Kind: gcg.Proven, Alpha: 1}
	for _, v := range values {
		p.Bound = math.Max(p.Bound, v+slack*math.Abs(v))
	}
	return p
}

// entry is the sparse atom with one entry. Both signs of it have one key.
func entry(i, j, n int, x float64) gcg.Atom {
	return gcg.Atom{Rows: []int32{int32(i)}, Cols: []int32{int32(j)}, Vals: []float64{x}, Key: 1 + int64(i)*int64(n) + int64(j)}
}
