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
