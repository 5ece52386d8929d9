package views

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge/views"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Splitting is over-relaxed alternating directions for several views of the same samples,
//
//	F* = max over the simplex of τ of min over W of L(W) + h(‖D_τW‖_*),   D_τ = diag(√τ_i/r_i)
//
//	Z ← argmin L(Z) + ρ/2‖D_τZ - W̃ + Λ‖²              the loss's proximity operator, row by row
//	Y ← 1.6 D_τZ - 0.6 W̃ + Λ
//	W̃ ← argmin h(‖W̃‖_*) + ρ/2‖W̃ - Y‖²                singular values above h'(‖W̃‖_*)/ρ, by eigenvectors on the shorter side
//	Λ ← Y - W̃
//
// Every few rounds τ moves to the shares of the views in ‖W̃‖_*, to which it is equal at the optimum, with W and the dual point
// ρD_τΛ fixed; and ρ is balanced. The iterate of a step is W = D_τ⁻¹W̃. Its lower bound is that of the dual point -∇L(Z), which
// is in the domain of L* whatever Z is.
//
// Steps ask for the polar at Z and for none at W. They may raise F.
type Splitting struct {
	Rounds int // for one step; 0 means 10

	tol     float64 // of the run
	it      *iteration
	speeds  []float64          // of the shares
	most    []float64          // that each speed may be: less with every turn
	excess  []float64          // of the shares over τ, in logarithms, when τ last moved
	floor   float64            // of τ
	atFloor int                // moves with a τ there
	balance firstorder.Balance // of ρ
	clock   int                // rounds so far
}

// Name is splitting.
func (x *Splitting) Name() string { return "splitting" }

// WithoutPolars says that the steps need no polar at W.
func (x *Splitting) WithoutPolars() bool { return true }

// Ask wants one atom.
func (x *Splitting) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init refuses a problem without the identity for its operator, a gauge of views or a loss that is a sum over entries, one
// that holds κ(W) at a number, and one with an intercept.
func (x *Splitting) Init(problem *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	p := view.Of(problem)
	switch {
	case p.Balanced == nil:
		return fmt.Errorf("solver: splitting is for gauges of several views; gauge %s is none", p.Gauge.Name())
	case !p.Identity:
		return fmt.Errorf("solver: splitting needs all entries of W for observations, with weight 0 where they are missing; "+
			"the operator %T gives others", p.Operator)
	case view.HoldsGauge(p.Penalty):
		return fmt.Errorf("solver: splitting begins at W = 0, which the penalty %T does not allow", p.Penalty)
	case p.Proximity == nil:
		return fmt.Errorf("solver: splitting needs a loss that is a sum over entries; %T is none", p.Loss)
	case p.Intercept:
		return fmt.Errorf("solver: splitting fits no intercept: centre the views before")
	}
	x.tol, x.it, x.excess, x.clock = set.Tol, begin(p, s), nil, 0
	x.speeds = slices.Repeat([]float64{firstSpeed}, len(x.it.views))
	x.most = slices.Repeat([]float64{mostSpeed}, len(x.it.views))
	x.floor, x.atFloor, x.balance = firstFloor, 0, firstorder.Balance{Apart: apart, By: rebalance, Rest: true}
	return nil
}

const (
	firstRounds = 10 // of a step: its bounds cost as much as two or three
	moveEvery   = 5  // rounds between moves of τ and ρ
	// firstSpeed is the part of the way to the shares that τ moves. All of it swings about the solution.
	firstSpeed = 0.5
	// speedUp and slowDown change it, for each view by itself, while its τ goes one way, and when it turns, up to mostSpeed. Near
	// solutions of low rank the shares follow τ, and τ creeps. Without, λ = 150 of the synthetic problem takes three times the
	// rounds to a gap of 1e-5; with one speed for all of three views, their gaps stay at 1e-3 to 1e-4.
	speedUp, slowDown, mostSpeed = 1.3, 0.3, 20
	// calmDown lowers what a speed may come to at each turn. Without, τ and the shares may swing about each other for good: of 120
	// random problems of two views with unequal radii and Huber's or the squared loss, 5 stay at gaps of 2e-6 to 1e-5.
	calmDown = 0.7
	// fitEvery is the steps between fits of rows, each of which costs as much as a step or two.
	fitEvery = 5
	// farMove is the most that log τ_i moves at once: a view that is hardly fitted has a share of any size.
	farMove = 1.0
	// leastSpeed is for shares that τ turns to and fro with.
	leastSpeed = 0.01
	// leastTau is the share of a view that is fitted for nothing, or not at all.
	leastTau = 1e-9
	// firstFloor is what τ stays above, as small entries of D_τ make Z slow: without it a view that costs next to nothing is lost
	// before W has formed. A τ at the floor, with residuals below settled times it, lowers it by lower.
	// Of three views and more some swing on, and patience moves at the floor do as well: three of twenty random problems of six
	// views come to 2e-5 in 3 s instead of 2e-3 to 3e-2.
	firstFloor, settled, lower, patience = 0.02, 0.1, 0.5, 60
	// apart is the quotient of the two residuals beyond which ρ is changed by the factor rebalance, to keep them alike.
	apart, rebalance = 3, 1.5
)

// begin is the iteration at the state's W.
func begin(p *view.Problem, s *gcg.State) *iteration {
	sizes, radii, _ := p.Balanced.Balanced()
	m, n := s.W.M, s.W.N
	it := &iteration{m: m, n: n, penalty: p.Penalty, prox: p.Proximity, tau: make([]float64, len(sizes)), z: s.W.Dense(),
		wt: make([]float64, m*n), u: make([]float64, m*n), v: make([]float64, m*n)}
	at := 0
	for i, rows := range sizes {
		it.views = append(it.views, viewRows{at, at + rows, radii[i]})
		it.tau[i] = 1 / float64(len(sizes))
		at += rows
	}
	it.start(s.R)
	return it
}

// Step takes rounds of the iteration, raises the lower bound by the dual point, and moves W.
func (x *Splitting) Step(ctx context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p := view.Of(problem)
	rounds := x.Rounds
	if rounds == 0 {
		rounds = firstRounds
	}
	for range rounds {
		if ctx.Err() != nil {
			break
		}
		primal, dual := x.it.step()
		if x.clock++; x.clock%moveEvery == 0 {
			x.move(primal, dual)
		}
	}
	if err := x.bound(ctx, p, s); err != nil {
		return gcg.Moved{}, err
	}
	x.moveTo(p, s)
	if s.Iter%fitEvery == 0 {
		x.fit(p, s)
	}
	return gcg.Moved{}, nil
}

// move moves τ towards the shares, faster while it goes on in one direction, and balances ρ.
func (x *Splitting) move(primal, dual float64) {
	it := x.it
	if len(it.last.s) > 0 {
		x.hasten(it.shares())
		next := moved(it.tau, x.excess, x.speeds, x.floor)
		it.moveShares(next)
		if slices.Min(next) <= x.floor {
			x.atFloor++
			if math.Max(primal, dual) < settled*x.floor || len(next) > 2 && x.atFloor > patience {
				x.floor, x.atFloor = math.Max(leastTau, lower*x.floor), 0
			}
		}
	}
	if by := x.balance.Factor(primal, dual); by != 1 {
		it.rescale(by)
	}
}

// hasten finds the excess of shares over τ, less its mean over the views, and how fast each goes on.
func (x *Splitting) hasten(shares []float64) {
	excess, mean := make([]float64, len(shares)), 0.0
	for i, s := range shares {
		excess[i] = math.Max(-farMove, math.Min(farMove, math.Log(math.Max(s, leastTau))-math.Log(x.it.tau[i])))
		mean += x.it.tau[i] * excess[i]
	}
	for i := range excess {
		excess[i] -= mean
		switch {
		case x.excess == nil:
		case excess[i]*x.excess[i] > 0:
			x.speeds[i] = math.Min(x.speeds[i]*speedUp, x.most[i])
		default:
			x.most[i] *= calmDown
			x.speeds[i] = math.Max(math.Min(x.speeds[i]*slowDown, x.most[i]), leastSpeed)
		}
	}
	x.excess = excess
}

// moved is τ times exp(speed·excess) for each view, of sum 1.
func moved(tau, excess []float64, speed []float64, floor float64) []float64 {
	next, sum := make([]float64, len(tau)), 0.0
	for i, t := range tau {
		next[i] = t * math.Exp(math.Max(-farMove, math.Min(farMove, speed[i]*excess[i])))
		sum += next[i]
	}
	for i := range next {
		next[i] = math.Max(floor, next[i]/sum)
	}
	return next
}

// bound raises the lower bound of the state's certificate by the dual point -∇L(Z).
func (x *Splitting) bound(ctx context.Context, p *view.Problem, s *gcg.State) error {
	t := *s
	t.Z, t.R, t.Intercept = x.it.z, x.it.v, nil
	t.Loss = p.Value(t.Z, t.R)
	polar, err := s.Ask(ctx, p.Gauge, t.Gradient(p.Problem), gcg.Ask{Count: 1, Tol: polarTol, Seed: s.Seed + uint64(s.Iter),
		W: s.W})
	if err != nil {
		return err
	}
	t.Polar = polar
	t.Certify(p.Problem)
	s.Cert.LowerBound, s.Cert.Kind, s.Cert.Failure = t.Cert.LowerBound, t.Cert.Kind, t.Cert.Failure
	return nil
}

const (
	polarTol    = 1e-9 // of polars where G is not decomposed whole
	balanceTol  = 1e-3 // part of the wanted gap that κ may be off by
	mostBalance = 12   // decompositions for κ(W)
)

// moveTo moves the state to W = D_τ⁻¹W̃, in the factors that give the best bound of κ(W).
func (x *Splitting) moveTo(p *view.Problem, s *gcg.State) {
	u, v := x.it.factors()
	if u == nil {
		s.W, s.Rho = &gcg.Iterate{M: s.W.M, N: s.W.N}, 0
		s.Refresh(p.Problem)
		return
	}
	k := u.K
	grams := make([][]float64, len(x.it.views))
	for i, rows := range x.it.views {
		grams[i] = make([]float64, k*k)
		block := make([]float64, 0, (rows.hi-rows.lo)*k)
		for r := rows.lo; r < rows.hi; r++ {
			block = append(block, u.Row(r)[:k]...)
		}
		kernel.Gram(grams[i], block, rows.hi-rows.lo, k)
		kernel.Mirror(grams[i], k)
		kernel.Scale(1/rows.r/rows.r, grams[i])
	}
	b := views.OfGrams(grams, k, x.it.tau, balanceTol*x.tol, mostBalance)
	left, right := gcg.Small(k, k), gcg.Small(k, k)
	for c, sigma := range b.Sigma {
		root := math.Sqrt(sigma)
		for j, q := range b.Q[c*k : (c+1)*k] {
			left.Row(j)[c], right.Row(j)[c] = q/root, q*root
		}
	}
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N}
	s.Rho = b.Upper
	if most := p.Penalty.Max(); s.Rho > most { // W̃ is within, and κ(W) is the norm at the best τ
		left.Scale(most / s.Rho)
		s.Rho = most
	}
	s.W.SetFactors(gcg.Mul(u, left), gcg.Mul(v, right))
	s.Refresh(p.Problem)
}

// fit moves the state to W with the rows of Z in some views, where F is lower there. A view of a small share costs next to
// nothing, and the errors of its rows W̃_i/d_i are large. The rows Z_i, which meet the loss, are apart from them by E_i, and
// raise ‖D_τW‖_* by at most d_i‖E_i‖_*; the Frobenius norm stands for it in the choice of views.
func (x *Splitting) fit(p *view.Problem, s *gcg.State) {
	it := x.it
	if slices.Min(it.tau) > firstFloor {
		return
	}
	w := append([]float64(nil), s.Z...)
	var gain float64
	slope := it.last.level * it.rho // h' at ‖W̃‖_*
	for i, rows := range it.views {
		lo, hi := rows.lo*it.n, rows.hi*it.n
		apart := append([]float64(nil), it.z[lo:hi]...)
		kernel.Axpy(-1, s.Z[lo:hi], apart)
		less := valueOf(p, s.Z, lo, hi) - valueOf(p, it.z, lo, hi) - slope*it.weight(i)*math.Sqrt(kernel.SumSq(apart))
		if less > 0 {
			copy(w[lo:hi], it.z[lo:hi])
			gain += less
		}
	}
	if !(gain > worthFitting*x.tol*s.Objective(p.Problem)) {
		return
	}
	t := *s
	t.W = written(w, it.m, it.n)
	t.Z, t.R = make([]float64, len(s.Z)), make([]float64, len(s.R))
	t.Rho = p.GaugeOf(t.W)
	t.Refresh(p.Problem)
	if t.Objective(p.Problem) < s.Objective(p.Problem) {
		*s = t
	}
}

// worthFitting is the part of the wanted gap that fitted rows must save in the loss.
const worthFitting = 0.1

// valueOf is the loss of the entries lo ≤ e < hi.
func valueOf(p *view.Problem, z []float64, lo, hi int) float64 { return p.Loss.Eval(lo, z[lo:hi], nil) }

// written is an m×n matrix, and the identity on its shorter side.
func written(w []float64, m, n int) *gcg.Iterate {
	x := &gcg.Iterate{M: m, N: n}
	if n <= m {
		u := gcg.NewFactor(m, n)
		for i := range m {
			copy(u.Row(i), w[i*n:(i+1)*n])
		}
		x.SetFactors(u, gcg.Identity(n))
		return x
	}
	v := gcg.NewFactor(n, m)
	for i := range m {
		v.SetColumn(i, w[i*n:(i+1)*n], 1)
	}
	x.SetFactors(gcg.Identity(m), v)
	return x
}
