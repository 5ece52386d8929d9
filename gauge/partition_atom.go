package gauge

import (
	"context"

	"github.com/seed-b18ef778/gcg"
)

// read has the entries of G in the given groups, a slice for each, in the order of entriesTo.
func (p *partition) read(ctx context.Context, g gcg.Map, groups []int) ([][]float64, error) {
	found := make([][]float64, len(groups))
	for i, c := range groups {
		switch {
		case p.index != nil:
			found[i] = make([]float64, p.size(c))
		case p.columns:
			found[i] = columnOf(g, c)
		default:
			found[i] = rowOf(g, c)
		}
	}
	if p.index == nil {
		return found, nil
	}
	type place struct{ group, at int }
	wanted := map[int]place{} // rows of G that hold an entry are few for few groups
	rows := make([]bool, p.m)
	for i, c := range groups {
		for at, e := range p.index[c] {
			wanted[int(e)] = place{i, at}
			rows[int(e)/p.n] = true
		}
	}
	return found, forRows(ctx, g, func(i int, row []float64) {
		if !rows[i] {
			return
		}
		for j, x := range row {
			if w, ok := wanted[i*p.n+j]; ok {
				found[w.group][w.at] = x
			}
		}
	})
}

// atom is the vector a on group c with ‖a‖_p = 1/weight, p being exponent, that maximises ⟨a, x⟩, and this product.
func (p *partition) atom(c int, x []float64, exponent float64) (gcg.Atom, float64) {
	entries, a := p.entriesTo(nil, c), make([]float64, len(x))
	holderTo(a, x, exponent)
	atom := gcg.Atom{Key: 1 + int64(c), Rows: make([]int32, len(x)), Cols: make([]int32, len(x)), Vals: a}
	var value float64
	for i, e := range entries {
		atom.Rows[i], atom.Cols[i] = int32(e/p.n), int32(e%p.n)
		a[i] /= p.weight(c)
		value += a[i] * x[i]
	}
	return atom, value
}
