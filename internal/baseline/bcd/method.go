package bcd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method minimises over U = [A; B] and V of a fixed number of columns t
//
//	L(A(U Vᵀ)) + λ Σ‖V_:c‖,   ‖A_:c‖ ≤ β,   ‖B_:c‖ ≤ γ
//
// by turns: accelerated proximal gradient steps in V, whose proximity operator shrinks its columns, and then in U, which is
// projected. A turn never raises the objective; it ends in a local minimum. It asks for no polar.
type Method struct {
	Size   int // t; 0 means 10
	Inner  int // steps for each of U and V in a turn; 0 means 20
	views  []rows
	u, v   *gcg.Factor
	lambda float64
	// descents of V and of U keep the curvature that the last steps needed
	descents [2]firstorder.Descent
}

// rows are those of a view, with its radius.
type rows struct {
	lo, hi int
	r      float64
}

// Name is bcd.
func (x *Method) Name() string { return "bcd" }

// WithoutPolars says that no step needs a polar.
func (x *Method) WithoutPolars() bool { return true }

// Descends says that no step raises the objective.
func (x *Method) Descends() bool { return true }

// Ask wants one atom.
func (x *Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init begins at a random U, see sketch, and V = 0. It refuses gauges that are not of several views, and penalties other than λκ.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, _ gcg.Settings) error {
	p := view.Of(problem)
	var sizes []int
	var radii []float64
	if p.Balanced != nil {
		sizes, radii, _ = p.Balanced.Balanced()
	} else if p.Dictionary != nil {
		sizes, radii, _ = p.Dictionary.Balls()
	}
	if sizes == nil || !view.IsLinear(p.Penalty) || p.Intercept {
		return fmt.Errorf("solver: bcd is for gauges of several views with the penalty λκ and without an intercept, not for "+
			"gauge %s with a %T", p.Gauge.Name(), p.Penalty)
	}
	x.views, x.lambda, x.descents = nil, p.Penalty.Deriv(1), [2]firstorder.Descent{{L: 1}, {L: 1}}
	at := 0
	for i, size := range sizes {
		x.views = append(x.views, rows{at, at + size, radii[i]})
		at += size
	}
	t := x.Size
	if t == 0 {
		t = 10
	}
	rng := rand.New(rand.NewPCG(s.Seed, 0x626364))
	x.u, x.v = gcg.NewFactor(s.W.M, t), gcg.NewFactor(s.W.N, t)
	x.sketch(s.Gradient(problem), rng)
	for _, b := range x.views {
		x.toRadius(x.u, b, true)
	}
	return nil
}

// sketch begins at U = G GᵀG Ω for a Gaussian Ω, which the largest singular vectors of G = -∇L are most of. From a Gaussian U no
// column of V may leave 0.
func (x *Method) sketch(g gcg.Map, rng *rand.Rand) {
	m, n := g.Dims()
	left, right := make([]float64, m), make([]float64, n)
	for c := range x.u.K {
		for j := range right {
			right[j] = rng.NormFloat64()
		}
		g.MulTo(left, right)
		g.TMulTo(right, left)
		g.MulTo(left, right)
		x.u.SetColumn(c, left, 1)
	}
}

// Step is one turn: V, then U.
func (x *Method) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	for side := range x.descents {
		if ctx.Err() == nil {
			x.block(p, s, side)
		}
	}
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N}
	s.W.SetFactors(x.u.Clone(), x.v.Clone())
	s.Rho = math.Min(x.penalty(x.v), p.GaugeOf(s.W))
	s.Refresh(p)
	return gcg.Moved{}, nil
}

// defaultInner is Inner.
const defaultInner = 20

// block takes accelerated proximal gradient steps in V (side 0) or in U, begun anew where one would raise the objective.
func (x *Method) block(p *gcg.Problem, s *gcg.State, side int) {
	inner := x.Inner
	if inner == 0 {
		inner = defaultInner
	}
	e := &evaluation{x: x, p: p, side: side, z: make([]float64, len(s.Z)), r: make([]float64, len(s.R))}
	now := e.moving(x.u, x.v)
	as := func(data []float64) *gcg.Factor {
		f := *now
		f.Data = data
		return &f
	}
	d := &x.descents[side]
	d.Prox = func(data []float64, step float64) float64 {
		f := as(data)
		x.proximal(side, f, step)
		return x.lambda * x.penaltyOf(side, f)
	}
	d.Steps(now.Data, e.value(now)+x.lambda*x.penaltyOf(side, now), inner, func(data, g []float64) float64 {
		f := e.value(as(data))
		if g != nil {
			copy(g, e.gradient().Data)
			kernel.Scale(-1, g)
		}
		return f
	})
	if side == 0 {
		x.v = now
	} else {
		x.u = now
	}
}

// proximal is the proximity operator of a side.
func (x *Method) proximal(side int, next *gcg.Factor, step float64) {
	if side == 1 {
		for _, b := range x.views {
			x.toRadius(next, b, false)
		}
		return
	}
	shrink := next.ColumnNorms()
	for c, norm := range shrink {
		if norm > 0 {
			shrink[c] = math.Max(0, 1-step*x.lambda/norm)
		}
	}
	for i := range next.Rows {
		for c := range next.K {
			next.Row(i)[c] *= shrink[c]
		}
	}
}

// toRadius scales the columns of a view to its radius, those that are longer or all.
func (x *Method) toRadius(u *gcg.Factor, b rows, all bool) {
	squares := make([]float64, u.K)
	for i := b.lo; i < b.hi; i++ {
		for c, y := range u.Row(i)[:u.K] {
			squares[c] += y * y
		}
	}
	for c, s := range squares {
		by := 1.0
		if norm := math.Sqrt(s); norm > b.r || all && norm > 0 {
			by = b.r / norm
		}
		squares[c] = by
	}
	for i := b.lo; i < b.hi; i++ {
		kernel.Hadamard(u.Row(i)[:u.K], u.Row(i)[:u.K], squares)
	}
}

// penalty is Σ‖V_:c‖.
func (x *Method) penalty(v *gcg.Factor) (sum float64) {
	for _, norm := range v.ColumnNorms() {
		sum += norm
	}
	return sum
}

// penaltyOf is the part of the penalty that a side decides.
func (x *Method) penaltyOf(side int, f *gcg.Factor) float64 {
	if side == 0 {
		return x.penalty(f)
	}
	return 0
}

// An evaluation is the loss as a function of one side.
type evaluation struct {
	x    *Method
	p    *gcg.Problem
	side int
	z, r []float64
}

// moving is the side that moves.
func (e *evaluation) moving(u, v *gcg.Factor) *gcg.Factor {
	if e.side == 0 {
		return v.Clone()
	}
	return u.Clone()
}

// value is L(U Vᵀ) with f for the side that moves; r is kept for gradient.
func (e *evaluation) value(f *gcg.Factor) float64 {
	u, v := e.x.u, f
	if e.side == 1 {
		u, v = f, e.x.v
	}
	e.p.Apply(e.z, &gcg.Iterate{M: u.Rows, N: v.Rows, U: u, V: v})
	return e.p.Value(e.z, e.r)
}

// gradient is -∇L by the side that moves, where value was last asked.
func (e *evaluation) gradient() *gcg.Factor {
	g := e.p.Operator.Adjoint(e.r)
	if e.side == 0 {
		d := gcg.NewFactor(e.x.v.Rows, e.x.v.K)
		gcg.TMulBlock(g, d, e.x.u)
		return d
	}
	d := gcg.NewFactor(e.x.u.Rows, e.x.u.K)
	gcg.MulBlock(g, d, e.x.v)
	return d
}
