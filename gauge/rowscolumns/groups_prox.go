package rowscolumns

// ProxTo is argmin over X of ½‖X - W‖² + tκ(X): for one group after the other the projection of W less the parts of the other
// groups on the ℓ1 ball of radius t w_g, small groups first, until the gap tκ(X) - ⟨X, W - X⟩ is closed. For groups of a tree it
// is after one pass [Jenatton, Mairal, Obozinski, Bach 2011].
func (k *Groups) ProxTo(dst, w []float64, m, n int, t float64) (rho float64) {
	return atUnit(dst, w[:m*n], t, func(dst, y []float64, t float64) float64 { return k.prox(dst, y, m, n, t) })
}

// prox is ProxTo, which leaves y alone.
func (k *Groups) prox(dst, y []float64, m, n int, t float64) (rho float64) {
	x := append([]float64(nil), y...)
	parts, levels := make([][]float64, len(k.index)), make([]float64, len(k.index))
	for g, entries := range k.index {
		parts[g] = make([]float64, len(entries))
	}
	pass := func() {
		for _, g := range k.order {
			k.project(x, parts[g], g, t, &levels[g])
		}
	}
	of := func(x []float64) float64 { return k.Of(x, m, n) }
	rho = untilClosed(x, y, t, proxTol, pass, of, func() bool { return k.vanishes(y, t) })
	copy(dst, x)
	return rho
}

// project takes out of x what group g is to have, in place of what it had.
func (k *Groups) project(x, part []float64, g int, t float64, level *float64) {
	line := make([]float64, len(part))
	for p, e := range k.index[g] {
		line[p] = x[e] + part[p]
	}
	*level = rowLevel(line, t*k.weight(g), *level)
	for p, e := range k.index[g] {
		x[e] = clip(line[p], *level)
		part[p] = line[p] - x[e]
	}
}

// vanishes reports whether κ°(W) ≤ t.
func (k *Groups) vanishes(w []float64, t float64) bool {
	f := k.newFlow(w)
	for f.bound() > t && f.tau <= t {
		for f.search() {
			f.push()
		}
		if f.bound() <= f.tau*(1+closed) || !f.take(f.reached()) {
			break
		}
	}
	return f.bound() <= t*(1+closed)
}
