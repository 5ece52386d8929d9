package operator

import (
	"fmt"
	"sort"

	"github.com/seed-b18ef778/gcg/internal/par"
)

// tiles are the entries of an m×n pattern, cut by a grid into parts×parts tiles, each of which is stored by rows. The tiles
// (a, a+d mod parts) of a diagonal d share neither rows nor columns. So they are worked on at once and add to the same
// vectors without copies of these, in an order that does not depend on the number of workers. A block of columns keeps its
// part of the factors in cache.
type tiles struct {
	m, n, parts int
	rows, cols  []int     // parts+1 boundaries of row bands and column blocks
	ptr         [][]int64 // of tile a·parts+b, in band a and block b: the offsets of its rows, and their end
	index       []int32   // the column of each entry, counted from the first of its block

	inRows, inCols []float64 // the number of entries in each row and in each column
}

const (
	maxParts     = 16 // parts for many entries in a row
	minParts     = 4  // parts for few entries in a row
	rowsInBlock  = 16 // entries that a mean row has in a block, which make up for reading its vectors once more: less cuts more
	smallPattern = 64 // rows or columns below which the pattern is not cut
)

// newTiles cuts compressed rows (see NewSampling; columns may be in any order within a row). cols is reordered in place. Band
// after band move is told the place that each entry comes from: entry lo+e of the tiles was entry lo+from[e].
func newTiles(m, n int, ptr []int64, cols []int32, move func(lo int, from []int32)) (*tiles, error) {
	if err := checkOffsets(m, n, ptr, cols); err != nil {
		return nil, err
	}
	t := &tiles{m: m, n: n, index: cols, parts: max(minParts, min(maxParts, len(cols)/(rowsInBlock*m)))}
	if min(m, n) < smallPattern {
		t.parts = 1
	}
	counts, err := countColumns(m, n, ptr, cols)
	if err != nil {
		return nil, err
	}
	t.inRows, t.inCols = differences(ptr), differences(counts)
	t.rows, t.cols = cutEvenly(ptr, t.parts), cutEvenly(counts, t.parts)
	block := make([]uint8, n)
	for b := range t.parts {
		for j := t.cols[b]; j < t.cols[b+1]; j++ {
			block[j] = uint8(b)
		}
	}
	for a := range t.parts {
		t.sortBand(a, ptr, block, move)
	}
	return t, nil
}

// countColumns has the n+1 offsets that the entries would have by columns. It refuses columns out of range, or twice in a
// row.
func countColumns(m, n int, ptr []int64, cols []int32) ([]int64, error) {
	counts, seen := make([]int64, n+1), make([]int32, n)
	for i := range m {
		for _, j := range cols[ptr[i]:ptr[i+1]] {
			if j < 0 || int(j) >= n {
				return nil, fmt.Errorf("operator: row %d has column %d; there are %d", i+1, int(j)+1, n)
			}
			if seen[j] == int32(i+1) {
				return nil, fmt.Errorf("operator: row %d has column %d twice", i+1, int(j)+1)
			}
			seen[j] = int32(i + 1)
			counts[j+1]++
		}
	}
	for j := range n {
		counts[j+1] += counts[j]
	}
	return counts, nil
}

// differences are the numbers of entries between successive offsets.
func differences(ptr []int64) []float64 {
	d := make([]float64, len(ptr)-1)
	for i := range d {
		d[i] = float64(ptr[i+1] - ptr[i])
	}
	return d
}

// cutEvenly chooses parts+1 boundaries between which there are nearly equal numbers of entries.
func cutEvenly(ptr []int64, parts int) []int {
	n := len(ptr) - 1
	at := make([]int, parts+1)
	for b := 1; b < parts; b++ {
		want := ptr[n] * int64(b) / int64(parts)
		at[b] = sort.Search(n, func(i int) bool { return ptr[i] >= want })
	}
	at[parts] = n
	return at
}

// sortBand orders the entries of band a by blocks and, within a block, by rows, and appends the offsets of its tiles to
// t.ptr. block has the block of each column.
func (t *tiles) sortBand(a int, ptr []int64, block []uint8, move func(lo int, from []int32)) {
	first, last := t.rows[a], t.rows[a+1]
	lo, hi := ptr[first], ptr[last]
	from, old := make([]int32, hi-lo), append([]int32(nil), t.index[lo:hi]...)
	next := make([]int64, t.parts+1)
	for _, j := range old {
		next[block[j]+1]++
	}
	for b := range t.parts {
		next[b+1] += next[b]
	}
	bands := make([][]int64, t.parts)
	for b := range bands {
		bands[b] = make([]int64, 1, last-first+1)
		bands[b][0] = lo + next[b]
	}
	for i := first; i < last; i++ {
		for e := ptr[i] - lo; e < ptr[i+1]-lo; e++ {
			b := block[old[e]]
			from[next[b]] = int32(e)
			t.index[lo+next[b]] = old[e] - int32(t.cols[b])
			next[b]++
		}
		for b := range bands {
			bands[b] = append(bands[b], lo+next[b])
		}
	}
	t.ptr = append(t.ptr, bands...)
	move(int(lo), from)
}

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
