package linalg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A tridiagonal is T = QᵀSQ of a symmetric n×n matrix S, with diagonal d and off-diagonal e. Q is the product of the
// reflections I - τ v vᵀ.
type tridiagonal struct {
	n      int
	d, e   []float64
	blocks []reflections
}

// A reflections is up to blockOf successive reflections I - τ v vᵀ.
type reflections struct {
	width int       // entries of a v; those after them are 0
	v     []float64 // the vectors, by rows of width entries, borrowed
	tau   []float64 // the τ
}

// blockOf is the number of reflections that are applied together.
const blockOf = 16

// stride is n rounded up to a multiple of 8, which vector instructions read without a remainder.
func stride(n int) int { return (n + 7) &^ 7 }

// reduce is the tridiagonal form of S, whose both triangles a has by rows of stride(n) entries; a is overwritten. It takes 8n³/3
// flops. Every reflection takes one pass over what is left of S. The pass applies the last reflection, which changes S by -(v wᵀ
// + w vᵀ), and forms the product with the next. It goes from the last row to the first, so that large eigenvalues come to the end
// of T, where implicitQL wants them.
func reduce(a []float64, n int) *tridiagonal {
	st := stride(n)
	t := &tridiagonal{n: n, d: make([]float64, n), e: make([]float64, n)}
	v, w, x, p := make([]float64, st), make([]float64, st), make([]float64, st), make([]float64, st)
	for j := n - 1; j >= 0; j-- {
		row := a[j*st : (j+1)*st]
		kernel.Axpy(-v[j], w, row)
		kernel.Axpy(-w[j], v, row)
		t.d[j] = row[j]
		if j < 2 {
			copy(t.e, row[:j])
			continue
		}
		width := stride(j)
		copy(x, row[:j])
		clear(x[j:])
		clear(p[j:])
		var tau float64
		t.e[j-1], tau = reflector(x[:j])
		t.keep(tau, x[:width])
		kernel.RankTwo(p[:j], a, st, v[:width], w[:width], x[:width], v, w)
		kernel.Scale(tau, p[:j])
		kernel.Axpy(-tau/2*kernel.Dot(p[:j], x), x[:j], p)
		v, w, x, p = x, p, v, w
	}
	return t
}

// keep adds the reflection I - τ v vᵀ to the blocks.
func (t *tridiagonal) keep(tau float64, v []float64) {
	if last := len(t.blocks) - 1; last < 0 || len(t.blocks[last].tau) == blockOf {
		t.blocks = append(t.blocks, reflections{len(v), memory.Borrow[float64](blockOf * len(v))[:0], make([]float64, 0, blockOf)})
	}
	b := &t.blocks[len(t.blocks)-1]
	b.v = append(b.v, v...)
	for range b.width - len(v) {
		b.v = append(b.v, 0)
	}
	b.tau = append(b.tau, tau)
}

// repay gives the memory of the reflections back.
func (t *tridiagonal) repay() {
	for _, b := range t.blocks {
		memory.Repay(b.v)
	}
	t.blocks = nil
}

// reflector overwrites x with the v, of last entry 1, for which I - τ v vᵀ takes x to (0, …, 0, e). Entries as small as
// 1e-145, in a matrix whose largest is about 1, count as 0.
func reflector(x []float64) (e, tau float64) {
	last := len(x) - 1
	e = x[last]
	square := kernel.SumSq(x[:last])
	x[last] = 1
	if square < 1e-290 {
		clear(x[:last])
		return e, 0
	}
	norm := -math.Copysign(math.Sqrt(e*e+square), e)
	kernel.Scale(1/(e-norm), x[:last])
	return norm, (norm - e) / norm
}

// columns has the given columns of Qᵀ, in panels of stride(n) rows.
func (t *tridiagonal) columns(list []int) []panel {
	panels, blocks := panelsOf(len(list)), make([]product, len(t.blocks))
	for i, b := range t.blocks {
		blocks[i] = b.product()
	}
	par.For(len(panels), func(i int) {
		p := &panels[i]
		p.z = zeros(stride(t.n) * p.width)
		for c, l := range list[p.first : p.first+p.columns] {
			p.z[l*p.width+c] = 1
		}
		for _, b := range blocks {
			b.apply(p.z, p.width)
		}
	})
	for _, b := range blocks {
		memory.Repay(b.lower)
	}
	return panels
}

// A product is the product Hₖ … H₁ = I - VᵀLV of k reflections, where L is the inverse of the lower triangle of VVᵀ with 1/τ on
// its diagonal [Schreiber and Van Loan 1989].
type product struct {
	reflections
	lower []float64 // -L, borrowed
}

// product is the product of the reflections; each row of -L is computed from those above it.
func (b reflections) product() product {
	k := len(b.tau)
	gram, lower := zeros(k*k), zeros(k*k)
	defer memory.Repay(gram)
	kernel.GramNT(gram, b.v, k, b.width)
	for i, tau := range b.tau {
		row := lower[i*k : (i+1)*k]
		for j, g := range gram[i*k : i*k+i] {
			for l, x := range lower[j*k : j*k+j+1] {
				row[l] -= tau * g * x
			}
		}
		row[i] = -tau
	}
	return product{b, lower}
}

// apply multiplies z, by rows of width entries, by the product from the left. It takes 4·k·width flops a row.
func (p product) apply(z []float64, width int) {
	k := len(p.tau)
	vz, lvz := zeros(k*width), zeros(k*width)
	defer memory.Repay(vz)
	defer memory.Repay(lvz)
	kernel.GemmNN(vz, p.v, z, k, width, p.width)
	kernel.GemmNN(lvz, p.lower, vz, k, width, k)
	kernel.GemmTN(z, p.v, lvz, p.width, width, k)
}
