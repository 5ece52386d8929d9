package gcg

import "github.com/seed-b18ef778/gcg/internal/par"

// Sum is Σ part(lo, hi) over the blocks of observations. All sums over observations are made this way: the blocks depend on the
// problem alone, each adds its own observations, perhaps at the same time as others, and the parts are added in the order of the
// blocks. So a run is the same, to the last bit, on any number of processors of one type.
func (p *Problem) Sum(part func(lo, hi int) float64) float64 {
	return par.Sum(p.Blocks(), func(b int) float64 { return part(p.Block(b)) })
}
