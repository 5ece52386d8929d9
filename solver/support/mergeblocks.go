package support

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// MergeBlocks makes one atom of the sparse atoms of each block, as the gauge of their sum may be less than that of them all, and
// returns κ(W) as closely as the gauge can tell. W is overwritten; s.Rho stays.
func MergeBlocks(p *view.Problem, s *gcg.State) (kappa float64) {
	if p.BlockGauge != nil {
		u := newSupport(blockGaugeOf(p))
		if u.load(s.W) && len(u.keys) < len(s.W.Terms) {
			u.store(s)
			return u.rho(u.x)
		}
	}
	return p.GaugeOf(s.W)
}
