package views

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// ExactLabels is the number of signs up to which the polar with labels is searched to the end: label rows, and views of one row,
// whose part of an atom is a sign too. Beyond, the search stops early, and the answer says by its ratio what it is worth.
const ExactLabels = 16

const (
	// gapClosed is the part of the value that the bound of a finished search may be above it.
	gapClosed = 1e-10
	// widestGap is the same at most, where less accuracy is asked for.
	widestGap = 1e-2
	// nodesExact limits the nodes of a search that is to end: half of all signs of ExactLabels, each with its angles.
	nodesExact = 1 << 17
	// nodesBeyond limits the nodes of a search beyond ExactLabels.
	nodesBeyond = 64
)

// labelPolar is the polar with labels, by branch and bound. A node fixes the signs of some labels, whose rows are then added to
// one, c = Σu_lc_l, a view of one row; each other label is a view by itself. The relaxation of all of them bounds the node. Where
// all signs are fixed and a gap is left, as may be, the node is cut into sectors of angles of v. Every node gives starts for an
// ascent. [Zhang12 §4] claims that no gap is left: three unit vectors at 120° have the maximum 4 and the bound 4.5.
func (k Views) labelPolar(ctx context.Context, views []block, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	at := views[len(views)-1].hi
	for l := range k.Labels {
		views = append(views, block{at + l, at + l + 1, 1})
	}
	w := write(g, views)
	switch {
	case w.scale == 0:
		return w.zero(), nil
	case math.IsNaN(w.scale) || math.IsInf(w.scale, 1):
		return broken(), nil
	}
	s := newSignSearch(w)
	limit := nodesExact
	if len(s.c) > ExactLabels {
		limit = nodesBeyond
	}
	s.count, s.above = ask.Count, ask.Above/w.scale
	s.closed = math.Max(gapClosed, math.Min(ask.Tol, widestGap))
	bound, err := s.run(ctx, limit, ask.Seed)
	if err != nil {
		return gcg.Polar{}, err
	}
	p := s.answer()
	if p.Bound = math.Max(bound*w.scale, p.Value); len(s.c) > ExactLabels && bound > s.value*(1+2*s.closed) {
		p.Kind, p.Alpha = gcg.Approximate, p.Value/p.Bound
	}
	return p, nil
}

// answer is the best atom, and those of other local maxima where more are wanted.
func (s *signSearch) answer() gcg.Polar {
	value, atom := s.w.attains(s.v)
	p := gcg.Polar{Atoms: []gcg.Atom{atom}, Values: []float64{value}, Value: value, Kind: gcg.Proven, Alpha: 1}
	slices.SortStableFunc(s.ends, func(a, b maximum) int { return cmp.Compare(b.value, a.value) })
	given := [][]float64{s.v}
	for _, e := range s.ends {
		if len(p.Atoms) >= s.count {
			break
		}
		if slices.ContainsFunc(given, func(v []float64) bool { return parallel(v, e.v) }) {
			continue
		}
		given = append(given, e.v)
		more, a := s.w.attains(e.v)
		p.Atoms, p.Values = append(p.Atoms, a), append(p.Values, math.Min(more, value))
	}
	return p
}

// A signSearch maximises Σ‖H_bv‖ + Σ|c_lᵀv| over unit v: b are the blocks of several rows, c_l those of one.
type signSearch struct {
	w     *written
	grams [][]float64
	c     [][]float64
	basis *subspace

	closed float64 // part of the value that the bound may be above it
	count  int     // maxima that are wanted, those
	above  float64 // that attain more than this

	value float64
	v     []float64
	ends  []maximum // where ascents have ended
}

// A maximum is what a v attains from which no ascent leads on.
type maximum struct {
	value float64
	v     []float64
}

// newSignSearch sorts the blocks, and leaves out those that are 0.
func newSignSearch(w *written) *signSearch {
	s := &signSearch{w: w, value: math.Inf(-1)}
	for i, b := range w.views {
		if trace(w.grams[i], w.d) == 0 {
			continue
		}
		if b.hi-b.lo > 1 {
			s.grams = append(s.grams, w.grams[i])
			continue
		}
		s.c = append(s.c, w.coordinates(w.h[i]))
	}
	return s
}

// coordinates are Qᵀh of a row h.
func (w *written) coordinates(h []float64) []float64 {
	if w.q == nil {
		return h
	}
	x := make([]float64, w.q.Stride)
	for j, y := range h {
		kernel.Axpy(y, w.q.Row(j), x)
	}
	return x[:w.d]
}

// A signNode is a part of the search: signs, 0 for those that are open, and a sector of angles of v in a plane.
type signNode struct {
	signs  []int8
	plane  [2][]float64 // orthonormal, or nil
	lo, hi float64      // angles
	bound  float64
	next   int // the open sign to branch on, or -1
	top    [2][]float64
}

// run is the search: best bound first. It returns the bound of the maximum.
func (s *signSearch) run(ctx context.Context, limit int, seed uint64) (float64, error) {
	s.starts(seed)
	root := &signNode{signs: make([]int8, len(s.c)), bound: math.Inf(1)}
	if first := s.longest(); first >= 0 {
		root.signs[first] = 1 // v and -v attain the same
	}
	open := signQueue{}
	s.relax(root)
	if root.bound > s.value*(1+s.closed) {
		open = append(open, root)
	}
	for nodes := 1; len(open) > 0; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		node := heap.Pop(&open).(*signNode)
		if node.bound <= s.value*(1+s.closed) {
			break
		}
		if nodes >= limit {
			return node.bound, nil
		}
		for _, child := range node.children() {
			s.relax(child)
			child.bound = math.Min(child.bound, node.bound)
			nodes++
			if child.bound > s.value*(1+s.closed) {
				heap.Push(&open, child)
			}
		}
	}
	return s.value * (1 + gapClosed), nil
}

// longest is the longest row, or -1.
func (s *signSearch) longest() int {
	at, size := -1, 0.0
	for l, c := range s.c {
		if norm := kernel.SumSq(c); norm > size {
			at, size = l, norm
		}
	}
	return at
}

// children fix the next sign both ways or, where all are fixed, cut the sector into halves.
func (n *signNode) children() []*signNode {
	if n.next >= 0 {
		var all []*signNode
		for _, sign := range []int8{1, -1} {
			signs := append([]int8(nil), n.signs...)
			signs[n.next] = sign
			all = append(all, &signNode{signs: signs})
		}
		return all
	}
	plane, lo, hi := n.plane, n.lo, n.hi
	if plane[0] == nil {
		plane, lo, hi = n.top, 0, math.Pi
	}
	mid := (lo + hi) / 2
	return []*signNode{{signs: n.signs, plane: plane, lo: lo, hi: mid}, {signs: n.signs, plane: plane, lo: mid, hi: hi}}
}

// relax bounds a node, looks for better v from the top of its relaxation, and chooses the next sign.
func (s *signSearch) relax(n *signNode) {
	f := s.forms(n)
	x := f.relax(s.value*(1+s.closed), s.w)
	n.bound, n.next = x.bound, -1
	for i, v := range x.vectors {
		if i < len(n.top) {
			n.top[i] = v
		}
		s.ascend(v)
	}
	if len(x.vectors) > 1 {
		for _, sign := range []float64{1, -1} {
			v := append([]float64(nil), x.vectors[0]...)
			kernel.Axpy(sign, x.vectors[1], v)
			s.ascend(v)
		}
	}
	n.next = s.branch(n, &x)
}

// branch is the open sign that matters most and is least sure: by its part √⟨ccᵀ, X⟩ of the bound, and its correlation with the
// fixed ones under X.
func (s *signSearch) branch(n *signNode, x *relaxed) int {
	sum := s.fixed(n.signs)
	product := func(a, b []float64) (p float64) {
		for i, v := range x.vectors {
			p += x.weights[i] * kernel.Dot(a, v) * kernel.Dot(b, v)
		}
		return p
	}
	at, most := -1, math.Inf(-1)
	for l, sign := range n.signs {
		if sign != 0 {
			continue
		}
		own, with := product(s.c[l], s.c[l]), 0.0
		if sum != nil {
			with = product(sum, s.c[l])
			with *= with / math.Max(product(sum, sum), math.SmallestNonzeroFloat64)
		}
		if score := own - with; at < 0 || score > most {
			at, most = l, score
		}
	}
	return at
}

// fixed is Σu_lc_l over the fixed signs, or nil where there are none.
func (s *signSearch) fixed(signs []int8) (sum []float64) {
	for l, sign := range signs {
		if sign != 0 {
			if sum == nil {
				sum = make([]float64, s.w.d)
			}
			kernel.Axpy(float64(sign), s.c[l], sum)
		}
	}
	return sum
}

// forms are the views of a node and the sectors that v is in.
func (s *signSearch) forms(n *signNode) *forms {
	f := &forms{d: s.w.d, k: append([][]float64(nil), s.grams...), basis: &s.basis}
	if sum := s.fixed(n.signs); sum != nil && kernel.SumSq(sum) > 0 {
		f.k = append(f.k, outer(sum, sum))
	}
	for l, sign := range n.signs {
		if sign == 0 {
			f.k = append(f.k, outer(s.c[l], s.c[l]))
		}
	}
	if n.plane[0] != nil {
		f.n = append(f.n, sector(n.plane, n.lo, n.hi))
	}
	return f
}

// outer is the symmetric part of x yᵀ.
func outer(x, y []float64) []float64 {
	d := len(x)
	k := make([]float64, d*d)
	for i := range d {
		for j := range d {
			k[i*d+j] = (x[i]*y[j] + x[j]*y[i]) / 2
		}
	}
	return k
}

// sector is the symmetric part of n₁n₂ᵀ for the inner normals of a sector lo ≤ θ ≤ hi of a plane: vᵀn₁n₂ᵀv ≥ 0 says that v or -v
// is in it.
func sector(plane [2][]float64, lo, hi float64) []float64 {
	normal := func(x, y float64) []float64 {
		n := make([]float64, len(plane[0]))
		kernel.Axpy(x, plane[0], n)
		kernel.Axpy(y, plane[1], n)
		return n
	}
	return outer(normal(-math.Sin(lo), math.Cos(lo)), normal(math.Sin(hi), -math.Cos(hi)))
}

const (
	randomStarts = 8
	// startsPerAtom are taken at least for each atom that is wanted: many lead to the same.
	startsPerAtom = 2
	mostAscents   = 300          // steps of an ascent
	ascentRest    = rounding.Sum // part of the value below which a step of the ascent is its last
)

// starts takes ascents from the rows and from random vectors.
func (s *signSearch) starts(seed uint64) {
	for _, c := range s.c {
		s.ascend(c)
	}
	rng := rand.New(rand.NewPCG(seed, 0x6c6162656c73))
	for range max(randomStarts, startsPerAtom*s.count) {
		v := make([]float64, s.w.d)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		s.ascend(v)
	}
}

// ascend maximises from v: v ← the unit vector along ΣK_bv/√(vᵀK_bv) + Σ sign(c_lᵀv) c_l, which never lowers the convex function.
func (s *signSearch) ascend(start []float64) {
	v := unit(append([]float64(nil), start...))
	if v == nil {
		return
	}
	last := math.Inf(-1)
	for range mostAscents {
		value, up := s.slope(v)
		if value > s.value {
			s.value, s.v = value, v
		}
		if value <= last*(1+ascentRest) {
			break
		}
		last = value
		if v = unit(up); v == nil {
			return
		}
	}
	if s.count > 1 && last > s.above {
		s.ends = append(s.ends, maximum{last, v})
	}
}

// slope is the function and a subgradient at v.
func (s *signSearch) slope(v []float64) (value float64, up []float64) {
	up = make([]float64, len(v))
	for _, k := range s.grams {
		kv := times(k, v)
		if p := math.Sqrt(math.Max(kernel.Dot(kv, v), 0)); p > 0 {
			value += p
			kernel.Axpy(1/p, kv, up)
		}
	}
	for _, c := range s.c {
		x := kernel.Dot(c, v)
		value += math.Abs(x)
		kernel.Axpy(math.Copysign(1, x), c, up)
	}
	return value, up
}

// A signQueue is a heap of nodes, the largest bound first.
type signQueue []*signNode

func (q signQueue) Len() int           { return len(q) }
func (q signQueue) Less(i, j int) bool { return q[i].bound > q[j].bound }
func (q signQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *signQueue) Push(x any)        { *q = append(*q, x.(*signNode)) }
func (q *signQueue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
