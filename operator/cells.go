package operator

// Cells says that the observations are entries of W, each of one and in the order of rows: those of row i are ptr[i] …
// ptr[i+1]-1, at the given columns. It reports false where they are scaled. The slices are the operator's.
func (s *Sampling) Cells() (ptr []int64, cols []int32, ok bool) {
	return s.ptr, s.cols, s.rowMul == nil
}

// Cells says that the observations are all entries of W in the order of rows, which nil slices stand for.
func (o *Identity) Cells() (ptr []int64, cols []int32, ok bool) { return nil, nil, true }
