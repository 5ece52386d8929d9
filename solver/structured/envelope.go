package structured

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
)

// Smoothed is the problem of Problem with g by its envelope, for the hybrid method and other conditional gradient steps. Its
// certificate is that of g itself.
func Smoothed(op gcg.Operator, l gcg.Loss, g Penalty) (*gcg.Problem, error) {
	both, err := stacked(op, g)
	if err != nil {
		return nil, err
	}
	return &gcg.Problem{Operator: both, Loss: loss.Stack(l, &loss.MoreauEnvelope{Penalty: supported{g}, Beta: 1})}, nil
}

// supported is g as the support function of dom g*, of one group: see loss.Lipschitz.
type supported struct{ Penalty }

// Len is the number of entries of B x.
func (g supported) Len() int { _, n := g.Size(); return n }

// Stride is all of them.
func (g supported) Stride() int { return max(1, g.Len()) }

// SmoothTo has the u of dom g* next to z/μ; next to a distant multiple of z where μ is 0.
func (g supported) SmoothTo(value, u []float64, _ int, z []float64, mu float64) {
	size, whole := kernel.SumSq(z), 0.0
	if mu == 0 {
		whole = g.Value(z)
	}
	nearest := make([]float64, len(z)) // u may be z
	copy(nearest, z)
	kernel.Scale(g.toward(mu, size), nearest)
	g.ProjectTo(nearest)
	if mu > 0 {
		whole = kernel.Dot(nearest, z) - mu/2*kernel.SumSq(nearest)
	}
	copy(u, nearest)
	value[0] = whole
}

// distant is how many times its radius dom g* is left behind for a subgradient of g, which keeps the direction of z.
const distant = 1e12

// toward is the multiple of z that SmoothTo projects, for ‖z‖² = size.
func (g supported) toward(mu, size float64) float64 {
	if mu > 0 {
		return 1 / mu
	}
	if size == 0 {
		return 0
	}
	return distant * g.Radius() / math.Sqrt(size)
}

// SlopeTo is the derivative of the projection at z/μ, over μ.
func (g supported) SlopeTo(dst []float64, _ int, z, e []float64, mu float64) {
	v := append([]float64(nil), z...)
	kernel.Scale(1/mu, v)
	g.Penalty.SlopeTo(dst, v, e)
	kernel.Scale(1/mu, dst)
}

// ConjugateTo is 0 in dom g*.
func (g supported) ConjugateTo(value []float64, _ int, u []float64) {
	if value[0] = 0; g.Polar(u) > 1+domainRounding {
		value[0] = math.Inf(1)
	}
}
