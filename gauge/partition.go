package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A partition cuts the entries of an m×n matrix into groups: its rows, its columns or given groups.
type partition struct {
	m, n    int
	index   [][]int32 // the entries i·n + j of each group, or nil for rows and columns
	owner   []int32   // 1 plus the group of each entry, 0 for none; nil without an index
	columns bool      // the groups are columns
	weights []float64 // of the groups, or nil for 1
	bySize  bool      // weights are multiplied by the roots of the groups' sizes
}

// count is the number of groups.
func (p *partition) count() int {
	switch {
	case p.index != nil:
		return len(p.index)
	case p.columns:
		return p.n
	}
	return p.m
}

// size is the number of entries of group c.
func (p *partition) size(c int) int {
	switch {
	case p.index != nil:
		return len(p.index[c])
	case p.columns:
		return p.m
	}
	return p.n
}

// largest is the size of the largest group.
func (p *partition) largest() int {
	var most int
	for c := range p.index {
		most = max(most, len(p.index[c]))
	}
	if p.index == nil {
		most = p.size(0)
	}
	return most
}

// weight is w_c of group c.
func (p *partition) weight(c int) float64 {
	w := 1.0
	if p.weights != nil {
		w = p.weights[c]
	}
	if p.bySize {
		w *= math.Sqrt(float64(p.size(c)))
	}
	return w
}

// entriesTo writes the places i·n + j of the entries of group c into dst, from its beginning on, and returns it.
func (p *partition) entriesTo(dst []int, c int) []int {
	dst = dst[:0]
	for i := range p.size(c) {
		switch {
		case p.index != nil:
			dst = append(dst, int(p.index[c][i]))
		case p.columns:
			dst = append(dst, i*p.n+c)
		default:
			dst = append(dst, c*p.n+i)
		}
	}
	return dst
}

// each calls f on every group c with the places of its entries and a buffer x of its size. Both are valid during the call
// only.
func (p *partition) each(f func(c int, entries []int, x []float64)) {
	most := p.largest()
	entries, x := make([]int, 0, most), make([]float64, most)
	for c := range p.count() {
		entries = p.entriesTo(entries, c)
		f(c, entries, x[:len(entries)])
	}
}

// gather writes the given entries of w into dst.
func (p *partition) gather(dst, w []float64, entries []int) {
	for i, e := range entries {
		dst[i] = w[e]
	}
}

// checkIndex refuses groups that are empty, overlap or leave the matrix, and fills in owner.
func (p *partition) checkIndex() error {
	if p.index == nil {
		return nil
	}
	if len(p.index) == 0 {
		return fmt.Errorf("gauge: the index has no groups; leave it nil for the rows")
	}
	p.owner = make([]int32, p.m*p.n)
	for c, group := range p.index {
		if len(group) == 0 {
			return fmt.Errorf("gauge: group %d is empty", c)
		}
		for _, e := range group {
			if e < 0 || int(e) >= len(p.owner) {
				return fmt.Errorf("gauge: group %d has entry %d; a %d×%d matrix has entries 0 to %d", c, e, p.m, p.n, len(p.owner)-1)
			}
			if p.owner[e] != 0 {
				return fmt.Errorf("gauge: entry %d (row %d, column %d) is in group %d and in group %d; groups are disjoint", e, int(e)/p.n,
					int(e)%p.n, p.owner[e]-1, c)
			}
			p.owner[e] = int32(c) + 1
		}
	}
	return nil
}

// outside reports whether W (m×n, row-major) is not 0 outside all groups.
func (p *partition) outside(w []float64) bool {
	for e, g := range p.owner {
		if g == 0 && w[e] != 0 {
			return true
		}
	}
	return false
}

// norms has the norms ‖G_c‖₁ (q = 1) or ‖G_c‖₂ (q = 2) of all groups. It takes one pass over G, and a second one where squares
// would overflow or underflow.
func (p *partition) norms(ctx context.Context, g gcg.Map, q float64) ([]float64, error) {
	group := p.groupOf()
	var top float64
	pass := func(scale float64) ([]float64, error) {
		sums := make([]float64, p.count())
		return sums, forRows(ctx, g, func(i int, row []float64) {
			for j, x := range row {
				c := group(i, j)
				if c < 0 {
					continue
				}
				x = math.Abs(x)
				top = math.Max(top, x)
				x *= scale
				if q == 2 {
					x *= x
				}
				sums[c] += x
			}
		})
	}
	scale := 1.0
	sums, err := pass(scale)
	if err == nil && (top > 1e140 || top < 1e-140 && top > 0) {
		scale = math.Min(1/top, math.MaxFloat64)
		sums, err = pass(scale)
	}
	if q == 2 {
		for c, s := range sums {
			sums[c] = math.Sqrt(s)
		}
	}
	for c := range sums {
		sums[c] /= scale
	}
	return sums, err
}

// groupOf is a function that maps an entry to its group, or to -1.
func (p *partition) groupOf() func(i, j int) int {
	switch {
	case p.index != nil:
		return func(i, j int) int { return int(p.owner[i*p.n+j]) - 1 }
	case p.columns:
		return func(_, j int) int { return j }
	}
	return func(i, _ int) int { return i }
}
