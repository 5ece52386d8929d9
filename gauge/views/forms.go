package views

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// forms are the K_i and N_j of a relaxation in all d dimensions. Where these are many, it is solved in a basis of leading
// eigenvectors, as the pencil of two views is.
type forms struct {
	d     int
	k, n  [][]float64
	basis **subspace // kept between relaxations whose forms are related; nil where there is none
}

// A subspace is an orthonormal basis.
type subspace struct{ vectors [][]float64 }

const (
	relaxedTo   = 1e-11 // part of the bound by which what X attains in the basis may differ
	mostRelaxed = 25    // decompositions of d×d matrices for one relaxation
	roomOfBasis = 32    // vectors of a basis at most, before it begins anew
)

// relax is the minimum of the relaxation, whose bound holds in all dimensions, with room for rounding. It stops where the bound
// is at most enough.
func (f *forms) relax(enough float64, w *written) relaxed {
	all := relaxation{d: f.d, k: f.k, n: f.n}
	if f.d <= whole {
		x := all.minimise(nil, 2)
		x.bound = f.certified(&x, w)
		return x
	}
	if f.basis == nil {
		f.basis = new(*subspace)
	}
	if *f.basis == nil || len((*f.basis).vectors) > roomOfBasis {
		*f.basis = &subspace{}
		var y []float64
		for _, k := range f.k {
			y = append(y, math.Log(trace(k, f.d))/2)
		}
		(*f.basis).extend(leading(all.matrix(y, make([]float64, len(f.n))), f.d, taken).vectors)
	}
	b := *f.basis
	var best relaxed
	for range mostRelaxed {
		small := relaxation{d: len(b.vectors)}
		for _, k := range f.k {
			small.k = append(small.k, b.compress(k))
		}
		for _, n := range f.n {
			small.n = append(small.n, b.compress(n))
		}
		if !small.positive() {
			b.extend(f.missing(&small))
			continue
		}
		x := small.minimise(nil, 2)
		for i, v := range x.vectors {
			x.vectors[i] = b.lift(v)
		}
		top := leading(all.matrix(x.y, x.mu), f.d, taken)
		x.bound = f.boundAt(x.y, top, w)
		if best.vectors == nil || x.bound < best.bound {
			best = x
		}
		if best.bound <= enough || math.Sqrt(sumExp(x.y))*math.Sqrt(math.Max(top.values[0], 0)) <= x.attains*(1+relaxedTo) {
			break
		}
		if !b.extend(top.vectors) {
			break
		}
	}
	return best
}

// positive reports whether no K_i is 0 in the basis.
func (r *relaxation) positive() bool {
	for _, k := range r.k {
		if !(trace(k, r.d) > 0) {
			return false
		}
	}
	return true
}

// missing are top eigenvectors of the K_i that the basis does not see.
func (f *forms) missing(small *relaxation) (vectors [][]float64) {
	for i, k := range small.k {
		if !(trace(k, small.d) > 0) {
			vectors = append(vectors, leading(f.k[i], f.d, 1).vectors...)
		}
	}
	return vectors
}

// certified is the bound of a relaxation that was solved in all dimensions.
func (f *forms) certified(x *relaxed, w *written) float64 {
	all := relaxation{d: f.d, k: f.k, n: f.n}
	return f.boundAt(x.y, leading(all.matrix(x.y, x.mu), f.d, 1), w)
}

// boundAt is √(Στ·λ₁(M)) with room for rounding of the Gram matrices and of λ₁.
func (f *forms) boundAt(y []float64, top spectrum, w *written) float64 {
	var traces float64
	for i, k := range f.k {
		traces += math.Exp(-y[i]) * trace(k, f.d)
	}
	return math.Sqrt(sumExp(y)) * math.Sqrt(math.Max(top.values[0], 0)+w.rounding(traces)) * (1 + 4*linalg.Epsilon)
}

// sumExp is Στ_i.
func sumExp(y []float64) (sum float64) {
	for _, x := range y {
		sum += math.Exp(x)
	}
	return sum
}

// extend adds vectors to the basis, orthogonalised, and reports whether there were any outside.
func (b *subspace) extend(vectors [][]float64) (grown bool) {
	for _, v := range vectors {
		y := append([]float64(nil), v...)
		for range 2 {
			for _, q := range b.vectors {
				kernel.Axpy(-kernel.Dot(q, y), q, y)
			}
			if math.Sqrt(kernel.SumSq(y)) < independence {
				y = nil
				break
			}
			unit(y)
		}
		if y != nil {
			b.vectors, grown = append(b.vectors, y), true
		}
	}
	return grown
}

// compress is BᵀKB.
func (b *subspace) compress(k []float64) []float64 {
	s, d := len(b.vectors), len(b.vectors[0])
	rows := make([]float64, 0, s*d)
	for _, v := range b.vectors {
		rows = append(rows, v...)
	}
	bk, out := make([]float64, s*d), make([]float64, s*s)
	kernel.GemmNN(bk, rows, k, s, d, d)
	kernel.GemmNT(out, bk, rows, s, s, d)
	return out
}

// lift is B y.
func (b *subspace) lift(y []float64) []float64 {
	v := make([]float64, len(b.vectors[0]))
	for i, q := range b.vectors {
		kernel.Axpy(y[i], q, v)
	}
	return v
}
