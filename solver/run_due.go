package solver

import "context"

// A Polarless is a Method that may say that its steps ask for no polar, as proximal steps do not. Run asks for one only where a
// certificate is due, after Options.CertifyEvery steps and at the end, and does not charge it to the method's time. Between them
// the gap is that to the best lower bound so far, and State.Polar may be nil when a step begins.
type Polarless interface{ WithoutPolars() bool }

// polarless says that no step of the method needs a polar.
func (r *run) polarless() bool {
	m, ok := r.method.(Polarless)
	return ok && m.WithoutPolars()
}

// due says whether the present iterate of a method without polars is to have a certificate of its own.
func (r *run) due() bool {
	t := r.s.Iter
	if t < r.nextDue {
		return false
	}
	every := r.opt.CertifyEvery
	if every == 0 {
		every = max(1, t/4)
	}
	r.nextDue = t + every
	return true
}

// assess certifies the present iterate: with a polar of its own where that is due, else by the best bound so far. ctx ends with
// the time of the run, and outer, the caller's, does not.
func (r *run) assess(ctx, outer context.Context) error {
	switch {
	case !r.polarless():
		return r.certify(ctx)
	case r.due():
		return r.certifyUncharged(outer)
	}
	r.asked, r.s.Polar = nil, nil
	r.s.Certify(r.p)
	return nil
}

// owed gives the last iterate the certificate that it is owed: within ctx, the caller's, as the run's own time may be up.
func (r *run) owed(ctx context.Context) error {
	if r.s.Polar == nil && r.polarless() && r.s.Cert.Relative > r.opt.Tol && ctx.Err() == nil {
		return r.certifyUncharged(ctx)
	}
	return nil
}

// certifyUncharged is certify while the clock stands still.
func (r *run) certifyUncharged(ctx context.Context) (err error) {
	charged := r.split
	r.watch.pause(func() { err = r.certify(ctx) })
	r.split = charged
	return err
}
