package spca

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/linalg"
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
func (m *Splitting) Init(p *gcg.Problem, s *gcg.State) error {
	if k, ok := p.Gauge.(componentGauge); !ok || k.m != m {
		return errors.New("solver: sparsepca solves the problem that its Problem has made")
	}
	m.best, m.tol = -p.Objective(s), s.Tol
	return nil
}
