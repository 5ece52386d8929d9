package coordinate

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A model is q(x) + μ/2‖x‖² + λΣκ_b(x_b) on some blocks of a set. Its own entries are those of the blocks, one block after the
// other.
type model struct {
	u      *set
	lambda float64
	mu     float64
	blocks []int // of the set
	start  []int // the entries of blocks[t] are start[t] … start[t+1]-1
	g0     []float64
	x0, x  []float64
	shapes []shape // of the blocks
	products
	packed *packed // the same as products, where blocks are single entries of sparse columns; nil where they are not
	work   float64 // values that were read
	most   float64 // of them, after which it is given up, as there is a better way
}

// A shape is X̃ᵀX̃ of the entries of a block.
type shape struct {
	measured bool
	curve    float64   // its largest eigenvalue, 0 where it is flat
	within   []float64 // row-major, of several entries
}

// plus is the shape with μ on its diagonal, of a copy.
func (s shape) plus(mu float64) shape {
	if mu == 0 {
		return s
	}
	s.curve, s.within = s.curve+mu, slices.Clone(s.within)
	for k, i := int(math.Sqrt(float64(len(s.within)))), 0; i < k; i++ {
		s.within[i*k+i] += mu
	}
	return s
}

// products are the slopes g of -q, for entries of the set. What a ridge adds to them is -μΔ; its -μx₀ is part of g₀.
type products interface {
	slope(e int) float64
	move(e int, by float64)         // of x_e
	between(e, f int) float64       // of X̃ᵀX̃, times its constant
	image() []float64               // what is kept of Δ, which is linear in it
	cost(e int) float64             // of a slope, or of a move
	value(m *model) float64         // q
	means(step []float64) []float64 // what the best intercept takes off a step of the predictions
}

// newModel is one at x, with g₀ = Xᵀr - μx. Its products are set by the caller.
func newModel(u *set, blocks []int, lambda, mu float64, r []float64) *model {
	m := &model{u: u, lambda: lambda, mu: mu, blocks: blocks, start: make([]int, 1, len(blocks)+1), most: math.Inf(1)}
	r = u.order.in(r)
	entries := 0
	for _, b := range blocks {
		entries += u.blocks[b].hi - u.blocks[b].lo
	}
	m.x, m.g0 = make([]float64, 0, entries), make([]float64, 0, entries)
	for _, b := range blocks {
		k := &u.blocks[b]
		m.x = append(m.x, u.x[k.lo:k.hi]...)
		for e := k.lo; e < k.hi; e++ {
			m.g0 = append(m.g0, u.column[e].dot(r)-mu*u.x[e])
		}
		m.start = append(m.start, len(m.x))
	}
	m.x0 = append([]float64(nil), m.x...)
	return m
}

// each calls f with the entries of the set and their places in the model.
func (m *model) each(f func(e, i int)) {
	for t, b := range m.blocks {
		lo := m.u.blocks[b].lo
		for i := m.start[t]; i < m.start[t+1]; i++ {
			f(lo+i-m.start[t], i)
		}
	}
}

// measure finds the shape of block t; square is ‖x̃‖² of an entry of the set, times the constant of the metric.
func (m *model) measure(t int, square func(e int) float64) shape {
	lo, k := m.u.blocks[m.blocks[t]].lo, m.start[t+1]-m.start[t]
	if k == 1 {
		return shape{measured: true, curve: square(lo)}
	}
	if b, ok := m.products.(*coupled); ok {
		h := b.within(lo, k)
		return shape{true, topOf(h, k), h}
	}
	h := make([]float64, k*k)
	for i := range k {
		h[i*k+i] = square(lo + i)
		for j := range i {
			h[i*k+j] = m.between(lo+i, lo+j)
			h[j*k+i] = h[i*k+j]
		}
	}
	return shape{true, topOf(h, k), h}
}

// eigenRounding is what an eigenvalue is raised by, so that rounding leaves it a bound.
const eigenRounding = rounding.Decomposed

// largestDecomposed bounds the blocks whose largest eigenvalue is computed, which takes k³ flops.
const largestDecomposed = 200

// topOf is a bound of the largest eigenvalue of a k×k matrix: nearly itself for small ones, and for diagonal ones, as those of
// rows of several outputs are.
func topOf(h []float64, k int) float64 {
	var top, widest, square float64
	for i := range k {
		top = math.Max(top, linalg.SumAbs(h[i*k:(i+1)*k]))
		widest = math.Max(widest, h[i*k+i])
	}
	if top == widest {
		return top
	}
	if k <= largestDecomposed {
		return linalg.TopEigenvalue(mat.NewSymDense(k, h)) * (1 + eigenRounding)
	}
	for _, v := range h {
		square += v * v
	}
	return math.Min(top, math.Sqrt(square)) * (1 + eigenRounding)
}

// kappa is κ(x).
func (m *model) kappa(x []float64) (sum float64) {
	for t, b := range m.blocks {
		sum += m.u.kappa(b, x[m.start[t]:m.start[t+1]])
	}
	return sum
}

// slopeAt is the slope of -q - μ/2‖x‖² along entry e of the set, which is entry i of the model.
func (m *model) slopeAt(e, i int) float64 { return m.slope(e) - m.mu*(m.x[i]-m.x0[i]) }

// smooth is q + μ/2‖x‖² at x, less what it is at x₀.
func (m *model) smooth() (value float64) {
	value = m.value(m)
	if m.mu > 0 {
		for i, x := range m.x {
			value += m.mu / 2 * (x - m.x0[i]) * (x - m.x0[i])
		}
	}
	return value
}

// objective is q + μ/2‖x‖² + λκ at x.
func (m *model) objective() float64 { return m.smooth() + m.lambda*m.kappa(m.x) }
