package support

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// newtonOnFree takes Newton steps on the blocks that are not 0, until a whole one lowers the model, which it reports. A step
// that ends where an entry comes to 0 is followed by one without it; as many are tried as cost about what sweeps would.
// Gauges with faces go by proximal points instead.
func (m *blockModel) newtonOnFree(ctx context.Context, x, g []float64, mu, limit float64) bool {
	if m.u.faces() {
		return m.products == nil && m.worthPoints(x) && m.byProximalPoints(ctx, x, g, mu, limit)
	}
	for range 1 + 1000/len(x) {
		if moved, whole := m.newton(ctx, x, g, mu); !moved || whole {
			return whole
		}
		if ctx.Err() != nil {
			break
		}
	}
	return false
}

// newton solves for the blocks that are not 0 as if none of their entries changed sign. It takes the whole step if q + μκ
// falls, or else, in each part of H, the step up to the first entry that comes to 0. It reports whether it moved, and
// whether by the whole step.
func (m *blockModel) newton(ctx context.Context, x, g []float64, mu float64) (moved, whole bool) {
	smooth := m.u.smooth
	if smooth == nil {
		return false, false
	}
	free := m.free(x)
	if len(free) == 0 {
		return false, false
	}
	d := m.solveFree(ctx, smooth, x, g, mu, free)
	if d == nil {
		return false, false
	}
	if m.products != nil {
		part := m.moveAlong(x, g, d, free, mu)
		return part > 0, part == 1
	}
	all := slices.Repeat([]float64{1}, len(m.hess.Members))
	if m.moveFree(x, g, d, all, free, mu) {
		return true, true
	}
	return m.moveFree(x, g, d, m.crossings(x, d, free), free, mu), false
}

// moveFree moves the free entries by part[q] of the step d in each part q of H if q + μκ does not rise, which it reports,
// and keeps g.
func (m *blockModel) moveFree(x, g, d, part []float64, free []int, mu float64) bool {
	y := append([]float64(nil), x...)
	for s, i := range free {
		step := part[m.hess.Of[i]]
		y[i] += step * d[s]
		if step < 1 && math.Abs(y[i]) <= view.DomainRounding*math.Abs(x[i]) {
			y[i] = 0
		}
	}
	m.u.rho(y) // entries below 0 become 0 where the gauge has none
	gy := m.gradientAt(y)
	if !(m.Value(y, gy, mu) <= m.Value(x, g, mu)) {
		return false
	}
	copy(x, y)
	copy(g, gy)
	return true
}

// crossings are how far each part of H can go until the first of its free entries comes to 0, at most 1.
func (m *blockModel) crossings(x, d []float64, free []int) []float64 {
	cross := slices.Repeat([]float64{1}, len(m.hess.Members))
	for s, i := range free {
		if next := x[i] + d[s]; next*x[i] < 0 {
			cross[m.hess.Of[i]] = math.Min(cross[m.hess.Of[i]], -x[i]/d[s])
		}
	}
	return cross
}

// free lists the entries of the blocks that are not 0, including those entries of them that are.
func (m *blockModel) free(x []float64) []int {
	var free []int
	for b := range m.u.keys {
		if !hessian.IsZero(m.u.block(x, b)) {
			for i := m.u.start[b]; i < m.u.start[b+1]; i++ {
				free = append(free, i)
			}
		}
	}
	return free
}

// solveFree is the Newton step on the free entries, or nil where its matrix is not positive definite.
func (m *blockModel) solveFree(ctx context.Context, smooth view.SmoothBlockGauge, x, g []float64, mu float64,
	free []int) []float64 {
	d := make([]float64, len(free))
	for a, i := range free {
		d[a] = -g[m.hess.Place[i]]
	}
	curves, at := make([]blockCurvature, 0, len(free)), 0
	for b, key := range m.u.keys {
		xb := m.u.block(x, b)
		if hessian.IsZero(xb) {
			continue
		}
		w := len(xb)
		grad, hess := make([]float64, w), make([]float64, w*w)
		if !smooth.BlockSlopeTo(grad, hess, xb, key, mu) {
			return nil
		}
		kernel.Axpy(-mu, grad, d[at:at+w])
		curves = append(curves, blockCurvature{at, w, hess})
		at += w
	}
	if m.products != nil {
		return m.products.solve(ctx, d, free, curves)
	}
	f := newFreeSystem(m.hess, free, curves)
	for _, l := range f.lower {
		if !l.Cholesky() {
			return nil
		}
	}
	if len(f.curves) == 0 {
		f.solveParts(d, d)
		return d
	}
	return f.conjugateGradients(d)
}

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
const freeRidge = rounding.Product

// coupledAccuracy is the part of its right-hand side to which the coupled system is solved: less saves a few cheap steps and
// costs Newton steps.
const coupledAccuracy = rounding.Decomposed

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
