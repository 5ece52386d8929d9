package recovery

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/symmetric"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"gonum.org/v1/gonum/mat"
)

// A cone is the set of matrices that X is from.
type cone int

const (
	general      cone = iota // all
	symmetrical              // symmetric ones
	semidefinite             // positive semidefinite ones
)

// coneOf is the cone of a gauge that is a trace norm.
func coneOf(k gcg.Gauge) (c cone, ok bool) {
	switch k.(type) {
	case gauge.PSDTrace:
		return semidefinite, true
	case symmetric.Trace:
		return symmetrical, true
	}
	return general, gcg.IsTraceNorm(k)
}

// triples are singular triples of a matrix, values descending: values[c], column c of left and of right. Those of the symmetric
// part are eigenpairs, whose negative values have their sign in right.
type triples struct {
	left, right *gcg.Factor
	values      []float64
	all         bool // no value is missing
}

// A shrinker decomposes the matrices of one block, each near the last one: subspace iteration from the right vectors of that,
// with spare columns, and a whole decomposition where more than wholeRank of the values are wanted.
type shrinker struct {
	cone  cone
	m, n  int
	basis *gcg.Factor // n×k, or nil at first
	draw  uint64      // state of the random columns
	first int         // 0, or wholeDecomposition
	rank  int         // of the last result
}

// wholeDecomposition says that most singular values are expected to be wanted.
const wholeDecomposition = -1

const (
	spare     = 10  // columns beyond the rank, whose values show that none is missing; with 5 the rank grows in more rounds
	wholeRank = 0.4 // of the side, from which on a whole decomposition is as fast as products with blocks
	smallSide = 64  // side up to which a whole decomposition is always as fast
	firstRank = 16  // columns that are tried first
	passes    = 3   // products with X and Xᵀ for columns that start at random; one for those of the last matrix
)

// decompose finds the triples of x of which wanted says, from the values, that no more are needed.
func (s *shrinker) decompose(x []float64, wanted func(values []float64) (enough bool)) triples {
	side := min(s.m, s.n)
	if s.cone != general || side <= smallSide {
		return s.whole(x)
	}
	rounds := 1
	if s.basis == nil {
		if s.first == wholeDecomposition {
			return s.whole(x)
		}
		s.basis, rounds = s.random(min(firstRank+spare, side)), passes
	}
	if want := min(s.rank+spare, side); s.basis.K < want { // without room for what is new, nothing new would be seen
		s.basis = gcg.Beside(s.basis, s.random(want-s.basis.K))
	}
	for k := s.basis.K; float64(k) < wholeRank*float64(side); k = 2*k + spare { // which the basis may have less of
		t := s.subspace(x, rounds)
		if t.all || wanted(t.values) {
			return t
		}
		s.basis, rounds = gcg.Beside(s.basis, s.random(2*k+spare-s.basis.K)), passes
	}
	return s.whole(x)
}

// keep leaves as many columns of the basis as the rank asks for.
func (s *shrinker) keep(rank int) {
	s.rank = rank
	if s.basis == nil {
		return
	}
	s.basis = s.basis.Widen(min(s.basis.K, rank+spare))
}

// random is n×k pseudo-random numbers in [-1, 1]: the same for every run.
func (s *shrinker) random(k int) *gcg.Factor {
	f := gcg.NewFactor(s.n, k)
	for i := range s.n {
		for c := range k {
			s.draw = s.draw*6364136223846793005 + 1442695040888963407
			f.Row(i)[c] = float64(int64(s.draw))/math.MaxInt64 + 0
		}
	}
	return f
}

// subspace takes Ritz triples of x from rounds of products with x and xᵀ.
func (s *shrinker) subspace(x []float64, rounds int) triples {
	v := s.basis
	var p *gcg.Factor
	exhausted := false
	for range rounds {
		y := gcg.NewFactor(s.m, v.K)
		kernel.GemmNN(y.Data, x, v.Data, s.m, v.Stride, s.n)
		p, _ = gcg.Orthonormal(y, dependent)
		if p.K == 0 {
			return triples{left: gcg.NewFactor(s.m, 0), right: gcg.NewFactor(s.n, 0), all: true}
		}
		exhausted = p.K < v.K            // x has no more than that
		right := gcg.NewFactor(s.n, p.K) // xᵀP
		kernel.GemmTN(right.Data, x, p.Data, s.n, p.Stride, s.m)
		v = right
	}
	gram := gcg.TMul(v, v)
	values, a := linalg.SymEigen(symmetricOf(gram, p.K), true)
	t := s.turn(p, v, values, a)
	t.all = t.all || exhausted
	return t
}

// dependent is the size of the remainder below which a column is in the span of the others.
const dependent = rounding.Null

// symmetricOf is the k×k content of a Small.
func symmetricOf(f *gcg.Factor, k int) *mat.SymDense {
	d := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			d.SetSym(i, j, f.Row(i)[j])
		}
	}
	return d
}

// turn makes triples of P, right = xᵀP and the eigenpairs of rightᵀright, ascending. The right vectors become the basis.
func (s *shrinker) turn(p, right *gcg.Factor, values []float64, a *mat.Dense) triples {
	k := p.K
	turned, t := gcg.Small(k, k), triples{values: make([]float64, k), all: k == min(s.m, s.n)}
	inverse, live := make([]float64, right.Stride), 0
	for c := range k {
		from := k - 1 - c
		t.values[c] = math.Sqrt(math.Max(values[from], 0))
		for i := range k {
			turned.Row(i)[c] = a.At(i, from)
		}
		if t.values[c] > dependent*t.values[0] {
			inverse[c] = 1 / t.values[c]
			live = c + 1
		}
	}
	t.left, t.right = gcg.Mul(p, turned), gcg.Mul(right, turned)
	t.right.ScaleColumns(inverse)
	s.basis = t.right.Widen(live)
	return t
}

// whole decomposes x by its Gram matrix on the shorter side, or the symmetric part by its eigenvalues.
func (s *shrinker) whole(x []float64) triples {
	if s.cone != general {
		return s.eigen(x)
	}
	turned := s.m < s.n
	side, other := s.n, s.m
	g := make([]float64, min(s.m, s.n)*min(s.m, s.n))
	if turned {
		side, other = s.m, s.n
		kernel.GramNT(g, x, s.m, s.n)
	} else {
		kernel.Gram(g, x, s.m, s.n)
	}
	kernel.Mirror(g, side)
	values, q := linalg.SymEigen(mat.NewSymDense(side, g), true)
	t := triples{values: make([]float64, side), all: true}
	shorter, longer := gcg.NewFactor(side, side), gcg.NewFactor(other, side)
	for c := range side {
		t.values[c] = math.Sqrt(math.Max(values[side-1-c], 0))
		for i := range side {
			shorter.Row(i)[c] = q.At(i, side-1-c)
		}
	}
	if turned {
		kernel.GemmTN(longer.Data, x, shorter.Data, s.n, shorter.Stride, s.m)
		t.left, t.right = shorter, longer
	} else {
		kernel.GemmNN(longer.Data, x, shorter.Data, s.m, shorter.Stride, s.n)
		t.left, t.right = longer, shorter
	}
	inverse := make([]float64, longer.Stride)
	for c, v := range t.values {
		if v > dependent*t.values[0] {
			inverse[c] = 1 / v
		}
	}
	longer.ScaleColumns(inverse)
	s.basis = t.right
	return t
}

// eigen are the eigenpairs of (x + xᵀ)/2: all by size, or the positive ones alone.
func (s *shrinker) eigen(x []float64) triples {
	n := s.n
	d := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			d.SetSym(i, j, x[i*n+j]/2+x[j*n+i]/2)
		}
	}
	values, q := linalg.SymEigen(d, true)
	order := make([]int, 0, n)
	for c, v := range values {
		if v > 0 || s.cone == symmetrical {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return -compare(math.Abs(values[a]), math.Abs(values[b]))
	})
	t := triples{left: gcg.NewFactor(n, len(order)), right: gcg.NewFactor(n, len(order)), all: true}
	for c, from := range order {
		t.values = append(t.values, math.Abs(values[from]))
		for i := range n {
			v := q.At(i, from)
			t.left.Row(i)[c], t.right.Row(i)[c] = v, math.Copysign(1, values[from])*v
		}
	}
	return t
}

// compare is -1, 0 or 1 as a is less than, equal to or more than b.
func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// A Shrinker is the proximity operator of the trace norm for matrices each near the last one, as steps of a method are: singular
// triples are found near those of the matrix before.
type Shrinker struct {
	m, n int
	of   shrinker
}

// NewShrinker is one for row-major m×n matrices. The seed is of its first directions.
func NewShrinker(m, n int, seed uint64) *Shrinker {
	return &Shrinker{m, n, shrinker{m: m, n: n, draw: seed}}
}

// To writes argmin over Z of ½‖Z - X‖² + θ‖Z‖_* into z, which may be x, and returns it as factors, with ‖Z‖_*.
func (k *Shrinker) To(z, x []float64, theta float64) (w *gcg.Iterate, norm float64) {
	t := k.of.decompose(x, func(values []float64) bool { return values[len(values)-1] <= theta })
	norm = k.of.lower(&t, theta)
	t.matrixTo(z, k.m, k.n)
	l := &layout{m: k.m, n: k.n, blocks: []block{{rows: upTo(k.m), cols: upTo(k.n)}}}
	return l.join([]triples{t}), norm
}

// sparse says that X may be the iterate.
func (a *Splitting) sparse() bool {
	l, ok := a.p.Loss.(*loss.WithL1)
	return ok && !a.LowRank && l.Lambda != 0 && a.cone == general
}

// sparsen makes X the iterate in place of Z where Z closes the gap and X does, too: X has zeros, and Z does not. It costs a
// decomposition, at the end of a run. X is of the cone only where that is all matrices.
func (a *Splitting) sparsen(p *gcg.Problem, s *gcg.State, polar *gcg.Polar) {
	if !a.sparse() || polar.Kind != gcg.Proven || s.W.Rank() == 0 {
		return
	}
	lower := math.Max(s.Cert.LowerBound, p.Bound(s, polar))
	if f := s.Objective(p); gcg.RelativeGap(math.Max(f-lower, 0), f) > a.prover.tol {
		return
	}
	var norm float64
	for i := range a.layout.blocks {
		b := &a.layout.blocks[i]
		norm += spectral.DenseTraceNorm(b.of(a.x), len(b.rows), len(b.cols))
	}
	scale := 1.0
	if zeta := p.Penalty.Max(); norm > zeta {
		scale, norm = zeta/norm, zeta
	}
	z := make([]float64, len(s.Z))
	a.layout.gather(z, a.x)
	for e := range z {
		z[e] *= scale
	}
	value := p.Value(z, nil)
	if f := value + p.Penalty.Value(norm); gcg.RelativeGap(math.Max(f-lower, 0), f) <= a.prover.tol {
		copy(s.Z, z)
		s.W, s.Rho, s.Loss, s.Exact = sparseOf(a.layout.op, z), norm, value, true
	}
}

// sparseOf is the matrix of the observations z that are not 0.
func sparseOf(op view.CellOperator, z []float64) *gcg.Iterate {
	m, n, _ := op.Dims()
	w := &gcg.Iterate{M: m, N: n}
	ptr, cols, _ := op.Cells()
	var a gcg.Atom
	for i := range m {
		lo, hi := i*n, (i+1)*n
		if ptr != nil {
			lo, hi = int(ptr[i]), int(ptr[i+1])
		}
		for e := lo; e < hi; e++ {
			if z[e] == 0 {
				continue
			}
			j := int32(e - lo)
			if ptr != nil {
				j = cols[e]
			}
			a.Rows, a.Cols, a.Vals = append(a.Rows, int32(i)), append(a.Cols, j), append(a.Vals, z[e])
		}
	}
	if len(a.Vals) > 0 {
		w.Terms = []gcg.Term{{Atom: a, Weight: 1}}
	}
	return w
}
