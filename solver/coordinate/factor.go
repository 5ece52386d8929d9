package coordinate

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A normal is H = X̃ᵀX̃ + μI of all entries of a set.
type normal struct {
	product func(e, f int) float64 // of X̃ᵀX̃
	mu      float64
	count   int
}

// rowsTo writes the rows of H for some entries into L, from row first on.
func (h normal) rowsTo(l *linalg.Lower, entries []int, first int) {
	for i := first; i < len(entries); i++ {
		for j := range i + 1 {
			l.Row(i, j)[j%linalg.PanelWidth] = h.product(entries[i], entries[j])
		}
		l.Row(i, i)[i%linalg.PanelWidth] += h.mu
	}
}

// A factor is the Cholesky factor of H for some entries of a set, which Newton steps on single entries keep: along a
// path few of these come to 0 or leave it. Those that left it are appended. Those that came to 0 are held there,
//
//	[H  E] [d]   [g]
//	[Eᵀ 0] [ν] = [0],
//
// E being their columns of I, until to begin anew takes less time.
type factor struct {
	mu      float64
	entries []int
	l       *linalg.Lower
}

// A change is what a factor lacks to be that of some entries.
type change struct {
	anew bool
	come []int   // entries that are not in it
	gone []int   // places of those that are in it and should not
	work float64 // flops, or in their time
}

// newtonFlops are how many flops of a factorization take the time of a value that is read.
const newtonFlops = 8

// factorFlops are those of a factor of w entries, and of a solution with it.
func factorFlops(w int) float64 {
	n := float64(w)
	return n*n*n/3 + newtonFlops*n*n
}

// to is the change to some entries of H.
func (f *factor) to(entries []int, h normal) change {
	anew := change{anew: true, come: entries, work: factorFlops(len(entries))}
	if f == nil || f.mu != h.mu {
		return anew
	}
	c, wanted := change{}, make([]bool, h.count)
	for _, e := range entries {
		wanted[e] = true
	}
	for at, e := range f.entries {
		if !wanted[e] {
			c.gone = append(c.gone, at)
		}
		wanted[e] = false
	}
	for _, e := range entries {
		if wanted[e] {
			c.come = append(c.come, e)
		}
	}
	n := float64(len(f.entries) + len(c.come))
	if c.work = (float64(len(c.come)) + newtonFlops*float64(1+len(c.gone))) * n * n; c.work >= anew.work {
		return anew
	}
	return c
}

// solve is d = H⁻¹g on some entries, and the factor that it is by; nil where H is not positive definite there, or ctx ends. Where
// it is not for those that are held at 0 as well, the factor begins anew.
func (f *factor) solve(ctx context.Context, h normal, entries []int, g []float64) ([]float64, *factor) {
	c := f.to(entries, h)
	d, next := f.changed(ctx, c, h, entries, g)
	if d == nil && !c.anew {
		var none *factor
		return none.solve(ctx, h, entries, g)
	}
	return d, next
}

// changed is solve by a changed factor.
func (f *factor) changed(ctx context.Context, c change, h normal, entries []int, g []float64) ([]float64, *factor) {
	next := &factor{mu: h.mu, l: linalg.NewLower(0)}
	if !c.anew {
		next.entries, next.l = f.entries, f.l
	}
	first := len(next.entries)
	next.entries = slices.Concat(next.entries, c.come)
	next.l = next.l.Extended(len(next.entries))
	h.rowsTo(next.l, next.entries, first)
	if !next.l.CholeskyFrom(ctx, first) {
		return nil, nil
	}
	place := make([]int, h.count)
	for at, e := range next.entries {
		place[e] = at
	}
	x := make([]float64, len(next.entries))
	for i, e := range entries {
		x[place[e]] = g[i]
	}
	next.l.Solve(x)
	if !next.hold(x, c.gone) {
		return nil, nil
	}
	d := make([]float64, len(entries))
	for i, e := range entries {
		d[i] = x[place[e]]
	}
	return d, next
}

// hold moves x = H⁻¹g to H⁻¹(g - Eν), which is 0 at the given places. It reports false where rounding leaves no such ν.
func (f *factor) hold(x []float64, gone []int) bool {
	k := len(gone)
	if k == 0 {
		return true
	}
	columns, within, nu := make([][]float64, k), linalg.NewLower(k), make([]float64, k)
	for i, at := range gone {
		columns[i], nu[i] = make([]float64, len(x)), x[at]
		columns[i][at] = 1
		f.l.Solve(columns[i])
		for j := range i + 1 {
			within.Row(i, j)[j%linalg.PanelWidth] = columns[i][gone[j]]
		}
	}
	if !within.Cholesky() {
		return false
	}
	within.Solve(nu)
	for i, v := range nu {
		if math.IsNaN(v) {
			return false
		}
		kernel.Axpy(-v, columns[i], x)
	}
	return true
}
