package structured

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// A Penalty is g(B x) of x ∈ Rᵖ, by B, g and the domain of g*, where g* is 0.
type Penalty interface {
	// Name is what results call it.
	Name() string
	// Check refuses sizes and weights that make no penalty.
	Check() error
	// Size is p, and the number of entries of B x.
	Size() (p, n int)
	// BTo writes z = B x, and BTTo x = Bᵀ u.
	BTo(z, x []float64)
	BTTo(x, u []float64)
	// Value is g(z).
	Value(z []float64) float64
	// Polar is the least c with u ∈ c·dom g*.
	Polar(u []float64) float64
	// ProjectTo moves u to the nearest point of dom g*.
	ProjectTo(u []float64)
	// SlopeTo writes the derivative of ProjectTo at v along e. dst may be e.
	SlopeTo(dst, v, e []float64)
	// Radius is the largest ‖u‖ of dom g*.
	Radius() float64
	// Norm2 is an upper bound of ‖B‖².
	Norm2() float64
	// Scaled is c·g, for c ≥ 0.
	Scaled(c float64) Penalty
}

// An exact penalty has a proximity operator together with the ℓ1 norm, and knows the best u for a gradient.
type exact interface {
	// proxTo writes argmin over x of ½‖x - v‖² + t(g(B x) + h(‖x‖₁)); scratch is as long as u.
	proxTo(dst, v []float64, t float64, h *shrinkage)
	// dualTo writes the u of dom g* for which θ = ‖q + Bᵀu‖_∞ is least, to a small part of what θ is above a lower bound of it,
	// and returns θ.
	dualTo(u, q []float64, bound float64) (theta float64)
	// value is g(B x), and size ‖x‖₁.
	value(x []float64) float64
	size(x []float64) float64
	// ready reports whether both can be had for this value of the penalty.
	ready() bool
}

// A divisible penalty can hold parts of x still.
type divisible interface {
	exact
	// part has the unknowns that x needs, and most of those that next needs beyond, the largest.
	part(x, next []float64, most int) *part
}

// Problem is L(A x) + g(B x) for a W of one column, with its gauge and its penalty open. An error is for a W of several columns,
// and for sizes that differ.
func Problem(op gcg.Operator, l gcg.Loss, g Penalty) (*gcg.Problem, error) {
	both, err := stacked(op, g)
	if err != nil {
		return nil, err
	}
	_, size := g.Size()
	second := &minorant{g: g, u: make([]float64, size), op: op, loss: l}
	return &gcg.Problem{Operator: both, Loss: loss.Stack(l, loss.WithoutIntercept(second))}, nil
}

// stacked is (A x, B x).
func stacked(op gcg.Operator, g Penalty) (gcg.Operator, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	m, n, _ := op.Dims()
	if p, _ := g.Size(); n != 1 || m != p {
		return nil, fmt.Errorf("structured: penalty %s is of %d numbers, and W is %d×%d", g.Name(), p, m, n)
	}
	return operator.Stack(op, differenced{g})
}

// secondOf is the penalty of a problem of Problem, or nil.
func secondOf(p *gcg.Problem) *minorant {
	all, ok := p.Loss.(loss.Stacked)
	if !ok || len(all.Parts()) != 2 {
		return nil
	}
	fixed, ok := all.Parts()[1].(loss.Stacked)
	if !ok || len(fixed.Parts()) != 1 {
		return nil
	}
	second, _ := fixed.Parts()[0].(*minorant)
	return second
}

// Solves says that a problem is one of Problem, for Method.
func Solves(p *gcg.Problem) bool { return secondOf(p) != nil }

// A minorant is ⟨u, z⟩ ≤ g(z), for a u of the domain of g*. It knows the other part of its problem, L of A x.
type minorant struct {
	g    Penalty
	u    []float64
	op   gcg.Operator
	loss gcg.Loss
}

// Len is the number of entries of B x.
func (l *minorant) Len() int { return len(l.u) }

// Stride is all of them.
func (l *minorant) Stride() int { return max(1, len(l.u)) }

// Separable is true: it is linear.
func (l *minorant) Separable() bool { return true }

// Eval is ⟨u, z⟩, with r = -u.
func (l *minorant) Eval(lo int, z, r []float64) float64 {
	u := l.u[lo : lo+len(z)]
	value := kernel.Dot(u, z)
	if r != nil {
		for i, x := range u {
			r[i] = -x
		}
	}
	return value
}

// Original is g.
func (l *minorant) Original() gcg.Loss { return original{l.g} }

// original is g, which has no derivative.
type original struct{ g Penalty }

// Len is the number of entries of B x.
func (l original) Len() int { _, n := l.g.Size(); return n }

// Stride is all of them: g may couple any.
func (l original) Stride() int { return max(1, l.Len()) }

// Eval is g(z).
func (l original) Eval(_ int, z, _ []float64) float64 { return l.g.Value(z) }

// domainRounding is the part by which a u counts as of the domain of g*.
const domainRounding = rounding.Null

// Conjugate is g*(-s r).
func (l original) Conjugate(lo int, r []float64, s float64) float64 {
	return l.ConjugateAlong(lo, r)(s)
}

// ConjugateAlong is 0 while s u is in the domain.
func (l original) ConjugateAlong(_ int, r []float64) func(s float64) float64 {
	most := l.g.Polar(r) // g is even
	return func(s float64) float64 {
		if s*most <= 1+domainRounding {
			return 0
		}
		return math.Inf(1)
	}
}

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
