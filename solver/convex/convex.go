package convex

import (
	"context"
	"errors"

	"github.com/seed-b18ef778/gcg"
)

// Method is generalized conditional gradient on vectors for a convex f of bounded domain that is no gauge penalty
// [Yu17 Algorithm 1; Argyriou14 Algorithm 1],
//
//	minimise over x ∈ Rⁿ   F(x) = ℓ(x) + f(x)
//
//	d ← an element of ∂f*(-∇ℓ(x))                a minimiser of ⟨d, ∇ℓ(x)⟩ + f(d)
//	x ← (1-η)x + ηd                              η by a search, or 2/(t+2)
//
// f enters by its value and by d alone; for the indicator of a polytope d is a vertex. Each d bounds the optimum,
//
//	F* ≥ ℓ(x) - ⟨x, ∇ℓ(x)⟩ - f*(-∇ℓ(x)),     f*(-∇ℓ(x)) = -⟨d, ∇ℓ(x)⟩ - f(d)
//
// and F(x) less the best of these bounds is O(L·diam²/t) after t steps [Yu17 Corollary 5].
//
// Problem writes it with the four nouns, Convex is the method, and Run the loop:
//
//	p, err := c.Problem(start)
//	r, err := Run(ctx, p, c, Options{Improver: c.Improver()})
//	x := c.PointAt(r.State)
type Method struct {
	// Smooth is ℓ, differentiable: it returns ℓ(x) and writes ∇ℓ(x) into grad, both of length n.
	Smooth func(grad, x []float64) float64
	// Value is f(x); nil means the indicator of the domain, which is 0 at every point that is a mean of subgradients.
	Value func(x []float64) float64
	// SubgradientTo writes an element of ∂f*(y) into d, that is one that maximises ⟨d, y⟩ - f(d).
	SubgradientTo func(d, y []float64)
	// Improve, if there is one, may move x to any point of the domain [Yu17 Algorithm 1, line 5]: see Improver.
	Improve func(x []float64)
	// OpenLoop takes η = 2/(t+2) instead of the search, which needs some more gradients.
	OpenLoop bool

	start []float64 // W = 0
	level float64   // f there
}

// Name is convex.
func (c *Method) Name() string { return "convex" }

// Descends reports whether no step raises F, which holds for the search.
func (c *Method) Descends() bool { return !c.OpenLoop }

// Init refuses any problem but the last of Convex.Problem.
func (c *Method) Init(p *gcg.Problem, _ *gcg.State) error {
	if l, ok := p.Loss.(graphLoss); !ok || l.c != c {
		return errors.New("solver: convex solves the problem that its Problem has made")
	}
	return nil
}

// Ask wants the one subgradient that there is.
func (c *Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Step moves x towards d. Where that leads nowhere, it leaves the state as it is.
func (c *Method) Step(_ context.Context, p *gcg.Problem, s *gcg.State) error {
	d, _ := c.graphPoint(s.Polar.Atoms[0].Vals)
	x := c.PointAt(s)
	eta := 2 / (float64(s.Iter) + 2)
	if !c.OpenLoop {
		s.Count.Gradients += c.search(s, x, d, &eta)
	}
	moved := false
	for i := range x {
		next := (1-eta)*x[i] + eta*d[i]
		moved = moved || next != x[i]
		x[i] = next
	}
	if moved {
		c.moveTo(p, s, x)
	}
	return nil
}

// Improver is Improve as an improver for Run, which undoes it where F rose; nil where there is none.
func (c *Method) Improver() interface {
	Name() string
	Improve(ctx context.Context, p *gcg.Problem, s *gcg.State) error
} {
	if c.Improve == nil {
		return nil
	}
	return convexImprover{c}
}

type convexImprover struct{ c *Method }

// Name is improve.
func (convexImprover) Name() string { return "improve" }

// Improve moves x to where the caller's function takes it.
func (i convexImprover) Improve(_ context.Context, p *gcg.Problem, s *gcg.State) error {
	x := i.c.PointAt(s)
	i.c.Improve(x)
	i.c.moveTo(p, s, x)
	return nil
}
