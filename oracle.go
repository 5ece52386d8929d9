package gcg

import (
	"context"
	"time"
)

// An Oracle is asked for polars, and counts the work of a run in one place: that of the steps, of the certificates, and of inner
// problems. Inner problems have maps and gauges of their own, and states that share the oracle, see State.InnerState. It is not
// for several goroutines at once.
type Oracle struct {
	Count     Count
	PolarTime time.Duration // spent on polars
}

// Count is the work done.
type Count struct {
	Polars, Gradients, Improvements int
	Products                        int // of the Hessian with a direction
}

// Add adds the work of another run.
func (c *Count) Add(o Count) {
	c.Polars += o.Polars
	c.Gradients += o.Gradients
	c.Improvements += o.Improvements
	c.Products += o.Products
}

// Ask is the polar of the gauge at G, with the values filled in that the gauge leaves to the caller. An answer that contradicts
// itself is a *PolarError; other errors are those of the gauge.
func (o *Oracle) Ask(ctx context.Context, k Gauge, g Map, ask Ask) (*Polar, error) {
	start := time.Now()
	polar, err := k.Polar(ctx, g, ask)
	o.PolarTime += time.Since(start)
	if err != nil {
		return nil, err
	}
	o.Count.Polars++
	if err := polar.admit(k, g); err != nil {
		return nil, err
	}
	return &polar, nil
}

// InnerState is NewState for a problem that a step solves on its way: its work is counted with that of s.
func (s *State) InnerState(p *Problem, start *Iterate) (*State, error) {
	in, err := newState(p, start, s.Oracle)
	return in, err
}
