package kernel

func packRowPlain[T Real](p, v, none []T, k, dims int, cols []int32) int {
	for e := range RidgeEntries(len(cols)) {
		row := none
		if e < len(cols) {
			var ok bool
			if row, ok = rowOf(v, k, cols[e]); !ok {
				return e
			}
		}
		to := p[e/RidgeBlock*RidgeBlock*dims+e%RidgeBlock:]
		for c, x := range row[:dims] {
			to[c*RidgeBlock] = x
		}
	}
	return len(cols)
}

func ridgeRowPlain[T Real](u, p, x, mean, work []T, k int, entries, ridge, part T, steps int) (square, gain float64) {
	s := (k + 7) &^ 7
	g, m, d, h := work[:s], work[s:2*s], work[2*s:3*s], work[3*s:4*s] // -gradient, inverse diagonal, direction, Hessian times it
	for c := range g {
		g[c] = -ridge * u[c]
		m[c] = 1 / (ridge + entries*mean[c])
	}
	blocks := func(f func(rows []T, e int)) { // rows[c·RidgeBlock] is coordinate c of entry e
		for e := range x {
			f(p[e/RidgeBlock*RidgeBlock*k+e%RidgeBlock:], e)
		}
	}
	along := func(row, d []T) (z T) {
		for c, y := range d[:k] {
			z += y * row[c*RidgeBlock]
		}
		return z
	}
	addTo := func(h []T, a T, row []T) {
		for c := range h[:k] {
			h[c] += a * row[c*RidgeBlock]
		}
	}
	blocks(func(row []T, e int) {
		r := x[e] - along(row, u)
		square += float64(r) * float64(r)
		addTo(g, r, row)
	})
	clear(d)
	beta := T(0)
	old := preconditioned(g, m)
	enough := part * old
	for left := steps; left > 0 && old > enough; left-- {
		for c := range d {
			d[c] = m[c]*g[c] + beta*d[c]
			h[c] = ridge * d[c]
		}
		curve := T(0)
		if left > 1 {
			blocks(func(row []T, _ int) { addTo(h, along(row, d), row) })
		} else { // nothing is asked of the gradient after the last step: its curvature ‖P d‖² + dᵀh, h = ridge d, will do
			blocks(func(row []T, _ int) { z := along(row, d); curve += z * z })
		}
		curve += inner(d, h)
		if !(curve > 0) {
			break
		}
		alpha := old / curve
		gain += float64(alpha * old)
		add(u, alpha, d)
		if left == 1 {
			break
		}
		add(g, -alpha, h)
		next := preconditioned(g, m)
		beta, old = next/old, next
	}
	return square, gain / 2
}

// preconditioned is gᵀ diag(m) g.
func preconditioned[T Real](g, m []T) (s T) {
	for c, x := range g {
		s += x * x * m[c]
	}
	return s
}
