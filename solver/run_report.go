package solver

import (
	"fmt"
	"time"

	"github.com/seed-b18ef778/gcg"
)

// event reports the present iterate.
func (r *run) event(status Status) {
	if r.opt.Event != nil {
		r.opt.Event(Event{State: r.s, Iter: r.s.Iter, Elapsed: r.watch.elapsed(), Split: r.split, Status: status, p: r.p,
			polar: r.polar(), watch: r.watch})
	}
}

// polar is that of the current iterate, which finish takes out of the state before it reports.
func (r *run) polar() *gcg.Polar {
	if r.s.Polar != nil {
		return r.s.Polar
	}
	return r.last
}

// checkpoint hands the state to Options.Checkpoint, if that is due or to be done now.
func (r *run) checkpoint(now bool) error {
	if r.opt.Checkpoint == nil || !now && time.Since(r.saved) < r.opt.CheckpointEvery {
		return nil
	}
	r.saved = time.Now()
	if err := r.opt.Checkpoint(r.s); err != nil {
		return fmt.Errorf("solver: the checkpoint was not written: %w", err)
	}
	return nil
}
