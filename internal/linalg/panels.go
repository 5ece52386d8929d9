package linalg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A panel is neighbouring columns of a matrix, from the first on: rows of width entries, a multiple of 8, of which the last may be 0 and beyond the
// matrix. Panels are worked on side by side.
type panel struct {
	first, columns, width int
	z                     []float64 // borrowed
}

// panelsOf cuts n columns into panels of at most 128, a hundred of whose rows fit into a cache, and at least two, if they have 48.
func panelsOf(n int) []panel {
	if n == 0 {
		return nil
	}
	blocks := max((n+127)/128, min(n/48, 2), 1)
	p, width := make([]panel, 0, blocks), stride((n+blocks-1)/blocks)
	for first := 0; first < n; first += width {
		columns := min(width, n-first)
		p = append(p, panel{first, columns, stride(columns), nil})
	}
	return p
}

func repay(panels []panel) {
	for _, p := range panels {
		memory.Repay(p.z)
	}
}

// A rotations is runs of rotations of neighbouring rows in the order in which they are to be applied: they are put off, for what finds them is one
// long chain, and what applies them can be shared.
type rotations struct {
	runs           []run
	cosines, sines []float64 // room for them, borrowed
	used           int
}

// A run is the rotations of rows first and first+1, and the next.
type run struct {
	first int
	c, s  []float64
}

// newRotations is for n rows. At most a megabyte is put off.
func newRotations(n int) *rotations {
	most := max(n, min(n*n, 1<<16))
	return &rotations{runs: make([]run, 0, 2*n), cosines: memory.Borrow[float64](most), sines: memory.Borrow[float64](most)}
}

func (r *rotations) repay() {
	memory.Repay(r.cosines)
	memory.Repay(r.sines)
}

// room is for n more cosines and sines. Where there is none, the panels take those before.
func (r *rotations) room(n int, panels []panel) (c, s []float64) {
	if r.used+n > len(r.cosines) {
		r.apply(panels)
	}
	from := r.used
	r.used += n
	return r.cosines[from:r.used], r.sines[from:r.used]
}

// apply rotates rows of the panels, and forgets the rotations.
func (r *rotations) apply(panels []panel) {
	par.For(len(panels), func(i int) {
		p := panels[i]
		for _, run := range r.runs {
			kernel.Rotate(p.z[run.first*p.width:], p.width, run.c, run.s)
		}
	})
	r.runs, r.used = r.runs[:0], 0
}
