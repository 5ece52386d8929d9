package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// PSDTrace is the trace on the cone of symmetric positive semidefinite n×n matrices, +Inf elsewhere.
//
//	atoms  u uᵀ, ‖u‖₂ = 1
//	polar  κ°(G) = max(0, λ₁((G + Gᵀ)/2))
//
// Where λ₁ is negative, the supremum 0 is attained by W = 0, which is no atom: Polar returns the best atom with the value that
// it attains, which is negative, and the bound 0.
type PSDTrace struct {
	// Steps is the most Lanczos steps of one polar; 0 means 200.
	Steps int
	// Failure is the probability that a certified bound may fail; 0 means 1e-9.
	Failure float64
}

// Name is psd-trace.
func (PSDTrace) Name() string { return "psd-trace" }

// Polar finds the algebraically largest eigenpairs of (G + Gᵀ)/2, as for Spectrahedron. It refuses a G that is not square.
func (k PSDTrace) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	if m, n := g.Dims(); m != n {
		return gcg.Polar{}, notSquare(k.Name(), m, n)
	}
	p, err := Spectrahedron(k).Polar(ctx, g, ask)
	p.Bound = math.Max(p.Bound, 0)
	return p, err
}

// Of is tr W, or +Inf where W is not symmetric or has an eigenvalue below -1e-10 times the largest.
func (PSDTrace) Of(w []float64, m, n int) float64 {
	scale := linalg.MaxAbs(w[:m*n])
	if m != n {
		return math.Inf(1)
	}
	if scale == 0 {
		return 0
	}
	s := mat.NewSymDense(n, nil)
	var trace float64
	for i := range n {
		trace += w[i*n+i]
		for j := range i + 1 {
			if math.Abs(w[i*n+j]-w[j*n+i]) > rounding.Decomposed*scale {
				return math.Inf(1)
			}
			s.SetSym(i, j, w[i*n+j]/scale)
		}
	}
	values, _ := linalg.SymEigen(s, false)
	if values[0] < -rounding.Decomposed*math.Max(values[n-1], 1) {
		return math.Inf(1)
	}
	return trace
}

// ProxTo replaces the eigenvalues λ of (W + Wᵀ)/2 by max(λ - t, 0), in dst, which may be w. It returns κ(dst), and panics where W
// is not square.
func (k PSDTrace) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	return k.ProxAlong(w, m, n)(dst, t)
}

// ProxAlong is (dst, t) ↦ ProxTo(dst, w, m, n, t), with one decomposition of (W + Wᵀ)/2 for all t.
func (PSDTrace) ProxAlong(w []float64, m, n int) func(dst []float64, t float64) float64 {
	if m != n {
		panic(notSquare("psd-trace", m, n))
	}
	values, q := symmetricPart(w, n)
	return func(dst []float64, t float64) (rho float64) {
		kept := make([]float64, n)
		for c, v := range values {
			kept[c] = math.Max(v-t, 0)
			rho += kept[c]
		}
		var left mat.Dense
		left.Mul(q, mat.NewDiagDense(n, kept))
		mat.NewDense(n, n, dst[:n*n]).Mul(&left, q.T())
		return rho
	}
}

// Split is Σ λ q qᵀ over the eigenvalues λ of (W + Wᵀ)/2 that are above rounding. Negative ones are dropped.
func (PSDTrace) Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64) {
	values, q := symmetricPart(w, n)
	from := 0
	for from < n && !(values[from] > float64(n)*linalg.Epsilon*values[n-1]) {
		from++
	}
	atoms = &gcg.Iterate{M: n, N: n}
	if from == n {
		return atoms, 0
	}
	atoms.U = gcg.NewFactor(n, n-from)
	for c, v := range values[from:] {
		atoms.U.SetColumn(c, mat.Col(nil, from+c, q), math.Sqrt(v))
		rho += v
	}
	atoms.V = atoms.U.Clone()
	return atoms, rho
}

// symmetricPart is the eigendecomposition (W + Wᵀ)/2 = Q diag(values) Qᵀ, values ascending, for entries of any scale.
func symmetricPart(w []float64, n int) (values []float64, q *mat.Dense) {
	scale := linalg.MaxAbs(w[:n*n])
	if scale == 0 {
		scale = 1
	}
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, (w[i*n+j]/scale+w[j*n+i]/scale)/2)
		}
	}
	values, q = linalg.SymEigen(s, true)
	for c := range values {
		values[c] *= scale
	}
	return values, q
}

// notSquare is the error for an m×n matrix.
func notSquare(gauge string, m, n int) error {
	return fmt.Errorf("gauge: %s is for square matrices, this one is %d×%d", gauge, m, n)
}
