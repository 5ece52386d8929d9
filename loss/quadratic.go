package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
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

const (
	asymmetric = rounding.Null // of the largest entry of Q: more than rounding between Q_ij and Q_ji
	concave    = 1e-9          // of the largest eigenvalue of Q, below 0: more than rounding of an eigenvalue 0
)

// Check names the first entry of C or Q that is not finite, the first pair of entries of Q that differ, or that Q has a
// negative eigenvalue, so that L would not be convex. The last costs N³/3 flops and a copy of Q.
func (l *Quadratic) Check() error {
	n := len(l.C)
	if n == 0 {
		return fmt.Errorf("loss: there are no observations")
	}
	for i, x := range l.C {
		if !finite(x) {
			return fmt.Errorf("loss: entry %d of C is %v; it must be a finite number", i+1, x)
		}
	}
	if l.Q == nil {
		return nil
	}
	if len(l.Q) != n*n {
		return fmt.Errorf("loss: Q has %d entries; C has %d, so Q must have %d×%d", len(l.Q), n, n, n)
	}
	return first(l.checkSymmetric(), l.checkConvex())
}

func (l *Quadratic) checkSymmetric() error {
	n, top := len(l.C), 0.0
	for i, x := range l.Q {
		if !finite(x) {
			return fmt.Errorf("loss: entry (%d, %d) of Q is %v; it must be a finite number", i/n+1, i%n+1, x)
		}
		top = max(top, math.Abs(x))
	}
	for i := range n {
		for j := range i {
			if a, b := l.Q[j*n+i], l.Q[i*n+j]; math.Abs(a-b) > asymmetric*top {
				return fmt.Errorf("loss: Q is not symmetric: entry (%d, %d) is %v and entry (%d, %d) is %v", j+1, i+1, a, i+1, j+1, b)
			}
		}
	}
	return nil
}

// checkConvex is a Cholesky factorization of Q, shifted by what rounding may do.
func (l *Quadratic) checkConvex() error {
	n, top := len(l.C), l.Curvature()
	if top == 0 {
		return nil
	}
	f := append([]float64(nil), l.Q...)
	for i := range n {
		row := f[i*n : i*n+n]
		for j := range i {
			other := f[j*n : j*n+n]
			row[j] = (row[j] - kernel.Dot(other[:j], row[:j])) / other[j]
		}
		pivot := row[i] + concave*top - kernel.SumSq(row[:i])
		if !(pivot > 0) {
			return fmt.Errorf("loss: Q has a negative eigenvalue (in its leading %d×%d block), so the loss is not convex", i+1, i+1)
		}
		row[i] = math.Sqrt(pivot)
	}
	return nil
}
