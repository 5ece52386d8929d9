package coordinate

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A column is A(e) of an entry e: dense of all observations where index is nil, else the values of some.
type column struct {
	index  []int32
	values []float64
}

// columnOf is a column of an operator with n observations.
func columnOf(c gcg.Column, n int) column {
	plain := c.Offset == 0 && c.Stride == 1
	switch {
	case plain && c.Index != nil, plain && len(c.Values) == n:
		return column{c.Index, c.Values}
	}
	index := make([]int32, len(c.Values))
	for t := range index {
		index[t] = int32(c.At(t))
	}
	return column{index, c.Values}
}

// dot is ⟨c, v⟩.
func (c *column) dot(v []float64) float64 {
	if c.index == nil {
		return kernel.Dot(c.values, v[:len(c.values)])
	}
	return kernel.DotSparse(v, c.index, c.values)
}

// addTo is v += by·c.
func (c *column) addTo(v []float64, by float64) {
	if c.index == nil {
		kernel.Axpy(by, c.values, v[:len(c.values)])
		return
	}
	kernel.AxpySparse(v, by, c.index, c.values)
}

// A metric is D = c·diag(root²) with what an intercept takes off: weighted means, where it is centred.
type metric struct {
	c       float64
	root    []float64 // nil for ones
	centred bool
	total   float64 // Σ root²
}

// newMetric is that of weights d ≥ 0, nil for ones, times c.
func newMetric(c float64, d []float64, n int, centred bool) metric {
	m := metric{c: c, centred: centred, total: float64(n)}
	if d == nil {
		return m
	}
	m.root, m.total = make([]float64, n), 0
	for i, w := range d {
		m.root[i] = math.Sqrt(w)
		m.total += w
	}
	return m
}

// mean is Σ root²·x / Σ root².
func (m *metric) mean(x *column) float64 {
	if !m.centred || m.total == 0 {
		return 0
	}
	var sum float64
	for t, v := range x.values {
		w := 1.0
		if m.root != nil {
			w = m.root[x.at(t)]
		}
		sum += w * w * v
	}
	return sum / m.total
}

// at is the observation of value t.
func (c *column) at(t int) int {
	if c.index != nil {
		return int(c.index[t])
	}
	return t
}

// A scaled column is x̃ = root∘(x - x̄): a dense one in full, a sparse one as root∘x with its mean beside it.
type scaled struct {
	column
	mean   float64 // x̄ that is still to be taken off
	square float64 // ‖x̃‖², 0 where it is rounding beside x
}

const (
	// flatDense is the part of ‖x‖² below which the rest is rounding where the mean is taken off entry by entry: the square of
	// 500 roundings. Features of mean 1e4 and variance 1, the oddest of the tests, leave 1e-8.
	flatDense = 1e-26
	// flatSparse is that where it is taken off ‖x‖², as a difference of sums: 5,000 roundings.
	flatSparse = 1e-12
)

// scale makes x̃ of x in the memory of to, which it needs only where x̃ differs from x.
func (m *metric) scale(x *column, to []float64) scaled {
	s := scaled{column: *x, mean: m.mean(x)}
	off := 0.0
	if x.index == nil {
		off, s.mean = s.mean, 0
	}
	if m.root != nil || off != 0 {
		s.values = to
		for t, v := range x.values {
			to[t] = v - off
			if m.root != nil {
				to[t] *= m.root[x.at(t)]
			}
		}
	}
	whole := kernel.Dot(s.values, s.values)
	s.square = whole - s.mean*s.mean*m.total
	least := flatSparse * whole
	if x.index == nil {
		least = flatDense * (whole + off*off*m.total)
	}
	if !(s.square > least) {
		s.square = 0
	}
	return s
}

// copies says that x̃ differs from x.
func (m *metric) copies(x *column) bool { return m.root != nil || m.centred && x.index == nil }
