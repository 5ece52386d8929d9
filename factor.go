package gcg

// A Factor is one side of a low-rank matrix: Rows×K, row-major with Stride ≥ K. The stride is a multiple of 8 and
// the padding is zero, which is what the kernels of internal/kernel ask for.
type Factor struct {
	Rows, K, Stride int
	Data            []float64
}

// NewFactor is a zero rows×k factor.
func NewFactor(rows, k int) *Factor {
	stride := (k + 7) &^ 7
	return &Factor{Rows: rows, K: k, Stride: stride, Data: make([]float64, rows*stride)}
}

// Row is row i with its padding.
func (f *Factor) Row(i int) []float64 {
	return f.Data[i*f.Stride : (i+1)*f.Stride : (i+1)*f.Stride]
}

// ColumnTo copies column c into dst (Rows).
func (f *Factor) ColumnTo(dst []float64, c int) {
	for i := range dst {
		dst[i] = f.Data[i*f.Stride+c]
	}
}

// SetColumn writes scale·x into column c.
func (f *Factor) SetColumn(c int, x []float64, scale float64) {
	for i, xi := range x {
		f.Data[i*f.Stride+c] = scale * xi
	}
}

// ScaleColumn multiplies column c.
func (f *Factor) ScaleColumn(c int, by float64) {
	for i := c; i < len(f.Data); i += f.Stride {
		f.Data[i] *= by
	}
}

// Scale multiplies every column.
func (f *Factor) Scale(by float64) {
	for i := range f.Data {
		f.Data[i] *= by
	}
}

// Clone is a copy.
func (f *Factor) Clone() *Factor {
	g := *f
	g.Data = append([]float64(nil), f.Data...)
	return &g
}

// Widen is a copy with room for k columns; the new ones are zero.
func (f *Factor) Widen(k int) *Factor {
	g := NewFactor(f.Rows, k)
	for i := range f.Rows {
		copy(g.Row(i)[:min(k, f.K)], f.Row(i)[:min(k, f.K)])
	}
	return g
}
