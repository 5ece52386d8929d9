package spca

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// Splitting is the method: the components of C, each solved by alternating directions on
//
//	X ← the projection of (C - U)/ρ + Y on the spectrahedron
//	A ← 1.6X - 0.6Y + U/ρ,   Y ← soft(A, λ/ρ),   U ← ρ(A - Y)
//
// New makes one, Problem writes what it solves with the four nouns, and solver.Run is the loop. The bound -λ₁(C - U) holds for
// any U. The objective is that of the best X so far.
type Splitting struct {
	op   *entries
	loss *Minorant
	tol  float64 // of the run
	best float64 // the largest ⟨C, X⟩ - λ‖X‖₁ that an X attains
}

// A block is a component.
type block struct {
	triangle
	vars  []int // in ascending order
	at    int   // the first of its observations
	limit float64
	known bound
	split *splitting // nil before the first step on it
	tried bool       // the leading vector of the first C - U has been weighed
	dirty bool       // C - U has moved since the last bound
	c, d  []float64  // its parts of C and D
}

// New is the method for a symmetric C, row-major and n×n, which it copies. Errors are of a C of another size or that is not
// finite, and of a λ that is negative.
func New(c []float64, n int, lambda float64) (*Splitting, error) {
	switch {
	case n < 1 || len(c) != n*n:
		return nil, fmt.Errorf("sparsepca: %d numbers are no %d×%d matrix", len(c), n, n)
	case !(lambda >= 0) || math.IsInf(lambda, 1):
		return nil, fmt.Errorf("sparsepca: λ is %v; it is a finite number, 0 or more", lambda)
	}
	for i, x := range c {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("sparsepca: entry (%d, %d) of C is %v", i/n+1, i%n+1, x)
		}
	}
	m := &Splitting{op: &entries{n: n, of: make([]int32, n), place: make([]int32, n)}, best: math.Inf(-1)}
	at := 0
	for k, vars := range components(c, n, lambda) {
		b := &block{triangle: triangle{len(vars)}, vars: vars, at: at}
		for i, v := range vars {
			m.op.of[v], m.op.place[v] = int32(k), int32(i)
		}
		at += b.len()
		m.op.blocks = append(m.op.blocks, b)
	}
	m.loss = &Minorant{C: make([]float64, at), D: make([]float64, at), Lambda: lambda}
	for _, b := range m.op.blocks {
		b.c, b.d = m.loss.C[b.at:b.at+b.len()], m.loss.D[b.at:b.at+b.len()]
		triangle{n}.gather(b, c)
	}
	return m, nil
}

// gather takes the entries of a component from the row-major C.
func (t triangle) gather(b *block, c []float64) {
	for i, v := range b.vars {
		row := c[v*t.n : (v+1)*t.n]
		left, square, lo, hi := b.row(i)
		for j := range lo {
			b.c[left+j] = row[b.vars[j]]
		}
		for j := lo; j < hi; j++ { // of both places the mean, which is the same on both sides
			w := b.vars[j]
			b.c[square+j-lo] = (row[w] + c[w*t.n+v]) / 2
		}
	}
}

// Problem is what the method solves. U is C where that is at most λ, and else λ in size. Run is to begin at Start.
func (m *Splitting) Problem() *gcg.Problem {
	l := m.loss
	for i, x := range l.C {
		l.D[i] = linalg.Soft(x, l.Lambda)
	}
	for _, b := range m.op.blocks {
		b.limit, b.known, b.split, b.tried, b.dirty = b.gershgorin(b.d), bound{}, nil, false, true
	}
	m.best = math.Inf(-1)
	return &gcg.Problem{Operator: m.op, Loss: l, Gauge: componentGauge{m}, Penalty: gauge.Equal{Zeta: 1}}
}

// Start is eᵢeᵢᵀ for the variable of the largest C_ii, the best X of one variable.
func (m *Splitting) Start() *gcg.Iterate {
	var top int
	best := math.Inf(-1)
	for _, b := range m.op.blocks {
		for i, v := range b.vars {
			if x := b.c[b.triangle.at(i, i)]; x > best {
				top, best = v, x
			}
		}
	}
	return single(m.op.n, top)
}

// gershgorin is the largest row sum of sizes, which bounds all eigenvalues.
func (b *block) gershgorin(s []float64) float64 {
	sums := make([]float64, b.n)
	for i := range b.n {
		left, square, lo, hi := b.row(i)
		for j, x := range s[left : left+lo] {
			x = math.Abs(x)
			sums[i] += x
			sums[j] += x
		}
		for _, x := range s[square : square+hi-lo] {
			sums[i] += math.Abs(x)
		}
	}
	var top float64
	for _, x := range sums {
		top = math.Max(top, x)
	}
	return top
}

// Components are the sizes of the connected components of |C_ij| > λ.
func (m *Splitting) Components() []int {
	sizes := make([]int, len(m.op.blocks))
	for k, b := range m.op.blocks {
		sizes[k] = len(b.vars)
	}
	return sizes
}

// Init begins a run.
func (m *Splitting) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	if k, ok := p.Gauge.(componentGauge); !ok || k.m != m {
		return errors.New("solver: sparsepca solves the problem that its Problem has made")
	}
	m.best, m.tol = -p.Objective(s), set.Tol
	return nil
}

// components are the connected components of |C_ij| > λ, i ≠ j, of a row-major symmetric n×n matrix: its variables in ascending
// order. Rows are read only while there are variables left that none has reached.
func components(c []float64, n int, lambda float64) [][]int {
	left := make([]int, n) // variables that are in no component yet
	for i := range left {
		left[i] = i
	}
	var all [][]int
	member := make([]int, n)
	for len(left) > 0 {
		queue := []int{left[0]}
		left = left[1:]
		for at := 0; at < len(queue) && len(left) > 0; at++ {
			row, untouched := c[queue[at]*n:(queue[at]+1)*n], left[:0:0]
			for _, j := range left {
				if math.Abs(row[j]) > lambda {
					queue = append(queue, j)
				} else {
					untouched = append(untouched, j)
				}
			}
			left = untouched
		}
		for _, i := range queue {
			member[i] = len(all)
		}
		all = append(all, nil)
	}
	for i, k := range member {
		all[k] = append(all[k], i)
	}
	return all
}

// A Minorant is the linear part of λ‖z‖₁ - ⟨C, z⟩ at a U with |U| ≤ λ,
//
//	L(z) = -⟨C - U, z⟩ ≤ λ‖z‖₁ - ⟨C, z⟩
//
// A method moves U, by D. The loss whose certificate counts is the exact one, which L bounds from below, see gcg.Original.
type Minorant struct {
	C, D   []float64 // D = C - U
	Lambda float64
}

// Len is the number of entries.
func (l *Minorant) Len() int { return len(l.C) }

// Stride is 1.
func (l *Minorant) Stride() int { return 1 }

// Eval is -⟨D, z⟩, with r = D.
func (l *Minorant) Eval(lo int, z, r []float64) float64 {
	d := l.D[lo : lo+len(z)]
	value := -kernel.Dot(d, z)
	if r != nil {
		copy(r, d)
	}
	return value
}

// Original is the loss that is not smooth.
func (l *Minorant) Original() gcg.Loss { return exact{l.C, l.Lambda} }

// exact is λ‖z‖₁ - ⟨C, z⟩.
type exact struct {
	c      []float64
	lambda float64
}

// Len is the number of entries.
func (l exact) Len() int { return len(l.c) }

// Stride is 1.
func (l exact) Stride() int { return 1 }

// Eval is the value; it has no derivative.
func (l exact) Eval(lo int, z, _ []float64) float64 {
	var size float64
	for _, x := range z {
		size += math.Abs(x)
	}
	return l.lambda*size - kernel.Dot(l.c[lo:lo+len(z)], z)
}

// dualRounding is the part of λ + |C_ij| by which |C - D| may exceed λ, for the rounding of D = C - U.
const dualRounding = rounding.Number

// Conjugate is L*(-s r): 0 where |C - s r| ≤ λ, +Inf elsewhere.
func (l exact) Conjugate(lo int, r []float64, s float64) float64 {
	for i, x := range r {
		c := l.c[lo+i]
		if math.Abs(c-s*x) > l.lambda+dualRounding*(l.lambda+math.Abs(c)) {
			return math.Inf(1)
		}
	}
	return 0
}

// ConjugateAlong is Conjugate at s = 1, and +Inf elsewhere: D is a dual point, and multiples of it rarely are.
func (l exact) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	value := l.Conjugate(lo, r, 1)
	return func(s float64) float64 {
		if s == 1 {
			return value
		}
		return math.Inf(1)
	}
}

// A componentGauge has the atoms u uᵀ, ‖u‖₂ = 1, with u within one component.
//
//	polar  κ°(G) = the largest λ₁ of a diagonal block of G
//
// It serves the problem of one run, at the D of its method: bounds of components that have not moved since are kept.
type componentGauge struct{ m *Splitting }

// A bound is what is known of λ₁(D) of one component.
type bound struct {
	value, upper float64 // value ≤ λ₁ ≤ upper
	kind         gcg.Kind
	failure      float64
	space        [][]float64 // leading Ritz vectors, the first attains value
}

const (
	// boundPart is the part of what is known to be left of a component's gap that its bound may add to it.
	boundPart = 0.1
	// closingPart is the part of the room that is left below the tolerance that a proven bound may take.
	closingPart = 0.5
	// boundRounds are the most rounds of the search for the leading vectors of D.
	boundRounds = 40
	// ritzPart is the part of λ₁√tol that the residual of its Ritz pair may have: the bound has its square.
	ritzPart = 0.03
	// clusterPart is the part of λ₁ below which eigenvalues count as of its cluster, which is cut out before the rest is bounded.
	clusterPart = 1e-3
	// clusterMost is how many they may be: more cost more than what they save.
	clusterMost = 12
)

// Name is spectrahedron.
func (componentGauge) Name() string { return "spectrahedron" }

// Polar bounds the components, those that may be largest first, and leaves out those that cannot be.
func (k componentGauge) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	bd, ok := g.(*blockDiagonal)
	if !ok || bd.entries != k.m.op {
		return gauge.Spectrahedron{}.Polar(ctx, g, ask) // of another map: all of its atoms
	}
	order := slices.Clone(bd.blocks)
	slices.SortStableFunc(order, func(a, b *block) int {
		switch x, y := a.most(), b.most(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	p := gcg.Polar{Kind: gcg.Proven, Value: math.Inf(-1), Bound: math.Inf(-1), Alpha: 1}
	var best *block
	for _, b := range order {
		if b.most() <= p.Bound && best != nil {
			break // nor are the others
		}
		if b.dirty || ask.Exact && b.known.kind != gcg.Proven {
			if err := b.update(ctx, bd.r[b.at:b.at+b.len()], k.m.best, k.m.tol, ask); err != nil {
				return gcg.Polar{}, err
			}
		}
		if b.known.upper > p.Bound {
			p.Bound = b.known.upper
		}
		if p.Failure += b.known.failure; b.known.kind == gcg.Probable {
			p.Kind = gcg.Probable
		}
		if b.known.value > p.Value {
			best, p.Value = b, b.known.value
		}
	}
	u := make([]float64, bd.n)
	for i, v := range best.vars {
		u[v] = best.known.space[0][i]
	}
	p.Atoms, p.Values = []gcg.Atom{squareAtom(u)}, []float64{p.Value}
	return p, nil
}

// squareAtom is u uᵀ.
func squareAtom(u []float64) gcg.Atom {
	a := gcg.RankOne(u, u)
	a.Symmetric = true
	return a
}

// most is an upper bound of λ₁ that costs nothing.
func (b *block) most() float64 {
	if b.dirty {
		return b.limit
	}
	return b.known.upper
}

// update bounds λ₁ of the component's D, as closely as its part of the gap is worth. Where the gap to a relative tol would close
// but for the bound, a Cholesky factorization proves a sharper one: other eigenvalues lie too close to λ₁ for Lanczos steps.
func (b *block) update(ctx context.Context, d []float64, primal, tol float64, ask gcg.Ask) error {
	if b.n == 1 {
		b.known = bound{value: d[0], upper: d[0], kind: gcg.Proven, space: [][]float64{{1}}}
		b.dirty = false
		return nil
	}
	want := gcg.Ask{Count: 1, Tol: ask.Tol, Exact: ask.Exact, Seed: ask.Seed}
	space := b.known.space
	if b.n > denseBound {
		e := b.leadingOf(ctx, d, ask.Tol)
		space = e.vectors
		if gap := e.values[0] - primal; gap > 0 {
			want.Tol = math.Max(want.Tol, boundPart*gap/math.Abs(e.values[0]))
		}
		want.W = iterateOf(b.n, space)
	}
	p, err := gauge.Spectrahedron{}.Polar(ctx, blockMap{b.triangle, d}, want)
	if room := tol*math.Abs(primal) - (p.Value - primal); err == nil && room > 0 && p.Bound-p.Value > room {
		want.Exact, want.Tol = true, closingPart*room/math.Abs(p.Value) // what is left is the bound's alone
		p, err = gauge.Spectrahedron{}.Polar(ctx, blockMap{b.triangle, d}, want)
	}
	if err != nil {
		return err
	}
	u := make([]float64, b.n)
	p.Atoms[0].U.ColumnTo(u, 0)
	if b.n <= denseBound || len(space) == 0 {
		space = [][]float64{u}
	}
	b.known = bound{value: p.Value, upper: p.Bound, kind: p.Kind, failure: p.Failure, space: space}
	b.known.space[0] = u
	b.dirty = false
	return nil
}

// denseBound is the number of variables up to which the Spectrahedron decomposes the whole matrix, and needs no start.
const denseBound = 256

// leadingOf are the leading pairs of D: those within the cluster of λ₁.
func (b *block) leadingOf(ctx context.Context, d []float64, tol float64) eigenpairs {
	f := search{n: b.n, wanted: cluster, tol: relative(ritzPart * math.Sqrt(tol)), rounds: boundRounds}
	f.mul = func(dst, x []float64, k int) { b.mulTo(dst, d, x, k) }
	start := b.known.space
	if len(start) == 0 {
		start = b.firstVectors(d)
	}
	e := f.from(ctx, start)
	k := cluster(e.values)
	return eigenpairs{e.values[:k], e.vectors[:k]}
}

// cluster is the number of leading values that are near the first.
func cluster(values []float64) int {
	k := 1
	for k < min(len(values), clusterMost) && values[k] > values[0]-clusterPart*math.Abs(values[0]) {
		k++
	}
	return k
}

// firstVectors are where a search may begin without a start: the row sums of D, and the diagonal.
func (b *block) firstVectors(d []float64) [][]float64 {
	sums, ones, diagonal := make([]float64, b.n), make([]float64, b.n), make([]float64, b.n)
	for i := range ones {
		ones[i] = 1
		diagonal[i] = d[b.triangle.at(i, i)]
	}
	b.mulTo(sums, d, ones, 1)
	return [][]float64{sums, diagonal}
}

// iterateOf is an iterate whose factors have the given columns, for a polar that cuts them out.
func iterateOf(n int, columns [][]float64) *gcg.Iterate {
	w := &gcg.Iterate{M: n, N: n, U: gcg.NewFactor(n, len(columns))}
	for c, x := range columns {
		w.U.SetColumn(c, x, 1)
	}
	w.V = w.U
	return w
}

// An observation is an entry of a component's triangle: W_ij + W_ji left of the squares of its panels, so that r is an entry of
// the symmetric adjoint, and (W_ij + W_ji)/2 within the squares, which have both.
type entries struct {
	n      int
	blocks []*block
	of     []int32 // the component of each variable
	place  []int32 // of each variable within its component
}

// Dims is n×n, and the number of entries that the components' triangles keep.
func (o *entries) Dims() (m, n, nobs int) {
	last := o.blocks[len(o.blocks)-1]
	return o.n, o.n, last.at + last.len()
}

// AtomTo is z = A(a) from observation lo on.
func (o *entries) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		o.FactoredTo(z, lo, a.U, a.V)
		return
	}
	clear(z)
	add := func(at int, x float64) {
		if at -= lo; at >= 0 && at < len(z) {
			z[at] += x
		}
	}
	for e, x := range a.Vals {
		k := o.of[a.Rows[e]]
		if o.of[a.Cols[e]] != k {
			continue
		}
		b := o.blocks[k]
		i, j := int(o.place[a.Rows[e]]), int(o.place[a.Cols[e]])
		if i < j {
			i, j = j, i
		}
		if j < i/panelRows*panelRows {
			add(b.at+b.triangle.at(i, j), x)
			continue
		}
		add(b.at+b.triangle.at(i, j), x/2)
		add(b.at+b.square(j, i), x/2)
	}
}

// square is the place of entry (i, j) of a square, on either side of the diagonal.
func (t triangle) square(i, j int) int {
	_, square, lo, _ := t.row(i)
	return square + j - lo
}

// FactoredTo is z = A(U Vᵀ) from observation lo on.
func (o *entries) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	for at := 0; at < len(z); {
		b := o.blocks[sort.Search(len(o.blocks), func(k int) bool { return o.blocks[k].at > lo+at })-1]
		end := min(len(z), b.at+b.len()-lo)
		b.factoredTo(z[at:end], lo+at-b.at, u, v)
		at = end
	}
}

// factoredTo is FactoredTo within one component, from its entry lo on.
func (b *block) factoredTo(z []float64, lo int, u, v *gcg.Factor) {
	p := sort.Search(b.panels(), func(p int) bool {
		from, to, square := b.panel(p)
		return square-(to-from)*from > lo
	}) - 1
	s := segments{z: z, lo: lo, k: u.K, u: b.rowsOf(u), v: b.rowsOf(v)}
	for ; p < b.panels(); p++ {
		first, end, square := b.panel(p)
		if square-(end-first)*first >= lo+len(z) {
			return
		}
		for i := first; i < end; i++ {
			left, inside, _, _ := b.row(i)
			s.write(left, i, 0, first, 1)
			s.write(inside, i, first, end, 0.5)
		}
	}
}

// rowsOf are the rows of a factor that are the component's, without padding.
func (b *block) rowsOf(f *gcg.Factor) []float64 {
	rows := make([]float64, 0, len(b.vars)*f.K)
	for _, i := range b.vars {
		rows = append(rows, f.Row(i)[:f.K]...)
	}
	return rows
}

// segments writes rows of entries of U Vᵀ + V Uᵀ to z, which begins at entry lo; u and v are n×k.
type segments struct {
	z     []float64
	lo, k int
	u, v  []float64
}

// write writes c(uᵢ·vⱼ + vᵢ·uⱼ), from ≤ j < to, at the entries from place on, as far as they are in z.
func (s *segments) write(place, i, from, to int, c float64) {
	first, last := max(from, from+s.lo-place), min(to, from+s.lo+len(s.z)-place)
	if first >= last {
		return
	}
	k := s.k
	out := s.z[place+first-from-s.lo : place+last-from-s.lo]
	if k == 1 {
		ui, vi := c*s.u[i], c*s.v[i]
		us, vs := s.u[first:last], s.v[first:last]
		for t := range out {
			out[t] = ui*vs[t] + vi*us[t]
		}
		return
	}
	ui, vi := s.u[i*k:(i+1)*k], s.v[i*k:(i+1)*k]
	for t := range out {
		j := first + t
		out[t] = c * (kernel.Dot(ui, s.v[j*k:(j+1)*k]) + kernel.Dot(vi, s.u[j*k:(j+1)*k]))
	}
}

// Adjoint is the block diagonal matrix with the entries r.
func (o *entries) Adjoint(r []float64) gcg.Map { return &blockDiagonal{o, r} }

// A blockDiagonal is a symmetric matrix with a block for each component.
type blockDiagonal struct {
	*entries
	r []float64
}

// Dims is n×n.
func (g *blockDiagonal) Dims() (m, n int) { return g.n, g.n }

// MulTo writes dst = G x.
func (g *blockDiagonal) MulTo(dst, x []float64) {
	part, y := make([]float64, g.n), make([]float64, g.n)
	for _, b := range g.blocks {
		n := len(b.vars)
		for i, v := range b.vars {
			part[i] = x[v]
		}
		b.symmetricTo(y[:n], g.r[b.at:b.at+b.len()], part[:n])
		for i, v := range b.vars {
			dst[v] = y[i]
		}
	}
}

// TMulTo is MulTo: G is symmetric.
func (g *blockDiagonal) TMulTo(dst, y []float64) { g.MulTo(dst, y) }

// Symmetric says that G = Gᵀ.
func (g *blockDiagonal) Symmetric() bool { return true }

// symmetricTo is mulTo for any r, of whose squares the symmetric parts count.
func (t triangle) symmetricTo(dst, r, x []float64) {
	t.mulTo(dst, r, x, 1)
	for p := range t.panels() {
		lo, hi, at := t.panel(p)
		for i := lo; i < hi; i++ {
			for j := lo; j < hi; j++ {
				a, b := r[at+(i-lo)*(hi-lo)+j-lo], r[at+(j-lo)*(hi-lo)+i-lo]
				dst[i] += (b - a) / 2 * x[j]
			}
		}
	}
}

// A blockMap is the matrix of one component, whose squares are symmetric.
type blockMap struct {
	triangle
	s []float64
}

// Dims is the number of variables, twice.
func (g blockMap) Dims() (m, n int) { return g.n, g.n }

// MulTo writes dst = S x.
func (g blockMap) MulTo(dst, x []float64) { g.mulTo(dst, g.s, x, 1) }

// TMulTo is MulTo: S is symmetric.
func (g blockMap) TMulTo(dst, y []float64) { g.MulTo(dst, y) }

// Symmetric says that S = Sᵀ.
func (g blockMap) Symmetric() bool { return true }

// RowsTo writes rows lo … lo+len(dst)/n-1 of S.
func (g blockMap) RowsTo(dst []float64, lo int) {
	for i := range len(dst) / g.n {
		g.rowTo(dst[i*g.n:(i+1)*g.n], g.s, lo+i)
	}
}
