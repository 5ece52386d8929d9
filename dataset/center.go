package dataset

// Offsets are a centre: Global + Row_i + Col_j; nil slices are 0.
type Offsets struct {
	Global   float64
	Row, Col []float64
}

// At is the centre of an entry; -1 stands for an unknown row or column.
func (o *Offsets) At(i, j int) float64 {
	x := o.Global
	if o.Row != nil && i >= 0 {
		x += o.Row[i]
	}
	if o.Col != nil && j >= 0 {
		x += o.Col[j]
	}
	return x
}

// Centre is the least-squares centre of the given kind: none, global, rows, cols or both. Rows and columns without entries
// get offset 0.
func Centre(s *Sparse, kind string) *Offsets {
	return centre(coordinatesOf{s.M, s.N, len(s.Values), s.Entries}, kind)
}

// coordinatesOf are the entries of a matrix of any storage.
type coordinatesOf struct {
	m, n, count int
	entries     func(f func(i, j int, x float64))
}

func centre(s coordinatesOf, kind string) *Offsets {
	o := &Offsets{}
	if kind == "none" || s.count == 0 {
		return o
	}
	s.entries(func(_, _ int, x float64) { o.Global += x / float64(s.count) })
	rows, cols := kind == "rows" || kind == "both", kind == "cols" || kind == "both"
	sweeps := 1
	if rows && cols {
		sweeps = 30 // alternating means converge linearly
	}
	for range sweeps {
		if cols {
			o.Col = s.means(s.n, func(i, j int, x float64) (int, float64) {
				if o.Row != nil {
					x -= o.Row[i]
				}
				return j, x - o.Global
			})
		}
		if rows {
			o.Row = s.means(s.m, func(i, j int, x float64) (int, float64) {
				if o.Col != nil {
					x -= o.Col[j]
				}
				return i, x - o.Global
			})
		}
	}
	return o
}

// means averages over the entries that f sends to each of n places.
func (s coordinatesOf) means(n int, f func(i, j int, x float64) (int, float64)) []float64 {
	total, count := make([]float64, n), make([]float64, n)
	s.entries(func(i, j int, x float64) {
		at, v := f(i, j, x)
		total[at] += v
		count[at]++
	})
	for i, c := range count {
		if c > 0 {
			total[i] /= c
		}
	}
	return total
}

// SubtractInPlace takes the centre off the values.
func (s *Sparse) SubtractInPlace(o *Offsets) {
	e := 0
	s.Entries(func(i, j int, x float64) {
		s.Values[e] = x - o.At(i, j)
		e++
	})
}

// Subtract is the values less the centre; the values themselves where it is 0 everywhere.
func (s *Sparse) Subtract(o *Offsets) []float64 {
	if o.Global == 0 && o.Row == nil && o.Col == nil {
		return s.Values
	}
	y := make([]float64, 0, len(s.Values))
	s.Entries(func(i, j int, x float64) { y = append(y, x-o.At(i, j)) })
	return y
}
