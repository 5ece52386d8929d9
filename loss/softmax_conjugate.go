package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// offSimplex is how far from 1 rounding may put the sum of a point of the simplex; more means that r is not Eval's.
const offSimplex = 1e-9

// Conjugate of the block at p = -s r is c Σᵢ ωᵢ Σₗ q_il log q_il, with qᵢ = pᵢ/(cωᵢ) + e_yᵢ in the simplex, +Inf
// elsewhere. An element of q a few roundings below 0 counts as 0.
func (l *Softmax) Conjugate(lo int, r []float64, s float64) float64 {
	return l.ConjugateAlong(lo, r)(s)
}

// ConjugateAlong takes the logarithms once: q = e_y - s r/(cω) has Σ over l ≠ y of q log q = s (A log s + B).
func (l *Softmax) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	row, count := l.rows(lo, len(r))
	c := scale(l.Mean, len(l.Labels))
	rows := make([]dualRow, count)
	for i := range rows {
		ri := r[i*l.Classes : (i+1)*l.Classes]
		w := c * weight(l.Omega, row+i)
		if w == 0 {
			rows[i] = dualRow{off: kernel.SumSq(ri) != 0}
			continue
		}
		rows[i] = newDualRow(ri, int(l.Labels[row+i]), w)
	}
	return func(s float64) float64 {
		var value float64
		for _, d := range rows {
			value += d.negentropy(s)
		}
		return value
	}
}

// A dualRow is what the conjugate needs of a row. With π_l = -r_l/w > 0 of the classes other than y it has r_y/w, A = Σ π, B = Σ
// π log π, and the largest r_l/w of these classes.
type dualRow struct {
	w, lost, a, b, largest float64
	off                    bool // a row without weight that is not 0
}

func newDualRow(r []float64, y int, w float64) dualRow {
	d := dualRow{w: w, lost: r[y] / w, largest: math.Inf(-1)}
	d.a, d.b = kernel.PositiveEntropy(r, -1/w)
	if p := -d.lost; p > 0 {
		d.a -= p
		d.b -= p * math.Log(p)
	}
	for k, x := range r {
		if !(x <= d.largest) && k != y { // also where it is not a number
			d.largest = x
		}
	}
	d.largest /= w
	return d
}

// negentropy is w Σ q log q. Where a row is classified well q_y is 1 less something small, which log1p keeps.
func (d *dualRow) negentropy(s float64) float64 {
	if d.w == 0 {
		if d.off && s != 0 {
			return math.Inf(1)
		}
		return 0
	}
	own := 1 - s*d.lost
	if !(own >= -domainRounding) || !(s*d.largest <= domainRounding) {
		return math.Inf(1)
	}
	var value float64
	if own > 0 {
		value = own * math.Log1p(-s*d.lost)
	}
	if s > 0 {
		value += s * (d.a*math.Log(s) + d.b)
	}
	if !(math.Abs(math.Max(own, 0)+s*d.a-1) <= offSimplex) {
		return math.Inf(1)
	}
	return d.w * value
}
