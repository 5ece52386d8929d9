package views

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A rotated is W = U Vᵀ with V = B T, B orthonormal, and U_i = O_iR_i for the rows of each view. D_ηW has the
// singular values of D_η[R₁; R₂] Tᵀ.
type rotated struct {
	views []block
	r     *gcg.Factor // [R₁; R₂]
	basis *gcg.Factor // B, an orthonormal basis of V
	t     *gcg.Factor // T with V = B T
	ends  []int       // of the rows of each R_i
}

// rotate takes the large factors off W, once for all η.
func rotate(u, v *gcg.Factor, views []block) *rotated {
	d := &rotated{views: views}
	d.basis, d.t = gcg.Orthonormal(v, basisDrop)
	d.t = trimmed(d.t, d.basis.K)
	d.r = gcg.NewFactor(0, u.K)
	for _, b := range views {
		part := reduced(rowsOf(u, b))
		d.r.Rows += part.Rows
		d.r.Data = append(d.r.Data, part.Data...)
		d.ends = append(d.ends, d.r.Rows)
	}
	return d
}

// rowsOf are the rows of a factor that belong to a view.
func rowsOf(u *gcg.Factor, b block) *gcg.Factor {
	f := *u
	f.Rows, f.Data = b.hi-b.lo, u.Data[b.lo*u.Stride:b.hi*u.Stride]
	return &f
}

// reduced is R with RᵀR = UᵀU, or U itself where it has no more rows.
func reduced(u *gcg.Factor) *gcg.Factor {
	if u.Rows <= u.K {
		return u
	}
	q, c := gcg.Orthonormal(u, basisDrop)
	return trimmed(c, q.K)
}

// trimmed is the first rows of a small matrix.
func trimmed(c *gcg.Factor, rows int) *gcg.Factor {
	f := *c
	f.Rows, f.Data = rows, c.Data[:rows*c.Stride]
	return &f
}

// A balanced is D_τW = P S Qᵀ at one τ.
type balanced struct {
	tau   []float64 // η and 1-η for two views
	x     float64   // log(η/(1-η))
	sum   float64   // Σ s
	s     []float64
	q     *gcg.Factor // in the basis of V
	basis *gcg.Factor
	norms []float64 // ‖A_i‖²/r_i² for A = W Q S^-½: the shares of the views in Σ s, over τ_i
}

// at decomposes D_τW; it is nil for W = 0.
func (d *rotated) at(tau []float64) *balanced {
	f := d.r.Clone()
	view := 0
	for i := range f.Rows {
		for i >= d.ends[view] {
			view++
		}
		kernel.Scale(math.Sqrt(tau[view])/d.views[view].r, f.Row(i))
	}
	p, s, q := gcg.SVD(f, d.t, nullDirection)
	if len(s) == 0 {
		return nil
	}
	b := &balanced{tau: tau, s: s, q: q, basis: d.basis, norms: make([]float64, len(tau))}
	for _, sc := range s {
		b.sum += sc
	}
	view = 0
	for i := range p.Rows {
		for i >= d.ends[view] {
			view++
		}
		for c, y := range p.Row(i)[:p.K] {
			b.norms[view] += y * y * s[c] / tau[view]
		}
	}
	return b
}

// nullDirection is the part of the largest singular value below which others are dropped.
const nullDirection = rounding.Number

// bound is √(max ‖A_i‖²/r_i² · ‖V‖²) ≥ κ(W): ½(· + ·) at the best scale of the factors.
func (b *balanced) bound() float64 {
	return math.Sqrt(slices.Max(b.norms)) * math.Sqrt(b.sum)
}

// excess, of two views, has the sign of the derivative by η, (‖A‖²/β² - ‖B‖²/γ²)/2.
func (b *balanced) excess() float64 {
	switch {
	case b.norms[0] == b.norms[1]:
		return 0
	case b.norms[0] == 0:
		return math.Inf(-1)
	case b.norms[1] == 0:
		return math.Inf(1)
	}
	return math.Log(b.norms[0]) - math.Log(b.norms[1])
}

// ahead is the next x. At the best one the excess is 0: a secant of the two sides, once there are both; before, the shares of the
// views in Σ s.
func (b *balanced) ahead(below, above *balanced) float64 {
	if below == nil || above == nil {
		return b.x + b.excess()
	}
	e, f := below.excess(), above.excess()
	if t := e / (e - f); t > 0 && t < 1 {
		return below.x + t*(above.x-below.x)
	}
	return math.NaN()
}

// combined is the bound of κ from the factors of both sides, in the proportion that balances the views:
//
//	[√t·A₁ √(1-t)·A₂] [√t·V₁ √(1-t)·V₂]ᵀ = W
func combined(below, above *balanced) float64 {
	d, e := below.norms[0]-below.norms[1], above.norms[0]-above.norms[1] // positive and not
	if math.IsInf(d, 0) || math.IsInf(e, 0) || !(d-e > 0) {
		return math.Inf(1)
	}
	t := -e / (d - e)
	size := math.Max(t*below.norms[0]+(1-t)*above.norms[0], t*below.norms[1]+(1-t)*above.norms[1])
	return math.Sqrt(size) * math.Sqrt(t*below.sum+(1-t)*above.sum)
}
