package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// capable is s with the capabilities that all of its parts have, and no others.
func (s *stack) capable() Stacked {
	if len(s.parts) > 0 && all(s.parts, is[gcg.LeastSquares]) {
		return newSquaresStack(s)
	}
	curved, memoized := all(s.parts, is[gcg.CurvedLoss]), all(s.parts, is[gcg.MemoizedLoss])
	dual, bounded := all(s.parts, is[gcg.ConjugateLoss]), all(s.parts, hasInfimum)
	h, d, b := stackCurve{s}, stackDual{s}, stackBound{s}
	m := stackMemory{h}
	switch {
	case memoized && dual:
		return struct {
			*stack
			stackMemory
			stackDual
			stackBound
		}{s, m, d, b}
	case memoized && bounded:
		return struct {
			*stack
			stackMemory
			stackBound
		}{s, m, b}
	case memoized:
		return struct {
			*stack
			stackMemory
		}{s, m}
	case curved && dual:
		return struct {
			*stack
			stackCurve
			stackDual
			stackBound
		}{s, h, d, b}
	case curved && bounded:
		return struct {
			*stack
			stackCurve
			stackBound
		}{s, h, b}
	case curved:
		return struct {
			*stack
			stackCurve
		}{s, h}
	case dual:
		return struct {
			*stack
			stackDual
			stackBound
		}{s, d, b}
	case bounded:
		return struct {
			*stack
			stackBound
		}{s, b}
	}
	return s
}

// is reports whether a loss has a capability.
func is[C gcg.Loss](l gcg.Loss) bool {
	_, ok := l.(C)
	return ok
}

// hasInfimum reports whether a loss states a lower bound, or a conjugate, whose -L*(0) is one.
func hasInfimum(l gcg.Loss) bool { return is[gcg.BoundedLoss](l) || is[gcg.ConjugateLoss](l) }

// stackCurve are the second derivatives of a stack whose parts have them.
type stackCurve struct{ s *stack }

func (h stackCurve) HessTo(dst []float64, lo int, z, e []float64) {
	h.s.each(lo, len(dst), func(l gcg.Loss, at, from, to int) {
		l.(gcg.CurvedLoss).HessTo(dst[from:to], at, z[from:to], e[from:to])
	})
}

// Curvature is the largest of the parts.
func (h stackCurve) Curvature() (top float64) {
	for _, l := range h.s.parts {
		top = math.Max(top, l.(gcg.CurvedLoss).Curvature())
	}
	return top
}

// stackMemory are second derivatives from the residual.
type stackMemory struct{ stackCurve }

func (h stackMemory) HessFromTo(dst []float64, lo int, r, e []float64) {
	h.s.each(lo, len(dst), func(l gcg.Loss, at, from, to int) {
		l.(gcg.MemoizedLoss).HessFromTo(dst[from:to], at, r[from:to], e[from:to])
	})
}

func (h stackMemory) HessFrom32To(dst []float32, lo int, r, e []float32) {
	h.s.each(lo, len(dst), func(l gcg.Loss, at, from, to int) {
		l.(gcg.MemoizedLoss).HessFrom32To(dst[from:to], at, r[from:to], e[from:to])
	})
}

func (h stackMemory) DiagonalFromTo(dst []float64, lo int, r []float64) {
	h.s.each(lo, len(dst), func(l gcg.Loss, at, from, to int) {
		l.(gcg.MemoizedLoss).DiagonalFromTo(dst[from:to], at, r[from:to])
	})
}

// stackDual is the conjugate, the sum of those of the parts.
type stackDual struct{ s *stack }

func (d stackDual) Conjugate(lo int, r []float64, s float64) (sum float64) {
	d.s.each(lo, len(r), func(l gcg.Loss, at, from, to int) {
		sum += l.(gcg.ConjugateLoss).Conjugate(at, r[from:to], s)
	})
	return sum
}

// ConjugateAlong keeps a copy of the r of parts that have a Conjugate alone.
func (d stackDual) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	var along []func(s float64) float64
	d.s.each(lo, len(r), func(l gcg.Loss, at, from, to int) {
		if c, ok := l.(gcg.ScaledConjugateLoss); ok {
			along = append(along, c.ConjugateAlong(at, r[from:to]))
			return
		}
		kept := append([]float64(nil), r[from:to]...)
		along = append(along, func(s float64) float64 { return l.(gcg.ConjugateLoss).Conjugate(at, kept, s) })
	})
	return func(s float64) (sum float64) {
		for _, f := range along {
			sum += f(s)
		}
		return sum
	}
}

// stackBound is the sum of the infima.
type stackBound struct{ s *stack }

func (b stackBound) Infimum() (sum float64) {
	for _, l := range b.s.parts {
		if known, ok := l.(gcg.BoundedLoss); ok {
			sum += known.Infimum()
		} else {
			sum -= l.(gcg.ConjugateLoss).Conjugate(0, make([]float64, l.Len()), 0)
		}
	}
	return sum
}

// A squaresStack is a stack of squared losses, as one with weights: ω times the scale of each part, or the common scale and no
// weights where the parts have neither.
type squaresStack struct {
	*stack
	stackCurve
	stackDual
	stackBound
	y, omega []float64
	scale    float64
}

// newSquaresStack copies the targets, and where they are needed the weights.
func newSquaresStack(s *stack) *squaresStack {
	q := &squaresStack{stack: s, stackCurve: stackCurve{s}, stackDual: stackDual{s}, stackBound: stackBound{s}}
	q.scale = s.parts[0].(gcg.LeastSquares).Scale()
	plain := true
	for _, l := range s.parts {
		p := l.(gcg.LeastSquares)
		q.y = append(q.y, p.Target()...)
		plain = plain && p.Weights() == nil && p.Scale() == q.scale
	}
	if plain {
		return q
	}
	q.scale = 1
	for i, l := range s.parts {
		p := l.(gcg.LeastSquares)
		for t := range s.cut[i+1] - s.cut[i] {
			q.omega = append(q.omega, p.Scale()*weight(p.Weights(), t))
		}
	}
	return q
}

func (q *squaresStack) Target() []float64  { return q.y }
func (q *squaresStack) Weights() []float64 { return q.omega }
func (q *squaresStack) Scale() float64     { return q.scale }
