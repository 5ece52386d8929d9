package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// Stacked is a sum of losses, each of a segment of the observations. See Stack for what else it can do.
type Stacked interface {
	gcg.Loss
	// Segments are those of the parts, one after the other; see gcg.Segment.
	Segments() []gcg.Segment
	// Separable reports whether all parts are sums of losses of single observations.
	Separable() bool
	// Check is the first error of a part.
	Check() error
	// Original is the stack of what the parts smooth, or nil where none does; see gcg.Original.
	Original() gcg.Loss
	// Parts are the losses, in the order of their observations.
	Parts() []gcg.Loss
	// Width is the largest width of the parts that have one, such as MoreauEnvelope, or 0; SetWidth changes it in all of these.
	Width() float64
	SetWidth(beta float64)
}

// Stack is L₁(z₁) + L₂(z₂) + …, where the observations of the second loss follow those of the first. It is the loss of an
// operator.Stack, or of any operator whose observations come in that order. Each part has its own stride, and its own constants
// where an intercept is fitted. The certificate is that of what the parts smooth, see gcg.Original.
//
// The stack can do what all of its parts can:
//
//	second derivatives      HessTo and Curvature
//	the conjugate           also at many scales
//	the infimum             Infimum, or -L*(0)
//	sums of squares         gcg.LeastSquares
//	outer products of rows  gcg.OuterLoss, where all rows have one length
//
// It does not offer evaluation in float32.
func Stack(parts ...gcg.Loss) Stacked {
	s := &stack{parts: parts, cut: make([]int, len(parts)+1), separable: true}
	for i, l := range parts {
		s.cut[i+1] = s.cut[i] + l.Len()
		s.segments = append(s.segments, segmentsOf(l, s.cut[i])...)
		s.separable = s.separable && gcg.Separable(l)
	}
	s.stride = commonStride(s.segments, s.separable, s.Len())
	return s.capable()
}

// WithoutIntercept is l as a Stack of one part whose observations take no constant where an intercept is fitted.
func WithoutIntercept(l gcg.Loss) Stacked {
	s := &stack{parts: []gcg.Loss{l}, cut: []int{0, l.Len()}, segments: segmentsOf(l, 0), separable: gcg.Separable(l),
		stride: l.Stride()}
	for i := range s.segments {
		s.segments[i].Fixed = true
	}
	return s.capable()
}

// segmentsOf are the segments of a loss whose observations start at the given one.
func segmentsOf(l gcg.Loss, from int) []gcg.Segment {
	all, _ := gcg.Segments(l)
	moved := append([]gcg.Segment(nil), all...)
	for i := range moved {
		moved[i].Lo += from
		moved[i].Hi += from
	}
	return moved
}

// commonStride is the stride of a loss of n observations in segments, see gcg.Segment.
func commonStride(segments []gcg.Segment, separable bool, n int) int {
	for _, g := range segments {
		if g.Stride != segments[0].Stride {
			if separable {
				return 1
			}
			return max(1, n)
		}
	}
	if len(segments) == 0 {
		return 1
	}
	return segments[0].Stride
}

// A stack has the methods of Stacked; capable adds those that all parts have.
type stack struct {
	parts     []gcg.Loss
	cut       []int // part i has the observations from cut[i] to cut[i+1]
	segments  []gcg.Segment
	stride    int
	separable bool
}

func (s *stack) Len() int                { return s.cut[len(s.parts)] }
func (s *stack) Stride() int             { return s.stride }
func (s *stack) Separable() bool         { return s.separable }
func (s *stack) Segments() []gcg.Segment { return s.segments }
func (s *stack) Parts() []gcg.Loss       { return s.parts }

func (s *stack) Check() error {
	for i, l := range s.parts {
		if c, ok := l.(interface{ Check() error }); ok {
			if err := c.Check(); err != nil {
				return fmt.Errorf("part %d of the stack: %w", i+1, err)
			}
		}
	}
	return nil
}

func (s *stack) Original() gcg.Loss {
	originals, smooths := make([]gcg.Loss, len(s.parts)), false
	for i, l := range s.parts {
		originals[i] = gcg.Original(l)
		smooths = smooths || gcg.Smooths(l)
	}
	if !smooths {
		return nil
	}
	return Stack(originals...)
}

// A wide loss has a width that can be changed.
type wide interface {
	Width() float64
	SetWidth(beta float64)
}

func (s *stack) Width() (beta float64) {
	for _, l := range s.parts {
		if w, ok := l.(wide); ok {
			beta = math.Max(beta, w.Width())
		}
	}
	return beta
}

func (s *stack) SetWidth(beta float64) {
	for _, l := range s.parts {
		if w, ok := l.(wide); ok {
			w.SetWidth(beta)
		}
	}
}

// each calls f for the parts that the n observations from lo on reach into: these are from … to-1, counted from lo, and the first
// of them is observation at of part i.
func (s *stack) each(lo, n int, f func(i, at, from, to int)) {
	for i := range s.parts {
		if from, to := max(lo, s.cut[i]), min(lo+n, s.cut[i+1]); from < to {
			f(i, from-s.cut[i], from-lo, to-lo)
		}
	}
}

// Eval is the sum of the parts. The block may reach into several, and cuts no row of any.
func (s *stack) Eval(lo int, z, r []float64) (sum float64) {
	s.each(lo, len(z), func(i, at, from, to int) {
		if r == nil {
			sum += s.parts[i].Eval(at, z[from:to], nil)
		} else {
			sum += s.parts[i].Eval(at, z[from:to], r[from:to])
		}
	})
	return sum
}

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
