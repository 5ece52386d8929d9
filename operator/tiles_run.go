package operator

import (
	"sort"

	"github.com/seed-b18ef778/gcg/internal/par"
)

// A run is some successive rows of a tile with their entries.
type run struct {
	row        int     // the first row; there are len(ptr)-1
	first, end int     // the columns first ≤ j < end of the block
	lo, hi     int     // the entries lo ≤ e < hi
	ptr        []int64 // offsets of the rows, counted from lo, and hi - lo
	index      []int32 // the columns of the entries, counted from first
}

// runEntries is about how many entries a run has: their values lie in the first-level cache.
const runEntries = 1 << 11

// runs calls f for the runs of a tile, one after the other. The offsets of a run are in w, and valid during the call only.
func (t *tiles) runs(tile int, w *scratch, f func(r run)) {
	a, b := tile/t.parts, tile%t.parts
	ptr, row := t.ptr[tile], t.rows[a]
	for len(ptr) > 1 {
		lo, rows := ptr[0], 1
		for rows < len(ptr)-1 && ptr[rows+1]-lo <= runEntries {
			rows++
		}
		hi := ptr[rows]
		if lo < hi {
			w.ptr = w.ptr[:0]
			for _, p := range ptr[:rows+1] {
				w.ptr = append(w.ptr, p-lo)
			}
			f(run{row, t.cols[b], t.cols[b+1], int(lo), int(hi), w.ptr, t.index[lo:hi]})
		}
		ptr, row = ptr[rows:], row+rows
	}
}

// row calls f for the parts of row i in the blocks, in order: their entries e ≤ … < end, and the first column of the block.
func (t *tiles) row(i int, f func(first int, e, end int64)) {
	a := sort.SearchInts(t.rows, i+1) - 1
	for b, ptr := range t.ptr[a*t.parts : (a+1)*t.parts] {
		if at := i - t.rows[a]; ptr[at] < ptr[at+1] {
			f(t.cols[b], ptr[at], ptr[at+1])
		}
	}
}

// each calls f for every run of every tile; runs that share rows or columns are never worked on at once.
func (t *tiles) each(f func(w *scratch, r run)) {
	t.eachSum(func(w *scratch, r run) float64 {
		f(w, r)
		return 0
	})
}

// eachSum is each, and adds what f returns in a fixed order.
func (t *tiles) eachSum(f func(w *scratch, r run) float64) (sum float64) {
	sums := make([]float64, len(t.ptr))
	for d := range t.parts {
		par.For(t.parts, func(a int) {
			w := borrowScratch()
			defer w.release()
			tile := a*t.parts + (a+d)%t.parts
			t.runs(tile, w, func(r run) { sums[tile] += f(w, r) })
		})
	}
	for _, x := range sums {
		sum += x
	}
	return sum
}

// sum adds what f returns for every run, in a fixed order. f may write to the entries of its own run only, as all tiles are
// worked on at once.
func (t *tiles) sum(f func(w *scratch, r run) float64) float64 {
	return par.Sum(len(t.ptr), func(tile int) (sum float64) {
		w := borrowScratch()
		defer w.release()
		t.runs(tile, w, func(r run) { sum += f(w, r) })
		return sum
	})
}

// longest is the most entries that a run may have.
func (t *tiles) longest() int {
	longest := int64(runEntries)
	for _, ptr := range t.ptr {
		for i := range len(ptr) - 1 {
			longest = max(longest, ptr[i+1]-ptr[i])
		}
	}
	return int(longest)
}
