package linalg

import "math"

// implicitQL turns the tridiagonal matrix with diagonal d and off-diagonal e into its eigenvalues, in d and in no order. It
// multiplies z, of len(d) rows, by the transpose of its eigenvectors, so that row i of z belongs to d[i] [Wilkinson and Reinsch
// 1971, II/4]. z may be empty. An off-diagonal entry counts as 0 where it is rounding beside its neighbours on the diagonal or,
// after 10 steps, beside the largest entry. It reports false if a value takes more than 50 steps.
func implicitQL(d, e []float64, z []panel) (ok bool) {
	const rounding, patience = 0x1p-53, 10
	whole := rounding * math.Max(MaxAbs(d), MaxAbs(e))
	wait := newRotations(len(d))
	defer wait.repay()
	for l := range d {
		for steps := 0; ; steps++ {
			m, floor := l, 0.0
			if steps >= patience {
				floor = whole
			}
			for m < len(d)-1 && math.Abs(e[m]) > rounding*(math.Abs(d[m])+math.Abs(d[m+1])) && math.Abs(e[m]) > floor {
				m++
			}
			if m == l {
				break
			}
			if steps == 50 {
				return false
			}
			c, s := wait.room(m-l, z)
			from := chase(d, e, c, s, l, m)
			wait.runs = append(wait.runs, run{from, c[from-l:], s[from-l:]})
		}
	}
	wait.apply(z)
	return true
}

// chase is one step with Wilkinson's shift on the block of rows l … m. c and s, which count from l, become the rotations of
// rows i and i+1 for from ≤ i < m. A step takes as long as the chain of operations that lead from one rotation to the next;
// the squares of the sines are carried along so that this chain has one division and no root.
func chase(d, e, c, s []float64, l, m int) (from int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	g = d[m] - d[l] + e[l]/(g+math.Copysign(math.Hypot(g, 1), g))
	sine, cosine, square, p := 1.0, 1.0, 1.0, 0.0 // square is sine²
	for i := m - 1; i >= l; i-- {
		f, b := sine*e[i], cosine*e[i]
		sum := square*(e[i]*e[i]) + g*g
		r, inverse := math.Sqrt(sum), 1/sum
		e[i+1] = r
		if !(r > 1e-100 && r < 1e100) { // squares may have left the range of numbers
			if r = math.Hypot(f, g); r == 0 { // the block falls apart
				d[i+1] -= p
				e[i+1], e[m] = 0, 0
				return i + 1
			}
			e[i+1] = r
			f, g, r, inverse = f/r, g/r, 1, 1
		}
		h := d[i+1] - p
		x := (d[i]-h)*f + 2*g*b
		p = f * x * inverse
		d[i+1] = h + p
		square = f * f * inverse
		sine, cosine = f/r, g/r
		c[i-l], s[i-l] = cosine, sine
		g = g*x*inverse - b
	}
	d[l] -= p
	e[l], e[m] = g, 0
	return l
}
