package gauge

// Blocks is the number of entries of an m×n matrix, each of which is a block.
func (L1) Blocks(m, n int) int { return m * n }

// Blocks is the number of entries of an m×n matrix, each of which is a block.
func (PositiveL1) Blocks(m, n int) int { return m * n }

// Blocks is the number of entries of an m×n matrix, each of which is a block.
func (Simplex) Blocks(m, n int) int { return m * n }

// Blocks is the number of groups: of the rows or columns of an m×n matrix, or of those that Index lists.
func (k Group) Blocks(m, n int) int {
	p := &partition{m: m, n: n, index: k.Index, columns: k.ByColumns}
	return p.count()
}
