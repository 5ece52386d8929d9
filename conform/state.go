package conform

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Limits of what a state may be off by. Predictions that steps move along with W drift by rounding; the loss is of second order
// in them, an intercept is fitted to a part of the size of the terms of Eᵀ∇L only.
const (
	stateLimit = 1e-9  // of Z, R and the loss, relative to their sizes and to those at W = 0
	gaugeLimit = 1e-10 // of κ(W) above ρ, relative to ρ
)

// State checks what a method or an improver leaves behind: Z, R, Loss and Rho are recomputed from W and the intercept of s, and
// compared. The state is not changed. Where the operator keeps its observations to itself (gcg.Squares), only Rho is.
func State(p *gcg.Problem, s *gcg.State) []Check {
	v := view.Of(p)
	var checks []Check
	if v.Squares == nil {
		z := make([]float64, len(s.Z))
		p.Apply(z, s.W)
		if s.Intercept != nil {
			p.InterceptMap().AddTo(z, 1, s.Intercept)
		}
		zero, r := make([]float64, len(z)), make([]float64, len(z))
		p.Value(zero, r)
		size := gcg.Norm(z) + gcg.Norm(s.Z)
		residual := gcg.Norm(r)
		value := p.Value(z, r)
		checks = append(checks,
			Check{"state: Z = A(W) + E b", apart(s.Z, z) / math.Max(size, 1e-300), stateLimit},
			Check{"state: R = -∇L(Z)", apart(s.R, r) / math.Max(gcg.Norm(r)+residual, 1e-300), stateLimit},
			Check{"state: Loss = L(Z)", math.Abs(s.Loss-value) / math.Max(math.Abs(value)+s.LossAtZero, 1e-300), stateLimit})
	}
	return append(checks, Check{"state: ρ ≥ κ(W)", (gaugeOf(v, s.W) - s.Rho) / math.Max(s.Rho, 1e-300), gaugeLimit})
}

// gaugeOf is κ(W) where the gauge evaluates it, and -Inf where nothing is known but the weights of the atoms.
func gaugeOf(v *view.Problem, w *gcg.Iterate) float64 {
	if v.Compressor == nil {
		return math.Inf(-1)
	}
	return v.Compressor.Compress(w.Clone())
}

// apart is ‖x - y‖₂.
func apart(x, y []float64) float64 {
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - y[i]
	}
	return gcg.Norm(d)
}
