package coordinate

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// An order is that in which a set keeps the n observations of an operator whose columns have a stride: those of each output side
// by side, observation i·stride + t of the operator as t·n/stride + i, so that its columns are contiguous.
type order struct{ n, stride int }

// of is observation e of the operator in the order.
func (o order) of(e int) int { return e%o.stride*(o.n/o.stride) + e/o.stride }

// in is v in the order, which may be v.
func (o order) in(v []float64) []float64 {
	if o.stride == 1 || v == nil {
		return v
	}
	w := make([]float64, len(v))
	for e, x := range v {
		w[o.of(e)] = x
	}
	return w
}

// out is the operator's v of one in the order, which may be that.
func (o order) out(w []float64) []float64 {
	if o.stride == 1 {
		return w
	}
	v := make([]float64, len(w))
	for e := range v {
		v[e] = w[o.of(e)]
	}
	return v
}

// A column is A(e) of an entry e, from an observation on: dense where index is nil, else the values of some.
type column struct {
	index  []int32
	values []float64
	from   int
}

// columnOf is a column of an operator in an order.
func columnOf(c gcg.Column, o order) column {
	if c.Stride == o.stride && c.Offset < o.stride && (c.Index != nil || len(c.Values) == o.n/o.stride) {
		return column{c.Index, c.Values, o.of(c.Offset)}
	}
	index := make([]int32, len(c.Values))
	for t := range index {
		index[t] = int32(o.of(c.At(t)))
	}
	return column{index, c.Values, 0}
}

// dot is ⟨c, v⟩.
func (c *column) dot(v []float64) float64 {
	if c.index == nil {
		return kernel.Dot(c.values, v[c.from:c.from+len(c.values)])
	}
	return kernel.DotSparse(v[c.from:], c.index, c.values)
}

// addTo is v += by·c.
func (c *column) addTo(v []float64, by float64) {
	if c.index == nil {
		kernel.Axpy(by, c.values, v[c.from:c.from+len(c.values)])
		return
	}
	kernel.AxpySparse(v[c.from:], by, c.index, c.values)
}

// A metric is D = c·diag(root²) with what an intercept takes off: weighted means, where there is one. No column has observations
// of two constants of it.
type metric struct {
	c        float64
	root     []float64 // nil for ones
	weights  []float64 // root², nil for ones
	constant []int32   // of the intercept, of each observation
	total    []float64 // Σ root² of the observations of each constant; none without an intercept
}

// newMetric is that of weights d ≥ 0, nil for ones, times c, where the observations have so many constants.
func newMetric(c float64, d []float64, constant []int32, count int) metric {
	m := metric{c: c, weights: d, constant: constant, total: make([]float64, count)}
	if d != nil {
		m.root = make([]float64, len(d))
	}
	for i, w := range d {
		m.root[i] = math.Sqrt(w)
	}
	for i, k := range constant {
		m.total[k] += m.weight(i)
	}
	return m
}

// weight is root² of an observation.
func (m *metric) weight(i int) float64 {
	if m.weights == nil {
		return 1
	}
	return m.weights[i]
}

// mean is Σ root²·x / Σ root² over the observations of the column's constant.
func (m *metric) mean(x *column) float64 {
	if len(m.total) == 0 || len(x.values) == 0 || m.total[m.of(x)] == 0 {
		return 0
	}
	if m.weights != nil {
		return x.dot(m.weights) / m.total[m.of(x)]
	}
	var sum float64
	for _, v := range x.values {
		sum += v
	}
	return sum / m.total[m.of(x)]
}

// of is the constant of a column.
func (m *metric) of(x *column) int { return int(m.constant[x.at(0)]) }

// means are Σ root²·v / Σ root² for each constant.
func (m *metric) means(v []float64) []float64 {
	sum := make([]float64, len(m.total))
	for i, k := range m.constant {
		sum[k] += m.weight(i) * v[i]
	}
	for k, total := range m.total {
		if total > 0 {
			sum[k] /= total
		}
	}
	return sum
}

// at is the observation of value t.
func (c *column) at(t int) int {
	if c.index != nil {
		return c.from + int(c.index[t])
	}
	return c.from + t
}

// A scaled column is x̃ = root∘(x - x̄): a dense one in full, a sparse one as root∘x with its mean beside it.
type scaled struct {
	column
	mean     float64 // x̄ that is still to be taken off
	constant int     // of the metric, where there is a mean
	total    float64 // Σ root² of that constant
	square   float64 // ‖x̃‖², 0 where it is rounding beside x
}

const (
	// flatDense is the part of ‖x‖² below which the rest is rounding where the mean is taken off entry by entry: the square of
	// 500 roundings. Features of mean 1e4 and variance 1, the oddest of the tests, leave 1e-8.
	flatDense = 1e-26
	// flatSparse is that where it is taken off ‖x‖², as a difference of sums: 5,000 roundings.
	flatSparse = rounding.Null
)

// scale makes x̃ of x in the memory of to, which it needs only where x̃ differs from x.
func (m *metric) scale(x *column, to []float64) scaled {
	s := scaled{column: *x, mean: m.mean(x)}
	if s.mean != 0 {
		s.constant = m.of(x)
		s.total = m.total[s.constant]
	}
	off := 0.0
	if x.index == nil {
		off, s.mean = s.mean, 0
	}
	if m.root != nil || off != 0 {
		s.values = to
		m.scaleTo(to, x, off)
	}
	whole := kernel.Dot(s.values, s.values)
	s.square = whole - s.mean*s.mean*s.total
	least := flatSparse * whole
	if x.index == nil {
		least = flatDense * (whole + off*off*s.total)
	}
	if !(s.square > least) {
		s.square = 0
	}
	return s
}

// scaleTo writes root∘(x - off), the values of a column, of which only dense ones have an off.
func (m *metric) scaleTo(to []float64, x *column, off float64) {
	from := x.values
	if off != 0 {
		for t, v := range from {
			to[t] = v - off
		}
		from = to
	}
	switch {
	case m.root == nil:
	case x.index == nil:
		kernel.Hadamard(to, from, m.root[x.from:x.from+len(from)])
	default:
		root := m.root[x.from:]
		for t, i := range x.index {
			to[t] = root[i] * from[t]
		}
	}
}

// copies says that x̃ differs from x.
func (m *metric) copies(x *column) bool { return m.root != nil || len(m.total) > 0 && x.index == nil }

// common is what both columns have of a mean that is still to be taken off: x̄ȳ·Σ root².
func common(x, y *scaled) float64 {
	if x.constant != y.constant {
		return 0
	}
	return x.mean * y.mean * x.total
}

// product is ⟨x, y⟩.
func product(x, y *column) float64 {
	if x.index != nil {
		x, y = y, x
	}
	switch {
	case x.index == nil && y.index == nil && x.from == y.from:
		return kernel.Dot(x.values, y.values)
	case y.index == nil: // of two outputs
		return 0
	case x.index == nil:
		sum := 0.0
		for t, v := range y.values {
			if i := y.at(t) - x.from; i >= 0 && i < len(x.values) {
				sum += v * x.values[i]
			}
		}
		return sum
	}
	var sum float64
	for s, t := 0, 0; s < len(x.index) && t < len(y.index); {
		switch i, j := x.at(s), y.at(t); {
		case i < j:
			s++
		case i > j:
			t++
		default:
			sum += x.values[s] * y.values[t]
			s++
			t++
		}
	}
	return sum
}
