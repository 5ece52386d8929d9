package spca

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A splitting is where alternating directions are on one component. B = ρA has U = clip(B, λ) and ρY = soft(B, λ).
type splitting struct {
	*block
	lambda, rho float64
	b, m        []float64   // B, and ρ times the matrix that the next X is the projection of: C - U + ρY
	x           eigenpairs  // X = Σ valuesᵢ vᵢvᵢᵀ, whose values sum to 1
	top         [][]float64 // leading Ritz vectors of m, where its next search begins
	apart       float64     // ‖X - Y‖_F
	moved       float64     // ‖Y - Y⁻‖_F
	value       float64     // ⟨C, X⟩ - λ‖X‖₁
}

const (
	relaxation = 1.6 // of X in A: 1 takes up to twice the steps
	// projectionPart is the part of ρ‖X - Y‖ that the residuals of the projection's eigenpairs may have.
	projectionPart = 0.1
	// projectionLeast is the part of λ₁ that is as good as they are ever asked to be.
	projectionLeast = 1e-13
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
	s.top = [][]float64{x}
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
		e = f.from(ctx, append(s.top[:len(s.top):len(s.top)], s.known.space...))
	}
	t := level(e.values, s.rho)
	k := max(above(e.values, t), 1)
	s.top = e.vectors[:min(len(e.vectors), k+spareRitz)]
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
