package solver

import (
	"context"
	"time"

	"github.com/seed-b18ef778/gcg"
)

// certify asks for the polar at the current iterate, unless it is known, and bounds the gap with it. The next step uses the
// same polar.
func (r *run) certify(ctx context.Context) error {
	start := time.Now()
	s := r.s
	if s.Polar == nil {
		r.watch.look()
		if err := ctx.Err(); err != nil {
			return err
		}
		ask := r.ask()
		polar, err := r.polarOf(ctx, ask)
		if err != nil {
			return err
		}
		s.Polar, s.Complement, r.asked = polar, polar.Complement(), &ask
	}
	r.split.Polar += time.Since(start)
	start = time.Now()
	defer func() { r.split.Certificate += time.Since(start) }()
	s.Certify(r.p)
	if r.opt.Exact && s.Cert.Relative <= r.opt.Tol && s.Cert.Kind != gcg.Proven {
		return r.prove(ctx)
	}
	return nil
}
