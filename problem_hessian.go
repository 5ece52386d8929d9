package gcg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// HessTo writes dst = ∇²L(z) e, with r = -∇L(z); dst may be e. The loss must be a CurvedLoss.
func (p *Problem) HessTo(dst, z, r, e []float64) {
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		p.HessBlockTo(dst[lo:hi], lo, z, r, e[lo:hi])
	})
}

// HessBlockTo is HessTo for the observations from lo on; z and r are of all observations.
func (p *Problem) HessBlockTo(dst []float64, lo int, z, r, e []float64) {
	hi := lo + len(dst)
	HessTo(p.Loss.(CurvedLoss), dst, lo, z[lo:hi], r[lo:hi], e)
}

// HessBlock32 is a function that replaces e, a block of observations from lo on, by ∇²L e at the state's predictions. It keeps a
// copy of the residual in float32 where the loss can do with that.
func (p *Problem) HessBlock32(s *State) func(e []float32, lo int) {
	if l, ok := p.Loss.(OuterLoss); ok {
		r := make([]float32, len(s.R))
		par.For(p.Blocks(), func(b int) {
			lo, hi := p.Block(b)
			kernel.Convert(r[lo:hi], s.R[lo:hi])
		})
		return func(e []float32, lo int) { l.HessFrom32To(e, lo, r[lo:lo+len(e)], e) }
	}
	return func(e []float32, lo int) {
		wide := make([]float64, len(e))
		kernel.Convert(wide, e)
		p.HessBlockTo(wide, lo, s.Z, s.R, wide)
		kernel.Convert(e, wide)
	}
}
