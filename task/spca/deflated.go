package spca

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A deflated covariance is (I - QQᵀ) C (I - QQᵀ) for orthonormal columns Q: what of C is orthogonal to the loadings so far
// [Mackey 2008, orthogonalised projection deflation]. It stays positive semidefinite, whatever the loadings are.
type deflated struct {
	of    covariance
	q, cq [][]float64 // columns of Q and of C Q
	core  [][]float64 // QᵀCQ
	diag  []float64
}

// deflate takes a loading out of a covariance.
func deflate(c covariance, loading []float64) covariance {
	d := &deflated{of: c}
	if before, ok := c.(*deflated); ok {
		d.of, d.q, d.cq = before.of, before.q, before.cq
	}
	q := append([]float64(nil), loading...)
	for range 2 { // a second time for what rounding has left
		for _, old := range d.q {
			kernel.Axpy(-kernel.Dot(old, q), old, q)
		}
	}
	norm := gcg.Norm(q)
	if !(norm > 0) {
		return c
	}
	kernel.Scale(1/norm, q)
	cq := make([]float64, len(q))
	d.of.mulTo(cq, q)
	d.q, d.cq = append(d.q[:len(d.q):len(d.q)], q), append(d.cq[:len(d.cq):len(d.cq)], cq)
	d.core = make([][]float64, len(d.q))
	for a := range d.q {
		d.core[a] = make([]float64, len(d.q))
		for b := range d.q {
			d.core[a][b] = (kernel.Dot(d.q[a], d.cq[b]) + kernel.Dot(d.q[b], d.cq[a])) / 2
		}
	}
	d.diag = make([]float64, len(q))
	for i, v := range d.of.diagonal() {
		d.diag[i] = max(v+d.change(i, i), 0)
	}
	return d
}

// change is what the projections add to C_ij.
func (d *deflated) change(i, j int) (x float64) {
	for a, q := range d.q {
		x -= q[i]*d.cq[a][j] + d.cq[a][i]*q[j]
		for b, p := range d.q {
			x += q[i] * d.core[a][b] * p[j]
		}
	}
	return x
}

func (d *deflated) variables() int      { return d.of.variables() }
func (d *deflated) diagonal() []float64 { return d.diag }

func (d *deflated) mulTo(dst, x []float64) {
	y := append([]float64(nil), x...)
	d.project(y)
	d.of.mulTo(dst, y)
	d.project(dst)
}

// project makes x orthogonal to Q.
func (d *deflated) project(x []float64) {
	for _, q := range d.q {
		kernel.Axpy(-kernel.Dot(q, x), q, x)
	}
}

func (d *deflated) block(vars []int) []float64 {
	k, c := len(vars), d.of.block(vars)
	all := append(make([]float64, 0, k*k), c...)
	for a, i := range vars {
		for b, j := range vars[:a+1] {
			all[a*k+b] += d.change(i, j)
			all[b*k+a] = all[a*k+b]
		}
	}
	return all
}
