package recovery

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
)

// sparsen makes X the iterate in place of Z where Z closes the gap and X does, too: X has zeros, and Z does not. It costs a
// decomposition, at the end of a run. X is of the cone only where that is all matrices.
func (a *Splitting) sparsen(p *gcg.Problem, s *gcg.State) {
	l, ok := p.Loss.(*loss.WithL1)
	if !ok || a.LowRank || l.Lambda == 0 || a.cone != general || s.Polar.Kind != gcg.Proven || s.W.Rank() == 0 {
		return
	}
	lower := math.Max(s.Cert.LowerBound, p.Bound(s, s.Polar))
	if f := s.Objective(p); gcg.RelativeGap(math.Max(f-lower, 0), f) > s.Tol {
		return
	}
	var norm float64
	for i := range a.layout.blocks {
		b := &a.layout.blocks[i]
		norm += spectral.DenseTraceNorm(b.of(a.x), len(b.rows), len(b.cols))
	}
	scale := 1.0
	if zeta := p.Penalty.Max(); norm > zeta {
		scale, norm = zeta/norm, zeta
	}
	z := make([]float64, len(s.Z))
	a.layout.gather(z, a.x)
	for e := range z {
		z[e] *= scale
	}
	value := p.Value(z, nil)
	if f := value + p.Penalty.Value(norm); gcg.RelativeGap(math.Max(f-lower, 0), f) <= s.Tol {
		copy(s.Z, z)
		s.W, s.Rho, s.Loss, s.Exact = sparseOf(a.layout.op, z), norm, value, true
	}
}

// sparseOf is the matrix of the observations z that are not 0.
func sparseOf(op view.CellOperator, z []float64) *gcg.Iterate {
	m, n, _ := op.Dims()
	w := &gcg.Iterate{M: m, N: n}
	ptr, cols, _ := op.Cells()
	var a gcg.Atom
	for i := range m {
		lo, hi := i*n, (i+1)*n
		if ptr != nil {
			lo, hi = int(ptr[i]), int(ptr[i+1])
		}
		for e := lo; e < hi; e++ {
			if z[e] == 0 {
				continue
			}
			j := int32(e - lo)
			if ptr != nil {
				j = cols[e]
			}
			a.Rows, a.Cols, a.Vals = append(a.Rows, int32(i)), append(a.Cols, j), append(a.Vals, z[e])
		}
	}
	if len(a.Vals) > 0 {
		w.Terms = []gcg.Term{{Atom: a, Weight: 1}}
	}
	return w
}
