package support

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A freeSystem is the matrix H + μ∇²κ on the free entries of a support. H, and of ∇²κ what lies within a part, are factored
// part by part. Blocks that reach over several parts, as a feature's row does over tasks, couple them.
type freeSystem struct {
	hessian.Groups // of places in the list of free entries
	lower          []*linalg.Lower
	curves         []blockCurvature
}

// A blockCurvature is μ∇²κ_b of a block, w×w, whose entries are the free ones from lo on.
type blockCurvature struct {
	lo, w int
	hess  []float64
}

// freeRidge is the part of a diagonal entry of H that it is raised by, so that collinear columns leave a Cholesky factor.
const freeRidge = 1e-13

// coupledAccuracy is the part of its right-hand side to which the coupled system is solved: less saves a few cheap steps and
// costs Newton steps.
const coupledAccuracy = 1e-10

// newFreeSystem factors the parts.
func newFreeSystem(hess *hessian.Parts, free []int, curves []blockCurvature) *freeSystem {
	f := &freeSystem{Groups: hessian.NewGroups(len(free), func(a int) int { return hess.Of[free[a]] })}
	for _, part := range f.Members {
		l := linalg.NewLower(len(part))
		for a, s := range part {
			from, q := hess.Row(free[s]), hess.Of[free[s]]
			for c := 0; c <= a; c += linalg.PanelWidth {
				row := l.Row(a, c)
				for e, r := range part[c:min(a+1, c+len(row))] {
					if j := free[r]; hess.Of[j] == q {
						row[e] = from[hess.At[j]]
					}
				}
			}
			l.Row(a, a)[a%linalg.PanelWidth] *= 1 + freeRidge
		}
		f.lower = append(f.lower, l)
	}
	for _, b := range curves {
		f.add(b)
	}
	return f
}

// add adds the entries of a block's curvature that lie within a part to the matrix of this; those that couple parts are
// kept.
func (f *freeSystem) add(b blockCurvature) {
	couples := false
	for i := range b.w {
		q, a := f.Of[b.lo+i], f.At[b.lo+i]
		for j := range b.w {
			h := &b.hess[i*b.w+j]
			if f.Of[b.lo+j] != q {
				couples = couples || *h != 0
				continue
			}
			if c := f.At[b.lo+j]; c <= a {
				f.lower[q].Row(a, c)[c%linalg.PanelWidth] += *h
			}
			*h = 0
		}
	}
	if couples {
		f.curves = append(f.curves, b)
	}
}

// solveParts solves without the couplings; z may be r.
func (f *freeSystem) solveParts(z, r []float64) {
	for q, part := range f.Members {
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

// conjugateGradients solves the coupled system for r, preconditioned by P, the matrix of the parts. The couplings of norms
// have rank 1 for each block, so about as many steps as there are blocks are enough. P q of a direction q comes with it, as
// P P⁻¹r = r.
func (f *freeSystem) conjugateGradients(r []float64) []float64 {
	multiply := func(aq, q, pq []float64) {
		copy(aq, pq)
		for _, b := range f.curves {
			b.addTo(aq, q)
		}
	}
	return hessian.SolveCG(&linalg.ConjugateGradients{Multiply: multiply, Precondition: f.solveParts,
		Limit: 20 + 3*len(f.curves), Accuracy: coupledAccuracy}, r)
}

// addTo adds μ∇²κ_b q to a.
func (b blockCurvature) addTo(a, q []float64) {
	for i := range b.w {
		a[b.lo+i] += kernel.Dot(b.hess[i*b.w:(i+1)*b.w], q[b.lo:b.lo+b.w])
	}
}
