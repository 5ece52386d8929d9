package spectral

import (
	"github.com/seed-b18ef778/gcg"
)

// A complement is D = (I-PPᵀ) G (I-QQᵀ) of a structure (m×n), less the singular pairs that were cut out of it.
type complement struct {
	*structure
	dim        int           // dimension of the space of x where D x can be other than 0
	outL, outR []*gcg.Factor // left (m×·) and right vectors (n×·) of the pairs that were cut out, orthonormal
}

// complement is D with no pairs cut out.
func (s *structure) complement() *complement {
	d := &complement{structure: s, dim: s.n}
	if s.q != nil {
		d.dim -= s.q.K
	}
	return d
}

// without is D with the pairs x (m×d) and y (n×d) cut out too.
func (d *complement) without(x, y *gcg.Factor) *complement {
	c := *d
	c.outL, c.outR = append([]*gcg.Factor{x}, d.outL...), append([]*gcg.Factor{y}, d.outR...)
	c.dim -= y.K
	return &c
}

// mul is D y (m×k), for y (n×k) in the complement.
func (d *complement) mul(y *gcg.Factor) *gcg.Factor {
	z := gcg.Like[float64](d.structure.left, y.K)
	d.pairlessTo(z, y)
	if d.p != nil {
		z.Project(d.p)
	}
	return z
}

// pairlessTo writes G y into z (m×k), less its parts along the pairs that were cut out. It keeps what G y has in the span of
// P.
func (d *complement) pairlessTo(z, y *gcg.Factor) {
	gcg.MulBlock(d.g, z, y)
	for _, out := range d.outL {
		z.Project(out)
	}
}

// gramTo writes DᵀD y into w (n×k), for y (n×k) in the complement; z (m×k) is work space. The part of z = G y in the span of P is
// taken out after the product with Gᵀ, on the shorter side. It is F Fᵀy there, since PᵀG y = Fᵀy; what GᵀP has along Q is
// projected away by right.
func (d *complement) gramTo(w, z, y *gcg.Factor) {
	d.pairlessTo(z, y)
	gcg.TMulBlock(d.g, w, z)
	if d.f != nil {
		c := gcg.TMul(d.f, y)
		c.Scale(-1)
		w.AddMul(d.f, c)
	}
	d.right(w)
}

// right projects w (n×k) on the complement: what is left is orthogonal to Q and to the right vectors of the pairs.
func (d *complement) right(w *gcg.Factor) {
	for _, out := range d.outR {
		w.Project(out)
	}
	if d.q != nil {
		w.Project(d.q)
	}
}
