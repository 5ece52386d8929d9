package views

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// fit moves the state to W with the rows of Z in some views, where F is lower there. A view of a small share costs next to
// nothing, and the errors of its rows W̃_i/d_i are large. The rows Z_i, which meet the loss, are apart from them by E_i, and
// raise ‖D_τW‖_* by at most d_i‖E_i‖_*; the Frobenius norm stands for it in the choice of views.
func (x *Method) fit(p *view.Problem, s *gcg.State) {
	it := x.it
	if slices.Min(it.tau) > firstFloor {
		return
	}
	w := append([]float64(nil), s.Z...)
	var gain float64
	slope := it.last.level * it.rho // h' at ‖W̃‖_*
	for i, rows := range it.views {
		lo, hi := rows.lo*it.n, rows.hi*it.n
		apart := append([]float64(nil), it.z[lo:hi]...)
		kernel.Axpy(-1, s.Z[lo:hi], apart)
		less := valueOf(p, s.Z, lo, hi) - valueOf(p, it.z, lo, hi) - slope*it.weight(i)*math.Sqrt(kernel.SumSq(apart))
		if less > 0 {
			copy(w[lo:hi], it.z[lo:hi])
			gain += less
		}
	}
	if !(gain > worthFitting*s.Tol*s.Objective(p.Problem)) {
		return
	}
	t := *s
	t.W = written(w, it.m, it.n)
	t.Z, t.R = make([]float64, len(s.Z)), make([]float64, len(s.R))
	t.Rho = p.GaugeOf(t.W)
	t.Refresh(p.Problem)
	if t.Objective(p.Problem) < s.Objective(p.Problem) {
		*s = t
	}
}

// worthFitting is the part of the wanted gap that fitted rows must save in the loss.
const worthFitting = 0.1

// valueOf is the loss of the entries lo ≤ e < hi.
func valueOf(p *view.Problem, z []float64, lo, hi int) float64 { return p.Loss.Eval(lo, z[lo:hi], nil) }

// written is an m×n matrix, and the identity on its shorter side.
func written(w []float64, m, n int) *gcg.Iterate {
	x := &gcg.Iterate{M: m, N: n}
	if n <= m {
		u := gcg.NewFactor(m, n)
		for i := range m {
			copy(u.Row(i), w[i*n:(i+1)*n])
		}
		x.SetFactors(u, gcg.Identity(n))
		return x
	}
	v := gcg.NewFactor(n, m)
	for i := range m {
		v.SetColumn(i, w[i*n:(i+1)*n], 1)
	}
	x.SetFactors(gcg.Identity(m), v)
	return x
}
