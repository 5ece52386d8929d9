package views

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// densePolar is the polar of two views where G is written out.
func (k Views) densePolar(ctx context.Context, views []block, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	w := write(g, views)
	switch {
	case w.scale == 0:
		return w.zero(), nil
	case math.IsNaN(w.scale) || math.IsInf(w.scale, 1):
		return broken(), nil
	}
	if k.Search == PowerLike {
		if p, ok := w.powerPolar(ask); ok {
			return p, nil
		}
	}
	return w.exact(ctx, ask)
}

const (
	taken        = 3             // leading eigenvectors that each τ adds to the basis: a multiple eigenvalue has several
	whole        = 24            // size up to which the pencil is minimised as it is, and no basis is needed
	mostRounds   = 40            // eigensolves; four are common
	closeEnough  = rounding.Null // part of √λ₁ that the best vector may miss
	basisRoom    = 60            // columns of the basis after which only the best vector and the last eigenvectors are kept
	independence = 1e-8
)

// exact minimises λ₁(K(τ)) over τ. The leading eigenvectors at every τ that is tried go into a basis B. The pencil BᵀK(τ)B is
// minimised by itself: it gives a vector, which attains √λ₁ of it, and the next τ. λ₁ of the whole pencil there is a bound.
func (w *written) exact(ctx context.Context, ask gcg.Ask) (gcg.Polar, error) {
	full := pencil{w.d, w.grams[0], w.grams[1]}
	s := search{w: w, full: full, bound: math.Inf(1)}
	if w.d <= whole {
		x, v := full.minimise()
		s.look(x)
		s.take(v)
		return s.answer(ask), nil
	}
	x := s.start()
	for range mostRounds {
		if err := ctx.Err(); err != nil {
			return gcg.Polar{}, err
		}
		top := s.look(x)
		if s.least <= s.value*(1+closeEnough) {
			break
		}
		s.extend(top.vectors)
		small := s.compressed()
		next, y := small.minimise()
		s.take(s.basis.lift(y))
		if s.least <= s.value*(1+closeEnough) || next == x {
			break
		}
		x = next
	}
	return s.answer(ask), nil
}

// A search is the state of exact: the best vector, the best bound, and the basis with its products.
type search struct {
	w      *written
	full   pencil
	basis  subspace
	k1, k2 [][]float64 // K₁ and K₂ times the basis

	value   float64 // of the Gram matrices, in units of the scale
	v       []float64
	least   float64 // √λ₁ at the best τ
	bound   float64 // the same with room for rounding
	nearest spectrum
	at      float64 // the x of nearest
}

// start is the x that balances the two views: where both have the same trace.
func (s *search) start() float64 {
	a, b := trace(s.full.k1, s.full.d), trace(s.full.k2, s.full.d)
	switch {
	case a == 0:
		return -farthest
	case b == 0:
		return farthest
	}
	return math.Max(-farthest, math.Min(farthest, (math.Log(a)-math.Log(b))/2))
}

// trace is that of a d×d matrix.
func trace(k []float64, d int) (s float64) {
	for i := range d {
		s += k[i*d+i]
	}
	return s
}

// look decomposes K(τ), which gives a bound.
func (s *search) look(x float64) spectrum {
	top := s.full.top(x, taken)
	bound := math.Sqrt(math.Max(top.values[0], 0)+s.w.rounding(top.trace)) * (1 + 4*linalg.Epsilon)
	if bound < s.bound {
		s.least, s.bound, s.nearest, s.at = math.Sqrt(math.Max(top.values[0], 0)), bound, top, x
	}
	s.take(top.vectors[0])
	return top
}

// take keeps v if it attains more than the best so far.
func (s *search) take(v []float64) {
	if value := s.full.value(v); s.v == nil || value > s.value {
		s.value, s.v = value, v
	}
}

// extend adds vectors to the basis, orthogonalised.
func (s *search) extend(vectors [][]float64) {
	if len(s.basis.vectors) > basisRoom {
		s.basis, s.k1, s.k2 = subspace{}, nil, nil
		s.extend([][]float64{s.v})
	}
	from := len(s.basis.vectors)
	s.basis.extend(vectors)
	for _, y := range s.basis.vectors[from:] {
		s.k1, s.k2 = append(s.k1, times(s.full.k1, y)), append(s.k2, times(s.full.k2, y))
	}
}

// times is K y for a square K.
func times(k, y []float64) []float64 {
	d := len(y)
	z := make([]float64, d)
	for i := range z {
		z[i] = kernel.Dot(k[i*d:(i+1)*d], y)
	}
	return z
}

// compressed is the pencil in the basis.
func (s *search) compressed() pencil {
	d := len(s.basis.vectors)
	p := pencil{d, make([]float64, d*d), make([]float64, d*d)}
	for i, b := range s.basis.vectors {
		for j := range i + 1 {
			p.k1[i*d+j], p.k2[i*d+j] = kernel.Dot(b, s.k1[j]), kernel.Dot(b, s.k2[j])
			p.k1[j*d+i], p.k2[j*d+i] = p.k1[i*d+j], p.k2[i*d+j]
		}
	}
	return p
}

// answer is the polar: the best vector's atom, those of other leading eigenvectors where more are wanted, and the bound.
func (s *search) answer(ask gcg.Ask) gcg.Polar {
	value, atom := s.w.attains(s.v)
	p := gcg.Polar{Atoms: []gcg.Atom{atom}, Values: []float64{value}, Value: value, Kind: gcg.Proven, Alpha: 1}
	p.Bound = math.Max(s.bound*s.w.scale, value)
	others := s.nearest.vectors
	if ask.Count > taken {
		others = s.full.top(s.at, min(ask.Count, s.full.d)).vectors
	}
	for _, v := range others {
		if len(p.Atoms) >= ask.Count {
			break
		}
		if parallel(v, s.v) {
			continue
		}
		if more, a := s.w.attains(v); more > ask.Above && more <= value {
			p.Atoms, p.Values = append(p.Atoms, a), append(p.Values, more)
		}
	}
	return sorted(p)
}

// alike is the cosine above which two vectors give the same atom.
const alike = 0.999

// parallel reports whether two unit vectors have nearly one direction.
func parallel(x, y []float64) bool { return math.Abs(kernel.Dot(x, y)) > alike*gcg.Norm(x)*gcg.Norm(y) }

// sorted has the atoms of p in the order of their values.
func sorted(p gcg.Polar) gcg.Polar {
	for i := 1; i < len(p.Values); i++ {
		for j := i; j > 1 && p.Values[j] > p.Values[j-1]; j-- {
			p.Values[j], p.Values[j-1] = p.Values[j-1], p.Values[j]
			p.Atoms[j], p.Atoms[j-1] = p.Atoms[j-1], p.Atoms[j]
		}
	}
	return p
}
