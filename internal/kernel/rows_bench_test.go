package kernel

import (
	"fmt"
	"testing"
)

// blockColumns is the width of the blocks of columns: v and gv of a block take 1 MB at k = 16 and 4 MB at k = 64, and a row
// has some eight entries in it. Narrower blocks read u and gu too often, wider ones leave the cache.
const blockColumns = 4096

// columnBlock holds the entries of one block by rows, with columns counted from the block's first.
type columnBlock struct {
	columns int
	ptr     []int64
	col     []int32
}

func blocksOf(p *ratings) []columnBlock {
	blocks := make([]columnBlock, (p.cols+blockColumns-1)/blockColumns)
	for q := range blocks {
		blocks[q] = columnBlock{columns: min(blockColumns, p.cols-q*blockColumns), ptr: []int64{0}}
	}
	for i := range p.rows {
		for _, j := range p.col[p.ptr[i]:p.ptr[i+1]] {
			b := &blocks[j/blockColumns]
			b.col = append(b.col, j%blockColumns)
		}
		for q := range blocks {
			blocks[q].ptr = append(blocks[q].ptr, int64(len(blocks[q].col)))
		}
	}
	return blocks
}

// MovieLens-10M's shape, 9.3 million entries: one core goes over them once, by PassRows over whole rows, and block
// after block.
func BenchmarkBlocked64(b *testing.B) {
	p := newRatings(71567, 65133, 9_300_000)
	blocks := blocksOf(p)
	for _, k := range []int{16, 32, 64} {
		d := newBenchData[float64](p, k)
		for name, pass := range map[string]func(){
			"rows": func() { PassRows(d.r, d.u, d.gu, d.v, d.gv, k, p.ptr, p.col, d.x) },
			"blocks": func() {
				at := 0
				for q, c := range blocks {
					lo, n := q*blockColumns*k, len(c.col)
					v, gv := d.v[lo:lo+c.columns*k], d.gv[lo:lo+c.columns*k]
					PassRows(d.r[at:at+n], d.u, d.gu, v, gv, k, c.ptr, c.col, d.x[at:at+n])
					at += n
				}
			},
		} {
			b.Run(fmt.Sprintf("Pass/k=%d/%s", k, name), func(b *testing.B) {
				for b.Loop() {
					pass()
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(len(p.col)), "ns/entry")
			})
		}
	}
}
