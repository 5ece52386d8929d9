package factor

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// RoughNorm is about ‖F‖₂, from below.
func RoughNorm[T gcg.Real](f *gcg.FactorOf[T]) float64 {
	g := gram64(f)
	defer gcg.Repay(g)
	return math.Sqrt(math.Max(lanczosTop(g), 0))
}

// RoughOutside is about ‖F - P C‖₂, from below, for orthonormal P and C = PᵀF.
func RoughOutside[T gcg.Real](f, c *gcg.FactorOf[T]) float64 {
	g, h := gram64(f), gram64(c)
	defer gcg.Repay(g, h)
	g.AddScaled(-1, h)
	return math.Sqrt(math.Max(lanczosTop(g), 0))
}

// gram64 is FᵀF, added up in T and then in float64.
func gram64[T gcg.Real](f *gcg.FactorOf[T]) *gcg.Factor {
	g := gcg.TMul(f, f)
	wide := gcg.FactorIn[float64](g)
	RepayIn(g, wide)
	return wide
}

// lanczosTop is about the largest eigenvalue of a Gram matrix, from below: that of the tridiagonal matrix of a few Lanczos
// steps from the root of the diagonal.
func lanczosTop(g *gcg.Factor) float64 {
	steps := min(topSteps, g.K)
	basis := gcg.NewFactor(steps+1, g.K) // by rows
	for c := range g.K {
		basis.Row(0)[c] = math.Sqrt(math.Max(g.Row(c)[c], 0))
	}
	t := gcg.Small(steps, steps)
	for i := range steps {
		x, y := basis.Row(i), basis.Row(i+1)
		norm := gcg.Norm(x)
		if i > 0 {
			t.Row(i)[i-1], t.Row(i - 1)[i] = norm, norm
		}
		if norm == 0 {
			break
		}
		kernel.Scale(1/norm, x)
		for c := range g.K {
			kernel.Axpy(x[c], g.Row(c), y)
		}
		t.Row(i)[i] = kernel.Dot(x, y)
		for j := range i + 1 { // all of the basis, for rounding
			kernel.Axpy(-kernel.Dot(basis.Row(j), y), basis.Row(j), y)
		}
	}
	return t.TopEigenvalue()
}

// topSteps are the steps of lanczosTop, which leave a hundredth of the square of a norm or less.
const topSteps = 12
