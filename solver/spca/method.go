package spca

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// stepsBetween is the number of steps of alternating directions between bounds, each of which costs about as much as one.
const stepsBetween = 3

// Name is sparse-pca.
func (m *Splitting) Name() string { return "sparse-pca" }

// Descends is true: X is the best so far.
func (m *Splitting) Descends() bool { return true }

// Ask wants one atom.
func (m *Splitting) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Step works on the component of the largest bound. First it weighs the leading vector of soft(C, λ) there, which is the
// solution where that has no entries of the wrong sign; else it takes steps of alternating directions.
func (m *Splitting) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	b := m.widest()
	if !b.tried {
		b.tried = true
		did := gcg.Moved{Polar: s.Polar} // C - U does not move
		if m.take(b, m.ofVector(b, b.known.space[0]), p, s) || b.n == 1 {
			return did, nil
		}
	}
	if m.loss.Lambda == 0 {
		return gcg.Moved{}, nil // the leading vector is the solution
	}
	if b.split == nil {
		b.split = newSplitting(b, m.loss.Lambda, b.known.space[0])
	}
	for range stepsBetween {
		if ctx.Err() != nil {
			break
		}
		b.split.step(ctx)
	}
	b.dirty, b.limit = true, math.Inf(1)
	var best candidate
	for i, c := range b.split.candidates(ctx) {
		if i == 0 || c.worth > best.worth {
			best = c
		}
	}
	if !m.take(b, best, p, s) {
		s.Evaluate(p)
	}
	return gcg.Moved{}, nil
}

// widest is the component of the largest bound.
func (m *Splitting) widest() *block {
	var top *block
	for _, b := range m.op.blocks {
		if !b.dirty && (top == nil || b.known.upper > top.known.upper) {
			top = b
		}
	}
	return top
}

// take moves W to an X of a component if that is the best so far, by more than rounding.
func (m *Splitting) take(b *block, x candidate, p *gcg.Problem, s *gcg.State) bool {
	if !(x.worth > m.best+view.Rounding*math.Abs(m.best)) {
		return false
	}
	m.best = x.worth
	w := &gcg.Iterate{M: m.op.n, N: m.op.n, U: gcg.NewFactor(m.op.n, len(x.vectors))}
	for c, v := range x.vectors {
		root := math.Sqrt(x.values[c])
		for i, at := range b.vars {
			w.U.Row(at)[c] = root * v[i]
		}
	}
	w.V = w.U.Clone()
	s.W, s.Rho = w, 1
	s.Refresh(p)
	return true
}

// A splitting is where alternating directions are on one component. B = ρA has U = clip(B, λ) and ρY = soft(B, λ).
type splitting struct {
	*block
	lambda, rho float64
	b, m        []float64  // B, and ρ times the matrix that the next X is the projection of: C - U + ρY
	x           eigenpairs // X = Σ valuesᵢ vᵢvᵢᵀ, whose values sum to 1
	apart       float64    // ‖X - Y‖_F
	moved       float64    // ‖Y - Y⁻‖_F
	value       float64    // ⟨C, X⟩ - λ‖X‖₁
}

const (
	relaxation = 1.6 // of X in A: 1 takes up to twice the steps
	// projectionPart is the part of ρ‖X - Y‖ that the residuals of the projection's eigenpairs may have.
	projectionPart = 0.1
	// projectionLeast is the part of λ₁ that is as good as they are ever asked to be.
	projectionLeast = rounding.Product
	// projectionRounds are the most rounds of one search: what is missing is found by the next step.
	projectionRounds = 12
)

// newSplitting begins at Y = x xᵀ and ρ = λ‖x‖₁² for a unit vector x, and U = clip(C, λ), which the component's D is of.
func newSplitting(b *block, lambda float64, x []float64) *splitting {
	s := &splitting{block: b, lambda: lambda, b: make([]float64, b.len()), m: make([]float64, b.len())}
	var size float64
	for _, v := range x {
		size += math.Abs(v)
	}
	s.rho = lambda * size * size
	s.x = eigenpairs{[]float64{1}, [][]float64{x}}
	b.everyPanelTo(s.x, func(_, at int, entries []float64, _ float64) {
		for t, e := range entries {
			start := b.c[at+t] - b.d[at+t] + s.rho*e
			s.b[at+t] = start
			s.m[at+t] = b.c[at+t] - start + 2*linalg.Soft(start, lambda)
		}
	})
	s.apart = 1
	return s
}

// step is one of alternating directions; it moves the component's D.
func (s *splitting) step(ctx context.Context) {
	s.project(ctx)
	type sums struct{ apart, moved, value float64 }
	parts := make([]sums, s.panels())
	s.everyPanelTo(s.x, func(p, at int, entries []float64, weight float64) {
		var q sums
		bs, ms, cs, ds := s.b[at:at+len(entries)], s.m[at:at+len(entries)], s.c[at:at+len(entries)], s.d[at:at+len(entries)]
		for t, x := range entries {
			old, c := bs[t], cs[t]
			y := linalg.Soft(old, s.lambda) // ρY
			b := old - y + relaxation*s.rho*x - (relaxation-1)*y
			next := linalg.Soft(b, s.lambda)
			d := c - b + next
			bs[t], ds[t], ms[t] = b, d, d+next
			q.value += c*x - s.lambda*math.Abs(x)
			q.apart += (x - next/s.rho) * (x - next/s.rho)
			q.moved += (next - y) * (next - y)
		}
		parts[p].value += weight * q.value
		parts[p].apart += weight * q.apart
		parts[p].moved += weight * q.moved
	})
	s.value, s.apart, s.moved = 0, 0, 0
	for _, q := range parts {
		s.value, s.apart, s.moved = s.value+q.value, s.apart+q.apart, s.moved+q.moved
	}
	s.apart, s.moved = math.Sqrt(s.apart), math.Sqrt(s.moved)/s.rho
}

// project makes X the projection of M/ρ on the spectrahedron: the eigenvalues above a level t, less t, with Σ(θᵢ/ρ - t)₊ = 1.
func (s *splitting) project(ctx context.Context) {
	var e eigenpairs
	if s.n <= denseSize {
		e = s.dense(s.m)
	} else {
		f := search{n: s.n, mul: func(dst, x []float64, k int) { s.mulTo(dst, s.m, x, k) }, rounds: projectionRounds}
		f.wanted = func(values []float64) int { return above(values, level(values, s.rho)) }
		f.tol = func(values []float64) float64 {
			return math.Max(projectionPart*s.rho*s.apart, projectionLeast*math.Abs(values[0]))
		}
		// what leads C - U and is not in X yet may be nearly orthogonal to it: no steps from X would find it
		e = f.from(ctx, slices.Concat(s.x.vectors, s.known.space))
	}
	t := level(e.values, s.rho)
	k := max(above(e.values, t), 1)
	s.x = eigenpairs{make([]float64, k), e.vectors[:k]}
	var sum float64
	for c := range k {
		s.x.values[c] = math.Max(e.values[c]-t, 0) / s.rho
		sum += s.x.values[c]
	}
	kernel.Scale(1/sum, s.x.values)
}

// level is the t with Σ(valueᵢ - t)₊ = total, for values in descending order.
func level(values []float64, total float64) float64 {
	var sum float64
	t := values[0] - total
	for c, v := range values {
		if v <= t {
			break
		}
		sum += v
		t = (sum - total) / float64(c+1)
	}
	return t
}

// above is the number of leading values above t.
func above(values []float64, t float64) int {
	k := 0
	for k < len(values) && values[k] > t {
		k++
	}
	return k
}

// everyPanelTo calls f with the entries of X for the left part and for the square of each panel, with the place of the first and
// how often each counts in a sum over all n² entries. Panels may be handled at the same time.
func (t triangle) everyPanelTo(x eigenpairs, f func(p, at int, entries []float64, weight float64)) {
	k := len(x.vectors)
	left, right := byRows(x.vectors, x.values), byRows(x.vectors, nil)
	par.For(t.panels(), func(p int) {
		lo, hi, square := t.panel(p)
		rows := hi - lo
		buffer := make([]float64, rows*max(lo, rows))
		if lo > 0 {
			kernel.GemmNT(buffer[:rows*lo], left[lo*k:hi*k], right[:lo*k], rows, lo, k)
			f(p, square-rows*lo, buffer[:rows*lo], 2)
			clear(buffer)
		}
		kernel.GemmNT(buffer[:rows*rows], left[lo*k:hi*k], right[lo*k:hi*k], rows, rows, k)
		f(p, square, buffer[:rows*rows], 1)
	})
}

// everyPanel is the weighted sum of f over the panels.
func (t triangle) everyPanel(x eigenpairs, f func(at int, entries []float64, weight float64) float64) float64 {
	parts := make([]float64, t.panels())
	t.everyPanelTo(x, func(p, at int, entries []float64, weight float64) {
		parts[p] += weight * f(at, entries, weight)
	})
	var sum float64
	for _, q := range parts {
		sum += q
	}
	return sum
}

// A candidate is an X of one component: Σ valuesᵢ vᵢvᵢᵀ with trace 1, and its ⟨C, X⟩ - λ‖X‖₁. The v need not be orthogonal.
type candidate struct {
	eigenpairs
	worth float64
}

const (
	refitRounds = 30   // of the search for the top vector on a support
	refitPart   = 1e-9 // of its eigenvalue, that its residual may have
)

// ofVector is v vᵀ for a unit vector v.
func (m *Splitting) ofVector(b *block, v []float64) candidate {
	cv := make([]float64, b.n)
	b.mulTo(cv, b.c, v, 1)
	return candidate{eigenpairs{[]float64{1}, [][]float64{v}}, kernel.Dot(v, cv) - m.loss.Lambda*square(linalg.SumAbs(v))}
}

// candidates are X, X on the support of Y, and the refitted vector on it.
func (s *splitting) candidates(ctx context.Context) []candidate {
	all := []candidate{{s.x, s.value}}
	var on []int
	for i := range s.n {
		if math.Abs(s.b[s.triangle.at(i, i)]) > s.lambda {
			on = append(on, i)
		}
	}
	if len(on) == 0 {
		return all
	}
	sub := triangle{len(on)}
	c := make([]float64, sub.len())
	s.subTo(c, s.c, on)
	return append(all, s.restricted(sub, c, on), s.refitted(ctx, sub, c, on))
}

// restricted is X on the support, scaled to trace 1.
func (s *splitting) restricted(sub triangle, c []float64, on []int) candidate {
	x := eigenpairs{values: append([]float64(nil), s.x.values...)}
	var trace float64
	for k, v := range s.x.vectors {
		part := pick(v, on)
		x.vectors = append(x.vectors, part)
		trace += x.values[k] * kernel.SumSq(part)
	}
	if !(trace > 0) {
		return candidate{worth: math.Inf(-1)}
	}
	kernel.Scale(1/trace, x.values)
	worth := sub.everyPanel(x, func(at int, entries []float64, _ float64) (sum float64) {
		for t, e := range entries {
			sum += c[at+t]*e - s.lambda*math.Abs(e)
		}
		return sum
	})
	for k, v := range x.vectors {
		x.vectors[k] = spread(v, on, s.n)
	}
	return candidate{x, worth}
}

// refitted is v vᵀ for the top vector v of C_II - λssᵀ with the signs s of X's first vector on the support I.
func (s *splitting) refitted(ctx context.Context, sub triangle, c []float64, on []int) candidate {
	first := pick(s.x.vectors[0], on)
	signs := make([]float64, len(on))
	for i, x := range first {
		signs[i] = math.Copysign(1, x)
	}
	f := search{n: sub.n, wanted: one, tol: relative(refitPart), rounds: refitRounds}
	f.mul = func(dst, x []float64, k int) {
		sub.mulTo(dst, c, x, k)
		for col := range k {
			var along float64
			for i, sign := range signs {
				along += sign * x[i*k+col]
			}
			for i, sign := range signs {
				dst[i*k+col] -= s.lambda * along * sign
			}
		}
	}
	v := f.from(ctx, [][]float64{first}).vectors[0]
	kernel.Scale(1/gcg.Norm(v), v)
	cv := make([]float64, sub.n)
	sub.mulTo(cv, c, v, 1)
	worth := kernel.Dot(v, cv) - s.lambda*square(linalg.SumAbs(v))
	return candidate{eigenpairs{[]float64{1}, [][]float64{spread(v, on, s.n)}}, worth}
}

// pick are the entries of v in a list of places, and spread puts them back among n.
func pick(v []float64, on []int) []float64 {
	part := make([]float64, len(on))
	for i, at := range on {
		part[i] = v[at]
	}
	return part
}

func spread(part []float64, on []int, n int) []float64 {
	v := make([]float64, n)
	for i, at := range on {
		v[at] = part[i]
	}
	return v
}

func square(x float64) float64 { return x * x }
