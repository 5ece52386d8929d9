package cluster

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Rows are the rows of a matrix of observations, cut into shards, and which of them this rank holds.
type Rows struct {
	comm *Comm
	cuts []int // of the shards: shard s is the rows cuts[s] ≤ i < cuts[s+1]
}

const (
	// leastShards is the most ranks that share few observations.
	leastShards = 8
	// mostShards is the most ranks of all.
	mostShards = 64
	// fullShard is the number of observations from which on a shard is cut in two.
	fullShard = 1 << 20
	// ofRow is about as how many observations a row counts, for the algebra of its factors and their memory.
	ofRow = 8
)

// Spread cuts rows into shards of about equal work: of observations, those of row i being counts[i], which are the same on all
// ranks, and of rows. More ranks than shards are an error.
func Spread(c *Comm, counts []int64) (*Rows, error) {
	ptr, all := make([]int64, len(counts)+1), int64(0)
	for i, n := range counts {
		ptr[i+1], all = ptr[i]+n+ofRow, all+n
	}
	shards := leastShards
	for shards < mostShards && all > int64(shards)*fullShard {
		shards *= 2
	}
	if c.Size() > shards {
		return nil, fmt.Errorf("%d ranks were started, and at most %d share %d observations: start fewer", c.Size(), shards, all)
	}
	r := &Rows{comm: c, cuts: make([]int, shards+1)}
	for s := 1; s < shards; s++ {
		want := ptr[len(counts)] * int64(s) / int64(shards)
		r.cuts[s] = max(r.cuts[s-1], sort.Search(len(counts), func(i int) bool { return ptr[i] >= want }))
	}
	r.cuts[shards] = len(counts)
	return r, nil
}

// Beside are n rows of another matrix that is not of observations, such as V, in as many shards of about equal numbers of rows.
func (r *Rows) Beside(n int) *Rows {
	b := &Rows{comm: r.comm, cuts: make([]int, len(r.cuts))}
	for s := range r.Shards() {
		_, b.cuts[s+1] = par.Range(s, r.Shards(), n)
	}
	return b
}

// Like says that r are shared as other rows are.
func (r *Rows) Like(other *Rows) bool {
	return r == other || r != nil && other != nil && r.comm == other.comm && slices.Equal(r.cuts, other.cuts)
}

// Comm is the ranks that share the rows; nil where one process holds them all.
func (r *Rows) Comm() *Comm {
	if r == nil {
		return nil
	}
	return r.comm
}

// Shards is the number of shards.
func (r *Rows) Shards() int { return len(r.cuts) - 1 }

// Len is the number of rows.
func (r *Rows) Len() int { return r.cuts[len(r.cuts)-1] }

// Shard is the rows lo ≤ i < hi of shard s.
func (r *Rows) Shard(s int) (lo, hi int) { return r.cuts[s], r.cuts[s+1] }

// ShardOf is the shard of row i. That of i < 0 is the shard of row ^i: of -1, a row of no matrix, that of row 0.
func (r *Rows) ShardOf(i int) int {
	if i < 0 {
		i = ^i
	}
	return sort.SearchInts(r.cuts[1:], i+1)
}

// shardsOf are the shards first ≤ s < end of a rank.
func (r *Rows) shardsOf(rank int) (first, end int) { return par.Range(rank, r.comm.Size(), r.Shards()) }

// RankOf is the rank that holds shard s.
func (r *Rows) RankOf(s int) int {
	return sort.Search(r.comm.Size(), func(rank int) bool {
		_, end := r.shardsOf(rank)
		return end > s
	})
}

// Own are the shards first ≤ s < end of this rank.
func (r *Rows) Own() (first, end int) { return r.shardsOf(r.comm.Rank()) }

// OwnRows are the rows lo ≤ i < hi of this rank.
func (r *Rows) OwnRows() (lo, hi int) { return r.RowsOf(r.comm.Rank()) }

// RowsOf are those of a rank.
func (r *Rows) RowsOf(rank int) (lo, hi int) {
	first, end := r.shardsOf(rank)
	return r.cuts[first], r.cuts[end]
}

// shortList is the length up to which every rank adds all of a sum: then messages cost more than what is in them.
const shortList = 1 << 12

// Sum overwrites dst on all ranks with a sum over the shards. f overwrites a part, as long as dst, with the term of one shard,
// and is called for those of this rank.
func Sum[T Real](r *Rows, dst []T, f func(shard int, part []T)) {
	size := r.comm.Size()
	if size == 1 || len(dst) <= shortList {
		sumParts(r, dst, len(dst), f, func(int) (lo, hi int) { return 0, len(dst) })
		return
	}
	lo, hi := par.Range(r.comm.Rank(), size, len(dst))
	sumParts(r, dst[lo:hi], len(dst), f, func(rank int) (lo, hi int) { return par.Range(rank, size, len(dst)) })
	send, recv := make([][]byte, size), make([][]byte, size)
	for rank := range send {
		if rank != r.comm.Rank() {
			from, to := par.Range(rank, size, len(dst))
			send[rank], recv[rank] = bytesOf(dst[lo:hi]), bytesOf(dst[from:to])
		}
	}
	r.comm.exchange(send, recv)
}

// SumRows is Sum of a list with each numbers of every row of to, of which dst has those of the rows of this rank alone.
func SumRows[T Real](r, to *Rows, dst []T, each int, f func(shard int, part []T)) {
	sumParts(r, dst, to.Len()*each, f, func(rank int) (lo, hi int) {
		lo, hi = to.RowsOf(rank)
		return lo * each, hi * each
	})
}

// sumParts overwrites dst with the sum of those elements, of so many, that of gives this rank, as it does every other.
func sumParts[T Real](r *Rows, dst []T, length int, f func(shard int, part []T), of func(rank int) (lo, hi int)) {
	first, end := r.Own()
	sums := nodeSums(nodesOf(first, end), length, f)
	if r.comm.Size() == 1 {
		copy(dst, sums[0])
	} else {
		addPart(r, sums, of, dst)
	}
	for _, s := range sums {
		memory.Repay(s)
	}
}

// addPart overwrites dst with the elements of the sum that of gives this rank, as it does every other.
func addPart[T Real](r *Rows, sums [][]T, of func(rank int) (lo, hi int), dst []T) {
	size, me := r.comm.Size(), r.comm.Rank()
	send, recv, all := make([][]byte, size), make([][]byte, size), []node(nil)
	var borrowed, parts [][]T
	mine, end := of(me)
	for rank := range size {
		list := nodesOf(r.shardsOf(rank))
		all = append(all, list...)
		if rank == me {
			for _, s := range sums {
				parts = append(parts, s[mine:end])
			}
			continue
		}
		from, to := of(rank)
		out := memory.Borrow[T](len(sums) * (to - from))
		for t, s := range sums {
			copy(out[t*(to-from):], s[from:to])
		}
		in := memory.Borrow[T](len(list) * (end - mine))
		borrowed = append(borrowed, out, in)
		for t := range list {
			parts = append(parts, in[t*(end-mine):(t+1)*(end-mine)])
		}
		send[rank], recv[rank] = bytesOf(out), bytesOf(in)
	}
	r.comm.exchange(send, recv)
	addNodes(all, r.Shards(), func(t int) []T { return parts[t] }, dst)
	for _, b := range borrowed {
		memory.Repay(b)
	}
}

// Numbers are sums over the shards of a few numbers, and where ranks agree that the work is to end, see Comm.Within. f returns
// the terms of one shard, as many as there are sums.
func Numbers(r *Rows, count int, f func(shard int) []float64) []float64 {
	sums := make([]float64, count+2)
	Sum(r, sums, func(shard int, part []float64) {
		copy(part, f(shard))
		part[count], part[count+1] = r.comm.wish(), 0
		if shard == 0 { // of the first rank
			part[count+1] = r.comm.elapsed()
		}
	})
	r.comm.agree(sums[count] > 0, sums[count+1])
	return sums[:count]
}

// Fill completes a list with each numbers of every row, of which this rank has those of its rows.
func Fill[T Real](r *Rows, list []T, each int) {
	if r.Comm().Size() == 1 {
		return
	}
	lo, hi := r.OwnRows()
	send, recv := make([][]byte, r.comm.Size()), make([][]byte, r.comm.Size())
	for rank := range send {
		if rank != r.comm.Rank() {
			first, end := r.shardsOf(rank)
			send[rank], recv[rank] = bytesOf(list[lo*each:hi*each]), bytesOf(list[r.cuts[first]*each:r.cuts[end]*each])
		}
	}
	r.comm.exchange(send, recv)
}

// Total overwrites x, on all ranks, with the sum of what they have of it, added in their order: exact of whole numbers below 2⁵³.
func (c *Comm) Total(x []float64) {
	if c.Size() == 1 {
		return
	}
	to, parts := make([][]float64, c.Size()), [][]float64(nil)
	for r := range to {
		lo, hi := par.Range(r, c.Size(), len(x))
		to[r] = x[lo:hi]
	}
	parts = Deal(c, to)
	own := make([]float64, len(parts[0]))
	for _, p := range parts {
		addTo(own, p)
	}
	at := 0
	for _, part := range All(c, own) {
		at += copy(x[at:], part)
	}
}

// Any overwrites x, on all ranks, with what is true on any of them.
func (c *Comm) Any(x []bool) {
	if c.Size() == 1 {
		return
	}
	own := make([]byte, len(x))
	for i, is := range x {
		if is {
			own[i] = 1
		}
	}
	for _, list := range All(c, own) {
		for i, is := range list {
			x[i] = x[i] || is == 1
		}
	}
}

// Extremes are the least of lo and the most of hi of all ranks; of none they are +Inf and -Inf.
func (c *Comm) Extremes(lo, hi float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, x := range All(c, []float64{lo, hi}) {
		least, most = min(least, x[0]), max(most, x[1])
	}
	return least, most
}

// Widest overwrites lo and hi, on all ranks, with the least of lo and the most of hi that any of them has.
func (c *Comm) Widest(lo, hi []float64) {
	for from := 0; from < len(lo); from += wideBlock { // all ranks' together are not to fill the memory
		end := min(from+wideBlock, len(lo))
		for _, of := range All(c, slices.Concat(lo[from:end], hi[from:end])) {
			for j := from; j < end; j++ {
				lo[j], hi[j] = min(lo[j], of[j-from]), max(hi[j], of[end-from+j-from])
			}
		}
	}
}

// wideBlock is how many numbers Widest compares at a time.
const wideBlock = 1 << 16

// Count is the sum of the numbers of all ranks.
func (c *Comm) Count(n int) (sum int) {
	for _, x := range All(c, []int64{int64(n)}) {
		sum += int(x[0])
	}
	return sum
}
