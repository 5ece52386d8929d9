package operator

import (
	"sort"

	"github.com/seed-b18ef778/gcg"
)

// featureEntries are the entries of a sparse W (p×C) by rows: those in row feature[t] are value[e] in column output[e], for
// ptr[t] ≤ e < ptr[t+1]. feature ascends.
type featureEntries struct {
	feature, output []int32
	ptr             []int
	value           []float64
}

// byFeature sorts the entries of a sparse atom by rows.
func byFeature(a *gcg.Atom) featureEntries {
	order := make([]int, len(a.Vals))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(x, y int) bool { return a.Rows[order[x]] < a.Rows[order[y]] })
	var e featureEntries
	for s, from := range order {
		if s == 0 || a.Rows[from] != e.feature[len(e.feature)-1] {
			e.feature = append(e.feature, a.Rows[from])
			e.ptr = append(e.ptr, s)
		}
		e.output = append(e.output, a.Cols[from])
		e.value = append(e.value, a.Vals[from])
	}
	e.ptr = append(e.ptr, len(order))
	return e
}
