package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A freeSystem is the matrix H + μ∇²κ on the free entries of a support. H, and of ∇²κ what is within a part, are factored part
// by part; blocks that reach over several parts, as a feature's row does over tasks, couple them.
type freeSystem struct {
	groups // of places in the list of free entries
	lower  []*linalg.Lower
	bends  []bend
}

// A bend is μ∇²κ_b of a block from free entry lo on, w×w; entries within a part are moved to its matrix.
type bend struct {
	lo, w int
	hess  []float64
}

// newFreeSystem takes parts apart where that is worth it.
func newFreeSystem(hess *parts, free []int, bends []bend) *freeSystem {
	f := &freeSystem{groups: newGroups(len(free), func(a int) int { return hess.of[free[a]] })}
	if len(free) <= maxSupport && f.coupled(bends) && !f.cheap(bends) {
		f.groups = oneGroup(len(free))
	}
	for _, part := range f.members {
		l := linalg.NewLower(len(part))
		for a, s := range part {
			from, q := hess.row(free[s]), hess.of[free[s]]
			for c := 0; c <= a; c += linalg.PanelWidth {
				row := l.Row(a, c)
				for e, r := range part[c:min(a+1, c+len(row))] {
					if j := free[r]; hess.of[j] == q {
						row[e] = from[hess.at[j]]
					}
				}
			}
			l.Row(a, a)[a%linalg.PanelWidth] *= 1 + 1e-13
		}
		f.lower = append(f.lower, l)
	}
	for _, b := range bends {
		f.add(b)
	}
	return f
}

// coupled reports whether a block bends in two parts at once.
func (f *freeSystem) coupled(bends []bend) bool {
	for _, b := range bends {
		for i := range b.w {
			for j := range i {
				if f.of[b.lo+i] != f.of[b.lo+j] && b.hess[i*b.w+j] != 0 {
					return true
				}
			}
		}
	}
	return false
}

// cheap reports whether conjugate gradients, about two steps for each block, take less than the Cholesky factor of the whole
// matrix, a flop of which takes a tenth of the time.
func (f *freeSystem) cheap(bends []bend) bool {
	var step float64
	for _, part := range f.members {
		step += 2 * float64(len(part)) * float64(len(part))
	}
	for _, b := range bends {
		step += 2 * float64(b.w) * float64(b.w)
	}
	return 2*float64(len(bends))*step < math.Pow(float64(len(f.of)), 3)/30
}

// add moves second derivatives of a block's gauge to the parts; what couples them remains.
func (f *freeSystem) add(b bend) {
	couples := false
	for i := range b.w {
		q, a := f.of[b.lo+i], f.at[b.lo+i]
		for j := range b.w {
			h := &b.hess[i*b.w+j]
			if f.of[b.lo+j] != q {
				couples = couples || *h != 0
				continue
			}
			if c := f.at[b.lo+j]; c <= a {
				f.lower[q].Row(a, c)[c%linalg.PanelWidth] += *h
			}
			*h = 0
		}
	}
	if couples {
		f.bends = append(f.bends, b)
	}
}

// solveParts is the solution without the couplings; z may be r.
func (f *freeSystem) solveParts(z, r []float64) {
	for q, part := range f.members {
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

// conjugateGradients solves the coupled system from r, with the matrix P of the parts as the preconditioner: couplings of norms
// have rank 1 for each block, so about as many steps as there are blocks are enough. P times a direction follows from r, as
// P P⁻¹r = r.
func (f *freeSystem) conjugateGradients(r []float64) []float64 {
	multiply := func(aq, q, pq []float64) {
		copy(aq, pq)
		for _, b := range f.bends {
			b.addTo(aq, q)
		}
	}
	return solved(&linalg.ConjugateGradients{Multiply: multiply, Precondition: f.solveParts, Limit: 20 + 3*len(f.bends), Accuracy: 1e-10}, r)
}

// solved is the solution for r, which is overwritten, or nil if the matrix is not positive definite.
func solved(c *linalg.ConjugateGradients, r []float64) []float64 {
	x := make([]float64, len(r))
	if _, ok := c.Solve(x, r); !ok {
		return nil
	}
	return x
}

// addTo adds μ∇²κ_b q to a.
func (b bend) addTo(a, q []float64) {
	for i := range b.w {
		a[b.lo+i] += kernel.Dot(b.hess[i*b.w:(i+1)*b.w], q[b.lo:b.lo+b.w])
	}
}
