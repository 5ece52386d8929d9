package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

const (
	// narrowBend is the part of L at W = 0 that the bends of a loss take off it at most, where wider ones come first. Newton steps
	// on bends so narrow see no bend of most observations, and meet it when they step over it.
	narrowBend = 1e-4
	// widestBend is that part for the widest loss, whose bends are as wide as the mean residual.
	widestBend = 0.5
	// bendRatio is that part over the one of the last: of 1/10 and 1/100, 1/10 took less time at targets of 10³ and 10⁶ widths.
	bendRatio = 0.1
)

// widerLosses lead to the loss of p, from the widest on; none where its bends are wide against the residuals at W = 0.
func widerLosses(p *gcg.Problem) ([]gcg.Loss, error) {
	c := view.OfLoss(p.Loss)
	if c.Bent == nil || c.Curved == nil {
		return nil, nil
	}
	own := c.Curved.Curvature()
	wider := func(short float64) (gcg.Loss, bool) {
		l := c.Bent.Widened(short)
		return l, view.OfLoss(l).Curved.Curvature() < own
	}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		return nil, err
	}
	if _, narrow := wider(narrowBend * s.LossAtZero); !narrow {
		return nil, nil
	}
	var losses []gcg.Loss
	for short := widestBend * s.LossAtZero; ; short *= bendRatio {
		l, ok := wider(short)
		if !ok {
			return losses, nil
		}
		losses = append(losses, l)
	}
}
