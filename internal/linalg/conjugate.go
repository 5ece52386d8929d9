package linalg

import "github.com/seed-b18ef778/gcg/internal/kernel"

// ConjugateGradients solve A x = r for a symmetric positive definite A that is known through products, with a preconditioner
// P. Work space is kept from one solution to the next, so that one value serves one solution at a time.
type ConjugateGradients struct {
	Multiply     func(aq, q, pq []float64) // writes aq = A q; pq is P q
	Precondition func(z, r []float64)      // writes z = P⁻¹r
	Limit        int                       // the most steps
	Accuracy     float64                   // steps end where √⟨r, P⁻¹r⟩ is at most Accuracy times what it was at first
	Stop         func(x []float64) bool    // ends the steps where it is true; it is called before each step, unless it is nil
	Flat         float64                   // A counts as positive along q where ⟨q, A q⟩ > Flat ⟨q, P q⟩

	z, q, pq, aq []float64
}

// Solve overwrites x with the solution, and r with its residual, and returns the number of steps. Where A turns out not to be
// positive along a direction, it reports false, and x is what the steps before have reached.
func (c *ConjugateGradients) Solve(x, r []float64) (steps int, ok bool) {
	c.begin(len(r))
	z, q, pq, aq := c.z, c.q, c.pq, c.aq
	clear(x)
	c.Precondition(z, r)
	rz, by := kernel.Dot(r, z), 0.0
	goal := c.Accuracy * c.Accuracy * rz
	for ; steps < c.Limit && !(rz <= goal) && (c.Stop == nil || !c.Stop(x)); steps++ {
		kernel.Scale(by, q)
		kernel.Axpy(1, z, q)
		kernel.Scale(by, pq) // P z = r
		kernel.Axpy(1, r, pq)
		c.Multiply(aq, q, pq)
		curve := kernel.Dot(q, aq)
		if !(curve > c.Flat*kernel.Dot(q, pq)) {
			return steps, false
		}
		kernel.Axpy(rz/curve, q, x)
		kernel.Axpy(-rz/curve, aq, r)
		c.Precondition(z, r)
		next := kernel.Dot(r, z)
		by, rz = next/rz, next
	}
	return steps, true
}

// begin makes room for vectors of n numbers, and clears the directions.
func (c *ConjugateGradients) begin(n int) {
	if len(c.q) != n {
		c.z, c.q, c.pq, c.aq = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		return
	}
	clear(c.q)
	clear(c.pq)
}
