package convex

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Problem is ℓ + f as the four nouns, with W = 0 at x, a point of the domain, which is copied. W is a column of n+1 entries,
// the point less x and a value of f less f(x):
//
//	atoms  (d - x, f(d) - f(x)) for every d of the domain     L(w, t) = ℓ(x + w) + t + f(x)     h the bound κ ≤ 1
//
// The polar of -∇L = (y, -1) is max over d of ⟨d - x, y⟩ - f(d) + f(x), which the subgradient of f* at y attains, so that the
// bound that a certificate has without a conjugate of the loss is that of Convex. An error is for what is missing, and for an f
// that is not finite at x.
func (c *Method) Problem(x []float64) (*gcg.Problem, error) {
	if c.Smooth == nil || c.SubgradientTo == nil || len(x) == 0 {
		return nil, errors.New("solver: convex needs Smooth, SubgradientTo and a starting point")
	}
	c.start = append([]float64(nil), x...)
	if c.level = c.ValueAt(x); c.level-c.level != 0 {
		return nil, fmt.Errorf("solver: convex: f is %v at the starting point, which is to be of the domain", c.level)
	}
	return &gcg.Problem{Operator: column(len(x) + 1), Loss: graphLoss{c}, Gauge: graphGauge{c}, Penalty: unitBall{}}, nil
}

// PointAt is x at a state of the problem.
func (c *Method) PointAt(s *gcg.State) []float64 {
	x, _ := c.graphPoint(s.Z)
	return x
}

// ValueAt is f(x).
func (c *Method) ValueAt(x []float64) float64 {
	if c.Value == nil {
		return 0
	}
	return c.Value(x)
}

// graphPoint is the point and the value of f that a column stands for.
func (c *Method) graphPoint(w []float64) (x []float64, f float64) {
	x = make([]float64, len(c.start))
	for i := range x {
		x[i] = c.start[i] + w[i]
	}
	return x, c.level + w[len(x)]
}

// graphAtom is the column of a point with its own value of f.
func (c *Method) graphAtom(x []float64) gcg.Atom {
	n := len(x)
	a := gcg.Atom{Rows: make([]int32, n+1), Cols: make([]int32, n+1), Vals: make([]float64, n+1)}
	for i := range a.Rows {
		a.Rows[i] = int32(i)
	}
	for i := range x {
		a.Vals[i] = x[i] - c.start[i]
	}
	a.Vals[n] = c.ValueAt(x) - c.level
	return a
}

// A graphLoss is L(w, t), one block of n+1 observations that belong together.
type graphLoss struct{ c *Method }

// Len is n+1.
func (l graphLoss) Len() int { return len(l.c.start) + 1 }

// Stride is n+1.
func (l graphLoss) Stride() int { return l.Len() }

// Eval is ℓ at the point and the value of f; r = (-∇ℓ, -1).
func (l graphLoss) Eval(_ int, z, r []float64) float64 {
	x, f := l.c.graphPoint(z)
	grad := make([]float64, len(x))
	f += l.c.Smooth(grad, x)
	if r != nil {
		for i, g := range grad {
			r[i] = -g
		}
		r[len(x)] = -1
	}
	return f
}

// A graphGauge has the points of the graph of f, less the start, for atoms.
type graphGauge struct{ c *Method }

// Name is graph.
func (graphGauge) Name() string { return "graph" }

// Polar is the subgradient of f* at y for G = (y, -1), or at y/c for G = (y, -c). An error is for values that are not finite.
func (k graphGauge) Polar(_ context.Context, g gcg.Map, _ gcg.Ask) (gcg.Polar, error) {
	n := len(k.c.start)
	y := make([]float64, n+1)
	g.MulTo(y, []float64{1})
	price := -y[n]
	if !(price > 0) {
		return gcg.Polar{}, fmt.Errorf("solver: convex: the price of f is %v, and must be positive", price)
	}
	for i := range n {
		y[i] /= price
	}
	d := make([]float64, n)
	k.c.SubgradientTo(d, y[:n])
	a := k.c.graphAtom(d)
	value := -a.Vals[n]
	for i := range n {
		value += a.Vals[i] * y[i]
	}
	if value *= price; value-value != 0 {
		return gcg.Polar{}, fmt.Errorf("solver: convex: f is %v at the subgradient, which attains %v; all are finite on "+
			"the domain", a.Vals[n]+k.c.level, value)
	}
	return gcg.Polar{Atoms: []gcg.Atom{a}, Values: []float64{value}, Value: value, Bound: value, Kind: gcg.Proven}, nil
}

// unitBall is the bound κ ≤ 1.
type unitBall struct{}

// Value is 0 up to 1, but for rounding, and +Inf beyond.
func (unitBall) Value(rho float64) float64 {
	if rho > 1+view.DomainRounding {
		return math.Inf(1)
	}
	return 0
}

// Deriv is 0 up to 1 and +Inf beyond.
func (unitBall) Deriv(rho float64) float64 {
	if rho > 1 {
		return math.Inf(1)
	}
	return 0
}

// Max is 1.
func (unitBall) Max() float64 { return 1 }

// Conj is attained at 0 for polar ≤ 0, and at the largest x otherwise.
func (unitBall) Conj(polar, rhoMax float64) (value, at float64) {
	if !(polar > 0) {
		return 0, 0
	}
	at = math.Min(1, rhoMax)
	return at * polar, at
}

// column is z = W for a column of so many entries.
type column int

// Dims is the size of the column, and as many observations.
func (o column) Dims() (m, n, nobs int) { return int(o), 1, int(o) }

// AtomTo is z = a from observation lo on.
func (o column) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		o.FactoredTo(z, lo, a.U, a.V)
		return
	}
	clear(z)
	for e, x := range a.Vals {
		if at := int(a.Rows[e]) - lo; at >= 0 && at < len(z) {
			z[at] += x
		}
	}
}

// FactoredTo is z = U Vᵀ from observation lo on.
func (o column) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	for i := range z {
		z[i] = 0
		for c := range u.K {
			z[i] += u.Row(lo + i)[c] * v.Row(0)[c]
		}
	}
}

// Adjoint is r as a column.
func (o column) Adjoint(r []float64) gcg.Map { return columnMap(r) }

type columnMap []float64

// Dims is the size of the column.
func (g columnMap) Dims() (m, n int) { return len(g), 1 }

// MulTo is dst = x·column.
func (g columnMap) MulTo(dst, x []float64) {
	for i, v := range g {
		dst[i] = v * x[0]
	}
}

// TMulTo is dst = ⟨column, y⟩.
func (g columnMap) TMulTo(dst, y []float64) {
	dst[0] = 0
	for i, v := range g {
		dst[0] += v * y[i]
	}
}
