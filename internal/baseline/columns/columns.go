// Package columns selects columns of a matrix by leverage scores, pivoted QR and greedy selection, the baselines of the convex
// selection. Each costs little, and none has a certificate.
package columns

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A Matrix is p×q and row-major.
type Matrix struct {
	P, Q int
	Data []float64
}

// reduced has the inner products of the columns of D with no more rows than columns: RᵀR = DᵀD.
func (d Matrix) reduced() Matrix {
	if d.P <= d.Q {
		return d
	}
	gram := make([]float64, d.Q*d.Q)
	kernel.GemmTN(gram, d.Data, d.Data, d.Q, d.Q, d.P)
	values, q := linalg.SymEigen(mat.NewSymDense(d.Q, gram), true)
	r := Matrix{P: d.Q, Q: d.Q, Data: make([]float64, d.Q*d.Q)}
	for c, v := range values {
		for j := range d.Q {
			r.Data[c*d.Q+j] = math.Sqrt(math.Max(v, 0)) * q.At(j, c)
		}
	}
	return r
}

// Leverage are the leverage scores Σ_{c≤rank} V_jc² of the columns, V being the right singular vectors [Mahoney, Drineas 2009].
// Singular values that equal the last of rank count with it, since only their space as a whole is known.
func Leverage(d Matrix, rank int) []float64 {
	d = d.reduced()
	values, u := spectrum(d)
	scores := make([]float64, d.Q)
	top := len(values) - 1
	for c := top; c >= 0 && values[c] > values[top]*vanishing; c-- {
		if top-c >= rank && values[c] < values[c+1]-sameScore*values[top] {
			break
		}
		v := make([]float64, d.Q) // σ v = Dᵀu
		for i := range d.P {
			kernel.Axpy(u.At(i, c), d.Data[i*d.Q:(i+1)*d.Q], v)
		}
		for j, x := range v {
			scores[j] += x * x / values[c]
		}
	}
	return scores
}

// vanishing is the part of the largest eigenvalue of D Dᵀ below which one is rounding.
const vanishing = rounding.Product

// spectrum is the eigendecomposition of D Dᵀ, ascending.
func spectrum(d Matrix) (values []float64, u *mat.Dense) {
	gram := make([]float64, d.P*d.P)
	kernel.GemmNT(gram, d.Data, d.Data, d.P, d.P, d.Q)
	return linalg.SymEigen(mat.NewSymDense(d.P, gram), true)
}

// squares are ‖e_j‖² of the columns.
func squares(e []float64, p, q int) []float64 {
	s := make([]float64, q)
	for i := range p {
		for j, x := range e[i*q : (i+1)*q] {
			s[j] += x * x
		}
	}
	return s
}

// project removes the direction u from all columns.
func project(rest, u []float64, p, q int) {
	along := make([]float64, q)
	for i := range p {
		kernel.Axpy(u[i], rest[i*q:(i+1)*q], along)
	}
	for i := range p {
		kernel.Axpy(-u[i], along, rest[i*q:(i+1)*q])
	}
}

// Error is ‖D - C C⁺D‖/‖D‖ for the columns C: what of D lies outside of their span.
func Error(d Matrix, cols []int) float64 {
	d = d.reduced()
	rest, u := slices.Clone(d.Data), make([]float64, d.P)
	whole := kernel.SumSq(rest)
	if whole == 0 {
		return 0
	}
	left := slices.Clone(cols)
	for len(left) > 0 { // the longest first, as in QR with pivots
		at, most := 0, 0.0
		for t, j := range left {
			var norm float64
			for i := range d.P {
				norm += rest[i*d.Q+j] * rest[i*d.Q+j]
			}
			if norm > most {
				at, most = t, norm
			}
		}
		if !(most > vanishing*whole) {
			break
		}
		for i := range u {
			u[i] = rest[i*d.Q+left[at]] / math.Sqrt(most)
		}
		project(rest, u, d.P, d.Q)
		left = slices.Delete(left, at, at+1)
	}
	return math.Sqrt(kernel.SumSq(rest) / whole)
}

// Best is the error of the best rank k, √(Σ_{c>k} σ_c²)/‖D‖, which no k columns can beat.
func Best(d Matrix, k int) float64 {
	d = d.reduced()
	values, _ := spectrum(d)
	var rest, whole float64
	for c, v := range values {
		v = math.Max(v, 0)
		if whole += v; c < len(values)-k {
			rest += v
		}
	}
	if whole == 0 {
		return 0
	}
	return math.Sqrt(rest / whole)
}
