package solver

import (
	"context"

	"github.com/seed-b18ef778/gcg"
)

// What the tests see of a screen.

var Screened = screened

func (c *screen) Run(ctx context.Context, p *gcg.Problem, m Method, opt Options) (*Result, error) {
	return c.run(ctx, p, m, opt)
}

// Dropped are the keys of the blocks that were proven to be 0.
func (c *screen) Dropped() []int64 {
	var keys []int64
	for b, live := range c.live {
		if !live {
			keys = append(keys, int64(b+1))
		}
	}
	return keys
}

func (c *screen) Reduced() bool { return c.reduced != nil && c.reduced.entries != nil }
