package dense

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// Proximal is the improver of gauges with a proximity operator whose atoms span all of W, such as ℓp and Schatten norms, or
// must stay positive semidefinite. It keeps W as a matrix, of up to 2²⁴ entries, and takes proximal gradient steps
//
//	Y ← W + G/η,   W ← argmin over X of ½‖X - Y‖² + h(κ(X))/η,   G = -∇ℓ(W)
//
// The last of these Y are combined by Anderson's extrapolation while that lowers F [Mai and Johansson 2020]. A step costs a
// product with the data, one with their transpose and a proximity operator. Conditional gradient steps alone converge like
// 1/t on such gauges.
type Proximal struct {
	Steps int // for one call; 0 means 100

	eta float64 // of the last step
	mu  float64 // the multiplier of the last proximity operator
}

const (
	proximalGain  = 0.1  // part to which steps shorten in one call before the gap is asked for
	proximalLeast = 0.49 // part of η‖D‖² that a step D must gain: where η bounds the curvature of L it is a half at least
	// stepRounding is the part of the RoundingScale of F that a step may raise it by, as its own rounding.
	stepRounding   = rounding.Number
	proximalMemory = 10 // ends that are combined; 5 take up to twice the time, 20 the same
)

// Name is proximal.
func (x *Proximal) Name() string { return "proximal" }

// Fits says that W is small enough to be kept as a matrix, and that there are predictions.
func Fits(problem *gcg.Problem) bool { return fits(view.Of(problem)) }

func fits(p *view.Problem) bool {
	m, n, _ := p.Operator.Dims()
	return p.Squares == nil && m <= view.MaxMatrix/n
}

// Init needs a view.ProxGauge, and refuses blocks that it cannot write as atoms.
func (x *Proximal) Init(p *gcg.Problem, _ gcg.Settings) error {
	k := view.OfGauge(p.Gauge)
	if k.Prox == nil {
		return fmt.Errorf("solver: the proximal improver needs a proximity operator; gauge %s has none", p.Gauge.Name())
	}
	if k.BlockGauge != nil && k.Splitter == nil {
		return fmt.Errorf("solver: the proximal improver keeps no blocks, which gauge %s has: use the corrective one",
			p.Gauge.Name())
	}
	return nil
}

// Improve only tightens W where it has too many entries to be kept as a matrix, or where there are no predictions.
func (x *Proximal) Improve(ctx context.Context, problem *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	p := view.Of(problem)
	if !fits(p) {
		return Tighten{}.Improve(ctx, p.Problem, s, did)
	}
	steps := x.Steps
	if steps == 0 {
		steps = 100
	}
	d := newProximalDescent(p, s, x)
	for it, first := 0, 0.0; it < steps && ctx.Err() == nil && d.step(); it++ {
		if it == 0 {
			first = d.moved
		} else if d.moved <= proximalGain*first {
			break
		}
	}
	d.WriteTo(s)
	return did, nil
}

// A proximalDescent is the method at W, a row-major m×n matrix.
type proximalDescent struct {
	p      *view.Problem
	x      *Proximal
	m, n   int
	model  model.Model
	w, g   []float64
	rho, f float64
	moved  float64 // ‖D‖η of the last step, which is 0 at the minimum

	target []float64           // Y of W, or nil before the first step
	last   firstorder.Anderson // the last Y that gradient steps came to, and from which target
	next   []float64           // work space
	scale  func(f float64) float64
}

// newProximalDescent starts at the state's W. η begins at half of what the last call ended with, as it only rises within a
// call while second derivatives may have fallen since.
func newProximalDescent(p *view.Problem, s *gcg.State, x *Proximal) *proximalDescent {
	d := &proximalDescent{p: p, x: x, m: s.W.M, n: s.W.N, model: model.New(p, s), rho: s.Rho, scale: s.RoundingScale,
		last: firstorder.Anderson{Depth: proximalMemory}}
	d.w, d.next = s.W.Dense(), make([]float64, d.m*d.n)
	d.f = d.Value(d.w, d.rho)
	d.g = d.Gradient()
	if x.eta /= 2; x.eta == 0 { // it only rises within a call, and second derivatives may have fallen
		x.eta = d.Curvature()
	}
	return d
}

// Value is F at w, where κ is rho; the model moves there.
func (d *proximalDescent) Value(w []float64, rho float64) float64 {
	return d.model.Value(wholeFactors(w, d.m, d.n)) + d.p.Penalty.Value(rho)
}

// Gradient is G where the model is, as a row-major matrix.
func (d *proximalDescent) Gradient() []float64 {
	g := make([]float64, d.m*d.n)
	gcg.DenseTo(g, d.model.Gradient())
	return g
}

// Curvature is about the curvature of L along G, a first η: steps raise what is too little.
func (d *proximalDescent) Curvature() float64 {
	u, v := wholeFactors(d.g, d.m, d.n)
	z := make([]float64, d.p.Loss.Len())
	d.p.Apply(z, &gcg.Iterate{M: d.m, N: d.n, U: u, V: v})
	hessian.Centred(d.p, z)
	c := d.p.Sum(func(lo, hi int) float64 { return kernel.SumSq(z[lo:hi]) }) / kernel.SumSq(d.g)
	if loss := d.p.Curved; loss != nil {
		c *= d.p.CurvatureAt(loss, z)
	}
	if !(c > 0) || math.IsInf(c, 1) {
		return 1
	}
	return c
}

// step takes an extrapolated step if that lowers F, and else a proximal gradient step with an η at which F falls; it reports
// whether W moved.
func (d *proximalDescent) step() bool {
	for range 60 {
		end := slices.Clone(d.w)
		kernel.Axpy(1/d.x.eta, d.g, end)
		if y := d.extrapolated(end); y != nil && d.to(y, 0) {
			return true
		} else if y != nil { // what was true far from here
			d.last.Forget(1)
		}
		if d.to(end, proximalLeast) {
			return d.moved > 0
		}
		d.x.eta *= 2
		d.target = nil
		d.last.Forget(0)
	}
	return false
}

// extrapolated remembers end, the Y that a gradient step comes to, and returns the combination of the last of these at which
// their moves, combined alike, are shortest; nil before there are two.
func (d *proximalDescent) extrapolated(end []float64) []float64 {
	if d.target == nil {
		return nil
	}
	move := slices.Clone(end)
	kernel.Axpy(-1, d.target, move)
	if d.last.Add(end, move); d.last.Len() < 2 {
		return nil
	}
	y := make([]float64, len(end))
	d.last.CombineTo(y)
	return y
}

// to goes to the proximity operator at y if F falls by the part least of η‖D‖², D being the step, or at all where least is
// 0.
func (d *proximalDescent) to(y []float64, least float64) bool {
	rho := d.x.proximity(d.p.Prox, d.p.Penalty, d.next, y, d.m, d.n)
	f := d.Value(d.next, rho)
	var dd float64
	for i, x := range d.next {
		dd += (x - d.w[i]) * (x - d.w[i])
	}
	if least == 0 && !(f < d.f) || !(d.f-f >= least*d.x.eta*dd-stepRounding*d.scale(f)) {
		return false
	}
	d.w, d.next, d.rho, d.f, d.moved = d.next, d.w, rho, f, d.x.eta*math.Sqrt(dd)
	d.g, d.target = d.Gradient(), y
	return true
}

// WriteTo writes W, as atoms of the gauge, and what the model knows there into the state.
func (d *proximalDescent) WriteTo(s *gcg.State) {
	d.Value(d.w, d.rho)
	s.W, s.Rho = d.atoms()
	d.model.WriteTo(s)
}

// atoms are W in atoms of the gauge, and κ(W), which is exactly ζ where κ is held there or would exceed it by rounding.
func (d *proximalDescent) atoms() (w *gcg.Iterate, rho float64) {
	if k := d.p.Splitter; k != nil {
		w, rho = k.Split(d.w, d.m, d.n)
	} else {
		u, v := wholeFactors(d.w, d.m, d.n)
		w = &gcg.Iterate{M: d.m, N: d.n, U: u, V: v}
		rho = d.p.GaugeOf(w)
	}
	if zeta := d.p.Penalty.Max(); rho > zeta || d.rho == zeta {
		rho = zeta
	}
	return w, rho
}

// wholeFactors are factors of the row-major m×n matrix w: w itself and I, which stands on the shorter side.
func wholeFactors(w []float64, m, n int) (u, v *gcg.Factor) {
	if m < n {
		t := make([]float64, m*n)
		linalg.TransposeTo(t, w, m, n)
		v, u = wholeFactors(t, n, m)
		return u, v
	}
	u = gcg.NewFactor(m, n)
	for i := range m {
		copy(u.Row(i), w[i*n:(i+1)*n])
	}
	return u, gcg.Identity(n)
}

// leastUnit is the part of ηκ(X) that the distances in the search for a multiplier are at least: where the last multiplier was
// 0 there is no other scale.
const leastUnit = 1e-3

// proximity writes argmin over X of ½‖X - Y‖² + h(κ(X))/η into dst and returns κ(X). For h = λx that is the proximity
// operator of λκ/η. For others it is that of μκ/η with the multiplier μ = h'(κ(X)), whose search begins at the last one.
func (x *Proximal) proximity(k view.ProxGauge, h gcg.Penalty, dst, y []float64, m, n int) (rho float64) {
	if view.IsLinear(h) {
		return k.ProxTo(dst, y, m, n, h.Deriv(1)/x.eta)
	}
	zeta := h.Max()
	if zeta == 0 {
		clear(dst)
		return 0
	}
	at := view.Along(k, dst, y, m, n)
	excess := func(mu float64) float64 {
		rho = at(mu / x.eta)
		return roots.ExcessOf(h, rho, mu)
	}
	first, signed := roots.TrialMultiplier{Mu: x.mu, Excess: excess(x.mu)}, view.HoldsGauge(h)
	unit := math.Max(math.Abs(x.mu), x.eta*leastUnit*(rho+1e-300))
	below := func(by float64) float64 {
		if mu := first.Mu - by*unit; signed || mu > 0 {
			return mu
		}
		return 0
	}
	lo, hi, inside := roots.BracketRoot(excess, first, unit, signed, below)
	if inside {
		x.mu = 0
		return rho
	}
	x.mu = roots.Root(excess, lo, hi, 0)
	if !math.IsInf(zeta, 1) && rho > 0 { // which is met but for rounding
		kernel.Scale(zeta/rho, dst)
		return zeta
	}
	return rho
}
