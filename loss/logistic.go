package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Logistic is the binary logistic loss L(z) = c Σ ωᵢ log(1 + exp(-yᵢzᵢ)) of labels yᵢ = ±1, with c = 1 for a sum and
// c = 1/N for a mean. It does not overflow, and loses no digits for large |z|. Its curvature is c max ωᵢ/4.
type Logistic struct {
	Y     []float64 // labels, 1 or -1
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
	Group int // outputs of a row, which blocks do not cut; 0 is 1
}

func (l *Logistic) Len() int           { return len(l.Y) }
func (l *Logistic) Stride() int        { return max(1, l.Group) }
func (l *Logistic) Separable() bool    { return true }
func (l *Logistic) Curvature() float64 { return heaviest(l.Omega) * scale(l.Mean, len(l.Y)) / 4 }

// Check names the first label that is not ±1, the first weight that is negative or not finite, or rows that are cut.
func (l *Logistic) Check() error {
	return first(checkSigns(l.Y), checkWeights(l.Omega, len(l.Y)), checkGroup(l.Group, len(l.Y)))
}

// runs calls f on pieces of a block of n predictions with e = exp(-|z|), which serves both tails without overflow.
func (l *Logistic) runs(z []float64, f func(from, to int, e []float64)) {
	buf := memory.Borrow[float64](run)
	defer memory.Repay(buf)
	for from := 0; from < len(z); from += run {
		to := min(from+run, len(z))
		e := buf[:to-from]
		for i, x := range z[from:to] {
			e[i] = -math.Abs(x)
		}
		kernel.ExpTo(e, e)
		f(from, to, e)
	}
}

func (l *Logistic) Eval(lo int, z, r []float64) float64 {
	c := scale(l.Mean, len(l.Y))
	var sum float64
	l.runs(z, func(from, to int, e []float64) {
		for i, x := range z[from:to] {
			at := lo + from + i
			y, w := l.Y[at], weight(l.Omega, at)
			margin := y * x
			sum += w * (math.Max(0, -margin) + math.Log1p(e[i]))
			if r == nil {
				continue
			}
			top := 1.0 // of σ(-margin) = top/(1+e)
			if margin > 0 {
				top = e[i]
			}
			r[from+i] = c * w * y * top / (1 + e[i])
		}
	})
	return c * sum
}

func (l *Logistic) HessTo(dst []float64, lo int, z, e []float64) {
	c := scale(l.Mean, len(l.Y))
	l.runs(z, func(from, to int, exp []float64) {
		for i, x := range e[from:to] {
			t := 1 + exp[i]
			dst[from+i] = c * weight(l.Omega, lo+from+i) * exp[i] / (t * t) * x
		}
	})
}

// Conjugate of the block at p = -s r is c Σ ωᵢ (t log t + (1-t) log(1-t)), t = -yᵢpᵢ/(cωᵢ) in [0, 1], +Inf elsewhere.
func (l *Logistic) Conjugate(lo int, r []float64, s float64) float64 {
	c := scale(l.Mean, len(l.Y))
	var sum float64
	for i, ri := range r {
		w := weight(l.Omega, lo+i)
		if w == 0 {
			if s*ri != 0 {
				return math.Inf(1)
			}
			continue
		}
		t := l.Y[lo+i] * s * ri / (c * w)
		if !(t >= -domainRounding && t <= 1+domainRounding) {
			return math.Inf(1)
		}
		if t > 0 && t < 1 {
			sum += w * (t*math.Log(t) + (1-t)*math.Log1p(-t))
		}
	}
	return c * sum
}
