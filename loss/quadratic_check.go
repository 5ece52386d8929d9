package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

const (
	asymmetric = 1e-12 // of the largest entry of Q: more than rounding between Q_ij and Q_ji
	concave    = 1e-9  // of the largest eigenvalue of Q, below 0: more than rounding of an eigenvalue 0
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
