package convex

import (
	"context"
	"errors"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/roots"
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
func (c *Method) Init(p *gcg.Problem, _ *gcg.State, _ gcg.Settings) error {
	if l, ok := p.Loss.(graphLoss); !ok || l.c != c {
		return errors.New("solver: convex solves the problem that its Problem has made")
	}
	return nil
}

// Ask wants the one subgradient that there is.
func (c *Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Step moves x towards d. Where that leads nowhere, it leaves the state as it is.
func (c *Method) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
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
	return gcg.Moved{}, nil
}

// Improver is Improve as an improver for Run, which undoes it where F rose; nil where there is none.
func (c *Method) Improver() interface {
	Name() string
	Init(p *gcg.Problem, set gcg.Settings) error
	Improve(ctx context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error)
} {
	if c.Improve == nil {
		return nil
	}
	return convexImprover{c}
}

type convexImprover struct{ c *Method }

// Name is improve.
func (convexImprover) Name() string { return "improve" }

// Init needs nothing.
func (convexImprover) Init(*gcg.Problem, gcg.Settings) error { return nil }

// Improve moves x to where the caller's function takes it.
func (i convexImprover) Improve(_ context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	x := i.c.PointAt(s)
	i.c.Improve(x)
	i.c.moveTo(p, s, x)
	return did, nil
}

// searchTol is the part of the slope that a search may leave.
const searchTol = 1e-6

// search sets η to where ℓ((1-η)x + ηd) + (1-η)f(x) + ηf(d), which is at least F, is about least in [0, 1]: secants in a
// bracket of the root of its derivative, one gradient each, whose number it returns. It ends where the derivative is not
// positive, so that F does not rise.
func (c *Method) search(s *gcg.State, x, d []float64, eta *float64) (gradients int) {
	n := len(x)
	lift := c.ValueAt(d) - c.ValueAt(x)
	grad, try := make([]float64, n), make([]float64, n)
	along := func(eta float64) float64 {
		for i := range try {
			try[i] = (1-eta)*x[i] + eta*d[i]
		}
		c.Smooth(grad, try)
		gradients++
		sum := lift
		for i, g := range grad {
			sum += (d[i] - x[i]) * g
		}
		return sum
	}
	slope := lift // ⟨d - x, ∇ℓ(x)⟩ + f(d) - f(x)
	for i := range x {
		slope -= (d[i] - x[i]) * s.R[i]
	}
	if *eta = 0; !(slope < 0) {
		return gradients
	}
	b := roots.Bracket{Lo: 0, Flo: slope, Hi: 1, Fhi: along(1)}
	if b.Fhi <= 0 {
		*eta = 1
		return gradients
	}
	for range 40 {
		// Where the derivative at hi is rounding, so is the secant's distance from hi, and the root is just short of it.
		mid := math.Min(b.Secant(), b.Hi-searchTol/2*(b.Hi-b.Lo))
		if !(mid > b.Lo && mid < b.Hi) {
			break
		}
		v := along(mid)
		if v > 0 {
			b.MoveHi(mid, v)
			continue
		}
		b.MoveLo(mid, v)
		if v >= searchTol*slope {
			break
		}
	}
	*eta = b.Lo
	return gradients
}

// moveTo puts the state at x.
func (c *Method) moveTo(p *gcg.Problem, s *gcg.State, x []float64) {
	s.W = &gcg.Iterate{M: len(x) + 1, N: 1, Terms: []gcg.Term{{Atom: c.graphAtom(x), Weight: 1}}}
	s.Rho = 1
	s.Refresh(p)
}
