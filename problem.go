package gcg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Problem is the sum of the four nouns.
type Problem struct {
	Operator Operator
	Loss     Loss
	Gauge    Gauge
	Penalty  Penalty
	// Intercept adds unpenalised constants to the predictions: see Places.
	Intercept bool
}

// GaugeOf is κ(W) where the gauge can evaluate it, rewriting W with the fewest atoms; else the sum of the weights.
func (p *Problem) GaugeOf(w *Iterate) float64 {
	if c, ok := p.Gauge.(Compressor); ok {
		return c.Compress(w)
	}
	return w.Weights()
}

// blockSize is the number of observations that are handled together: their predictions fit in a first-level cache. Where
// several belong together, a block has at least blockGroups groups, so that products of matrices are worth their setting up.
const (
	blockSize   = 1 << 13
	blockGroups = 128
)

// Blocks is the number of blocks of observations, and Block the range of one. Both depend on the problem alone, and no block
// crosses from one segment of the loss to the next.
func (p *Problem) Blocks() (count int) {
	for _, g := range p.segments() {
		count += g.blocks()
	}
	return count
}

// Block is the range of observations of block b.
func (p *Problem) Block(b int) (lo, hi int) {
	var g Segment
	for _, g = range p.segments() {
		if b < g.blocks() {
			break
		}
		b -= g.blocks()
	}
	lo = g.Lo + b*g.blockLen()
	return lo, min(lo+g.blockLen(), g.Hi)
}

// Apply writes z = A(W), without the intercept.
func (p *Problem) Apply(z []float64, w *Iterate) {
	sparse := w.sparseSum()
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		p.applyBlock(z[lo:hi], lo, w, &sparse)
	})
}

// applyBlock writes the predictions z of W for the observations from lo on; sparse is the sum of its sparse terms.
func (p *Problem) applyBlock(z []float64, lo int, w *Iterate, sparse *Atom) {
	if w.Rank() > 0 {
		p.Operator.FactoredTo(z, lo, w.U, w.V)
	} else {
		clear(z)
	}
	if len(sparse.Vals) == 0 {
		return
	}
	part := make([]float64, len(z))
	p.Operator.AtomTo(part, lo, sparse)
	for i, x := range part {
		z[i] += x
	}
}

// ApplyAtoms writes z = A(Σ weightᵢ·atomᵢ).
func (p *Problem) ApplyAtoms(z []float64, atoms []Atom, weights []float64) {
	m, n, _ := p.Operator.Dims()
	w := &Iterate{M: m, N: n}
	w.Add(atoms, weights)
	p.Apply(z, w)
	Repay(w.U, w.V)
}

// Value is L(z); r = -∇L(z) is written if it is not nil.
func (p *Problem) Value(z, r []float64) float64 {
	return par.Sum(p.Blocks(), func(b int) float64 {
		lo, hi := p.Block(b)
		if r == nil {
			return p.Loss.Eval(lo, z[lo:hi], nil)
		}
		return p.Loss.Eval(lo, z[lo:hi], r[lo:hi])
	})
}

// Inner is ⟨W, G⟩ = ⟨A(W), R⟩, from the predictions.
func (p *Problem) Inner(s *State) float64 {
	if q := p.asSquares(); q != nil { // z = y - r
		rr, ry := q.Sums()
		return ry - rr
	}
	if s.Intercept == nil {
		return p.dot(s.Z, s.R)
	}
	z := append([]float64(nil), s.Z...)
	p.Places().AddTo(z, -1, s.Intercept)
	return p.dot(z, s.R)
}

// dot is Σ aᵢbᵢ in the order of the blocks.
func (p *Problem) dot(a, b []float64) float64 {
	return par.Sum(p.Blocks(), func(t int) float64 {
		lo, hi := p.Block(t)
		return kernel.Dot(a[lo:hi], b[lo:hi])
	})
}
