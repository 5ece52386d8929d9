package gcg

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Problem is the sum of the four nouns.
type Problem struct {
	Operator Operator
	Loss     Loss
	Gauge    Gauge
	Penalty  Penalty
	// Intercept adds unpenalised constants to the predictions: see InterceptMap.
	Intercept bool
}

// GaugeOf is κ(W) where the gauge can evaluate it, rewriting W with the fewest atoms; else the sum of the weights.
func (p *Problem) GaugeOf(w *Iterate) float64 {
	if c, ok := p.Gauge.(Compressor); ok {
		u, rho := w.U, c.Compress(w)
		if w.U != u { // rewritten: its columns are atoms
			w.SetFactors(w.U, w.V)
		}
		return rho
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
	if w.U != nil && w.V.Shared != nil { // see Atom.Observed
		own := *w
		own.V = w.V.Whole()
		defer RepayWhole(own.V, w.V)
		w = &own
	}
	if whole, ok := p.Operator.(Applier); ok && w.Rank() > 0 && len(sparse.Vals) == 0 {
		whole.ApplyTo(z, w.U, w.V)
		return
	}
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
	return p.Sum(func(lo, hi int) float64 {
		if r == nil {
			return p.Loss.Eval(lo, z[lo:hi], nil)
		}
		return p.Loss.Eval(lo, z[lo:hi], r[lo:hi])
	})
}

// InnerProduct is ⟨W, G⟩ = ⟨A(W), R⟩, from the predictions.
func (p *Problem) InnerProduct(s *State) float64 {
	if q := p.asSquares(); q != nil { // z = y - r
		rr, ry := q.Sums()
		return ry - rr
	}
	if s.Intercept == nil {
		return p.dot(s.Z, s.R)
	}
	z := append([]float64(nil), s.Z...)
	p.InterceptMap().AddTo(z, -1, s.Intercept)
	return p.dot(z, s.R)
}

// dot is Σ aᵢbᵢ in the order of the blocks.
func (p *Problem) dot(a, b []float64) float64 {
	return p.Sum(func(lo, hi int) float64 {
		return kernel.Dot(a[lo:hi], b[lo:hi])
	})
}

// A Segment is a run of observations, lo ≤ i < hi, of a loss that is a sum of several: those of one view, or of a penalty.
//
// Such a loss has a method Segments() []Segment, which lists them in order, without gaps, and together all observations; the
// slice stays the loss's own. No block of a Problem crosses from one segment to the next, and each has constants of its own where
// an intercept is fitted. The loss's Stride is that of all segments where they have the same; else it is 1 if the loss is
// separable, and Len if it is not.
type Segment struct {
	Lo, Hi int
	Stride int  // observations that belong together, counted from Lo
	Fixed  bool // the segment takes no unpenalised intercept
}

// Segments are those of a loss that has some, or one for all observations. The second result reports whether it has some.
func Segments(l Loss) ([]Segment, bool) {
	if s, ok := l.(interface{ Segments() []Segment }); ok {
		return s.Segments(), true
	}
	return []Segment{{Hi: l.Len(), Stride: l.Stride()}}, false
}

// segments are those of the loss, cut where a shard ends.
func (p *Problem) segments() []Segment {
	all, _ := Segments(p.Loss)
	rows, cuts := p.shared()
	if rows == nil {
		return all
	}
	var some []Segment
	for t := range cuts[1:] {
		for _, g := range all {
			if g.Lo, g.Hi = max(g.Lo, cuts[t]), min(g.Hi, cuts[t+1]); g.Lo < g.Hi {
				some = append(some, g)
			}
		}
	}
	return some
}

// shared are the shards of all ranks of a cluster, and the observations of those of this rank, where the operator has these
// alone: those of the t-th of them are cuts[t] ≤ e < cuts[t+1]. Else they are nil.
//
// Such an operator says so by a method Shared() (rows *cluster.Rows, cuts []int), and by Factors, of package gcg's maps, how
// factors share their rows. Its Dims count the observations of this rank.
func (p *Problem) shared() (rows *cluster.Rows, cuts []int) {
	if s, ok := p.Operator.(interface {
		Shared() (rows *cluster.Rows, cuts []int)
	}); ok {
		return s.Shared()
	}
	return nil, nil
}

// IsShared says that other ranks have observations, too: what is made of observations here is no whole.
func (p *Problem) IsShared() bool {
	rows, _ := p.shared()
	return rows != nil
}

// Observations is their number, those of other ranks included.
func (p *Problem) Observations() int {
	rows, _ := p.shared()
	return rows.Comm().Count(p.Loss.Len())
}

// CurvatureAt is gcg.CurvatureAt of a loss of the problem's observations, those of other ranks included.
func (p *Problem) CurvatureAt(l CurvedLoss, z []float64) float64 {
	bound := CurvatureAt(l, z)
	if rows, _ := p.shared(); rows != nil {
		_, bound = rows.Comm().Extremes(bound, bound)
	}
	return bound
}

// Every is the parts of a whole, such as a stack, as a C, or nil where one of them is none: what the whole may pass on.
func Every[C, Part any](parts []Part) []C {
	all := make([]C, len(parts))
	for i, part := range parts {
		c, ok := any(part).(C)
		if !ok {
			return nil
		}
		all[i] = c
	}
	return all
}

// blockLen is the number of observations of every block of the segment but the last: whole rows.
func (g Segment) blockLen() int {
	if g.Stride == 1 {
		return blockSize
	}
	return max(blockGroups, blockSize/g.Stride) * g.Stride
}

// blocks is the number of blocks of the segment.
func (g Segment) blocks() int { return (g.Hi - g.Lo + g.blockLen() - 1) / g.blockLen() }

// checkSegments refuses segments that are not whole rows, or not all of the observations in order. It also refuses constants of
// an intercept that are the operator's for some observations of a segment, and left to the loss for others.
func (p *Problem) checkSegments() error {
	at := 0
	for i, g := range p.segments() {
		if g.Stride < 1 || g.Hi < g.Lo || (g.Hi-g.Lo)%g.Stride != 0 {
			return fmt.Errorf("gcg: %d observations are no rows of %d, the stride of the loss", g.Hi-g.Lo, g.Stride)
		}
		if g.Lo != at {
			return fmt.Errorf("gcg: segment %d of the loss starts at observation %d; the one before ends at %d", i+1, g.Lo, at)
		}
		at = g.Hi
	}
	if n := p.Loss.Len(); at != n {
		return fmt.Errorf("gcg: the segments of the loss have %d of its %d observations", at, n)
	}
	if !p.Intercept {
		return nil
	}
	if err := p.checkConstants(); err != nil {
		return err
	}
	if p.InterceptMap().Count == 0 {
		return fmt.Errorf("gcg: an intercept is asked for, and no segment of the loss takes one")
	}
	return nil
}

// checkConstants is the part of checkSegments that is about an intercept.
func (p *Problem) checkConstants() error {
	op, ok := p.Operator.(InterceptOperator)
	if !ok {
		return nil
	}
	count, of := op.Intercepts()
	if of == nil {
		return nil
	}
	if n := p.Loss.Len(); len(of) != n {
		return fmt.Errorf("gcg: %T names the constants of %d observations, the loss has %d", op, len(of), n)
	}
	for _, g := range p.segments() {
		for i := g.Lo; i < g.Hi; i++ {
			if of[i] >= int32(count) || (of[i] < 0) != (of[g.Lo] < 0) {
				return fmt.Errorf("gcg: observation %d takes constant %d of the %d of %T; one of its segment takes constant %d",
					i+1, of[i], count, op, of[g.Lo])
			}
		}
	}
	return nil
}

// Sum is Σ part(lo, hi) over the blocks of observations. All sums over observations are made this way. The blocks depend on the
// problem alone. Blocks may be summed at the same time, but their parts are added in the order of the blocks: a run is the same,
// to the last bit, on any number of processors of one type.
func (p *Problem) Sum(part func(lo, hi int) float64) float64 {
	return p.Sums(1, func(lo, hi int, sums []float64) { sums[0] = part(lo, hi) })[0]
}

// Sums are several sums over the observations, each as Sum makes it. part overwrites sums, which are 0, with those of a block.
// Where ranks share the observations the sums are of all of them, and all ranks take them in one order.
func (p *Problem) Sums(count int, part func(lo, hi int, sums []float64)) []float64 {
	rows, cuts := p.shared()
	if rows == nil {
		return p.sums(0, p.Blocks(), count, part)
	}
	ends := p.blocksBefore(cuts)
	first, _ := rows.Own()
	return cluster.Numbers(rows, count, func(shard int) []float64 {
		return p.sums(ends[shard-first], ends[shard-first+1], count, part)
	})
}

// Accumulate overwrites dst with a sum of vectors over the observations: f adds those of the blocks from ≤ b < to to a part, as
// long as dst. Where ranks share the observations the sum is of all of them, and all ranks take it in one order.
func (p *Problem) Accumulate(dst []float64, f func(part []float64, from, to int)) {
	const parts = 8
	p.overShards(dst, func(part []float64, _, _, from, to int) {
		par.Accumulate(part, max(1, min(to-from, parts)), to-from, func(part []float64, lo, hi int) { f(part, from+lo, from+hi) })
	})
}

// SumTo overwrites dst with a sum of vectors over the observations. f overwrites a part, as long as dst, with that of the
// observations lo ≤ i < hi: of all that there are, or of a shard where ranks share them. All ranks take the sums in one order.
func (p *Problem) SumTo(dst []float64, f func(part []float64, lo, hi int)) {
	p.overShards(dst, func(part []float64, lo, hi, _, _ int) { f(part, lo, hi) })
}

// overShards is SumTo, and names the blocks from ≤ b < to of the observations, too.
func (p *Problem) overShards(dst []float64, f func(part []float64, lo, hi, from, to int)) {
	rows, cuts := p.shared()
	if rows == nil {
		f(dst, 0, p.Loss.Len(), 0, p.Blocks())
		return
	}
	ends := p.blocksBefore(cuts)
	first, _ := rows.Own()
	cluster.Sum(rows, dst, func(shard int, part []float64) {
		t := shard - first
		f(part, cuts[t], cuts[t+1], ends[t], ends[t+1])
	})
}

// Lists are what the ranks that share the observations have of a list, by rank. Without ranks it is the list itself.
func (p *Problem) Lists(own []int32) [][]int32 {
	rows, _ := p.shared()
	return cluster.All(rows.Comm(), own)
}

// blockAt is the number of the block that begins at an observation.
func (p *Problem) blockAt() map[int]int {
	at := make(map[int]int, p.Blocks())
	for b := range p.Blocks() {
		lo, _ := p.Block(b)
		at[lo] = b
	}
	return at
}

// sums are those of the blocks from … to-1.
func (p *Problem) sums(from, to, count int, part func(lo, hi int, sums []float64)) []float64 {
	parts := make([]float64, (to-from)*count)
	par.For(to-from, func(b int) {
		lo, hi := p.Block(from + b)
		part(lo, hi, parts[b*count:(b+1)*count])
	})
	all := make([]float64, count)
	for i, x := range parts {
		all[i%count] += x
	}
	return all
}

// blocksBefore is how many blocks end before each of the observations, at which shards are cut.
func (p *Problem) blocksBefore(cuts []int) []int {
	ends, all := make([]int, len(cuts)), p.segments()
	for t, cut := range cuts {
		for _, g := range all {
			if g.Hi <= cut {
				ends[t] += g.blocks()
			}
		}
	}
	return ends
}

// HessTo writes dst = ∇²L(z) e, with r = -∇L(z); dst may be e. The loss must be a CurvedLoss.
func (p *Problem) HessTo(dst, z, r, e []float64) {
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		p.HessBlockTo(dst[lo:hi], lo, z, r, e[lo:hi])
	})
}

// HessBlockTo is HessTo for the observations from lo on; z and r are of all observations.
func (p *Problem) HessBlockTo(dst []float64, lo int, z, r, e []float64) {
	hi := lo + len(dst)
	HessTo(p.Loss.(CurvedLoss), dst, lo, z[lo:hi], r[lo:hi], e)
}

// HessBlock32 is a function that replaces e, a block of observations from lo on, by ∇²L e at the state's predictions. It keeps a
// copy of the residual in float32 where the loss can do with that.
func (p *Problem) HessBlock32(s *State) func(e []float32, lo int) {
	if l, ok := p.Loss.(OuterLoss); ok {
		r := make([]float32, len(s.R))
		par.For(p.Blocks(), func(b int) {
			lo, hi := p.Block(b)
			kernel.Convert(r[lo:hi], s.R[lo:hi])
		})
		return func(e []float32, lo int) { l.HessFrom32To(e, lo, r[lo:lo+len(e)], e) }
	}
	return func(e []float32, lo int) {
		wide := make([]float64, len(e))
		kernel.Convert(wide, e)
		p.HessBlockTo(wide, lo, s.Z, s.R, wide)
		kernel.Convert(e, wide)
	}
}
