package views

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A move is a change of U and V.
type move struct{ u, v *gcg.Factor }

func (a move) dot(b move) float64 { return a.u.Dot(b.u) + a.v.Dot(b.v) }

func (a move) clone() move { return move{a.u.Clone(), a.v.Clone()} }

func (a move) add(by float64, b move) {
	a.u.AddScaled(by, b.u)
	a.v.AddScaled(by, b.v)
}

func (a move) scale(by float64) {
	a.u.Scale(by)
	a.v.Scale(by)
}

// A tangent is F to second order at a point, along the spheres of the cells U_ic that are held there: those at their radius whose
// pressure ⟨U_ic, (G V)_ic⟩ goes outwards, G = -∇ℓ. The other cells are free.
type tangent struct {
	*search
	x        *position
	g        gcg.Map
	pressure [][]float64 // over r_i², by ball and column; 0 where a cell is free
	slope    move        // of F, along the spheres
}

// atRadius is the part of its radius from which on a cell is at it.
const atRadius = 1 - 1e-9

// still is the move that is 0.
func (t *tangent) still() move {
	return move{gcg.NewFactor(t.x.u.Rows, t.x.u.K), gcg.NewFactor(t.x.v.Rows, t.x.v.K)}
}

// tangentAt is that at x.
func (s *search) tangentAt(x *position) *tangent {
	t := &tangent{search: s, x: x, g: s.p.Operator.Adjoint(x.r)}
	t.slope = t.still()
	gcg.MulBlock(t.g, t.slope.u, x.v)
	gcg.TMulBlock(t.g, t.slope.v, x.u)
	for _, b := range s.balls {
		squares, out := s.dots(x.u, x.u, b.lo, b.hi), s.dots(x.u, t.slope.u, b.lo, b.hi)
		for c, q := range squares {
			if out[c] /= b.r * b.r; q < b.r*b.r*atRadius || out[c] < 0 {
				out[c] = 0
			}
		}
		t.pressure = append(t.pressure, out)
	}
	t.slope.scale(-1)
	by := make([]float64, x.v.K)
	for c, size := range x.sizes {
		by[c] = s.lambda / size
	}
	addCells(t.slope.v, x.v, 0, x.v.Rows, by)
	t.project(t.slope.u)
	return t
}

// addCells adds by_c B_ic to A_ic for the rows lo ≤ i < hi.
func addCells(a, b *gcg.Factor, lo, hi int, by []float64) {
	for i := lo; i < hi; i++ {
		x, y := a.Row(i), b.Row(i)
		for c, w := range by {
			x[c] += w * y[c]
		}
	}
}

// project takes off d what leaves the spheres.
func (t *tangent) project(d *gcg.Factor) {
	for i, b := range t.balls {
		out := t.dots(t.x.u, d, b.lo, b.hi)
		for c := range out {
			if out[c] /= -b.r * b.r; t.pressure[i][c] == 0 {
				out[c] = 0
			}
		}
		addCells(d, t.x.u, b.lo, b.hi, out)
	}
}

// hessian is ∇²F along d, on the spheres.
func (t *tangent) hessian(d move) move {
	x, p := t.x, t.p
	e := make([]float64, len(x.z))
	p.Apply(e, &gcg.Iterate{M: x.u.Rows, N: x.v.Rows, U: gcg.Beside(d.u, x.u), V: gcg.Beside(x.v, d.v)})
	p.HessTo(e, x.z, x.r, e)
	curved := p.Operator.Adjoint(e)
	out, bent := t.still(), t.still()
	gcg.MulBlock(curved, out.u, x.v)
	gcg.TMulBlock(curved, out.v, x.u)
	gcg.MulBlock(t.g, bent.u, d.v)
	gcg.TMulBlock(t.g, bent.v, d.u)
	out.add(-1, bent)
	for i, b := range t.balls {
		addCells(out.u, d.u, b.lo, b.hi, t.pressure[i])
	}
	along, down := t.dots(x.v, d.v, 0, x.v.Rows), make([]float64, x.v.K)
	for c, size := range x.sizes {
		down[c] = t.lambda / size
		along[c] *= -down[c] / size / size
	}
	addCells(out.v, d.v, 0, x.v.Rows, down)
	addCells(out.v, x.v, 0, x.v.Rows, along)
	t.project(out.u)
	return out
}

// retract goes along d, back to the spheres of the cells that are held, and into the balls of the others.
func (t *tangent) retract(d move) *position {
	x := &position{u: t.x.u.Clone(), v: t.x.v.Clone()}
	x.u.AddScaled(1, d.u)
	x.v.AddScaled(1, d.v)
	for i, b := range t.balls {
		by := t.dots(x.u, x.u, b.lo, b.hi)
		for c, q := range by {
			norm := math.Sqrt(q)
			by[c] = 1
			if norm > b.r || t.pressure[i][c] > 0 && norm > 0 {
				by[c] = b.r / norm
			}
		}
		scaleCells(x.u, b.lo, b.hi, by)
	}
	t.normalise(x)
	if x.u.K == 0 {
		return nil
	}
	return t.evaluate(x)
}
