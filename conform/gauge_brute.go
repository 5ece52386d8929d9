package conform

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// An evaluator knows κ at a dense row-major matrix: +Inf where no atoms make it, NaN where no closed form is known.
type evaluator interface {
	Of(w []float64, m, n int) float64
}

// brute looks for matrices of gauge at most 1 that beat the bound.
func (c *gaugeCheck) brute(g gcg.Map, p gcg.Polar) {
	m, n := g.Dims()
	dense, scale := matrixOf(g), c.scale(g, p)
	excess, heavy := 0.0, 0.0
	e, evaluates := c.k.(evaluator)
	sum, total := Matrix{m, n, make([]float64, m*n)}, 0.0
	for _, w := range c.others(m, n) {
		q := c.polar(w, 2)
		for i := range q.Atoms {
			a := Matrix{m, n, make([]float64, m*n)}
			a.addAtom(&q.Atoms[i], 1)
			excess = math.Max(excess, (dot(a.Data, dense.Data)-p.Bound)/scale)
			weight := c.rng.Float64()
			sum.addAtom(&q.Atoms[i], weight)
			total += weight
			if evaluates {
				heavy = math.Max(heavy, e.Of(a.Data, m, n)-1)
				heavy = math.Max(heavy, e.Of(sum.Data, m, n)/total-1)
			}
		}
	}
	c.add("polar: no atom of another map beats the bound", excess, 1e-12)
	if !evaluates || math.IsNaN(e.Of(dense.Data, m, n)) {
		return
	}
	c.add("gauge: κ(Σ wᵢ aᵢ) ≤ Σ wᵢ", heavy, 1e-10)
	c.duality(e, dense, p, sum)
}

// others are maps whose atoms are tried: random, sparse and of rank one. Where they are few, every map of signs and zeros is
// among them; the best ones for gauges made of signs are among these.
func (c *gaugeCheck) others(m, n int) []Matrix {
	var all []Matrix
	for range 12 {
		sparse := normals(c.rng, m*n)
		for e := range sparse {
			if c.rng.IntN(4) > 0 {
				sparse[e] = 0
			}
		}
		all = append(all, Matrix{m, n, normals(c.rng, m*n)}, Matrix{m, n, sparse},
			Matrix{m, n, outer(normals(c.rng, m), normals(c.rng, n))})
	}
	if m*n > 5 {
		return all
	}
	for code := range int(math.Pow(3, float64(m*n))) {
		w := make([]float64, m*n)
		for e := range w {
			w[e] = float64(code%3 - 1)
			code /= 3
		}
		all = append(all, Matrix{m, n, w})
	}
	return all
}

// duality checks ⟨W, G⟩ ≤ κ(W)κ°(G) for matrices W of all kinds, the atoms at G being those where it is tight, and that κ
// is positively homogeneous.
func (c *gaugeCheck) duality(e evaluator, g Matrix, p gcg.Polar, sum Matrix) {
	tight := Matrix{g.M, g.N, make([]float64, len(g.Data))}
	for i := range p.Atoms {
		tight.addAtom(&p.Atoms[i], 1/float64(1+i))
	}
	ws := append(c.others(g.M, g.N), g, sum, tight)
	excess, uneven := 0.0, 0.0
	for _, w := range ws {
		rho := e.Of(w.Data, g.M, g.N)
		size := gcg.Norm(w.Data) * gcg.Norm(g.Data)
		if size == 0 || math.IsInf(rho, 1) {
			continue
		}
		excess = math.Max(excess, (dot(w.Data, g.Data)-rho*p.Bound)/size)
		twice := append([]float64(nil), w.Data...)
		for i := range twice {
			twice[i] *= 2.5
		}
		uneven = math.Max(uneven, math.Abs(e.Of(twice, g.M, g.N)-2.5*rho)/rho)
	}
	c.add("gauge: ⟨W, G⟩ ≤ κ(W)κ°(G)", excess, 1e-11)
	c.add("gauge: κ(cW) = cκ(W)", uneven, 1e-10)
}

// prox checks at W = G that D = (W - prox)/t is a subgradient of κ: κ°(D) ≤ 1 and ⟨D, prox⟩ = κ(prox).
func (c *gaugeCheck) prox(g gcg.Map, p gcg.Polar) {
	can := view.OfGauge(c.k)
	k := can.Prox
	if k == nil || c.err != nil {
		return
	}
	w := matrixOf(g)
	excess, apart, wrong, split := 0.0, 0.0, 0.0, 0.0
	for _, t := range []float64{0.01, 0.3, 0.9, 1.5} {
		t *= c.scale(g, p)
		x, d := make([]float64, len(w.Data)), make([]float64, len(w.Data))
		rho := k.ProxTo(x, w.Data, w.M, w.N, t)
		for e := range d {
			d[e] = (w.Data[e] - x[e]) / t
		}
		size := math.Max(rho, gcg.Norm(x)*gcg.Norm(d))
		q := c.polar(Matrix{w.M, w.N, d}, 1)
		excess = math.Max(excess, q.Value-1)
		if size > 0 {
			apart = math.Max(apart, math.Abs(dot(d, x)-rho)/size)
		}
		if e, ok := c.k.(evaluator); ok && rho > 0 {
			wrong = math.Max(wrong, math.Abs(e.Of(x, w.M, w.N)-rho)/rho)
		}
		in := append([]float64(nil), w.Data...)
		k.ProxTo(in, in, w.M, w.N, t)
		wrong = math.Max(wrong, distance(x, in))
		if s := can.Splitter; s != nil && rho > 0 {
			atoms, total := s.Split(x, w.M, w.N)
			split = math.Max(math.Max(split, distance(x, atoms.Dense())), math.Max(math.Abs(total-rho), math.Abs(atoms.Weights()-rho))/rho)
		}
	}
	c.add("prox: κ°((W - prox)/t) ≤ 1", excess, 1e-9)
	c.add("prox: ⟨(W - prox)/t, prox⟩ = κ(prox)", apart, 1e-9)
	c.add("prox: returns κ(prox), in place too", wrong, 1e-10)
	c.add("split: is W, of weights that sum to κ(W)", split, 1e-10)
}
