package view

import "github.com/seed-b18ef778/gcg"

// A ProxGauge has a proximity operator.
type ProxGauge interface {
	gcg.Gauge
	// ProxTo writes argmin over X of ½‖X - W‖² + tκ(X) for a dense row-major m×n W; dst may be w. It returns κ(dst).
	ProxTo(dst, w []float64, m, n int, t float64) float64
}

// A ScaledProxGauge evaluates ProxTo for many t at little more than the cost of one.
type ScaledProxGauge interface {
	ProxGauge
	// ProxAlong is (dst, t) ↦ ProxTo(dst, w, m, n, t). It keeps nothing of w.
	ProxAlong(w []float64, m, n int) func(dst []float64, t float64) float64
}

// A Splitter is a gauge that writes a matrix as atoms.
type Splitter interface {
	gcg.Gauge
	// Split writes a dense row-major m×n W of finite κ as few atoms, whose weights sum to rho = κ(W).
	Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64)
}

// A SmoothBlockGauge has blocks that are twice differentiable where their gauge identifies no further structure.
type SmoothBlockGauge interface {
	gcg.BlockGauge
	// BlockSlopeTo writes the derivative of κ_b at x ≠ 0 into grad, and adds t times the second derivative to hess (len(x)²,
	// row-major). It reports whether there are such derivatives.
	BlockSlopeTo(grad, hess, x []float64, key int64, t float64) bool
}

// A LargestBlockGauge may have blocks that are a multiple of their largest entry.
type LargestBlockGauge interface {
	gcg.BlockGauge
	// BlockLargest is the w of κ_b(x) = w‖x‖_∞ for a block of so many entries. It reports whether κ_b has this form.
	BlockLargest(key int64, size int) (w float64, ok bool)
}

// A BalancedGauge is the largest trace norm of W whose rows are weighed by views,
//
//	κ(W) = max over the simplex of τ of ‖D_τW‖_*,   D_τ = diag(√τ_i/r_i) on the rows of view i
type BalancedGauge interface {
	gcg.Compressor
	// Balanced are the numbers of rows of the views and their radii r. It reports false where the gauge has not this form.
	Balanced() (sizes []int, radii []float64, ok bool)
}

// A DictionaryGauge is of atoms u vᵀ, ‖v‖ ≤ 1, whose u has a ball for each of several blocks of rows,
//
//	κ(W) = min over U Vᵀ = W of Σ_c max_i ‖U_ic‖/r_i · ‖V_:c‖
//
// or, where the columns go together, of max_i ‖U_i‖/r_i · ‖V‖ in Frobenius norms.
type DictionaryGauge interface {
	gcg.Compressor
	// Balls are the numbers of rows of the blocks and their radii r, and whether the columns go together.
	Balls() (sizes []int, radii []float64, together bool)
}

// A FactorGauge has a norm of the columns of each factor, κ(W) = min over U Vᵀ = W of ½ Σ_c (‖U_:c‖² + ‖V_:c‖²).
type FactorGauge interface {
	gcg.Gauge
	// FactorNorms are the exponents p of the norms of the columns of U and V, 1, 2 or infinite. It reports false where the gauge
	// has not this form.
	FactorNorms() (left, right float64, ok bool)
}

// FactorNorms are those of a FactorGauge.
type FactorNorms struct{ Left, Right float64 }

// GaugeCapabilities is what a gauge offers beyond gcg.Gauge; nil where it does not.
type GaugeCapabilities struct {
	Compressor    gcg.Compressor // κ(W) itself
	Spectral      bool           // κ(W) is the sum of the singular values
	Prox          ProxGauge
	Splitter      Splitter
	BlockGauge    gcg.BlockGauge
	SmoothBlocks  SmoothBlockGauge
	LargestBlocks LargestBlockGauge
	Balanced      BalancedGauge // whose Balanced reports true
	Dictionary    DictionaryGauge
	Factored      *FactorNorms // of a FactorGauge that reports true
}

// A PlainGauge may equal one that can do more.
type PlainGauge interface {
	gcg.Gauge
	// Plain is that gauge, or nil. Its atoms are the same, with the same keys.
	Plain() gcg.Gauge
}

// OfGauge asks for all of them; a PlainGauge has those of the gauge that it equals.
func OfGauge(k gcg.Gauge) (c GaugeCapabilities) {
	if f, ok := k.(PlainGauge); ok {
		if plain := f.Plain(); plain != nil {
			return OfGauge(plain)
		}
	}
	c.Compressor, _ = k.(gcg.Compressor)
	c.Spectral = c.Compressor != nil && gcg.IsTraceNorm(k)
	c.Prox, _ = k.(ProxGauge)
	c.Splitter, _ = k.(Splitter)
	if c.BlockGauge, _ = k.(gcg.BlockGauge); c.BlockGauge != nil {
		c.SmoothBlocks, _ = k.(SmoothBlockGauge)
		c.LargestBlocks, _ = k.(LargestBlockGauge)
	}
	c.Dictionary, _ = k.(DictionaryGauge)
	if f, ok := k.(FactorGauge); ok {
		if left, right, ok := f.FactorNorms(); ok {
			c.Factored = &FactorNorms{left, right}
		}
	}
	if b, ok := k.(BalancedGauge); ok {
		if _, _, ok = b.Balanced(); ok {
			c.Balanced = b
		}
	}
	return c
}

// GaugeOfAtom is κ(a), for an atom of the size m×n.
func (p *Problem) GaugeOfAtom(a gcg.Atom, m, n int) float64 {
	return p.GaugeOf(gcg.Join(m, n, []gcg.Term{{Atom: a, Weight: 1}}))
}

// Along is a function of t that writes argmin over X of ½‖X - Y‖² + tκ(X) into dst, for a dense row-major m×n Y, and returns κ
// there. Without a ScaledProxGauge each call is a ProxTo.
func Along(k ProxGauge, dst, y []float64, m, n int) func(t float64) float64 {
	if a, ok := k.(ScaledProxGauge); ok {
		along := a.ProxAlong(y, m, n)
		return func(t float64) float64 { return along(dst, t) }
	}
	return func(t float64) float64 { return k.ProxTo(dst, y, m, n, t) }
}
