package view

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Blocks are those of a BlockGauge on an m×n W, by entry.
type Blocks struct {
	k  gcg.BlockGauge
	of []int32 // the key of the block of each entry, 0 for none
}

// BlocksOf are the blocks of the gauge, nil where it has none. It lists all of them once.
func (p *Problem) BlocksOf(m, n int) *Blocks {
	if p.BlockGauge == nil {
		return nil
	}
	b := &Blocks{p.BlockGauge, make([]int32, m*n)}
	for key := 1; key <= b.k.Blocks(m, n); key++ {
		rows, cols := b.k.Block(int64(key), m, n)
		for e, i := range rows {
			b.of[int(i)*n+int(cols[e])] = int32(key)
		}
	}
	return b
}

// Write writes W, factors included, as one sparse atom for each block that is not 0, and returns κ(W).
func (b *Blocks) Write(w *gcg.Iterate) (rho float64) {
	at := map[int32]bool{}
	dense := w.Dense()
	var keys []int32
	for e, v := range dense {
		if key := b.of[e]; v != 0 && !at[key] {
			at[key] = true
			keys = append(keys, key)
		}
	}
	w.SetFactors(nil, nil)
	w.Terms = nil
	for _, key := range keys {
		rows, cols := b.k.Block(int64(key), w.M, w.N)
		vals := make([]float64, len(rows))
		for e, i := range rows {
			vals[e] = dense[int(i)*w.N+int(cols[e])]
		}
		weight := b.k.BlockProxTo(make([]float64, len(vals)), vals, int64(key), 0)
		kernel.Scale(1/weight, vals)
		w.Terms = append(w.Terms, gcg.Term{Atom: gcg.Atom{Rows: rows, Cols: cols, Vals: vals, Key: int64(key)}, Weight: weight})
		rho += weight
	}
	return rho
}
