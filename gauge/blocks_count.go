package gauge

// How many blocks of an m×n matrix there are, gcg.CountedBlockGauge: an entry each for ℓ1 and its relatives.

func (L1) Blocks(m, n int) int         { return m * n }
func (PositiveL1) Blocks(m, n int) int { return m * n }
func (Simplex) Blocks(m, n int) int    { return m * n }

// Blocks is the number of rows, columns or given groups.
func (k Group) Blocks(m, n int) int {
	p := &partition{m: m, n: n, index: k.Index, columns: k.ByColumns}
	return p.count()
}
