package kernel

// leastNormal is the least float32 of full precision. Below it a gradient is 0 as far as u can tell, and the quotients that steps
// are made of are of a few bits: directions grew without end.
const leastNormal = 0x1p-126

func beginRowsPlain(u, g, d, h, mean []float32, k int, counts, ridge, old []float32) {
	for i, r := range ridge {
		u, g, d, h := u[i*k:][:k], g[i*k:][:k], d[i*k:][:k], h[i*k:][:k]
		var sum float32
		for c, x := range mean[:k] {
			g[c] -= r * u[c]
			d[c] = g[c] / (r + counts[i]*x)
			h[c] = r * d[c]
			sum += g[c] * d[c]
		}
		old[i] = sum
	}
}

func stepRowsPlain(u, g, d, h, mean []float32, k int, counts, ridge, old []float32) (gain float64) {
	for i, r := range ridge {
		u, g, d, h := u[i*k:][:k], g[i*k:][:k], d[i*k:][:k], h[i*k:][:k]
		curve := inner(d, h)
		if !(old[i] > leastNormal && curve > leastNormal) {
			continue
		}
		alpha := old[i] / curve
		gain += float64(alpha * old[i])
		add(u, alpha, d)
		add(g, -alpha, h)
		var next float32
		for c, x := range mean[:k] {
			h[c] = g[c] / (r + counts[i]*x)
			next += g[c] * h[c]
		}
		beta := next / old[i]
		old[i] = next
		for c, x := range h {
			d[c] = x + beta*d[c]
			h[c] = r * d[c]
		}
	}
	return gain / 2
}

func lastRowsPlain(u, d, h []float32, k int, ridge, old, squares []float32) (gain float64) {
	for i := range ridge {
		d := d[i*k:][:k]
		curve := squares[i] + inner(d, h[i*k:][:k])
		if !(old[i] > leastNormal && curve > leastNormal) {
			continue
		}
		alpha := old[i] / curve
		gain += float64(alpha * old[i])
		add(u[i*k:][:k], alpha, d)
	}
	return gain / 2
}
