package recovery

import "github.com/seed-b18ef778/gcg/internal/unionfind"

// A reduction keeps the entries of W that a solution may need: whole blocks of the rows and columns that strong observations
// join. All others are 0 in a solution.
//
// A dual point B has the terms inf over x of ℓ(x) + λ₁|x| + Bx. Where |ℓ'(0)| ≤ λ₁, an observation that is not strong, this is at
// most ℓ(0), which B = 0 attains. Leaving out the part of B between blocks raises no singular value, nor the largest eigenvalue
// of a symmetric part. So an optimal B is 0 there.
type reduction struct {
	ptr  []int64
	cols []int32
	from []int32 // the observation of each entry that is kept, -1 where there is none
	left []int32 // the observations that are left out
}

// reduce finds it for observed entries by rows, of which strong are those with |ℓ'(0)| > λ₁. With square, a row and a column of
// one number stay together.
func reduce(m, n int, ptr []int64, cols []int32, isStrong func(e int) bool, square bool) *reduction {
	column := m
	if square {
		column = 0
	}
	nodes := unionfind.New(column + n)
	strong := make([]bool, len(nodes))
	for i := range m {
		for e := ptr[i]; e < ptr[i+1]; e++ {
			if isStrong(int(e)) {
				node := int32(column) + cols[e]
				strong[i], strong[node] = true, true
				nodes.Join(int32(i), node)
			}
		}
	}
	members := map[int32][]int32{} // columns of the block of a root, ascending
	for j := range n {
		if strong[column+j] {
			root := nodes.Find(int32(column + j))
			members[root] = append(members[root], int32(j))
		}
	}
	r := &reduction{ptr: make([]int64, m+1)}
	for i := range m {
		var block []int32
		if strong[i] {
			block = members[nodes.Find(int32(i))]
		}
		r.row(block, cols, int(ptr[i]), int(ptr[i+1]))
		r.ptr[i+1] = int64(len(r.cols))
	}
	return r
}

// all leaves nothing out.
func all(m, n int, ptr []int64, cols []int32) *reduction {
	r, row := &reduction{ptr: make([]int64, m+1)}, make([]int32, n)
	for j := range row {
		row[j] = int32(j)
	}
	for i := range m {
		r.row(row, cols, int(ptr[i]), int(ptr[i+1]))
		r.ptr[i+1] = int64(len(r.cols))
	}
	return r
}

// row adds the entries of a row, whose observations are lo ≤ e < hi, in the columns of its block.
func (r *reduction) row(block, cols []int32, lo, hi int) {
	start := len(r.cols)
	r.cols = append(r.cols, block...)
	for range block {
		r.from = append(r.from, -1)
	}
	at := 0
	for e := lo; e < hi; e++ {
		for at < len(block) && block[at] < cols[e] {
			at++
		}
		if at < len(block) && block[at] == cols[e] {
			r.from[start+at] = int32(e)
			continue
		}
		r.left = append(r.left, int32(e))
	}
}
