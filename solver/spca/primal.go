package spca

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

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
