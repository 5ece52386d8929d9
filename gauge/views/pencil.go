package views

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A pencil is K(τ) = K₁/τ + K₂/(1-τ) for two positive semidefinite d×d matrices. Its eigenvectors are those of
//
//	M(τ) = τ(1-τ) K(τ) = (1-τ) K₁ + τ K₂
//
// which no τ makes large. τ is kept as x = log(τ/(1-τ)), as a view may be smaller than the other by any factor.
type pencil struct {
	d      int
	k1, k2 []float64
}

// farthest is the largest |x|: what a view adds is below rounding where τ is e⁻⁴⁰.
const farthest = 40

// shares are τ and 1-τ at x, each accurate.
func shares(x float64) (tau, rest float64) {
	return 1 / (1 + math.Exp(-x)), 1 / (1 + math.Exp(x))
}

// A spectrum is the top of K(τ): its eigenvalues, descending, and unit eigenvectors.
type spectrum struct {
	values  []float64
	vectors [][]float64
	trace   float64
}

// top is the count leading eigenpairs of K(τ).
func (p *pencil) top(x float64, count int) spectrum {
	tau, rest := shares(x)
	m := make([]float64, p.d*p.d)
	kernel.Axpy(rest, p.k1, m)
	kernel.Axpy(tau, p.k2, m)
	s := leading(m, p.d, count)
	for i := range s.values {
		s.values[i] = s.values[i] / tau / rest
	}
	s.trace = s.trace / tau / rest
	return s
}

// leading is the count leading eigenpairs of a symmetric d×d matrix.
func leading(m []float64, d, count int) (s spectrum) {
	st := (d + 7) &^ 7
	padded := make([]float64, d*st)
	for i := range d {
		copy(padded[i*st:i*st+d], m[i*d:(i+1)*d])
		s.trace += m[i*d+i]
	}
	values, z := linalg.VectorsByRow(padded, d)
	for i := range min(count, d) {
		at := d - 1 - i
		s.values = append(s.values, values[at])
		s.vectors = append(s.vectors, z[at*st:at*st+d])
	}
	return s
}

// form is vᵀ K v, at least 0.
func form(k, v []float64) float64 {
	d := len(v)
	var s float64
	for i, x := range v {
		s += x * kernel.Dot(k[i*d:(i+1)*d], v)
	}
	return math.Max(s, 0)
}

// norms are p = √vᵀK₁v and q = √vᵀK₂v.
func (p *pencil) norms(v []float64) (float64, float64) {
	return math.Sqrt(form(p.k1, v)), math.Sqrt(form(p.k2, v))
}

// excess has the sign of -dλ₁/dτ at x for its top eigenvector v, and of p/(p+q) - τ. It is that of log(p/q) - x.
func (p *pencil) excess(x float64, v []float64) float64 {
	a, b := p.norms(v)
	switch {
	case a == 0 && b == 0:
		return 0
	case a == 0:
		return math.Inf(-1)
	case b == 0:
		return math.Inf(1)
	}
	return math.Log(a) - math.Log(b) - x
}

// settledAt is the width of the bracket of x, or the excess, at which τ is found: λ₁ is convex in τ, so that the error of the
// bound is of second order where the eigenvalue is simple, and where it is not, vectors of both sides are combined.
const settledAt = rounding.Number

// minimise finds x at which λ₁(K(τ)) is least, and a v that attains it: p + q = √λ₁ there.
func (p *pencil) minimise() (x float64, v []float64) {
	in := roots.Guard{Lo: -farthest, Hi: farthest}
	var below, above []float64 // top eigenvectors at the ends
	for range 400 {
		v = p.top(x, 1).vectors[0]
		e := p.excess(x, v)
		if math.Abs(e) <= settledAt*(1+math.Abs(x)) {
			return x, v
		}
		if e > 0 {
			in.Lo, below = x, v
		} else {
			in.Hi, above = x, v
		}
		if in.Hi-in.Lo <= settledAt*(1+math.Abs(x)) {
			break
		}
		next := in.Next(x, x+e) // τ' = p/(p+q), which converges fast where the eigenvalue is simple
		if next <= in.Lo || next >= in.Hi {
			break
		}
		x = next
	}
	return x, p.between(x, below, above, v)
}

// between is the v in the span of top eigenvectors of both sides of τ that attains most; either may be nil.
func (p *pencil) between(x float64, below, above, v []float64) []float64 {
	if below == nil || above == nil {
		return v
	}
	best, value := v, p.value(v)
	for _, sign := range []float64{1, -1} {
		at := func(angle float64) []float64 {
			y := make([]float64, p.d)
			kernel.Axpy(math.Cos(angle), below, y)
			kernel.Axpy(sign*math.Sin(angle), above, y)
			return unit(y)
		}
		lo, hi := roots.Bisect(0, math.Pi/2, 0, func(angle float64) bool { // the excess is positive at below, and not at above
			y := at(angle)
			return y != nil && p.excess(x, y) > 0
		})
		if y := at((lo + hi) / 2); y != nil && p.value(y) > value {
			best, value = y, p.value(y)
		}
	}
	return best
}

// value is p + q at v.
func (p *pencil) value(v []float64) float64 {
	a, b := p.norms(v)
	return a + b
}

// unit overwrites v with v/‖v‖, or is nil for v = 0.
func unit(v []float64) []float64 {
	norm := math.Sqrt(kernel.SumSq(v))
	if norm == 0 {
		return nil
	}
	kernel.Scale(1/norm, v)
	return v
}
