package gcg

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A Map is a linear map G (m×n) known only through products: gradients, iterates, their sums.
type Map interface {
	Dims() (m, n int)
	MulTo(dst, x []float64)  // dst[m] = G x[n]
	TMulTo(dst, y []float64) // dst[n] = Gᵀ y[m]
}

// A BlockMap multiplies k vectors at once, which costs one pass over G instead of k.
type BlockMap interface {
	Map
	MulBlockTo(dst, x *Factor)  // dst (m×k) = G x (n×k)
	TMulBlockTo(dst, y *Factor) // dst (n×k) = Gᵀ y (m×k)
}

// A BilateralMap forms G V and Gᵀ U in one pass over G.
type BilateralMap interface {
	BlockMap
	BothTo(gv, gu, u, v *Factor) // gv (m×k) = G v (n×k), gu (n×k) = Gᵀ u (m×k)
}

// A DenseMap can write itself out, which the polars of ℓ1 and group gauges and the exact certificate need.
type DenseMap interface {
	Map
	// RowsTo writes rows lo … lo+len(dst)/n-1 of G, row-major.
	RowsTo(dst []float64, lo int)
}

// An Operator is A: R^{m×n} → R^N. It works on blocks of observations, so that no solver needs N-vectors that it
// does not keep; the calls on disjoint blocks may be concurrent.
type Operator interface {
	Dims() (m, n, nobs int)
	// AtomTo writes z = A(a) on observations lo … lo+len(z)-1.
	AtomTo(z []float64, lo int, a *Atom)
	// FactoredTo writes z = A(U Vᵀ) on observations lo … lo+len(z)-1; U is m×k, V is n×k.
	FactoredTo(z []float64, lo int, u, v *Factor)
	// Adjoint is the map G with ⟨A(a), r⟩ = ⟨a, G⟩: a view, valid until r changes.
	Adjoint(r []float64) Map
}

// An InterceptOperator says which constant of an unpenalised intercept each observation takes, where that is not the one of its
// place in the loss's stride: with tasks, each has its own.
type InterceptOperator interface {
	Operator
	// Intercepts is the number of constants and the one of each observation; nil is as if there were no such method.
	Intercepts() (count int, of []int32)
}

// A FusedOperator works on y - A(U Vᵀ) in single passes that never keep predictions, for the squared loss.
type FusedOperator interface {
	Operator
	// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r².
	ResidualTo(r, y []float64, u, v *Factor) float64
	// CurvatureTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r).
	CurvatureTo(gu, gv *Factor, r []float64, u, v, du, dv *Factor)
	// Curvature32To is CurvatureTo in float32.
	Curvature32To(gu, gv *Factor32, r []float32, u, v, du, dv *Factor32)
	// NormalTo writes gu = A*(A(X Vᵀ)) V.
	NormalTo(gu, x, v *Factor)
	// Normal32To is NormalTo in float32.
	Normal32To(gu, x, v *Factor32)
	// DiagonalTo writes du_ic = Σⱼ α²_ij v2_jc and dv_jc = Σᵢ α²_ij u2_ic over the observed (i, j). dv may be nil.
	DiagonalTo(du, dv, u2, v2 *Factor)
}

// A HessianOperator forms second derivatives along factors in float32 and without a vector of predictions: a direction needs no
// more.
type HessianOperator interface {
	Operator
	// HessianAt keeps what the products at U Vᵀ have in common. They must not change meanwhile.
	HessianAt(u, v *Factor) FactorHessian
}

// A FactorHessian is the second derivative at some U Vᵀ.
type FactorHessian interface {
	// ProductTo writes gu = E V and gv = Eᵀ U with E = A*(H A(dU Vᵀ + U dVᵀ)); hess overwrites z, a block of predictions from
	// observation lo on that ends with a whole row of them, with H z. The calls on disjoint blocks may be concurrent. Where absorb
	// is not nil it is called once with H z of all observations, which are kept for it, and may change it.
	ProductTo(gu, gv, du, dv *Factor32, hess func(z []float32, lo int), absorb func(all []float32))
}

// A WholeOperator forms gradients at a W that is kept whole, in float32 and without a vector of predictions: steps which the next
// ones correct need no more.
type WholeOperator interface {
	Operator
	// Gradients keeps what they have in common. Centres (m×n) are nil but for an intercept of a constant for each column of W: W has a row
	// more then, of the constants, and a column's observations are those of features less its column of centres.
	Gradients(centres *Factor) WholeGradient
}

// A WholeGradient is the gradient at any W, one at a time: passes share work space.
type WholeGradient interface {
	// GradientTo writes g = A*(r), of the rows that w has. residual overwrites z, a block of A(W) from observation lo on that starts and ends with a
	// whole row of them, with r; the sum of what it returns is returned, added in an order of its own. The calls on disjoint blocks may be
	// concurrent.
	GradientTo(g, w *Factor32, residual func(z []float32, lo int) float64) float64
}

// A KroneckerOperator approximates its second derivatives, for preconditioners.
type KroneckerOperator interface {
	Operator
	// Kronecker approximates X → A*(d∘A(X)) by L X diag(right), for weights d ≥ 0 of the observations. L is gram, a
	// Small(m, m); where that would be too large it is nil and L is diag(left). Centred takes the observations less their
	// weighted mean, as an intercept that is always fitted does.
	Kronecker(d []float64, centred bool) (gram *Factor, left, right []float64)
}

// A GramOperator's columns of W meet observations of their own, so that X → A*(d∘A(X)) is block diagonal in them.
type GramOperator interface {
	Operator
	// Grams are the matrices G_c, each a Small(m, m), that it multiplies the columns with, for weights d ≥ 0 of the observations; nil
	// where they would take more than products with the data. Centred takes the observations of a column less their weighted mean, as
	// an intercept that is always fitted does.
	Grams(d []float64, centred bool) []*Factor
}

// A RidgeOperator lowers the squared loss over one factor at a time, row by row.
type RidgeOperator interface {
	FusedOperator
	// RidgeRows lowers ½‖y - A(U Vᵀ)‖² + ridge/2·‖U‖² over U by a few conjugate gradient steps on each row from where it is, in
	// float32. It returns ‖y - A(U Vᵀ)‖² at the start, and what was gained.
	RidgeRows(u, v *Factor32, y []float32, ridge float64, steps int) (square, gain float64)
	// Transposed is the operator of Wᵀ, and y in the order of its observations.
	Transposed(y []float32) (t RidgeOperator, turned []float32)
}

// A Column is A(e_ij), the predictions of one entry of W: Values at the observations Offset + Stride·Index. Index is nil
// where it is 0, 1, 2, …
type Column struct {
	Index          []int32
	Values         []float64
	Offset, Stride int
}

// At is the observation of Values[t].
func (c *Column) At(t int) int {
	if c.Index != nil {
		t = int(c.Index[t])
	}
	return c.Offset + c.Stride*t
}

// A ColumnOperator gives the predictions of single entries, which coordinate methods work on.
type ColumnOperator interface {
	Operator
	// Columns extracts the columns of the entries in one pass over the data; entries of one feature share values.
	Columns(rows, cols []int32) []Column
}

// A Loss is L(z) = Σ over observations, convex and smooth. It is evaluated on blocks; the calls on disjoint blocks
// may be concurrent, as are those of second derivatives on any. Blocks start and end at multiples of Stride.
type Loss interface {
	Len() int
	Stride() int // observations that belong together, such as the classes of a row
	// Eval returns the loss of observations lo … lo+len(z)-1 and writes r = -∂L/∂z if r is not nil. r may be z.
	Eval(lo int, z, r []float64) float64
}

// A CheckedLoss can look through its own data: targets that are no numbers, labels out of range, weights that are negative.
type CheckedLoss interface {
	Loss
	// Check names the first that is wrong.
	Check() error
}

// A CurvedLoss has second derivatives, for Newton steps.
type CurvedLoss interface {
	Loss
	// HessTo writes dst = ∇²L(z) e on the block that starts at lo. dst may be e.
	HessTo(dst []float64, lo int, z, e []float64)
	// Curvature bounds the largest eigenvalue of ∇²L; +Inf where nothing does, as for exp(z).
	Curvature() float64
}

// CurvatureAt is the bound of a loss's curvature; where there is none, the largest row of ∇²L(z) times ones, from which a step that
// is then searched may start.
func CurvatureAt(l CurvedLoss, z []float64) float64 {
	bound := l.Curvature()
	if !math.IsInf(bound, 1) {
		return bound
	}
	d := ones(len(z))
	l.HessTo(d, 0, z, d)
	return linalg.MaxAbs(d)
}

// A SeparableLoss may be a sum of losses of single observations, whatever its stride: ∇²L is diagonal then.
type SeparableLoss interface {
	Loss
	Separable() bool
}

// Separable reports whether a loss couples no observations.
func Separable(l Loss) bool {
	if s, ok := l.(SeparableLoss); ok {
		return s.Separable()
	}
	return l.Stride() == 1
}

// A MemoizedLoss can take its second derivatives from the residual that Eval left, where that is cheaper than from z.
type MemoizedLoss interface {
	CurvedLoss
	// HessFromTo writes dst = ∇²L(z) e on the block that starts at lo; r is -∇L(z) there. dst may be e.
	HessFromTo(dst []float64, lo int, r, e []float64)
	// HessFrom32To is HessFromTo in float32, for directions that need no more.
	HessFrom32To(dst []float32, lo int, r, e []float32)
	// DiagonalFromTo writes the diagonal of ∇²L on the block that starts at lo. dst may be r.
	DiagonalFromTo(dst []float64, lo int, r []float64)
}

// A Loss32 is evaluated in float32 as well, for steps that the next ones correct.
type Loss32 interface {
	Loss
	// Residual32 overwrites z, a block of predictions from lo on, with r = -∂L/∂z, and returns the block's loss.
	Residual32(lo int, z []float32) float64
}

// An OuterLoss couples the observations of a row by an outer product alone: ∇²L is diag(d) - v vᵀ there.
type OuterLoss interface {
	CurvedLoss
	// OuterFromTo writes d and v of the rows of the observations from lo on; r is -∇L there, of any number of rows.
	OuterFromTo(d, v []float64, lo int, r []float64)
}

// A ConjugateLoss knows L*(p) = sup_z ⟨p, z⟩ - L(z), which is what a certificate is made of.
type ConjugateLoss interface {
	Loss
	// Conjugate returns the block's L*(-s r), +Inf outside its domain, for r as Eval writes it.
	Conjugate(lo int, r []float64, s float64) float64
}

// A ScaledConjugateLoss evaluates L*(-s r) for many s at little more than the cost of one.
type ScaledConjugateLoss interface {
	ConjugateLoss
	// ConjugateAlong is s ↦ Conjugate(lo, r, s), s ≥ 0. It keeps nothing of r.
	ConjugateAlong(lo int, r []float64) func(s float64) float64
}

// A Quadratic loss is ½ Σ ωᵢ(zᵢ-yᵢ)²: line searches on it are closed forms.
type Quadratic interface {
	CurvedLoss
	Target() []float64 // y
	Weights() []float64
	// Scale is the common factor of the loss: 1 for a sum, 1/N for a mean.
	Scale() float64
}

// Kind says what the bound of a polar is worth.
type Kind int

const (
	Proven      Kind = iota // the bound holds, up to rounding
	Probable                // the bound holds but for the stated probability
	Approximate             // the bound is the value over a guaranteed ratio alpha
	Unbounded               // no bound is known
)

func (k Kind) String() string {
	return [...]string{"proven", "probable", "approximate", "unbounded"}[k]
}

// An Ask says what is wanted of a polar.
type Ask struct {
	Count int      // atoms wanted, at least 1
	Above float64  // atoms after the first are wanted only if they attain more than this
	Fresh bool     // atoms are wanted from outside the spaces of W, whose own weights are optimised otherwise
	Tol   float64  // relative accuracy wanted of the value and of the bound
	Goal  float64  // a bound at or below it ends the run; 0 where that is not known
	Exact bool     // the bound must be Proven
	W     *Iterate // the current iterate: near a solution its own spaces hold the top of G's spectrum
	Seed  uint64   // of random starts
	Near  int      // pairs outside the spaces of W wanted in Polar.Near
	// Together says that atoms of rank one may come side by side in Polar.U and Polar.V, and not in Polar.Atoms: of millions of
	// rows that is an eighth of the memory.
	Together bool
	Sides    *Sides // of W and the present G, where they are known, or nil; they are given away
}

// Sides are what an improver that ended at W has last computed there, which a polar would begin with.
type Sides struct {
	P, Q   *Factor // orthonormal bases (m×k and n×k) of the column and row spaces of W
	GQ, GP *Factor // G Q and Gᵀ P
}

// A Polar is the answer: atoms that (nearly) maximise ⟨a, G⟩, best first.
type Polar struct {
	Atoms  []Atom
	U, V   *Factor   // the atoms' vectors side by side, instead of Atoms, where that is allowed and was done
	Values []float64 // ⟨aᵢ, G⟩
	Value  float64   // what the first atom attains: ≤ κ°(G)
	Bound  float64   // ≥ κ°(G), +Inf where none is known: what a certificate must use
	Rest   float64   // about what G attains outside the spaces of W, or 0: improvers within them aim by it
	// Near are right vectors (n×d) of the leading singular pairs outside the spaces of W that are not among the atoms, about; nil where
	// they were not wanted or are not known: improvers within those spaces turn towards them.
	Near    *Factor
	Kind    Kind
	Failure float64 // probability that a Probable bound does not hold
	Alpha   float64 // guaranteed Value/κ° of an Approximate polar; 1 otherwise
}

// Count is the number of atoms.
func (p *Polar) Count() int {
	if p.U != nil {
		return p.U.K
	}
	return len(p.Atoms)
}

// A Gauge is κ, known through its polar κ°(G) = max over atoms of ⟨a, G⟩. Weights of low-rank atoms are read off the norms of
// their columns: such atoms are unit pairs (‖u‖‖v‖ = 1), or the gauge is a Compressor. Sparse atoms are of any size.
type Gauge interface {
	Name() string
	Polar(ctx context.Context, g Map, ask Ask) (Polar, error)
}

// A Compressor rewrites an iterate as the fewest atoms whose weights sum to κ(W), evaluated exactly.
type Compressor interface {
	Gauge
	Compress(w *Iterate) (rho float64)
}

// A SpectralGauge is the trace norm: κ(W) is the sum of the singular values.
type SpectralGauge interface {
	Compressor
	Spectral()
}

// A ProxGauge has a proximity operator.
type ProxGauge interface {
	Gauge
	// ProxTo writes argmin over X of ½‖X - W‖² + tκ(X) for a dense row-major m×n W; dst may be w. It returns κ(dst).
	ProxTo(dst, w []float64, m, n int, t float64) float64
}

// A ScaledProxGauge evaluates ProxTo for many t at little more than the cost of one.
type ScaledProxGauge interface {
	ProxGauge
	// ProxAlong is (dst, t) ↦ ProxTo(dst, w, m, n, t). It keeps nothing of w.
	ProxAlong(w []float64, m, n int) func(dst []float64, t float64) float64
}

// A Splitter writes a matrix as atoms.
type Splitter interface {
	Gauge
	// Split is a dense row-major m×n W of finite κ with few atoms, whose weights sum to κ(W).
	Split(w []float64, m, n int) (atoms *Iterate, rho float64)
}

// A BlockGauge is a sum of gauges over disjoint blocks of entries, κ(W) = Σ κ_b(W_b): ℓ1, group norms. Its atoms are
// sparse, with the block's key.
type BlockGauge interface {
	Gauge
	// Block lists the entries of a block of an m×n W.
	Block(key int64, m, n int) (rows, cols []int32)
	// BlockProxTo writes argmin over x of ½‖x - y‖² + tκ_b(x) and returns κ_b(dst); dst may be y.
	BlockProxTo(dst, y []float64, key int64, t float64) float64
}

// A CountedBlockGauge numbers its blocks: their keys are 1 … Blocks. κ_b depends on sizes alone where a block has several
// entries, κ_b(x) = κ_b(|x|), as norms of groups do.
type CountedBlockGauge interface {
	BlockGauge
	Blocks(m, n int) int
}

// A SmoothBlockGauge has blocks that are twice differentiable where their gauge identifies no further structure.
type SmoothBlockGauge interface {
	BlockGauge
	// BlockSlopeTo writes the derivative of κ_b at x ≠ 0 into grad, and adds t times the second to hess (len(x)², row-major).
	// It reports whether there are any.
	BlockSlopeTo(grad, hess, x []float64, key int64, t float64) bool
}

// A LargestBlockGauge may have blocks that are a multiple of their largest entry.
type LargestBlockGauge interface {
	BlockGauge
	// BlockLargest is the w of κ_b(x) = w‖x‖_∞ for a block of so many entries. It reports whether κ_b is such.
	BlockLargest(key int64, size int) (w float64, ok bool)
}

// A Penalty is h, convex on [0, Max].
type Penalty interface {
	Value(rho float64) float64 // +Inf outside the domain
	Deriv(rho float64) float64
	Max() float64 // sup dom h
	// Conj is sup over 0 ≤ x ≤ min(rhoMax, Max) of x·polar - h(x), and the x that attains it; +Inf if there is none.
	Conj(polar, rhoMax float64) (value, at float64)
}

// A Problem is the sum of the four nouns.
type Problem struct {
	Operator Operator
	Loss     Loss
	Gauge    Gauge
	Penalty  Penalty
	// Intercept adds unpenalised constants to the predictions: see Places.
	Intercept bool
}
