package support

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"gonum.org/v1/gonum/mat"
)

// An interior is the problem min over σ ≥ 0, Σσ ≤ ζ of L(Σσᵢ A(aᵢ)) in the weights σ of atoms, for a loss with bends, by Newton
// steps on
//
//	L_τ(Σσᵢ A(aᵢ)) - τ Σ log σᵢ - τ log(ζ - Σσ)
//
// for falling τ. L_τ is the loss smoothed until it is below L by as much as the barrier leaves F above its optimum, tτ for t
// weights: a quadratic model of L itself holds between two bends only, and its steps are as short.
type interior struct {
	p     *view.Problem
	s     *gcg.State
	terms []gcg.Term
	zeta  float64
}

const (
	interiorFall  = 0.2  // of τ from one stage to the next: a few Newton steps each
	interiorPart  = 1e-3 // of the certified gap: the τ of the last stage leaves F less above its optimum
	interiorGoal  = 1e-7 // of F, likewise: while the gap is wide looser weights cost more atoms than they save time
	interiorInset = 0.1  // of ζ, which weights begin inside by
	interiorBound = 0.95 // of the way to the boundary that a step goes at most
	interiorRest  = 0.1  // of τ, below which a Newton step ends its stage
	interiorSteps = 30   // Newton steps of a stage at most
	interiorGain  = 0.01 // of what the slope promises, which a step must gain
	interiorDrop  = 1e-6 // of ζ, weights below which are dropped: an atom that is wanted comes back
)

// interiorFor is that of a problem whose loss has bends and whose penalty is a ball, or nil.
func interiorFor(p *view.Problem, s *gcg.State, terms []gcg.Term) *interior {
	if p.Bent == nil || math.IsInf(p.Penalty.Max(), 1) || view.HoldsGauge(p.Penalty) {
		return nil
	}
	return &interior{p, s, terms, p.Penalty.Max()}
}

// improve moves the weights, and goes back where F does not fall.
func (in *interior) improve(ctx context.Context) {
	t := len(in.terms)
	old, x := make([]float64, t), make([]float64, t)
	var sum float64
	for i := range in.terms {
		old[i] = in.terms[i].Weight
		sum += old[i]
	}
	from, f := view.SnapshotOf(in.s), in.s.Objective(in.p.Problem)
	if !(f > 0) || !(sum > 0) {
		return
	}
	for i := range x {
		x[i] = (1-interiorInset)*old[i]*math.Min(1, in.zeta/sum) + interiorInset/2*in.zeta/float64(t)
	}
	least := math.Min(interiorPart*in.s.Cert.Relative, interiorGoal) * f / float64(t)
	for tau := f / float64(t); ; tau *= interiorFall {
		in.stage(ctx, x, tau)
		if tau <= least || tau <= view.Rounding*f || ctx.Err() != nil {
			in.prune(x)
			break
		}
	}
	if in.move(in.p, x); !(in.s.Objective(in.p.Problem) < f) {
		for i := range in.terms {
			in.terms[i].Weight = old[i]
		}
		from.Restore(in.s)
		in.s.Refresh(in.p.Problem)
	}
}

// move sets the weights, and the state of a problem with another loss, and is L.
func (in *interior) move(q *view.Problem, x []float64) float64 {
	s := in.s
	s.Rho = 0
	for i, w := range x {
		in.terms[i].Weight = w
		s.Rho += w
	}
	s.W = gcg.Join(s.W.M, s.W.N, in.terms)
	s.Refresh(q.Problem)
	return s.Loss
}

// value is L_τ with the barrier, of weights inside.
func (in *interior) value(q *view.Problem, x []float64, tau float64) float64 {
	v, left := in.move(q, x), in.zeta
	for _, w := range x {
		v -= tau * math.Log(w)
		left -= w
	}
	return v - tau*math.Log(left)
}

// stage takes Newton steps for one τ, from x to x.
func (in *interior) stage(ctx context.Context, x []float64, tau float64) {
	q := in.p.WithLoss(in.p.Bent.Widened(float64(len(x)) * tau))
	f := in.value(q, x, tau)
	next := make([]float64, len(x))
	for range interiorSteps {
		d, falls := in.newton(ctx, q, x, tau)
		if d == nil || !(falls > interiorRest*tau) || ctx.Err() != nil {
			return
		}
		by, fell := in.longest(x, d), false
		for ; by > leastStep && !fell; by /= 3 {
			for i := range x {
				next[i] = x[i] - by*d[i]
			}
			if v := in.value(q, next, tau); v < f-interiorGain*by*falls {
				f, fell = v, true
				copy(x, next)
			}
		}
		if !fell {
			in.move(q, x)
			return
		}
	}
}

// longest is the step along -d that stays inside.
func (in *interior) longest(x, d []float64) float64 {
	by, left, rises := 1.0, in.zeta, 0.0
	for i, v := range d {
		if v > 0 {
			by = math.Min(by, interiorBound*x[i]/v)
		}
		left -= x[i]
		rises -= v
	}
	if rises > 0 {
		by = math.Min(by, interiorBound*left/rises)
	}
	return by
}

// newton is the step, to be subtracted, and the fall that it promises; nil where the second derivatives are singular.
func (in *interior) newton(ctx context.Context, q *view.Problem, x []float64, tau float64) (d []float64, falls float64) {
	m, t, left := newWeightModel(ctx, q, in.s, in.terms), len(x), in.zeta
	for _, w := range x {
		left -= w
	}
	h, g := mat.NewSymDense(t, nil), mat.NewVecDense(t, nil)
	for i := range t {
		g.SetVec(i, m.grad[i]-tau/x[i]+tau/left)
		for j := range i + 1 {
			v := m.hess[i*t+j] + tau/left/left
			if i == j {
				v += tau / x[i] / x[i]
			}
			h.SetSym(j, i, v)
		}
	}
	var c mat.Cholesky
	step := mat.NewVecDense(t, nil)
	if ctx.Err() != nil || !c.Factorize(h) || c.SolveVecTo(step, g) != nil {
		return nil, 0
	}
	return step.RawVector().Data, mat.Dot(step, g)
}

// prune makes 0 the weights that are next to nothing, and gives what they leave to the others.
func (in *interior) prune(x []float64) {
	var sum, kept float64
	for i, w := range x {
		if sum += w; w < interiorDrop*in.zeta {
			x[i] = 0
		}
		kept += x[i]
	}
	for i := range x {
		x[i] *= sum / kept
	}
}
