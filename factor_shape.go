package gcg

// Identity is the identity matrix (n×n) as a factor: F Iᵀ writes any matrix F of n columns as a product of factors.
func Identity(n int) *Factor {
	f := NewFactor(n, n)
	for i := range n {
		f.Row(i)[i] = 1
	}
	return f
}

// Beside is [F G] in a new factor, for factors of as many rows.
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

// Padded is a copy of F as a Small, to multiply factors of as many columns as F has rows.
func Padded[T Real](f *FactorOf[T]) *FactorOf[T] {
	s := SmallIn[T](f.Rows, f.K)
	for i := range f.Rows {
		copy(s.Row(i), f.Row(i)[:f.K])
	}
	return s
}
