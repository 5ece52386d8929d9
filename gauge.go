package gcg

import "context"

// A Gauge is κ, known through its polar κ°(G) = max over atoms of ⟨a, G⟩. Weights of low-rank atoms are read off the norms of
// their columns: such atoms are unit pairs (‖u‖‖v‖ = 1), or the gauge is a Compressor. Sparse atoms are of any size.
type Gauge interface {
	// Name is what problems and reports call the gauge.
	Name() string
	// Polar maximises ⟨a, G⟩ over the atoms, for a G (m×n) of which it keeps nothing. Value ≤ κ°(G) ≤ Bound, or the Kind is
	// Unbounded, its zero value, where no bound is known. Every atom has the gauge 1. A run refuses a polar that contradicts
	// itself, with an error that names the gauge.
	//
	// Atoms come best first. There is at least one, at G = 0 too, unless the Kind is Unbounded, or Ask.OutsideW wants only atoms
	// from outside W and none of them exceeds Ask.Above. The same ask has the same answer. Wishes of ask may be ignored, but
	// Kind, Failure and Alpha say what the bound is worth.
	//
	// ask.W, which may be nil, is not changed. ask.Spectral.Projections, which may be nil too, may be taken over, and are
	// emptied then. An error of ctx is returned as it is, and ends a run with what it has found; any other error makes the run
	// fail.
	Polar(ctx context.Context, g Map, ask Ask) (Polar, error)
}

// A Compressor evaluates κ(W) for an iterate.
type Compressor interface {
	Gauge
	// Compress rewrites W as the fewest atoms it can, and returns κ(W), or an upper bound where it has no closed form. Of a
	// single atom of the polar it is 1. Where it puts other factors in the place of W's, Merged and MergedWeight are no longer
	// theirs: see Iterate.SetFactors.
	Compress(w *Iterate) (rho float64)
}

// A BlockGauge is a sum of gauges over disjoint blocks of entries, κ(W) = Σ κ_b(W_b), such as ℓ1 and group norms. Its atoms are
// sparse, each within one block, whose key it has. Where a block has several entries, κ_b depends on their absolute values only,
// κ_b(x) = κ_b(|x|), as norms of groups do.
type BlockGauge interface {
	Gauge
	// Blocks is the number of blocks of an m×n W. Their keys are 1 … Blocks.
	Blocks(m, n int) int
	// Block lists the entries of a block of an m×n W.
	Block(key int64, m, n int) (rows, cols []int32)
	// BlockProxTo writes argmin over x of ½‖x - y‖² + tκ_b(x) and returns κ_b(dst); dst may be y.
	BlockProxTo(dst, y []float64, key int64, t float64) float64
}

// IsTraceNorm reports whether κ(W) is the sum of the singular values, which a gauge says by a method Spectral.
func IsTraceNorm(k Gauge) bool {
	_, marked := k.(interface{ Spectral() })
	return marked
}

// A Penalty is h, convex and nondecreasing on its domain in [0, Max].
type Penalty interface {
	// Value is h(rho), +Inf outside the domain. A rho that is a few roundings outside counts as the end of the domain.
	Value(rho float64) float64
	// Deriv is h'(rho), or an element of ∂h; outside the domain it is +Inf above and -Inf below. Deriv(+Inf) is the limit.
	Deriv(rho float64) float64
	Max() float64 // sup dom h
	// Conj is the supremum of x·polar - h(x) over 0 ≤ x ≤ min(rhoMax, Max), and the x that attains it, +Inf if none does. polar may
	// be negative.
	Conj(polar, rhoMax float64) (value, at float64)
}
