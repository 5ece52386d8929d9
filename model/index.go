package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// An Index finds the best items of a row, and the items most like one, without scoring all of them, and with the same answer
// as Model.Top, ties included. It stands beside a model, whose factors it reads and which must not change.
//
// With balanced factors û = U S^½ of a row and v̂_j = V_j S^½ c_j of an item (c_j its scale) the score is û·v̂_j + o_j. Items
// are in blocks by descending r‖v̂_j‖ + o_j, for r the root mean square of ‖û‖ over the rows, so that the best of
// most rows come first:
//
//	of what is left behind block b no score is above max ‖û‖‖v̂_j‖ + o_j          [Cauchy-Schwarz], and the search ends there
//	of a single item none is above û_h·v̂_jh + ‖û_t‖‖v̂_jt‖ + o_j, by the first coordinates h, in float32, and the others t
//
// S descends, so that h, the first of the coordinates that hold nearly all of Σ‖v̂_j‖², is short where the spectrum falls. Bounds
// are raised by what float32 and float64 may round; whatever a bound does not exclude is scored as Model.Top does it. Memory is
// 4h+24 bytes an item. Several goroutines may use one Index. See Teflioudi and Gemulla, LEMP (TODS 2016), for such bounds.
type Index struct {
	m       *Model
	balance []float64 // S^½
	head    int       // h
	wide    int       // h or the next multiple of headStep: what a head takes, with zeros behind
	order   []int32   // items, as they are searched
	heads   []float32 // v̂_jh, in that order
	tails   []float32 // ‖v̂_jt‖, rounded up
	offsets []float32 // o_j, rounded up
	norms   []float32 // ‖v̂_j‖, rounded up
	place   []int32   // of each item in the order
	usual   float64   // r
	left    []bound   // of the items from each block on
}

// A bound is max ‖v̂_j‖, max o_j and max r‖v̂_j‖ + o_j of some items.
type bound struct{ norm, offset, both float64 }

// of is what u‖v̂_j‖ + o_j is at most: by the first two, or by the third and what u is more, or less, than r. For u ≤ r it is
// (u/r)(r‖v̂_j‖ + o_j) + (1 - u/r)o_j.
func (b bound) of(u, r float64) float64 {
	apart := u*b.norm + b.offset
	if u >= r {
		return min(apart, b.both+(u-r)*b.norm)
	}
	return min(apart, u/r*b.both+(1-u/r)*b.offset)
}

// and is the bound of the items of both.
func (b bound) and(c bound) bound {
	return bound{max(b.norm, c.norm), max(b.offset, c.offset), max(b.both, c.both)}
}

// indexBlock is how many items are decided on together: few enough for the end of a search to be found soon, and many enough for
// the loop over their heads.
const indexBlock = 128

// headShare is the part of Σ‖v̂_j‖² that may be in the tails: less makes heads long to read, more makes their bounds loose.
const headShare = 0.02

// headStep is what the length of a row must be a multiple of for the loop over rows of a block.
const headStep = 8

// NewIndex makes the index of the items of a model. A model whose W is sparse has none: nil.
func NewIndex(m *Model) *Index {
	if m.Entries != nil {
		return nil
	}
	return newIndex(m)
}

// flipped is the model with rows and columns exchanged, for what is asked about items to be asked about users. It shares all.
func (m *Model) flipped() *Model {
	f := *m
	f.Rows, f.Cols, f.U, f.V, f.RowIDs, f.ColIDs = m.Cols, m.Rows, m.V, m.U, m.ColIDs, m.RowIDs
	f.RowScale, f.ColScale, f.RowOffset, f.ColOffset = m.ColScale, m.RowScale, m.ColOffset, m.RowOffset
	return &f
}

func newIndex(m *Model) *Index {
	x := &Index{m: m, balance: make([]float64, m.Rank), order: make([]int32, m.Cols), place: make([]int32, m.Cols)}
	for c, s := range m.S {
		x.balance[c] = math.Sqrt(s)
	}
	norms, energy := make([]float64, m.Cols), make([]float64, m.Rank)
	v := make([]float64, m.Rank)
	for j := range m.Cols {
		x.balanced(v, j)
		norms[j] = math.Sqrt(kernel.SumSq(v))
		for c, y := range v {
			energy[c] += y * y
		}
		x.order[j] = int32(j)
	}
	x.head = headOf(energy)
	x.wide = (x.head + headStep - 1) / headStep * headStep
	x.usual = x.usualNorm()
	key := func(j int32) float64 { return x.usual*norms[j] + x.offset(int(j)) }
	slices.SortFunc(x.order, func(a, b int32) int { return cmp.Or(cmp.Compare(key(b), key(a)), cmp.Compare(a, b)) })
	x.fill(norms)
	return x
}

// headOf is the least number of first coordinates, in fours, that leaves headShare of the energy to the others.
func headOf(energy []float64) int {
	var left float64
	for _, e := range energy {
		left += e
	}
	rest := left
	for h := 0; ; h += 4 {
		if rest <= headShare*left || h >= len(energy) {
			return min(h, len(energy))
		}
		for _, e := range energy[h:min(h+4, len(energy))] {
			rest -= e
		}
	}
}

// usualNorm is r, of at most usualRows of the rows.
func (x *Index) usualNorm() float64 {
	const usualRows = 4096 // whose mean is as good as that of all
	m := x.m
	step := m.Rows/usualRows + 1
	var sum, n float64
	for i := 0; i < m.Rows; i += step {
		scale := 1.0
		if m.RowScale != nil {
			scale = m.RowScale[i]
		}
		for c, y := range m.U[i*m.Rank : (i+1)*m.Rank] {
			y *= x.balance[c] * scale
			sum += y * y
		}
		n++
	}
	return math.Sqrt(sum / math.Max(n, 1))
}

// fill lays out what a search reads.
func (x *Index) fill(norms []float64) {
	m, h := x.m, x.head
	x.heads, x.tails = make([]float32, m.Cols*x.wide), make([]float32, m.Cols)
	x.offsets, x.norms = make([]float32, m.Cols), make([]float32, m.Cols)
	blocks := (m.Cols + indexBlock - 1) / indexBlock
	x.left = make([]bound, blocks+1)
	x.left[blocks] = bound{0, math.Inf(-1), math.Inf(-1)}
	par.For(blocks, func(b int) {
		v, most := make([]float64, m.Rank), bound{0, math.Inf(-1), math.Inf(-1)}
		for p := b * indexBlock; p < min((b+1)*indexBlock, m.Cols); p++ {
			j := int(x.order[p])
			x.place[j] = int32(p)
			x.balanced(v, j)
			for c, y := range v[:h] {
				x.heads[p*x.wide+c] = float32(y)
			}
			x.tails[p] = roundedUp(math.Sqrt(kernel.SumSq(v[h:])))
			x.offsets[p], x.norms[p] = roundedUp(x.offset(j)), roundedUp(norms[j])
			most = most.and(bound{norms[j], x.offset(j), x.usual*norms[j] + x.offset(j)})
		}
		x.left[b] = most
	})
	for b := blocks - 1; b >= 0; b-- {
		x.left[b] = x.left[b].and(x.left[b+1])
	}
}

// roundedUp is the least float32 that is not less.
func roundedUp(y float64) float32 {
	f := float32(y)
	if float64(f) < y {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// balanced writes v̂_j.
func (x *Index) balanced(v []float64, j int) {
	kernel.Hadamard(v, x.m.V[j*x.m.Rank:(j+1)*x.m.Rank], x.balance)
	if x.m.ColScale != nil {
		kernel.Scale(x.m.ColScale[j], v)
	}
}

// offset is o_j.
func (x *Index) offset(j int) float64 {
	if x.m.ColOffset == nil {
		return 0
	}
	return x.m.ColOffset[j]
}

// Top is Model.Top by the index, whose nil has no lists.
func (x *Index) Top(i, n int, seen []int32) []Recommendation {
	if x == nil {
		return nil
	}
	i = known(i, x.m.Rows)
	u, _ := x.m.rowOf(i)
	return x.top(u, x.m.centre(i, -1), n, seen)
}

// top is Model.topOf for the factor u (times S) of a row.
func (x *Index) top(u []float64, base float64, n int, seen []int32) []Recommendation {
	m := x.m
	q := make([]float64, m.Rank) // û
	for c, y := range u {
		if s := x.balance[c]; s > 0 {
			q[c] = y / s
		}
	}
	s := x.search(q, n)
	seen = ascending(seen)
	s.score = func(j int) float64 { return base + m.itemScore(u, nil, j) }
	s.skip = func(j int32) bool { _, out := slices.BinarySearch(seen, j); return out }
	// Model.Top adds base in float64, whose rounding may be that of a base much larger than the rest
	s.margin = rounding64 * (math.Abs(base) + max(s.norm, x.usual)*x.left[0].norm + math.Abs(x.left[0].offset))
	s.base = base
	s.run()
	best := s.best
	best.sort()
	for k := range best {
		best[k].Score = m.clip(best[k].Score)
	}
	return best
}

// What a bound is raised by for what rounding does: of dot products of at most some thousand numbers in float32, beside the
// product of the norms, and of scores in float64.
const (
	rounding32 = 1e-5
	rounding64 = rounding.Null
)

// A search is one of the best n items for a left factor û.
type search struct {
	x      *Index
	n      int
	norm   float64   // ‖û‖
	head   []float32 // û_h
	tail   float64   // ‖û_t‖
	base   float64   // of all scores
	margin float64   // what rounding may add to a score
	cosine bool      // the score is over ‖v̂_j‖, and has no offset
	score  func(j int) float64
	skip   func(j int32) bool
	best   worstFirst
	dots   [indexBlock]float32 // û_h·v̂_h of the items of a block
}

func (x *Index) search(q []float64, n int) *search {
	s := &search{x: x, n: n, norm: math.Sqrt(kernel.SumSq(q)), head: make([]float32, x.wide),
		tail: math.Sqrt(kernel.SumSq(q[x.head:]))}
	kernel.Convert(s.head[:x.head], q[:x.head])
	return s
}

// run fills best.
func (s *search) run() {
	x := s.x
	blocks := len(x.left) - 1
	for b := range blocks {
		if !s.cosine && len(s.best) == s.n && s.base+x.left[b].of(s.norm, x.usual)+s.margin < s.worst() {
			return
		}
		lo, hi := b*indexBlock, min((b+1)*indexBlock, len(x.order))
		bounded := len(s.best) == s.n
		if bounded && x.wide > 0 {
			n := hi - lo
			kernel.DotRows(s.dots[:n], s.head, x.heads[lo*x.wide:hi*x.wide], x.wide, []int64{0, int64(n)}, inBlock[:n])
		}
		for p := lo; p < hi; p++ {
			if bounded && s.most(p, s.dots[p-lo]) < s.worst() {
				continue
			}
			if j := x.order[p]; !s.skip(j) {
				s.best.offer(Recommendation{int(j), s.score(int(j))}, s.n)
			}
		}
	}
}

func (s *search) worst() float64 {
	if s.n == 0 {
		return math.Inf(1)
	}
	return s.best[0].Score
}

// inBlock are the places of the items of a block.
var inBlock = func() (all [indexBlock]int32) {
	for k := range all {
		all[k] = int32(k)
	}
	return all
}()

// most is what the score of the item at place p is at most, for dot = û_h·v̂_h.
func (s *search) most(p int, dot float32) float64 {
	x := s.x
	norm := float64(x.norms[p])
	most := float64(dot) + s.tail*float64(x.tails[p]) + rounding32*s.norm*norm
	if s.cosine {
		return most/norm + s.margin
	}
	return s.base + most + float64(x.offsets[p]) + s.margin
}
