package selection

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// A Coefficient is an entry of W that is not 0.
type Coefficient struct {
	Row, Col int32 // a feature and an output, of a task whose rows have features
	Value    float64
}

// largest are the entries of a sparse W of the largest |value|, at most so many, the largest first. It is nil of a W of factors.
func largest(w *gcg.Iterate, most int) []Coefficient {
	if w.Rank() > 0 || most <= 0 {
		return nil
	}
	rows, cols, values := w.Entries()
	all := make([]Coefficient, len(values))
	for e, x := range values {
		all[e] = Coefficient{rows[e], cols[e], x}
	}
	slices.SortStableFunc(all, func(a, b Coefficient) int { return cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)) })
	return slices.Clone(all[:min(most, len(all))])
}

// lines counts the rows and the columns of a sparse W that have an entry other than 0.
func lines(w *gcg.Iterate) (n [2]int) {
	rows, cols, values := w.Entries()
	for k, of := range [][]int32{rows, cols} {
		seen := map[int32]bool{}
		for e, i := range of {
			if values[e] != 0 {
				seen[i] = true
			}
		}
		n[k] = len(seen)
	}
	return n
}
