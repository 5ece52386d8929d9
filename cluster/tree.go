package cluster

import (
	"math/bits"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// The tree over shards 0 … n-1, n a power of two, has nodes of 2ʰ shards that begin at a multiple of 2ʰ. The sum of a node is
// that of its left half and that of its right half, added in this order.

// A node is the shards first … first+size-1.
type node struct{ first, size int }

// nodesOf are the largest nodes that make up the shards lo ≤ s < hi, in order.
func nodesOf(lo, hi int) (list []node) {
	for lo < hi {
		size := 1 << (bits.Len(uint(hi-lo)) - 1)
		if lo > 0 {
			size = min(size, lo&-lo)
		}
		list = append(list, node{lo, size})
		lo += size
	}
	return list
}

// addNodes overwrites dst[i] with the sum of the tree over n shards, from the sums of nodes that make up all shards. of writes
// element i of node t.
func addNodes[T Real](list []node, n int, of func(t int) []T, dst []T) {
	at := 0
	var add func(first, size int) []T
	add = func(first, size int) []T {
		if list[at] == (node{first, size}) {
			at++
			return of(at - 1)
		}
		left := add(first, size/2)
		right := add(first+size/2, size/2)
		addTo(left, right)
		return left
	}
	copy(dst, add(0, n))
}

// addTo adds y to x.
func addTo[T Real](x, y []T) {
	par.Pieces(len(x), func(lo, hi int) { kernel.Axpy(1, y[lo:hi], x[lo:hi]) })
}

// nodeSums are the sums of the given nodes: f overwrites a part with that of one shard. The memory of the sums is borrowed.
func nodeSums[T Real](list []node, length int, f func(shard int, part []T)) [][]T {
	sums := make([][]T, len(list))
	for t, n := range list {
		var pending []struct {
			size int
			sum  []T
		}
		for s := range n.size {
			part := memory.Borrow[T](length)
			f(n.first+s, part)
			size := 1
			for len(pending) > 0 && pending[len(pending)-1].size == size { // two halves of a node
				last := pending[len(pending)-1]
				pending = pending[:len(pending)-1]
				addTo(last.sum, part)
				memory.Repay(part)
				part, size = last.sum, 2*size
			}
			pending = append(pending, struct {
				size int
				sum  []T
			}{size, part})
		}
		sums[t] = pending[0].sum
	}
	return sums
}
