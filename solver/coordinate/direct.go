package coordinate

import "github.com/seed-b18ef778/gcg/internal/kernel"

// direct are the slopes of a model from X̃ and u = X̃Δ. Where the means of sparse columns are still to be taken off, the last of
// u is ⟨root, X̃Δ⟩ of what they take:
//
//	g_j = g₀_j - c(⟨x̃_j, u⟩ - x̄_j·m),   m = Σ root²·Σ x̄_jΔ_j.
type direct struct {
	d       *metric
	columns []scaled // of the entries of the model
	place   []int    // of an entry of the set among them
	g0      []float64
	u       []float64
}

// slopesBy gives the model slopes from the columns x̃ of its entries in a metric, and the curvatures of its blocks.
func (m *model) slopesBy(d *metric, column func(e int) scaled) {
	b := &direct{d: d, columns: make([]scaled, len(m.x)), place: make([]int, len(m.u.x)), g0: m.g0,
		u: make([]float64, m.u.nobs+1)}
	m.each(func(e, i int) { b.columns[i], b.place[e] = column(e), i })
	m.products = b
	m.measure(func(i, _ int) float64 { return d.c * b.columns[i].square })
}

func (b *direct) slope(e int) float64 {
	i := b.place[e]
	c := &b.columns[i]
	n := len(b.u) - 1
	return b.g0[i] - b.d.c*(c.dot(b.u[:n])-c.mean*b.u[n])
}

func (b *direct) move(e int, by float64) {
	c := &b.columns[b.place[e]]
	n := len(b.u) - 1
	c.addTo(b.u[:n], by)
	b.u[n] += by * c.mean * b.d.total
}

func (b *direct) between(e, f int) float64 {
	x, y := &b.columns[b.place[e]], &b.columns[b.place[f]]
	off := x.mean * y.mean * b.d.total
	if x.index == nil && y.index == nil {
		return b.d.c * (kernel.Dot(x.values, y.values) - off)
	}
	if x.index == nil {
		x, y = y, x
	}
	if y.index == nil {
		return b.d.c * (x.dot(y.values) - off)
	}
	var sum float64
	for s, t := 0, 0; s < len(x.index) && t < len(y.index); {
		switch {
		case x.index[s] < y.index[t]:
			s++
		case x.index[s] > y.index[t]:
			t++
		default:
			sum += x.values[s] * y.values[t]
			s++
			t++
		}
	}
	return b.d.c * (sum - off)
}

func (b *direct) image() []float64 { return b.u }

func (b *direct) cost(e int) float64 { return float64(len(b.columns[b.place[e]].values)) }

// value is q = -⟨g₀, Δ⟩ + ½c(‖u‖² - m²/Σ root²).
func (b *direct) value(m *model) (q float64) {
	n := len(b.u) - 1
	q = kernel.Dot(b.u[:n], b.u[:n])
	if b.d.total > 0 {
		q -= b.u[n] * b.u[n] / b.d.total
	}
	q *= b.d.c / 2
	m.each(func(_, i int) { q -= m.g0[i] * (m.x[i] - m.x0[i]) })
	return q
}
