package spectral

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// outsideAtoms puts the leading Ritz pairs of D into p, as atoms from outside the spaces of the iterate. They are those that
// attain more than ask.Above and have converged halfway. size is about ‖G‖: Ritz values that are small beside it may be rounding.
func (s *structure) outsideAtoms(p *gcg.Polar, ask gcg.Ask, r ritz, size float64) {
	count, least := 0, math.Max(ask.Above, pairNoise*size)
	for count < min(max(ask.Count, 1), len(r.values)) && r.values[count] > least && r.residual(count) <= 0.5*r.values[count] {
		count++
	}
	if count == 0 {
		return
	}
	x, y, theta := r.pairs(count)
	if ask.Spectral.Stacked {
		if p.Spectral.U, p.Spectral.V, p.Values = x, y, theta; s.flipped {
			p.Spectral.U, p.Spectral.V = y, x
		}
		return
	}
	for c := range count {
		pick := gcg.Small(x.K, 1)
		pick.Row(c)[0] = 1
		p.Values = append(p.Values, theta[c])
		p.Atoms = append(p.Atoms, s.atom(gcg.Mul(x, pick), gcg.Mul(y, pick)))
	}
}

// pairNoise is the part of ‖G‖ below which a Ritz value of D may be rounding: the values are roots of those of DᵀD, which is
// formed to about 1e-16 of its norm.
const pairNoise = 1e-7

// rightVectors are the right vectors of count Ritz pairs of D, beginning with the pair from, or of as many as there are; nil for
// none. They are right vectors of G before it is transposed, and their lengths mean nothing.
func (s *structure) rightVectors(r ritz, from, count int) *gcg.Factor {
	if count = min(count, len(r.values)-from); count <= 0 {
		return nil
	}
	y := r.right(from, count)
	if s.flipped {
		return r.from.d.mul(y)
	}
	return y
}

// unionAtoms puts the leading singular pairs of G, compressed to the spaces [P X] and [Q Y], into p. Y has the leading right
// Ritz vectors of D, 8 more than twice the atoms that are asked for, and X spans what D makes of them.
func (s *structure) unionAtoms(p *gcg.Polar, ask gcg.Ask, r ritz) {
	count := 0
	for count < min(2*max(ask.Count, 1)+8, len(r.values)) && r.values[count] > 0 {
		count++
	}
	if s.p == nil && count == 0 {
		*p = ZeroPolar(s.g)
		if s.flipped {
			*p = ZeroPolar(gcg.Transposed(s.g))
		}
		return
	}
	x, y, t := r.image(count)
	left, values, right := linalg.ThinSVD(s.unionCore(x, y, t))
	for i := range min(max(ask.Count, 1), len(values)) {
		if i > 0 && values[i] <= ask.Above {
			break
		}
		p.Values = append(p.Values, values[i])
		p.Atoms = append(p.Atoms, s.atom(lifted(s.p, x, mat.Col(nil, i, left)), lifted(s.q, y, mat.Col(nil, i, right))))
	}
	p.Value = p.Values[0]
}

// unionCore is [C FᵀY; XᵀE T], which is G compressed to [P X] and [Q Y], for D Y = X T.
func (s *structure) unionCore(x, y, t *gcg.Factor) *mat.Dense {
	k := 0
	if s.p != nil {
		k = s.p.K
	}
	core := mat.NewDense(k+x.K, k+y.K, nil)
	for i := range x.K {
		for j := range y.K {
			core.Set(k+i, k+j, t.Row(i)[j])
		}
	}
	if k == 0 {
		return core
	}
	fy, xe := gcg.TMul(s.f, y), gcg.TMul(x, s.e)
	for i := range k {
		for j := range k {
			core.Set(i, j, s.c.Row(i)[j])
		}
		for j := range y.K {
			core.Set(i, k+j, fy.Row(i)[j])
		}
		for j := range x.K {
			core.Set(k+j, i, xe.Row(j)[i])
		}
	}
	return core
}

// lifted is [basis more] coef, a column; basis may be nil.
func lifted(basis, more *gcg.Factor, coef []float64) *gcg.Factor {
	k := len(coef) - more.K
	column := func(x []float64) *gcg.Factor {
		s := gcg.Small(len(x), 1)
		for i, v := range x {
			s.Row(i)[0] = v
		}
		return s
	}
	v := gcg.Mul(more, column(coef[k:]))
	if basis != nil {
		v.AddMul(basis, column(coef[:k]))
	}
	return v
}

// atom is u vᵀ, or v uᵀ for a map that was transposed.
func (s *structure) atom(u, v *gcg.Factor) gcg.Atom {
	if s.flipped {
		u, v = v, u
	}
	return gcg.Atom{U: u, V: v}
}
