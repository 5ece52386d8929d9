package linalg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// implicitQL turns the tridiagonal matrix with diagonal d and off-diagonal e (n-1) into its eigenvalues, in d and in no order, and
// multiplies the rows z by the transpose of its eigenvectors [Wilkinson and Reinsch 1971, II/4]: row i belongs to d[i] then. Rows are
// rotated in vectors, which a transformation of columns cannot be. It is not ok if a value takes more than 50 steps.
func implicitQL(d, e []float64, z [][]float64) (ok bool) {
	e = append(append([]float64(nil), e...), 0)
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
			chase(d, e, z, l, m)
		}
	}
	return true
}

// chase is one step with Wilkinson's shift on the block l … m.
func chase(d, e []float64, z [][]float64, l, m int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], c*e[i]
		r := math.Hypot(f, g)
		e[i+1] = r
		if r == 0 { // the block falls apart
			d[i+1] -= p
			e[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = (d[i]-g)*s + 2*c*b
		p = s * r
		d[i+1] = g + p
		g = c*r - b
		z[i], z[i+1] = turn(z[i], z[i+1], c, s)
	}
	d[l] -= p
	e[l], e[m] = g, 0
}

// turn is (c·x - s·y, s·x + c·y), in the memory of x and y and by whichever of two ways divides by the larger of c and s.
func turn(x, y []float64, c, s float64) (u, v []float64) {
	if math.Abs(c) >= math.Abs(s) {
		t := s / c
		kernel.Axpy(-t, y, x)
		kernel.Scale(c, x)
		kernel.Scale(1/c, y)
		kernel.Axpy(t, x, y)
		return x, y
	}
	t := c / s
	kernel.Axpy(t, y, x)
	kernel.Scale(s, x)
	kernel.Scale(-1/s, y)
	kernel.Axpy(t, x, y)
	return y, x
}
