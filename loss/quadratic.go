package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Quadratic is L(z) = ½⟨z, Qz⟩ + ⟨c, z⟩ with a symmetric positive semidefinite Q; without Q it is linear [Argyriou14 eq 5.3].
//
// With Q every prediction meets every other, so the stride is N: all predictions are one block, and Eval and HessTo panic
// on less. One evaluation is one pass over Q, on all processors. Without Q the stride is 1 and blocks are free.
//
// It has no conjugate: s∇L leaves the domain of L* for s < 1 where Q is singular. It is certified by linearisation, which
// needs a bound of κ at the solution; since L may be negative, that bound must come from the penalty.
type Quadratic struct {
	Q []float64 // N×N, row-major, or nil for 0
	C []float64 // N
}

func (l *Quadratic) Len() int { return len(l.C) }

func (l *Quadratic) Stride() int {
	if l.Q == nil {
		return 1
	}
	return max(1, len(l.C))
}

func (l *Quadratic) Eval(lo int, z, r []float64) float64 {
	c := l.C[lo : lo+len(z)]
	value := kernel.Dot(c, z)
	if l.Q == nil {
		if r != nil {
			for i, x := range c {
				r[i] = -x
			}
		}
		return value
	}
	q := memory.Borrow[float64](len(z))
	defer memory.Repay(q)
	l.productTo(q, lo, z)
	value += kernel.Dot(q, z) / 2
	if r != nil {
		for i, x := range c {
			r[i] = -x - q[i]
		}
	}
	return value
}

// HessTo writes dst = Q e.
func (l *Quadratic) HessTo(dst []float64, lo int, _, e []float64) {
	if l.Q == nil {
		clear(dst)
		return
	}
	buf := memory.Borrow[float64](len(e))
	defer memory.Repay(buf)
	l.productTo(buf, lo, e)
	copy(dst, buf)
}

func (l *Quadratic) productTo(q []float64, lo int, z []float64) {
	n := len(l.C)
	if lo != 0 || len(z) != n {
		panic(fmt.Sprintf("loss: Quadratic is one block of %d observations; it was given %d from %d", n, len(z), lo))
	}
	blocks := par.Grain(n, 64, 256)
	par.For(blocks, func(b int) {
		from, to := par.Range(b, blocks, n)
		for i := from; i < to; i++ {
			q[i] = kernel.Dot(l.Q[i*n:(i+1)*n], z)
		}
	})
}

// Curvature is the lesser of the largest absolute row sum of Q and its Frobenius norm, both bounds of its eigenvalues.
func (l *Quadratic) Curvature() float64 {
	var rows, squares float64
	n := len(l.C)
	for i := 0; i < len(l.Q); i += n {
		var sum float64
		for _, x := range l.Q[i : i+n] {
			sum += math.Abs(x)
			squares += x * x
		}
		rows = max(rows, sum)
	}
	return min(rows, math.Sqrt(squares))
}
