package recovery

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
)

// Splitting is the method of over-relaxed alternating directions for Σ ℓ_ij(x_ij) + h(‖X‖_*), with X = Z split and the multiplier
// B:
//
//	V ← Z - B/ρ
//	X ← argmin Σ ℓ_ij(x) + ½ρ(x - v)²                  entry by entry
//	M ← 1.6 X - 0.6 Z + B/ρ
//	Z ← argmin h(‖Z‖_*) + ½ρ‖Z - M‖²                   singular values less λ/ρ, or projected on the ball
//	B ← ρ(M - Z)
//
// Z is the iterate, of factors. R = B, clipped to the domain of the loss's conjugate, is the dual point; its spectral norm is at
// most λ by construction where that clips nothing, and is proven in any case. Singular triples are found near those of the last
// step. ρ balances how far X is from Z and how far Z moves. After some steps M is a combination of the last ones, by Anderson's
// acceleration.
type Splitting struct {
	// Rho is the first ρ; 0 takes the curvature of the loss, or a fifth of it where not all entries are observed, or what the size
	// of the data suggests where the loss has corners.
	Rho float64
	// Fixed leaves ρ as it is.
	Fixed bool
	// LowRank leaves the low-rank Z as the iterate where the sparse X would do as well.
	LowRank bool

	p          *gcg.Problem
	layout     *layout
	cone       cone
	prox       proximable
	shrinkers  []shrinker
	prover     prover
	rho        float64
	unit       float64   // that X and Z are in; squares of numbers far from 1 are out of range
	x, z, b, m []float64 // dense, of all blocks
	obs        []float64 // of the observations
	changed    int       // step of the last change of ρ
	norm       float64   // ‖B‖₂ by construction
	goal       float64   // ρ is raised to this at first
	least      float64   // ρ at least, and most at most
	most       float64
	faster     acceleration
}

// A proximable is a loss with a proximity operator.
type proximable interface {
	// ProxTo writes argmin over z of L(z) + ½ρ‖z-v‖² for the observations from lo on. z may be v.
	ProxTo(z, v []float64, lo int, rho float64)
}

const (
	relaxation = 1.6 // of X against Z; with 1 the gap closes in half as many steps more
	proofEvery = 20  // steps between proofs that cannot close the gap, for a bracket
)

// Name is splitting.
func (*Splitting) Name() string { return "splitting" }

// Init takes the dense matrices that it works on, four of the size of the blocks. It refuses gauges that are no trace norm,
// penalties but λx and x ≤ ζ, losses without a proximity operator or a conjugate, and operators of anything but entries.
func (a *Splitting) Init(p *gcg.Problem, s *gcg.State) error {
	l, c, err := admit(p)
	if err != nil {
		return err
	}
	var ok bool
	if a.prox, ok = p.Loss.(proximable); !ok {
		return fmt.Errorf("solver: splitting needs a loss with a proximity operator; %T has none", p.Loss)
	}
	a.p, a.layout, a.cone, a.changed = p, l, c, 0
	a.x, a.z, a.b, a.m = make([]float64, l.size), make([]float64, l.size), make([]float64, l.size), make([]float64, l.size)
	a.obs = make([]float64, len(s.Z))
	a.prover = newProver(l, c)
	a.shrinkers = make([]shrinker, len(l.blocks))
	for i, b := range l.blocks {
		a.shrinkers[i] = shrinker{cone: c, m: len(b.rows), n: len(b.cols), draw: s.Seed}
	}
	a.unit = a.unitOf()
	a.rho, a.goal = a.firstRho()
	a.least, a.most = a.rhoRange()
	a.faster.forget()
	a.fromState(s)
	return nil
}

// admit is the layout and the cone of a problem that the methods take.
func admit(p *gcg.Problem) (*layout, cone, error) {
	c, ok := coneOf(p.Gauge)
	if !ok {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods need a trace norm; gauge %s is none", p.Gauge.Name())
	}
	if math.IsInf(p.Penalty.Max(), 1) && !view.IsLinear(p.Penalty) || view.HoldsGauge(p.Penalty) {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods take the penalties λκ and κ ≤ ζ, not %T", p.Penalty)
	}
	if view.OfLoss(p.Loss).Conjugate == nil || !gcg.Separable(p.Loss) {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods need a loss of single entries with a conjugate; %T is none",
			p.Loss)
	}
	if p.Intercept {
		return nil, c, fmt.Errorf("solver: sparse and low-rank methods fit no intercept")
	}
	l, err := layoutOf(p.Operator, c != general)
	return l, c, err
}

// newProver is a prover with its work space.
func newProver(l *layout, c cone) prover {
	return prover{layout: l, cone: c, dense: make([]float64, l.size), start: make([][]float64, len(l.blocks))}
}

// fromState begins at the state's W, with R = 0: the bound of the loss alone. B is 0, or for a loss with corners a multiple of Y,
// within its domain and of a spectral norm of λ.
func (a *Splitting) fromState(s *gcg.State) {
	if !s.W.Zero() {
		a.denseTo(a.z, s.W)
	}
	clear(s.R)
	s.Polar = &gcg.Polar{Kind: gcg.Proven, Alpha: 1}
	if d, ok := a.p.Loss.(*loss.Deviation); ok && a.rho < a.goal { // ‖Y‖₂ is 1.25 λ/ρ
		scale := min(a.rho/firstWeight, d.Lambda/(linalg.MaxAbs(d.Y)/a.unit))
		for e, y := range d.Y {
			a.obs[e] = scale * (y / a.unit)
		}
		a.layout.scatter(a.b, a.obs)
	}
}

// denseTo writes the blocks of W.
func (a *Splitting) denseTo(x []float64, w *gcg.Iterate) {
	all := w.Dense()
	for _, b := range a.layout.blocks {
		for r, i := range b.rows {
			for c, j := range b.cols {
				x[b.at+r*len(b.cols)+c] = all[int(i)*w.N+int(j)] / a.unit
			}
		}
	}
}

// Ask wants nothing: the steps bring their own polars.
func (*Splitting) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Descends is false.
func (*Splitting) Descends() bool { return false }

// Step is one round of the directions.
func (a *Splitting) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	a.entries(s.Iter)
	balance := !a.Fixed && s.Iter >= a.changed+max(balanceGap, a.changed/4)
	var before []float64
	if balance {
		before = append(before, a.z...)
	}
	parts, rho := a.shrink()
	par.Pieces(len(a.b), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a.b[i] = a.rho * (a.m[i] - a.z[i])
		}
	})
	a.toState(p, s, parts, rho)
	a.prover.certify(ctx, p, s, a.norm, (s.Iter+1)%proofEvery == 0)
	a.sparsen(p, s)
	switch {
	case a.rho < a.goal:
		a.rho, a.changed = math.Min(rise*a.rho, a.goal), s.Iter+1
	case balance:
		a.balance(before, s.Iter)
	}
	return nil
}

// entries writes X and M, and after some steps combines M with those of steps before.
func (a *Splitting) entries(iter int) {
	inv := 1 / a.rho
	par.Pieces(len(a.x), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a.x[i] = a.z[i] - inv*a.b[i]
		}
	})
	at := a.x // of the observations
	if a.layout.place != nil {
		at = a.obs
		a.layout.gather(at, a.x)
	}
	par.Pieces(len(at), func(lo, hi int) {
		if a.unit == 1 {
			a.prox.ProxTo(at[lo:hi], at[lo:hi], lo, a.rho)
			return
		}
		kernel.Scale(a.unit, at[lo:hi])
		a.prox.ProxTo(at[lo:hi], at[lo:hi], lo, a.rho/a.unit)
		kernel.Scale(1/a.unit, at[lo:hi])
	})
	if a.layout.place != nil {
		a.layout.scatter(a.x, at)
	}
	weight := relaxation
	if a.rho < a.goal { // which swings as ρ rises
		weight = 1
	}
	par.Pieces(len(a.x), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a.m[i] = weight*a.x[i] - (weight-1)*a.z[i] + inv*a.b[i]
		}
	})
	if iter < plainness || a.rho < a.goal || len(a.m) > most {
		return
	}
	move := memory.Borrow[float64](len(a.m))
	defer memory.Repay(move)
	for i, x := range a.x {
		move[i] = weight * (x - a.z[i])
	}
	a.faster.next(a.m, move)
}

// shrink writes Z, and returns it as triples of each block, shrunk, and ‖Z‖_*.
func (a *Splitting) shrink() (parts []triples, rho float64) {
	parts = make([]triples, len(a.layout.blocks))
	zeta := a.p.Penalty.Max() / a.unit
	theta := 0.0
	if math.IsInf(zeta, 1) {
		theta = a.p.Penalty.Deriv(0) / a.rho
	}
	var values []float64
	for i, b := range a.layout.blocks {
		parts[i] = a.shrinkers[i].decompose(b.of(a.m), func(values []float64) bool {
			if math.IsInf(zeta, 1) {
				return values[len(values)-1] <= theta
			}
			own := linalg.BallThreshold(values, zeta)
			return own > 0 && values[len(values)-1] <= own
		})
		values = append(values, parts[i].values...)
	}
	if !math.IsInf(zeta, 1) {
		theta = linalg.BallThreshold(values, zeta)
	}
	a.norm = a.rho * theta
	for i, b := range a.layout.blocks {
		rho += a.shrinkers[i].lower(&parts[i], theta)
		parts[i].matrixTo(b.of(a.z), len(b.rows), len(b.cols))
	}
	return parts, math.Min(rho, zeta)
}

// lower takes θ off the values, leaves out those that vanish, and returns the sum of the others.
func (s *shrinker) lower(t *triples, theta float64) (sum float64) {
	rank := 0
	for c, v := range t.values {
		if v > theta {
			rank, t.values[c], sum = c+1, v-theta, sum+v-theta
		}
	}
	s.keep(rank)
	t.values = t.values[:rank]
	t.left, t.right = t.left.Widen(rank), t.right.Widen(rank)
	return sum
}

// matrixTo writes the matrix of the triples.
func (t *triples) matrixTo(x []float64, m, n int) {
	clear(x)
	if len(t.values) == 0 {
		return
	}
	scaled := t.left.Clone()
	scaled.ScaleColumns(padded(t.values, scaled.Stride))
	kernel.GemmNT(x, scaled.Data, t.right.Data, m, n, scaled.Stride)
}

// padded is x with zeros up to a length.
func padded(x []float64, n int) []float64 {
	return append(append(make([]float64, 0, n), x...), make([]float64, n-len(x))...)
}

// toState makes Z the iterate and B the dual point.
func (a *Splitting) toState(p *gcg.Problem, s *gcg.State, parts []triples, rho float64) {
	a.layout.gather(s.Z, a.z)
	if a.unit != 1 {
		kernel.Scale(a.unit, s.Z)
		for _, t := range parts {
			kernel.Scale(a.unit, t.values)
		}
		rho *= a.unit
	}
	s.W = a.layout.join(parts)
	s.Rho, s.Exact = rho, true
	s.Loss = p.Value(s.Z, nil)
	s.Count.Gradients++
	a.layout.gather(s.R, a.b)
	if c, ok := p.Loss.(dualLoss); ok {
		par.Pieces(len(s.R), func(lo, hi int) { c.ClipTo(s.R[lo:hi], lo) })
	}
}

// join is Σ value·left·rightᵀ of all blocks as factors of W.
func (l *layout) join(parts []triples) *gcg.Iterate {
	rank := 0
	for _, t := range parts {
		rank += len(t.values)
	}
	w := &gcg.Iterate{M: l.m, N: l.n}
	if rank == 0 {
		return w
	}
	w.U, w.V = gcg.NewFactor(l.m, rank), gcg.NewFactor(l.n, rank)
	at := 0
	for i, t := range parts {
		b := &l.blocks[i]
		for c, v := range t.values {
			root := math.Sqrt(v)
			for r, row := range b.rows {
				w.U.Row(int(row))[at+c] = root * t.left.Row(r)[c]
			}
			for r, col := range b.cols {
				w.V.Row(int(col))[at+c] = root * t.right.Row(r)[c]
			}
		}
		at += len(t.values)
	}
	return w
}
