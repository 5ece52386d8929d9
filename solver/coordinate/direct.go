package coordinate

import "github.com/seed-b18ef778/gcg/internal/kernel"

// direct are the slopes of a model from X̃ and u = X̃Δ. Where the means of sparse columns are still to be taken off, the last of
// u are ⟨root, X̃Δ⟩ of what they take, one for each constant of the intercept:
//
//	g_j = g₀_j - c(⟨x̃_j, u⟩ - x̄_j·m),   m = Σ root²·Σ x̄_jΔ_j.
type direct struct {
	d       *metric
	columns []scaled // of the entries of the model
	place   []int    // of an entry of the set among them
	g0      []float64
	n       int // observations
	u       []float64
}

// slopesBy gives the model slopes from the columns x̃ of its entries in a metric.
func (m *model) slopesBy(d *metric, column func(e int) scaled) *direct {
	b := &direct{d: d, columns: make([]scaled, len(m.x)), place: make([]int, len(m.u.x)), g0: m.g0,
		n: m.u.order.n, u: make([]float64, m.u.order.n+max(1, len(d.total)))}
	m.each(func(e, i int) { b.columns[i], b.place[e] = column(e), i })
	m.products = b
	return b
}

func (b *direct) slope(e int) float64 {
	i := b.place[e]
	c := &b.columns[i]
	return b.g0[i] - b.d.c*(c.dot(b.u[:b.n])-c.mean*b.u[b.n+c.constant])
}

func (b *direct) move(e int, by float64) {
	c := &b.columns[b.place[e]]
	c.addTo(b.u[:b.n], by)
	b.u[b.n+c.constant] += by * c.mean * c.total
}

func (b *direct) between(e, f int) float64 {
	x, y := &b.columns[b.place[e]], &b.columns[b.place[f]]
	return b.d.c * (product(&x.column, &y.column) - common(x, y))
}

func (b *direct) means(step []float64) []float64 { return b.d.means(step) }

func (b *direct) image() []float64 { return b.u }

func (b *direct) cost(e int) float64 { return float64(len(b.columns[b.place[e]].values)) }

// value is q = -⟨g₀, Δ⟩ + ½c(‖u‖² - Σ m²/Σ root²).
func (b *direct) value(m *model) (q float64) {
	q = kernel.Dot(b.u[:b.n], b.u[:b.n])
	for k, total := range b.d.total {
		if total > 0 {
			q -= b.u[b.n+k] * b.u[b.n+k] / total
		}
	}
	q *= b.d.c / 2
	m.each(func(_, i int) { q -= m.g0[i] * (m.x[i] - m.x0[i]) })
	return q
}
