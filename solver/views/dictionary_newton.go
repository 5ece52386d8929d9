package views

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// A metric is the inverse of a block-diagonal approximation of ∇²F: curvatures of the loss times Gram matrices of the other
// factor, by ball of U and for V, with what the spheres and the norms of V add.
type metric struct {
	t     *tangent
	balls []*gcg.Factor // k×k inverses
	v     *gcg.Factor
}

// metric is that at the tangent's point.
func (t *tangent) metric() *metric {
	x := t.x
	m := &metric{t: t}
	curvatures := t.curvatures()
	gram := symmetric(gcg.TMul(x.v, x.v), x.v.K)
	right := mat.NewSymDense(x.u.K, nil)
	for i, b := range t.balls {
		part := *x.u
		part.Rows, part.Data = b.hi-b.lo, x.u.Data[b.lo*x.u.Stride:b.hi*x.u.Stride]
		own := symmetric(gcg.TMul(&part, &part), x.u.K)
		own.ScaleSym(curvatures[i], own)
		right.AddSym(right, own)
		left := mat.NewSymDense(x.u.K, nil)
		if left.ScaleSym(curvatures[i], gram); b.hi-b.lo == 1 && !t.together {
			m.balls = append(m.balls, inverseDiagonal(left, t.pressure[i]))
			continue
		}
		m.balls = append(m.balls, inverse(left, t.pressure[i]))
	}
	down := make([]float64, x.v.K)
	for c, size := range x.sizes {
		down[c] = t.lambda / size
	}
	m.v = inverse(right, down)
	return m
}

// symmetric is a small Gram matrix.
func symmetric(g *gcg.Factor, k int) *mat.SymDense {
	s := mat.NewSymDense(k, nil)
	for i := range k {
		for j := range i + 1 {
			s.SetSym(i, j, g.Row(i)[j])
		}
	}
	return s
}

// inverse is (g + diag(d) + ridge)⁻¹.
func inverse(g *mat.SymDense, d []float64) *gcg.Factor {
	k := len(d)
	for c, y := range d {
		g.SetSym(c, c, g.At(c, c)+y)
	}
	var most float64
	for c := range k {
		most = math.Max(most, g.At(c, c))
	}
	if most == 0 {
		most = 1
	}
	var chol mat.Cholesky
	for ridge := ridgePart; ; ridge *= 10 {
		for c := range k {
			g.SetSym(c, c, g.At(c, c)+ridge*most)
		}
		if chol.Factorize(g) {
			break
		}
	}
	var inv mat.SymDense
	if err := chol.InverseTo(&inv); err != nil {
		return gcg.SmallOf(g)
	}
	return gcg.SmallOf(&inv)
}

// inverseDiagonal is (diag(g) + diag(d))⁻¹: for the many balls of one row, mostly signs that are held.
func inverseDiagonal(g *mat.SymDense, d []float64) *gcg.Factor {
	inv := gcg.Small(len(d), len(d))
	for c, y := range d {
		if y += g.At(c, c); y > 0 {
			inv.Row(c)[c] = 1 / y
		}
	}
	return inv
}

// ridgePart of the largest diagonal entry is added to Gram matrices, which may be singular.
const ridgePart = 1e-8

// curvatures are the mean second derivatives of the loss by ball, or of all observations.
func (t *tangent) curvatures() []float64 {
	ones := make([]float64, len(t.x.z))
	for i := range ones {
		ones[i] = 1
	}
	t.p.HessTo(ones, t.x.z, t.x.r, ones)
	all := make([]float64, len(t.balls))
	for i, b := range t.balls {
		lo, hi := 0, len(ones)
		if t.p.Identity {
			n := t.x.v.Rows
			lo, hi = b.lo*n, b.hi*n
		}
		for _, h := range ones[lo:hi] {
			all[i] += h / float64(hi-lo)
		}
	}
	return all
}

// times is the metric times r, along the spheres.
func (m *metric) times(r move) move {
	t := m.t
	out := move{gcg.NewFactor(r.u.Rows, r.u.K), gcg.Mul(r.v, m.v)}
	for i, b := range t.balls {
		part := *r.u
		part.Rows, part.Data = b.hi-b.lo, r.u.Data[b.lo*r.u.Stride:b.hi*r.u.Stride]
		done := gcg.Mul(&part, m.balls[i])
		for row := range done.Rows {
			copy(out.u.Row(b.lo + row)[:r.u.K], done.Row(row)[:r.u.K])
		}
	}
	t.project(out.u)
	return out
}

// solve minimises the second-order model within the radius, in the norm of the metric, by conjugate gradients [Steihaug 1983]. It
// returns the step, what it promises, and its norm. Where the curvature is not positive, it goes on to the radius; an infinite
// radius ends it there.
func (t *tangent) solve(ctx context.Context, m *metric, radius float64) (d move, promised, norm float64) {
	r := t.slope.clone()
	q := m.times(r)
	rz := r.dot(q)
	q.scale(-1)
	goal := rz * forcing * forcing
	d = t.still()
	var dd, dq, qq = 0.0, 0.0, rz // ⟨d, d⟩, ⟨d, q⟩ and ⟨q, q⟩ of the metric's inverse
	for range mostProducts {
		h := t.hessian(q)
		curved := q.dot(h)
		alpha := rz / curved
		convex := curved > linalg.Epsilon*qq
		stopped := !convex || dd+2*alpha*dq+alpha*alpha*qq >= radius*radius
		switch {
		case stopped && !math.IsInf(radius, 1):
			alpha = (-dq + math.Sqrt(dq*dq+qq*(radius*radius-dd))) / qq
		case stopped && dd > 0:
			return d, promised, math.Sqrt(dd)
		case stopped:
			alpha = 1
		}
		d.add(alpha, q)
		promised += alpha*rz - alpha*alpha*curved/2
		dd += 2*alpha*dq + alpha*alpha*qq
		if stopped {
			break
		}
		r.add(alpha, h)
		z := m.times(r)
		last := rz
		if rz = r.dot(z); rz <= goal || ctx.Err() != nil {
			break
		}
		beta := rz / last
		dq = beta * (dq + alpha*qq)
		qq = rz + beta*beta*qq
		q.scale(beta)
		q.add(-1, z)
	}
	return d, promised, math.Sqrt(math.Max(dd, 0))
}

const (
	// forcing is the part of the slope, in the norm of the metric, that conjugate gradients leave.
	forcing = 0.03
	// mostProducts with ∇²F are taken for a step: more of them gain less than the next step does.
	mostProducts = 50
)
