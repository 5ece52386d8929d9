package multiview

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A rotated is W = U Vᵀ with V = B T, B orthonormal, and U_i = O_iR_i for the rows of each view. D_ηW has the
// singular values of D_η[R₁; R₂] Tᵀ.
type rotated struct {
	views []block
	r     *gcg.Factor // [R₁; R₂]
	basis *gcg.Factor // B, an orthonormal basis of V
	t     *gcg.Factor // T with V = B T
	cut   int         // rows of R₁
}

// rotate takes the large factors off W, once for all η.
func rotate(u, v *gcg.Factor, views []block) *rotated {
	d := &rotated{views: views}
	d.basis, d.t = gcg.Orthonormal(v, basisDrop)
	d.t = trimmed(d.t, d.basis.K)
	var parts []*gcg.Factor
	for _, b := range views {
		parts = append(parts, reduced(rowsOf(u, b)))
	}
	d.cut = parts[0].Rows
	d.r = gcg.NewFactor(parts[0].Rows+parts[1].Rows, u.K)
	copy(d.r.Data, parts[0].Data)
	copy(d.r.Data[len(parts[0].Data):], parts[1].Data)
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

// A balanced is D_ηW = P S Qᵀ at one η.
type balanced struct {
	eta   float64
	x     float64 // log(η/(1-η))
	sum   float64 // Σ s
	s     []float64
	q     *gcg.Factor // in the basis of V
	basis *gcg.Factor
	norms [2]float64 // ‖A‖²/β² and ‖B‖²/γ² for [A; B] = W Q S^-½: the shares of the views in Σ s, over η and 1-η
}

// at decomposes D_ηW; it is nil for W = 0.
func (d *rotated) at(x float64) *balanced {
	eta, rest := shares(x)
	f := d.r.Clone()
	for i := range f.Rows {
		w := math.Sqrt(eta) / d.views[0].r
		if i >= d.cut {
			w = math.Sqrt(rest) / d.views[1].r
		}
		for c := range f.Row(i) {
			f.Row(i)[c] *= w
		}
	}
	p, s, q := gcg.SVD(f, d.t, nullDirection)
	if len(s) == 0 {
		return nil
	}
	b := &balanced{eta: eta, x: x, s: s, q: q, basis: d.basis}
	for _, sc := range s {
		b.sum += sc
	}
	for i := range p.Rows {
		view, share := 0, eta
		if i >= d.cut {
			view, share = 1, rest
		}
		for c, y := range p.Row(i)[:p.K] {
			b.norms[view] += y * y * s[c] / share
		}
	}
	return b
}

// nullDirection is the part of the largest singular value below which others are dropped.
const nullDirection = 1e-15

// bound is √(max(‖A‖²/β², ‖B‖²/γ²) ‖V‖²) ≥ κ(W): ½(· + ·) at the best scale of the factors.
func (b *balanced) bound() float64 {
	return math.Sqrt(math.Max(b.norms[0], b.norms[1])) * math.Sqrt(b.sum)
}

// excess has the sign of the derivative by η, (‖A‖²/β² - ‖B‖²/γ²)/2.
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
