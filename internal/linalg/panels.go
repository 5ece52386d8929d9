package linalg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A panel is neighbouring columns of a matrix, by rows of width entries, a multiple of 8; columns of them belong to the
// matrix, from its column first on, and the rest is padding. Panels are worked on side by side.
type panel struct {
	first, columns, width int
	z                     []float64 // borrowed
}

// panelsOf cuts n columns into panels of at most 128, so that a hundred rows of one fit into a cache, and into at least two
// where n is 96 or more. They have no memory yet.
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

// repay gives the memory of panels back.
func repay(panels []panel) {
	for _, p := range panels {
		memory.Repay(p.z)
	}
}

// A rotations is runs of rotations of neighbouring rows, in the order in which they are to be applied. They are put off
// because finding them is one long chain of operations, while applying them can be shared among processors.
type rotations struct {
	runs           []run
	cosines, sines []float64 // room for those of all runs, borrowed
	used           int       // how many of these are in use
}

// A run is rotations of the rows first and first+1, then of the next two, first+1 and first+2, and so on.
type run struct {
	first int
	c, s  []float64 // cosines and sines
}

// newRotations is for n rows. Rotations of at most a megabyte, or of one run, are put off.
func newRotations(n int) *rotations {
	most := max(n, min(n*n, 1<<16))
	return &rotations{runs: make([]run, 0, 2*n), cosines: memory.Borrow[float64](most), sines: memory.Borrow[float64](most)}
}

// repay gives the memory back.
func (r *rotations) repay() {
	memory.Repay(r.cosines)
	memory.Repay(r.sines)
}

// room is memory for n more cosines and sines. Where there is not enough, the rotations before are applied to the panels
// first.
func (r *rotations) room(n int, panels []panel) (c, s []float64) {
	if r.used+n > len(r.cosines) {
		r.apply(panels)
	}
	from := r.used
	r.used += n
	return r.cosines[from:r.used], r.sines[from:r.used]
}

// apply rotates the rows of the panels, all panels at once, and forgets the rotations.
func (r *rotations) apply(panels []panel) {
	par.For(len(panels), func(i int) {
		p := panels[i]
		for _, run := range r.runs {
			kernel.Rotate(p.z[run.first*p.width:], p.width, run.c, run.s)
		}
	})
	r.runs, r.used = r.runs[:0], 0
}
