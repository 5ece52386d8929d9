package conform

import (
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// lossBounds checks what certificates and steps take from a loss on trust, its conjugate, infimum and curvature, at predictions
// of several sizes: none may be beyond them. z are those of its first observations, r = -∇L(z).
func lossBounds(l gcg.Loss, z, r []float64, rng *rand.Rand) (checks []Check) {
	can := view.OfLoss(l)
	if c := can.Conjugate; c != nil {
		checks = append(checks, Check{"loss: L(z) + L*(p) is at least ⟨p, z⟩", belowConjugate(c, z, r), 1e-12})
	}
	if b := can.Bounded; b != nil {
		checks = append(checks, Check{"loss: L(z) is at least its infimum", belowInfimum(b), 1e-12})
	}
	if c := can.Curved; c != nil && !math.IsInf(c.Curvature(), 1) {
		checks = append(checks, Check{"loss: ∇²L is at most its curvature", aboveCurvature(c, z, rng), 1e-9})
	}
	return checks
}

// sizes of predictions, from those at which losses are smooth to those at which they are straight.
var sizes = []float64{0, 1e-3, 0.3, 1, 3, 30}

// belowConjugate is how far ⟨p, z⟩ exceeds L(z) + L*(p) for multiples of z and of p = ∇L(z).
func belowConjugate(l gcg.ConjugateLoss, z, r []float64) (worst float64) {
	other := make([]float64, len(z))
	for _, size := range sizes {
		for i, x := range z {
			other[i] = size * x
		}
		value, inner := l.Eval(0, other, nil), dot(r, other)
		for _, s := range []float64{0.5, 1, 2} {
			conj := l.Conjugate(0, r, s)
			if off := -s*inner - value - conj; off > 0 {
				worst = math.Max(worst, off/(math.Abs(s*inner)+math.Abs(value)+math.Abs(conj)))
			}
		}
	}
	return worst
}

// belowInfimum is how far L falls below its infimum, over |L(0)|, by steps along -∇L that double while it falls.
func belowInfimum(l gcg.BoundedLoss) float64 {
	z, r, next := make([]float64, l.Len()), make([]float64, l.Len()), make([]float64, l.Len())
	start := l.Eval(0, z, r)
	least := start
	for step, tries := 1.0, 0; tries < 100; tries++ {
		for i := range next {
			next[i] = z[i] + step*r[i]
		}
		if value := l.Eval(0, next, nil); value < least {
			least = l.Eval(0, next, r)
			z, next = next, z
			step *= 2
		} else {
			step /= 4
		}
	}
	return math.Max(0, l.Infimum()-least) / math.Max(math.Abs(start), 1e-300)
}

// aboveCurvature is how far products with ∇²L, each by what the last one gave, exceed the curvature.
func aboveCurvature(l gcg.CurvedLoss, z []float64, rng *rand.Rand) (worst float64) {
	at, d := make([]float64, len(z)), make([]float64, len(z))
	for _, size := range sizes {
		for i, x := range z {
			at[i] = size * x
		}
		copy(d, unit(rng, len(z)))
		for range 10 {
			l.HessTo(d, 0, at, d)
			top := gcg.Norm(d)
			if top == 0 {
				break
			}
			worst = math.Max(worst, top/math.Max(l.Curvature(), 1e-300)-1)
			for i := range d {
				d[i] /= top
			}
		}
	}
	return worst
}
