package recovery

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/unionfind"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A block is a connected component of the observed entries: rows and columns of W, and a dense row-major matrix of them that
// starts at at among all blocks.
type block struct {
	rows, cols []int32
	at         int
}

func (b *block) size() int { return len(b.rows) * len(b.cols) }

// of is the block's part of numbers of all blocks.
func (b *block) of(x []float64) []float64 { return x[b.at : b.at+b.size()] }

// A layout is the blocks, whose matrices follow each other, and the place of each observation in these. An optimal dual point is
// 0 between blocks: leaving out the part between two lowers no term of the bound, and raises no singular value. Rows and columns
// without observations are in no block.
type layout struct {
	m, n   int
	blocks []block
	size   int   // entries of all blocks
	place  []int // of each observation; nil where it is its own number
	whole  bool  // every entry of the blocks is observed
	op     view.CellOperator
}

// layoutOf finds the blocks. With square, rows and columns of one number stay together. It refuses operators that observe
// anything but single entries.
func layoutOf(op gcg.Operator, square bool) (*layout, error) {
	cells, is := view.CellsOf(op)
	if !is {
		return nil, fmt.Errorf("solver: sparse and low-rank methods need an operator of entries of W; %T is none", op)
	}
	ptr, cols, ok := cells.Cells()
	if !ok {
		return nil, fmt.Errorf("solver: sparse and low-rank methods need entries of W as they are; %T scales them", op)
	}
	m, n, nobs := op.Dims()
	if square && m != n {
		return nil, fmt.Errorf("solver: symmetric matrices are square; these are %d×%d", m, n)
	}
	l := &layout{m: m, n: n, whole: true, op: cells}
	if ptr == nil {
		l.blocks, l.size = []block{{rows: upTo(m), cols: upTo(n)}}, m*n
		return l, nil
	}
	l.split(ptr, cols, square)
	l.put(ptr, cols)
	l.whole = l.size == nobs
	if len(l.blocks) == 1 && l.size == nobs {
		l.place = nil
	}
	return l, nil
}

// split finds the components.
func (l *layout) split(ptr []int64, cols []int32, square bool) {
	column := l.m // the node of column 0
	if square {
		column = 0
	}
	nodes := unionfind.New(column + l.n)
	used := make([]bool, len(nodes))
	for i := range l.m {
		for _, j := range cols[ptr[i]:ptr[i+1]] {
			used[i], used[column+int(j)] = true, true
			nodes.Join(int32(i), int32(column)+j)
		}
	}
	number := make([]int, len(nodes)) // of the block of a root, from 1
	blockOf := func(node int) *block {
		root := nodes.Find(int32(node))
		if number[root] == 0 {
			l.blocks = append(l.blocks, block{})
			number[root] = len(l.blocks)
		}
		return &l.blocks[number[root]-1]
	}
	for i := range l.m {
		if used[i] {
			b := blockOf(i)
			b.rows = append(b.rows, int32(i))
		}
	}
	for j := range l.n {
		if used[column+j] {
			b := blockOf(column + j)
			b.cols = append(b.cols, int32(j))
		}
	}
	for i := range l.blocks {
		l.blocks[i].at = l.size
		l.size += l.blocks[i].size()
	}
}

// put numbers the places of the observations.
func (l *layout) put(ptr []int64, cols []int32) {
	l.place = make([]int, len(cols))
	in, at := make([]int32, l.n), make([]int32, l.n)
	for b := range l.blocks {
		for c, j := range l.blocks[b].cols {
			in[j], at[j] = int32(b), int32(c)
		}
	}
	row := make([]int, l.m) // where the matrix of the row's block has it
	for _, b := range l.blocks {
		for r, i := range b.rows {
			row[i] = b.at + r*len(b.cols)
		}
	}
	for i := range l.m {
		for e := ptr[i]; e < ptr[i+1]; e++ {
			l.place[e] = row[i] + int(at[cols[e]])
		}
	}
}

// gather writes the observed entries of the blocks x into z.
func (l *layout) gather(z, x []float64) {
	if l.place == nil {
		copy(z, x)
		return
	}
	for e, at := range l.place {
		z[e] = x[at]
	}
}

// scatter writes observations z into the blocks x, whose other entries stay.
func (l *layout) scatter(x, z []float64) {
	if l.place == nil {
		copy(x, z)
		return
	}
	for e, at := range l.place {
		x[at] = z[e]
	}
}

// diagonal lists the observations of the diagonal.
func (l *layout) diagonal() (all []int) {
	ptr, cols, _ := l.op.Cells()
	for i := range l.m {
		if ptr == nil {
			all = append(all, i*l.n+i)
			continue
		}
		for e := ptr[i]; e < ptr[i+1]; e++ {
			if int(cols[e]) == i {
				all = append(all, int(e))
			}
		}
	}
	return all
}

// upTo is 0, 1, …, n-1.
func upTo(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	return x
}
