package coordinate

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// A gram is X̃ᵀX̃ of the columns of a set, in a fixed metric without its constant. Dense columns are copied side by side into
// slabs, so that what new ones add is products of matrices. It is formed, and extended by what came in since, once sweeps have
// read as much from the columns as that takes: a fit of few sweeps never forms it, and no fit takes more than twice what it must.
type gram struct {
	n      int // observations
	count  int // columns
	stride int
	h      []float64 // row-major
	slabs  []slab
}

// A slab has room for some columns, of which so many are used.
type slab struct {
	data []float64
	used int
}

const (
	// slabColumns is the least that a slab has room for: products of fewer columns at once are slower.
	slabColumns = 64
	// mostGram bounds the columns of X̃ᵀX̃: 128 MB.
	mostGram = 4096
	// mostSparse bounds sparse ones: a product of two takes as long as half a step of a sweep, and sweeps are about a hundred.
	mostSparse = 200
)

// room is memory for so many more dense columns.
func (h *gram) room(count int) (rows [][]float64) {
	for range count {
		if k := len(h.slabs) - 1; k < 0 || h.slabs[k].used*h.n == len(h.slabs[k].data) {
			wide := max(slabColumns, h.count/2)
			h.slabs = append(h.slabs, slab{data: make([]float64, wide*h.n)})
		}
		s := &h.slabs[len(h.slabs)-1]
		rows = append(rows, s.data[s.used*h.n:(s.used+1)*h.n])
		s.used++
	}
	return rows
}

// gramFlops are how many products of a matrix product take the time of a value that a sweep reads.
const gramFlops = 2

// cost is about how many values a sweep reads in the time that extending takes, +Inf where there are more columns than it is
// worth.
func (h *gram) cost(all []scaled) float64 {
	values, sparse := 0.0, false
	for i := range all {
		values += float64(len(all[i].values))
		sparse = sparse || all[i].index != nil
	}
	if len(all) > mostGram || len(all) > 2*h.n || sparse && len(all) > mostSparse {
		return math.Inf(1)
	}
	return values * float64(len(all)-h.count) / gramFlops
}

// extend takes in the columns that are not in it yet.
func (h *gram) extend(all []scaled) {
	first, dense := h.count, true
	for i := range all {
		dense = dense && all[i].index == nil
	}
	h.count = len(all)
	h.grow()
	if !dense {
		h.sparseProducts(all, first)
		return
	}
	for i, to := range h.room(len(all) - first) {
		copy(to, all[first+i].values)
	}
	h.denseProducts(first)
}

// grow makes room for count columns.
func (h *gram) grow() {
	if h.count <= h.stride {
		return
	}
	wide := max(64, 2*h.count)
	next := make([]float64, wide*wide)
	for i := 0; i < h.stride; i++ {
		copy(next[i*wide:], h.h[i*h.stride:(i+1)*h.stride])
	}
	h.h, h.stride = next, wide
}

// denseProducts fills the rows and columns from first on, slab by slab.
func (h *gram) denseProducts(first int) {
	for at, from := 0, 0; at < len(h.slabs); at++ {
		s := &h.slabs[at]
		if lo := max(first, from); lo < from+s.used {
			h.products(lo, from+s.used, s.data[(lo-from)*h.n:s.used*h.n])
		}
		from += s.used
	}
}

// products fills the rows lo ≤ i < hi, whose columns are x, against all. The second factor of a product is copied, and x is the
// smaller one.
func (h *gram) products(lo, hi int, x []float64) {
	from := 0
	for _, s := range h.slabs {
		c := memory.Borrow[float64](s.used * (hi - lo))
		clear(c)
		kernel.GemmNT(c, s.data[:s.used*h.n], x, s.used, hi-lo, h.n)
		for j := range s.used {
			row := c[j*(hi-lo) : (j+1)*(hi-lo)]
			copy(h.h[(from+j)*h.stride+lo:], row)
			for i, v := range row {
				h.h[(lo+i)*h.stride+from+j] = v
			}
		}
		memory.Repay(c)
		from += s.used
	}
}

// sparseProducts fills the rows and columns from first on, one product at a time.
func (h *gram) sparseProducts(all []scaled, first int) {
	spread := make([]float64, h.n)
	for i := first; i < len(all); i++ {
		clear(spread)
		all[i].addTo(spread, 1)
		for j := 0; j <= i; j++ {
			v := all[j].dot(spread) - common(&all[i], &all[j])
			h.h[i*h.stride+j], h.h[j*h.stride+i] = v, v
		}
	}
}

// row is row i.
func (h *gram) row(i int) []float64 { return h.h[i*h.stride : i*h.stride+h.count] }

// byGram are the slopes of a model from X̃ᵀX̃: the image is g = g₀ - X̃ᵀX̃Δ of all entries of the set.
type byGram struct {
	h *gram
	d *metric
	g []float64
}

func (b *byGram) slope(e int) float64 { return b.g[e] }

func (b *byGram) move(e int, by float64) { kernel.Axpy(-b.d.c*by, b.h.row(e), b.g) }

func (b *byGram) between(e, f int) float64 { return b.d.c * b.h.row(e)[f] }

func (b *byGram) means(step []float64) []float64 { return b.d.means(step) }

func (b *byGram) image() []float64 { return b.g }

func (b *byGram) cost(int) float64 { return float64(len(b.g)) / 2 }

// value is q = -½⟨g₀ + g, Δ⟩.
func (b *byGram) value(m *model) (q float64) {
	m.each(func(e, i int) {
		q -= (m.g0[i] + b.g[e]) * (m.x[i] - m.x0[i]) / 2
	})
	return q
}
