package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// What a stack asks of its parts, once: of all of them, or it does not have it.
type (
	curved interface {
		HessTo(dst []float64, lo int, z, e []float64)
		Curvature() float64
	}
	outer interface {
		OuterFromTo(d, v []float64, lo int, r []float64)
		HessFromTo(dst []float64, lo int, r, e []float64)
		HessFrom32To(dst []float32, lo int, r, e []float32)
		DiagonalFromTo(dst []float64, lo int, r []float64)
	}
	dual interface {
		Conjugate(lo int, r []float64, s float64) float64
	}
	squares interface {
		Target() []float64
		Weights() []float64
		Scale() float64
	}
)

// capable is s with the capabilities that all of its parts have, and no others: a pointer, so that it equals itself alone.
func (s *stack) capable() Stacked {
	h := stackCurve{s, gcg.Every[curved](s.parts)}
	o := stackOuter{h, gcg.Every[outer](s.parts)}
	d := stackDual{s, gcg.Every[dual](s.parts)}
	b, bounded := stackInfimum(s)
	q := gcg.Every[squares](s.parts)
	switch {
	case h.parts != nil && d.parts != nil && q != nil:
		return newStackSquares(s, h, d, b, q)
	case h.parts != nil && o.rows != nil && d.parts != nil && s.oneLength():
		return &struct {
			*stack
			stackOuter
			stackDual
			stackBound
		}{s, o, d, b}
	case h.parts != nil && d.parts != nil:
		return &struct {
			*stack
			stackCurve
			stackDual
			stackBound
		}{s, h, d, b}
	case h.parts != nil && bounded:
		return &struct {
			*stack
			stackCurve
			stackBound
		}{s, h, b}
	case h.parts != nil:
		return &struct {
			*stack
			stackCurve
		}{s, h}
	case d.parts != nil:
		return &struct {
			*stack
			stackDual
			stackBound
		}{s, d, b}
	case bounded:
		return &struct {
			*stack
			stackBound
		}{s, b}
	}
	return s
}

// oneLength reports whether the rows of all segments have one length.
func (s *stack) oneLength() bool {
	for _, g := range s.segments {
		if g.Stride != s.stride {
			return false
		}
	}
	return true
}

// stackCurve are the second derivatives of a stack whose parts have them.
type stackCurve struct {
	s     *stack
	parts []curved
}

func (h stackCurve) HessTo(dst []float64, lo int, z, e []float64) {
	h.s.each(lo, len(dst), func(i, at, from, to int) { h.parts[i].HessTo(dst[from:to], at, z[from:to], e[from:to]) })
}

// Curvature is the largest of the parts.
func (h stackCurve) Curvature() (top float64) {
	for _, l := range h.parts {
		top = math.Max(top, l.Curvature())
	}
	return top
}

// stackOuter are second derivatives from the residual, by outer products.
type stackOuter struct {
	stackCurve
	rows []outer
}

func (h stackOuter) OuterFromTo(d, v []float64, lo int, r []float64) {
	h.s.each(lo, len(r), func(i, at, from, to int) { h.rows[i].OuterFromTo(d[from:to], v[from:to], at, r[from:to]) })
}

func (h stackOuter) HessFromTo(dst []float64, lo int, r, e []float64) {
	h.s.each(lo, len(dst), func(i, at, from, to int) { h.rows[i].HessFromTo(dst[from:to], at, r[from:to], e[from:to]) })
}

func (h stackOuter) HessFrom32To(dst []float32, lo int, r, e []float32) {
	h.s.each(lo, len(dst), func(i, at, from, to int) { h.rows[i].HessFrom32To(dst[from:to], at, r[from:to], e[from:to]) })
}

func (h stackOuter) DiagonalFromTo(dst []float64, lo int, r []float64) {
	h.s.each(lo, len(dst), func(i, at, from, to int) { h.rows[i].DiagonalFromTo(dst[from:to], at, r[from:to]) })
}

// stackDual is the conjugate, the sum of those of the parts.
type stackDual struct {
	s     *stack
	parts []dual
}

func (d stackDual) Conjugate(lo int, r []float64, s float64) (sum float64) {
	d.s.each(lo, len(r), func(i, at, from, to int) { sum += d.parts[i].Conjugate(at, r[from:to], s) })
	return sum
}

// ConjugateAlong keeps a copy of the r of parts that have a Conjugate alone.
func (d stackDual) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	var along []func(s float64) float64
	d.s.each(lo, len(r), func(i, at, from, to int) {
		if c, ok := d.parts[i].(interface {
			ConjugateAlong(lo int, r []float64) func(s float64) float64
		}); ok {
			along = append(along, c.ConjugateAlong(at, r[from:to]))
			return
		}
		kept := append([]float64(nil), r[from:to]...)
		along = append(along, func(s float64) float64 { return d.parts[i].Conjugate(at, kept, s) })
	})
	return func(s float64) (sum float64) {
		for _, f := range along {
			sum += f(s)
		}
		return sum
	}
}

// stackBound is the sum of the infima of the parts.
type stackBound struct{ parts []func() float64 }

func (b stackBound) Infimum() (sum float64) {
	for _, infimum := range b.parts {
		sum += infimum()
	}
	return sum
}

// stackInfimum takes what the parts state, or -L*(0); it reports whether each has one of the two.
func stackInfimum(s *stack) (b stackBound, ok bool) {
	for _, l := range s.parts {
		switch l := l.(type) {
		case interface{ Infimum() float64 }:
			b.parts = append(b.parts, l.Infimum)
		case dual:
			n := s.cut[len(b.parts)+1] - s.cut[len(b.parts)]
			b.parts = append(b.parts, func() float64 { return -l.Conjugate(0, make([]float64, n), 0) })
		default:
			return b, false
		}
	}
	return b, true
}

// stackSquares is a stack of squared losses, as one with weights: ω times the scale of each part, or the common scale and no
// weights where the parts have neither.
type stackSquares struct {
	*stack
	stackCurve
	stackDual
	stackBound
	y, omega []float64
	scale    float64
}

// newStackSquares copies the targets, and where they are needed the weights.
func newStackSquares(s *stack, h stackCurve, d stackDual, b stackBound, parts []squares) *stackSquares {
	q := &stackSquares{stack: s, stackCurve: h, stackDual: d, stackBound: b, scale: 1}
	plain := true
	for i, p := range parts {
		if i == 0 {
			q.scale = p.Scale()
		}
		q.y = append(q.y, p.Target()...)
		plain = plain && p.Weights() == nil && p.Scale() == q.scale
	}
	if plain {
		return q
	}
	q.scale = 1
	for i, p := range parts {
		for t := range s.cut[i+1] - s.cut[i] {
			q.omega = append(q.omega, p.Scale()*weight(p.Weights(), t))
		}
	}
	return q
}

func (q *stackSquares) Target() []float64  { return q.y }
func (q *stackSquares) Weights() []float64 { return q.omega }
func (q *stackSquares) Scale() float64     { return q.scale }
