package model

import "github.com/seed-b18ef778/gcg/internal/kernel"

// ScoresTo writes what ranks all columns for the rows lo ≤ i < hi: their predictions before any clipping. dst has a row of Cols
// numbers for each. It is a product of matrices, 2·Rank flops a number. Where ranks share the rows, those of others mean nothing.
func (m *Model) ScoresTo(dst []float64, lo, hi int) {
	k, rows := m.Rank, hi-lo
	u := make([]float64, rows*k)
	first := m.first()
	for i := max(lo, first); i < min(hi, first+m.rowsHere()); i++ {
		row := m.leftRow(i)
		for c, s := range m.S {
			u[(i-lo)*k+c] = row[c] * s
		}
	}
	clear(dst)
	if k > 0 {
		kernel.GemmNT(dst, u, m.V, rows, m.Cols, k)
	}
	for i := range rows {
		row := dst[i*m.Cols : (i+1)*m.Cols]
		for j, x := range m.Entries.row(lo+i, m.Cols) {
			row[j] += x
		}
		if m.RowScale != nil {
			kernel.Scale(m.RowScale[lo+i], row)
		}
		if m.ColScale != nil {
			kernel.Hadamard(row, row, m.ColScale)
		}
		for j := range row {
			row[j] += m.centre(lo+i, j)
		}
	}
}
