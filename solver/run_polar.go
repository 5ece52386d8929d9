package solver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// polarOf asks the gauge for a polar of the present iterate. The first one of a run is checked more closely.
func (r *run) polarOf(ctx context.Context, ask gcg.Ask) (*gcg.Polar, error) {
	polar, err := polarAt(ctx, r.view, r.s, ask, !r.admitted)
	if err == nil {
		r.admitted, r.unbounded = true, polar.Kind == gcg.Unbounded
	}
	return polar, err
}

// polarAt asks for a polar of the gradient at the state, and refuses a gradient that is not finite where that is what is wrong.
func polarAt(ctx context.Context, p *view.Problem, s *gcg.State, ask gcg.Ask, first bool) (*gcg.Polar, error) {
	g := s.Gradient(p.Problem)
	polar, err := s.Ask(ctx, p.Gauge, g, ask)
	var wrong *gcg.PolarError
	if errors.As(err, &wrong) || err == nil && polar.Kind == gcg.Unbounded {
		if nan := finite(s.R); nan != nil {
			return nil, nan
		}
	}
	if err == nil && first {
		err = (&admission{p: p, s: s, g: g, polar: polar, ask: ask}).check()
	}
	if err != nil {
		return nil, err
	}
	return polar, nil
}

// finite refuses a residual with an element that is not finite.
func finite(r []float64) error {
	for i, x := range r {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("solver: the derivative of the loss at observation %d is %v", i+1, -x)
		}
	}
	return nil
}
