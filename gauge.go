package gcg

import "context"

// A Gauge is κ, known through its polar κ°(G) = max over atoms of ⟨a, G⟩. Weights of low-rank atoms are read off the norms of
// their columns: such atoms are unit pairs (‖u‖‖v‖ = 1), or the gauge is a Compressor. Sparse atoms are of any size.
type Gauge interface {
	// Name is what problems and reports call the gauge.
	Name() string
	// Polar maximises ⟨a, G⟩ over the atoms, for a G (m×n) of which it keeps nothing. Value ≤ κ°(G) ≤ Bound, where Bound is +Inf if
	// no bound is known and the Kind is Unbounded.
	//
	// Atoms come best first. There is at least one, at G = 0 too, unless the Kind is Unbounded, or Ask.Fresh wants only atoms from
	// outside W and none of them exceeds Ask.Above. The same ask has the same answer. Wishes of ask may be ignored, but Kind, Failure
	// and Alpha say what the bound is worth.
	//
	// ask.W, which may be nil, is not changed. ask.Sides, which may be nil too, may be taken over, and are emptied then. An error of
	// ctx is returned as it is, and ends a run with what it has found; any other error makes the run fail.
	Polar(ctx context.Context, g Map, ask Ask) (Polar, error)
}

// A Compressor evaluates κ(W) for an iterate.
type Compressor interface {
	Gauge
	// Compress rewrites W as the fewest atoms it can, and returns κ(W), or an upper bound where it has no closed form.
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
