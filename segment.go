package gcg

import "fmt"

// A Segment is a run of observations, lo ≤ i < hi, of a loss that is a sum of several: those of one view, or of a penalty.
//
// Such a loss has a method Segments() []Segment, which lists them in order, without gaps, and together all observations; the slice
// stays the loss's own. No block of a Problem crosses from one segment to the next, and each has constants of its own where an
// intercept is fitted. The loss's Stride is that of all segments where they have the same; else it is 1 if the loss is separable,
// and Len if it is not.
type Segment struct {
	Lo, Hi int
	Stride int  // observations that belong together, counted from Lo
	Fixed  bool // the segment takes no unpenalised intercept
}

// Segments are those of a loss that has some, or one for all observations. The second result reports whether it has some.
func Segments(l Loss) ([]Segment, bool) {
	if s, ok := l.(interface{ Segments() []Segment }); ok {
		return s.Segments(), true
	}
	return []Segment{{Hi: l.Len(), Stride: l.Stride()}}, false
}

// segments are those of the loss.
func (p *Problem) segments() []Segment {
	all, _ := Segments(p.Loss)
	return all
}

// blockLen is the number of observations of every block of the segment but the last: whole rows.
func (g Segment) blockLen() int {
	if g.Stride == 1 {
		return blockSize
	}
	return max(blockGroups, blockSize/g.Stride) * g.Stride
}

// blocks is the number of blocks of the segment.
func (g Segment) blocks() int { return (g.Hi - g.Lo + g.blockLen() - 1) / g.blockLen() }

// checkSegments refuses segments that are not whole rows, or not all of the observations in order; and constants of an intercept
// that are the operator's for some observations of a segment, and left to the loss for others.
func (p *Problem) checkSegments() error {
	at := 0
	for i, g := range p.segments() {
		if g.Stride < 1 || g.Hi < g.Lo || (g.Hi-g.Lo)%g.Stride != 0 {
			return fmt.Errorf("gcg: %d observations are no rows of %d, the stride of the loss", g.Hi-g.Lo, g.Stride)
		}
		if g.Lo != at {
			return fmt.Errorf("gcg: segment %d of the loss starts at observation %d; the one before ends at %d", i+1, g.Lo, at)
		}
		at = g.Hi
	}
	if n := p.Loss.Len(); at != n {
		return fmt.Errorf("gcg: the segments of the loss have %d of its %d observations", at, n)
	}
	if !p.Intercept {
		return nil
	}
	return p.checkConstants()
}

// checkConstants is the part of checkSegments that is about an intercept.
func (p *Problem) checkConstants() error {
	if p.Places().Count == 0 {
		return fmt.Errorf("gcg: an intercept is asked for, and no segment of the loss takes one")
	}
	op, ok := p.Operator.(InterceptOperator)
	if !ok {
		return nil
	}
	count, of := op.Intercepts()
	if of == nil {
		return nil
	}
	for _, g := range p.segments() {
		for i := g.Lo; i < g.Hi; i++ {
			if of[i] >= int32(count) || (of[i] < 0) != (of[g.Lo] < 0) {
				return fmt.Errorf("gcg: observation %d takes constant %d of the %d of %T; one of its segment takes constant %d", i+1, of[i], count, op, of[g.Lo])
			}
		}
	}
	return nil
}
