package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// offSimplex is how far from 1 rounding may put the sum of a point of the simplex; more means that r is not Eval's.
const offSimplex = 1e-9

// Conjugate of the block at p = -s r is c Σᵢ ωᵢ Σₗ q_il log q_il, with qᵢ = pᵢ/(cωᵢ) + e_yᵢ in the simplex, +Inf
// elsewhere. An element of q down to -1e-12 is rounding and counts as 0.
func (l *Softmax) Conjugate(lo int, r []float64, s float64) float64 {
	row, count := l.rows(lo, len(r))
	c := scale(l.Mean, len(l.Labels))
	var value float64
	for i := range count {
		ri := r[i*l.Classes : (i+1)*l.Classes]
		w := c * weight(l.Omega, row+i)
		if w == 0 {
			if s != 0 && kernel.SumSq(ri) != 0 {
				return math.Inf(1)
			}
			continue
		}
		value += w * negentropy(ri, int(l.Labels[row+i]), s/w)
	}
	return value
}

// negentropy is Σ q log q of q = e_y - f r. Where a row is classified well q_y is 1 less something small, which log1p keeps.
func negentropy(r []float64, y int, f float64) float64 {
	lost := f * r[y]
	own := 1 - lost
	if !(own >= -slack) {
		return math.Inf(1)
	}
	var value float64
	if own > 0 {
		value = own * math.Log1p(-lost)
	}
	all := math.Max(own, 0)
	for k, x := range r {
		if k == y {
			continue
		}
		q := -f * x
		if !(q >= -slack) {
			return math.Inf(1)
		}
		if q > 0 {
			value += q * math.Log(q)
			all += q
		}
	}
	if !(math.Abs(all-1) <= offSimplex) {
		return math.Inf(1)
	}
	return value
}
