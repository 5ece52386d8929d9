package spca

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// Eigenpairs are the largest eigenvalues of a symmetric matrix, descending, with unit vectors.
type eigenpairs struct {
	values  []float64
	vectors [][]float64
}

// A search finds leading eigenpairs of S from a start: Rayleigh and Ritz on an orthonormal Q, to which the residuals of the pairs
// that are wanted are added, so that it contains a block Krylov space of the start.
type search struct {
	n      int
	mul    func(dst, x []float64, k int) // dst = S x, n×k by rows
	q, sq  [][]float64                   // Q and S Q, by columns
	h      [][]float64                   // lower triangle of QᵀSQ
	wanted func(values []float64) int    // how many of the Ritz values, descending, are to be accurate; at least 1
	tol    func(values []float64) float64
	rounds int
}

const (
	denseSize = 48 // up to which all eigenvalues cost no more than a search
	// searchBlock is the most vectors that a round multiplies: one pass over S serves all of them, but each needs one of its own
	// in the space.
	searchBlock = 8
	// searchSpace is how many columns, beyond twice what is wanted, the space may have before it is cut to the best.
	searchSpace = 24
	// spent is the part of a vector that is left when the space holds it but for rounding.
	spent = rounding.Decomposed
)

// dense is the whole decomposition.
func (t triangle) dense(s []float64) eigenpairs {
	full := mat.NewSymDense(t.n, nil)
	for i := range t.n {
		for j := range i + 1 {
			full.SetSym(i, j, s[t.at(i, j)])
		}
	}
	values, q := linalg.SymEigen(full, true)
	e := eigenpairs{make([]float64, t.n), make([][]float64, t.n)}
	for c := range t.n {
		e.values[c], e.vectors[c] = values[t.n-1-c], mat.Col(nil, t.n-1-c, q)
	}
	return e
}

// from finds the eigenpairs, beginning at the span of the given vectors.
func (f *search) from(ctx context.Context, start [][]float64) eigenpairs {
	f.q, f.sq, f.h = nil, nil, nil
	f.widen(start)
	for round := 0; ; round++ {
		values, y := f.ritz()
		k := min(max(f.wanted(values), 1), len(values))
		e, residuals := f.lift(values, y, k)
		if round == f.rounds || len(residuals) == 0 || len(f.q) >= f.n || ctx.Err() != nil {
			return e
		}
		if len(f.q)+len(residuals) > 2*k+searchSpace {
			f.restart(e, y)
		}
		if !f.widen(residuals) {
			return e
		}
	}
}

// ritz is the decomposition of QᵀSQ, values descending, with the vectors by columns.
func (f *search) ritz() ([]float64, [][]float64) {
	k := len(f.q)
	core := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			core.SetSym(i, j, f.h[i][j])
		}
	}
	values, z := linalg.SymEigen(core, true)
	down, y := make([]float64, k), make([][]float64, k)
	for c := range k {
		down[c], y[c] = values[k-1-c], mat.Col(nil, k-1-c, z)
	}
	return down, y
}

// lift makes the first k Ritz pairs, and the residuals of those that are not accurate, at most searchBlock.
func (f *search) lift(values []float64, y [][]float64, k int) (e eigenpairs, residuals [][]float64) {
	tol := f.tol(values)
	e.values = values[:k:k]
	for c := range k {
		x := combine(f.q, y[c], f.n)
		e.vectors = append(e.vectors, x)
		if len(residuals) == searchBlock {
			continue
		}
		r := combine(f.sq, y[c], f.n)
		kernel.Axpy(-values[c], x, r)
		if gcg.Norm(r) > tol {
			residuals = append(residuals, r)
		}
	}
	return e, residuals
}

// restart makes the Ritz vectors the space.
func (f *search) restart(e eigenpairs, y [][]float64) {
	sq := make([][]float64, len(e.vectors))
	h := make([][]float64, len(e.vectors))
	for c := range sq {
		sq[c] = combine(f.sq, y[c], f.n)
		h[c] = make([]float64, c+1)
		h[c][c] = e.values[c]
	}
	f.q, f.sq, f.h = append([][]float64(nil), e.vectors...), sq, h
}

// widen adds vectors to the space, and reports whether anything of them was new.
func (f *search) widen(vectors [][]float64) bool {
	old := len(f.q)
	for _, x := range vectors {
		x = append([]float64(nil), x...)
		before := gcg.Norm(x)
		if !(before > 0) || len(f.q) >= f.n {
			continue
		}
		for range 2 { // a second pass takes out what rounding has left
			for _, q := range f.q {
				kernel.Axpy(-kernel.Dot(q, x), q, x)
			}
		}
		if norm := gcg.Norm(x); norm > spent*before {
			kernel.Scale(1/norm, x)
			f.q = append(f.q, x)
		}
	}
	f.multiply(f.q[old:])
	for c := old; c < len(f.q); c++ {
		row := make([]float64, c+1)
		for j := range row {
			row[j] = kernel.Dot(f.q[j], f.sq[c])
		}
		f.h = append(f.h, row)
	}
	return len(f.q) > old
}

// multiply appends the products of S with vectors, in one pass.
func (f *search) multiply(vectors [][]float64) {
	k := len(vectors)
	if k == 0 {
		return
	}
	x, sx := byRows(vectors, nil), make([]float64, f.n*k)
	f.mul(sx, x, k)
	for c := range k {
		column := make([]float64, f.n)
		for i := range column {
			column[i] = sx[i*k+c]
		}
		f.sq = append(f.sq, column)
	}
}

// byRows are vectors as the columns of a matrix by rows, times weights where there are some.
func byRows(vectors [][]float64, weights []float64) []float64 {
	k := len(vectors)
	x := make([]float64, len(vectors[0])*k)
	for c, v := range vectors {
		by := 1.0
		if weights != nil {
			by = weights[c]
		}
		for i, e := range v {
			x[i*k+c] = by * e
		}
	}
	return x
}

// combine is Σ weightᵢ·vectorᵢ.
func combine(vectors [][]float64, weights []float64, n int) []float64 {
	sum := make([]float64, n)
	for c, w := range weights[:len(vectors)] {
		kernel.Axpy(w, vectors[c], sum)
	}
	return sum
}

// one wants the leading pair alone.
func one([]float64) int { return 1 }

// relative is a tolerance of part of the leading value.
func relative(part float64) func([]float64) float64 {
	return func(values []float64) float64 { return part * math.Abs(values[0]) }
}
