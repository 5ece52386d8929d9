package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A freeSystem is the matrix H + μ∇²κ on the free entries of a support. H, and of ∇²κ what is within a part, are factored part
// by part; blocks that reach over several parts, as a feature's row does over tasks, couple them.
type freeSystem struct {
	hess    *parts
	free    []int   // entries of the support
	part    [][]int // places in free, by part
	of, at  []int   // the part of a free entry, and its place there
	lower   []*linalg.Lower
	bends   []bend
	coupled bool
}

// A bend is μ∇²κ_b of a block from free entry lo on, w×w.
type bend struct {
	lo, w int
	hess  []float64
}

// solveFree is the Newton step on the free entries, or nil if the matrix is not positive definite.
func (m *blockModel) solveFree(smooth gcg.SmoothBlockGauge, x, g []float64, mu float64, free []int) []float64 {
	f := newFreeSystem(m.hess, free)
	d := make([]float64, len(free))
	for a, i := range free {
		d[a] = -g[m.hess.place[i]]
	}
	at := 0
	for b, key := range m.u.keys {
		xb := m.u.block(x, b)
		if isZero(xb) {
			continue
		}
		w := len(xb)
		grad, hess := make([]float64, w), make([]float64, w*w)
		if !smooth.BlockSlopeTo(grad, hess, xb, key, mu) {
			return nil
		}
		kernel.Axpy(-mu, grad, d[at:at+w])
		f.add(at, w, hess)
		at += w
	}
	for _, l := range f.lower {
		if !l.Cholesky() {
			return nil
		}
	}
	if !f.coupled {
		f.solveParts(d, d)
		return d
	}
	return f.conjugateGradients(d)
}

func newFreeSystem(hess *parts, free []int) *freeSystem {
	f := &freeSystem{hess: hess, free: free, of: make([]int, len(free)), at: make([]int, len(free))}
	number := map[int]int{}
	for a, i := range free {
		q, ok := number[hess.of[i]]
		if !ok {
			q = len(f.part)
			number[hess.of[i]] = q
			f.part = append(f.part, nil)
		}
		f.of[a], f.at[a] = q, len(f.part[q])
		f.part[q] = append(f.part[q], a)
	}
	for _, part := range f.part {
		l := linalg.NewLower(len(part))
		for a, s := range part {
			from := hess.row(free[s])
			for c := 0; c <= a; c += linalg.PanelWidth {
				row := l.Row(a, c)
				for e, r := range part[c:min(a+1, c+len(row))] {
					row[e] = from[hess.at[free[r]]]
				}
			}
			l.Row(a, a)[a%linalg.PanelWidth] *= 1 + 1e-13
		}
		f.lower = append(f.lower, l)
	}
	return f
}

// add adds the second derivatives of a block's gauge, of its w entries from free entry lo on.
func (f *freeSystem) add(lo, w int, hess []float64) {
	for i := range w {
		q, a := f.of[lo+i], f.at[lo+i]
		for j := range i + 1 {
			if f.of[lo+j] == q {
				c := f.at[lo+j]
				f.lower[q].Row(a, c)[c%linalg.PanelWidth] += hess[i*w+j]
			} else if hess[i*w+j] != 0 {
				f.coupled = true
			}
		}
	}
	if w > 1 {
		f.bends = append(f.bends, bend{lo, w, hess})
	}
}

// solveParts is the solution without the couplings; z may be r.
func (f *freeSystem) solveParts(z, r []float64) {
	for q, part := range f.part {
		x := make([]float64, len(part))
		for a, s := range part {
			x[a] = r[s]
		}
		f.lower[q].Solve(x)
		for a, s := range part {
			z[s] = x[a]
		}
	}
}

// timesTo is y = (H + μ∇²κ) x.
func (f *freeSystem) timesTo(y, x []float64) {
	for _, part := range f.part {
		for _, s := range part {
			from := f.hess.row(f.free[s])
			var sum float64
			for _, r := range part {
				sum += from[f.hess.at[f.free[r]]] * x[r]
			}
			y[s] = sum
		}
	}
	for _, b := range f.bends {
		for i := range b.w {
			y[b.lo+i] += kernel.Dot(b.hess[i*b.w:(i+1)*b.w], x[b.lo:b.lo+b.w])
		}
	}
}

// conjugateGradients solves the coupled system from r, with the parts as the preconditioner: the couplings of norms have rank 1
// for each block, so about as many steps as there are blocks are enough. It returns nil where the curvature vanishes.
func (f *freeSystem) conjugateGradients(r []float64) []float64 {
	n := len(r)
	x, z, q, aq := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	f.solveParts(z, r)
	copy(q, z)
	rz := kernel.Dot(r, z)
	goal := 1e-20 * rz
	for range 20 + 3*len(f.bends) {
		f.timesTo(aq, q)
		curve := kernel.Dot(q, aq)
		if !(curve > 0) {
			return nil
		}
		kernel.Axpy(rz/curve, q, x)
		kernel.Axpy(-rz/curve, aq, r)
		f.solveParts(z, r)
		next := kernel.Dot(r, z)
		if !(next > goal) {
			break
		}
		for i := range q {
			q[i] = z[i] + next/rz*q[i]
		}
		rz = next
	}
	return x
}
