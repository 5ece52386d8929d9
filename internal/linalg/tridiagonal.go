package linalg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A tridiagonal is T = QᵀSQ of a symmetric n×n matrix S, with diagonal d and off-diagonal e, for the product Q of the reflections I - τ v vᵀ.
type tridiagonal struct {
	n      int
	d, e   []float64
	blocks []reflections
}

// A reflections is some of them, by rows v of the first width entries, borrowed; the others are 0.
type reflections struct {
	width int
	v     []float64
	tau   []float64
}

// blockOf is the number of reflections that are applied at a time.
const blockOf = 16

// stride is that of rows of n entries which vectors read without a rest.
func stride(n int) int { return (n + 7) &^ 7 }

// reduce takes S by rows of stride(n) entries over, both triangles. 8n³/3 flops in one pass over what is left of S for every reflection:
// it takes the last one, which changes S by -(v wᵀ + w vᵀ), and forms the product with the next. It goes from the last row to the first:
// large eigenvalues come to the end of T then, where implicitQL wants them.
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

// keep adds a reflection.
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

// repay ends the use of the reflections.
func (t *tridiagonal) repay() {
	for _, b := range t.blocks {
		memory.Repay(b.v)
	}
	t.blocks = nil
}

// reflector overwrites x by the v that ends with 1 for which I - τ v vᵀ takes x to (0, …, 0, e). What is as small as 1e-145, in a matrix of
// unit size, counts as 0.
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

// columns is some columns of Qᵀ, stride(n) rows.
func (t *tridiagonal) columns(list []int) []panel {
	panels := panelsOf(len(list))
	par.For(len(panels), func(i int) {
		p := &panels[i]
		p.z = zeros(stride(t.n) * p.width)
		for c, l := range list[p.first : p.first+p.columns] {
			p.z[l*p.width+c] = 1
		}
		for _, b := range t.blocks {
			b.apply(p.z, p.width)
		}
	})
	return panels
}

// apply multiplies z, by rows of width entries, by Hₖ … H₁ = I - VᵀLV, with L the lower triangle that follows from VVᵀ [Schreiber and Van
// Loan 1989]. 4·k·width flops a row.
func (b reflections) apply(z []float64, width int) {
	k := len(b.tau)
	gram, product := zeros(k*k), zeros(k*width)
	defer memory.Repay(gram)
	defer memory.Repay(product)
	kernel.GemmNT(gram, b.v, b.v, k, k, b.width)
	kernel.GemmNN(product, b.v, z, k, width, b.width)
	for i, tau := range b.tau { // rows of L V z, by substitution
		row := product[i*width : (i+1)*width]
		for j := range i {
			kernel.Axpy(-gram[i*k+j], product[j*width:(j+1)*width], row)
		}
		kernel.Scale(tau, row)
	}
	kernel.Scale(-1, product)
	kernel.GemmTN(z, b.v, product, b.width, width, k)
}
