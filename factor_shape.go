package gcg

// Identity is I (n×n) as a factor: F Iᵀ is any matrix F of n columns.
func Identity(n int) *Factor {
	f := NewFactor(n, n)
	for i := range n {
		f.Row(i)[i] = 1
	}
	return f
}

// Beside is [F G], new, for factors of as many rows.
func Beside[T Real](f, g *FactorOf[T]) *FactorOf[T] {
	h := Room[T](f.Rows, f.K+g.K)
	h.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := h.Row(i)
			n := copy(row, f.Row(i)[:f.K])
			n += copy(row[n:], g.Row(i)[:g.K])
			clear(row[n:])
		}
	})
	return h
}

// Padded is F as a Small, new, for products with factors of as many columns as F has rows.
func Padded[T Real](f *FactorOf[T]) *FactorOf[T] {
	s := SmallIn[T](f.Rows, f.K)
	for i := range f.Rows {
		copy(s.Row(i), f.Row(i)[:f.K])
	}
	return s
}
