package conditional

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// curvatures gives the curvature of L along each of its atoms, the Hᵢᵢ of the separable model, in the cheapest way that the
// operator allows.
func (d *stepDirection) curvatures(p *view.Problem, s *gcg.State) func(i int) float64 {
	if d.atoms[0].LowRank() {
		u, v := pairsOf(s.W, d.atoms)
		return curvaturesAlong(p, s, u, v)
	}
	switch {
	case p.Curved != nil && p.Separable && p.Columns != nil:
		return newColumnCurvatures(p, s, d.atoms).of
	case p.Curved != nil && !p.Separable && p.Kronecker != nil:
		return sparseCurvatures(p, s, d.atoms)
	}
	return func(i int) float64 { return curvatureOf(p, s, d.z, d.atoms[i]) }
}

// curvaturesAlong gives the curvature along each uᵢvᵢᵀ: by one pass over the observations for all of them, by the operator's
// approximation L ⊗ R of the second derivatives, or by a pass for each.
func curvaturesAlong(p *view.Problem, s *gcg.State, u, v *gcg.Factor) func(i int) float64 {
	switch quad := p.LeastSquares; {
	case p.Squares != nil:
		return observedCurvatures(p.Squares, u, v, 1)
	case p.Fused != nil && quad != nil && quad.Weights() == nil:
		return observedCurvatures(p.Fused, u, v, quad.Scale())
	case p.Fused == nil && p.Kronecker != nil && p.Curved != nil:
		return separableCurvatures(p, s, u, v)
	}
	z := make([]float64, len(s.Z))
	return func(i int) float64 {
		return curvatureOf(p, s, z, gcg.Atom{U: factor.Pick(u, []int{i}), V: factor.Pick(v, []int{i})})
	}
}

// curvatureOf is the curvature along one atom. z is work space for its predictions.
func curvatureOf(p *view.Problem, s *gcg.State, z []float64, a gcg.Atom) float64 {
	p.ApplyAtoms(z, []gcg.Atom{a}, []float64{1})
	hessian.Centred(p, z)
	return p.CurvatureAlong(s, z)
}

// observedCurvatures are c·Σ over observed (r, s) of (u_r v_s)² for each pair of columns u and v.
func observedCurvatures(op hessian.DiagonalOperator, u, v *gcg.Factor, c float64) func(i int) float64 {
	u2, v2, du := factor.SquaredEntries(u), factor.SquaredEntries(v), factor.Blank(u)
	defer gcg.Repay(u2, v2, du)
	op.DiagonalTo(du, nil, u2, v2)
	h := make([]float64, u.K)
	for r := range u2.Rows {
		a, b := u2.Row(r), du.Row(r)
		for i := range h {
			h[i] += c * a[i] * b[i]
		}
	}
	return func(i int) float64 { return h[i] }
}

// separableCurvatures are (uᵀLu)(vᵀRv) for each pair of columns.
func separableCurvatures(p *view.Problem, s *gcg.State, u, v *gcg.Factor) func(i int) float64 {
	weights := p.HessDiagonal(s)
	defer memory.Repay(weights)
	gram, l, r := p.Kronecker.Kronecker(weights, p.Intercept)
	left, right := weighted(gram, l, u), weighted(nil, r, v)
	return func(i int) float64 { return left[i] * right[i] }
}

// sparseCurvatures are those along sparse atoms, Σ over their columns c of (a_cᵀ L a_c) R_cc.
func sparseCurvatures(p *view.Problem, s *gcg.State, atoms []gcg.Atom) func(i int) float64 {
	weights := p.HessDiagonal(s)
	defer memory.Repay(weights)
	gram, l, r := p.Kronecker.Kronecker(weights, p.Intercept)
	return func(i int) (sum float64) {
		a := &atoms[i]
		for e, x := range a.Vals {
			j, c := a.Rows[e], a.Cols[e]
			if gram == nil {
				sum += x * x * l[j] * r[c]
				continue
			}
			for f, y := range a.Vals {
				if a.Cols[f] == c {
					sum += x * y * gram.Row(int(j))[a.Rows[f]] * r[c]
				}
			}
		}
		return sum
	}
}

// weighted is uᵀKu for every column u of F, with K the matrix gram or, where that is nil, the diagonal diag.
func weighted(gram *gcg.Factor, diag []float64, f *gcg.Factor) []float64 {
	w := f
	if gram != nil {
		k := *gram
		k.Rows, k.Data = f.Rows, gram.Data[:f.Rows*gram.Stride]
		w = gcg.TMul(&k, f)
	}
	sums := make([]float64, f.K)
	for i := range f.Rows {
		d := 1.0
		if gram == nil {
			d = diag[i]
		}
		a, b := f.Row(i), w.Row(i)
		for c := range sums {
			sums[c] += d * a[c] * b[c]
		}
	}
	return sums
}
