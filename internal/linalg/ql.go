package linalg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// implicitQL turns the tridiagonal matrix with diagonal d and off-diagonal e into its eigenvalues, in d and in no order, and multiplies
// z, n rows of k entries, by the transpose of its eigenvectors [Wilkinson and Reinsch 1971, II/4]: row i belongs to d[i] then. z may be
// empty. It is not ok if a value takes more than 50 steps.
func implicitQL(d, e, z []float64, k int) (ok bool) {
	c, s := make([]float64, len(d)), make([]float64, len(d))
	for l := range d {
		for steps := 0; ; steps++ {
			m := l
			for m < len(d)-1 && math.Abs(e[m]) > 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1])) {
				m++
			}
			if m == l {
				break
			}
			if steps == 50 {
				return false
			}
			from := chase(d, e, c, s, l, m)
			if k > 0 {
				kernel.Rotate(z[from*k:], k, c[from:m], s[from:m])
			}
		}
	}
	return true
}

// chase is one step with Wilkinson's shift on the block l … m; c and s are the rotations of i and i+1 for from ≤ i < m.
func chase(d, e, c, s []float64, l, m int) (from int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	sine, cosine, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := sine*e[i], cosine*e[i]
		r := math.Sqrt(f*f + g*g)
		if !(r > 1e-140 && r < 1e140) { // squares were out of range
			r = math.Hypot(f, g)
		}
		e[i+1] = r
		if r == 0 { // the block falls apart
			d[i+1] -= p
			e[m] = 0
			return i + 1
		}
		sine, cosine = f/r, g/r
		c[i], s[i] = cosine, sine
		g = d[i+1] - p
		r = (d[i]-g)*sine + 2*cosine*b
		p = sine * r
		d[i+1] = g + p
		g = cosine*r - b
	}
	d[l] -= p
	e[l], e[m] = g, 0
	return l
}
