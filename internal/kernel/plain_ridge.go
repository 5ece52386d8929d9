package kernel

func packRowPlain[T Real](p, v []T, k int, cols []int32) int {
	for e, j := range cols {
		vj, ok := rowOf(v, k, j)
		if !ok {
			return e
		}
		copy(p[e*k:e*k+k], vj)
	}
	return len(cols)
}

func ridgeRowPlain[T Real](u, p, x, mean, work []T, k int, entries, ridge, part T, steps int) (square, gain float64) {
	g, m, d, h := work[:k], work[k:2*k], work[2*k:3*k], work[3*k:4*k] // -gradient, inverse diagonal, direction, Hessian times it
	for c := range g {
		g[c] = -ridge * u[c]
		m[c] = 1 / (ridge + entries*mean[c])
	}
	for e, y := range x {
		row := p[e*k : e*k+k]
		r := y - inner(u, row)
		square += float64(r) * float64(r)
		add(g, r, row)
	}
	clear(d)
	beta := T(0)
	old := preconditioned(g, m)
	enough := part * old
	for range steps {
		if !(old > enough) {
			break
		}
		for c := range d {
			d[c] = m[c]*g[c] + beta*d[c]
			h[c] = ridge * d[c]
		}
		for e := range x {
			row := p[e*k : e*k+k]
			add(h, inner(d, row), row)
		}
		curve := inner(d, h)
		if !(curve > 0) {
			break
		}
		alpha := old / curve
		gain += float64(alpha * old)
		add(u, alpha, d)
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
