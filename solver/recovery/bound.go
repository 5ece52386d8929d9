package recovery

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/loss"
)

// A dualLoss moves numbers that are rounded, or come from steps that are not exact, into the domain of its conjugate.
type dualLoss interface {
	// ClipTo moves r, -1 times a dual point of the observations from lo on, into -dom L*.
	ClipTo(r []float64, lo int)
}

// proofTol is the part of the tolerance of a run that a proven bound may be above the spectral norm: each costs as much of the
// gap.
const proofTol = 0.02

// A prover bounds the spectral norm of dual points on the blocks.
type prover struct {
	layout *layout
	cone   cone
	dense  []float64   // of all blocks: the dual point itself, or room
	room   []float64   // of dense where that is not the dual point
	start  [][]float64 // of power iterations, one for each block
	next   int         // step at which the gap is guessed again
	tol    float64     // of the run
	failed float64     // the gap at which R was last aligned in vain
}

// fill writes the dual point r of the observations into the blocks.
func (v *prover) fill(r []float64) {
	if v.cone == general && v.layout.place == nil {
		v.dense = r
		return
	}
	if v.room == nil {
		v.room = memory.Make[float64](v.layout.size)
	}
	if v.dense = v.room; !v.layout.whole {
		clear(v.dense)
	}
	v.layout.scatter(v.dense, r)
	if v.cone == general {
		return
	}
	for i := range v.layout.blocks {
		b := &v.layout.blocks[i]
		symmetrise(b.of(v.dense), len(b.cols))
	}
}

// symmetrise overwrites a row-major n×n x with (x + xᵀ)/2.
func symmetrise(x []float64, n int) {
	for i := range n {
		for j := range i {
			mean := x[i*n+j]/2 + x[j*n+i]/2
			x[i*n+j], x[j*n+i] = mean, mean
		}
	}
}

// estimate is about the spectral norm, from below: the largest ‖Rv‖ over the span of the right vectors of steps, as several may
// share a value, or where there are none by a few power iterations that go on from call to call. It says nothing of the largest
// eigenvalue, beside which there may be larger negative ones.
func (v *prover) estimate(steps []shrinker) (top float64) {
	if v.cone == semidefinite {
		return 0
	}
	for i := range v.layout.blocks {
		b := &v.layout.blocks[i]
		if steps != nil && steps[i].basis != nil && steps[i].basis.K > 0 && 2*steps[i].basis.K <= len(b.cols) {
			top = math.Max(top, v.ritz(b, steps[i].basis))
		} else {
			top = math.Max(top, v.power(i, b, powerRounds))
		}
	}
	return top
}

// ritz is ‖R V‖₂ of a block, for orthonormal columns V.
func (v *prover) ritz(b *block, basis *gcg.Factor) float64 {
	y := gcg.NewFactor(len(b.rows), basis.K)
	kernel.GemmNN(y.Data, b.of(v.dense), basis.Data, len(b.rows), y.Stride, len(b.cols))
	return y.SpectralNorm()
}

// power is the estimate for block i.
func (v *prover) power(i int, b *block, rounds int) (norm float64) {
	m, n := len(b.rows), len(b.cols)
	if v.start[i] == nil {
		v.start[i] = make([]float64, n)
		for j := range v.start[i] {
			v.start[i][j] = 1 + 0.5*math.Sin(float64(j+1)) // no vector of any usual structure
		}
	}
	x, y, dense := v.start[i], make([]float64, m), b.of(v.dense)
	for range rounds {
		length := math.Sqrt(kernel.SumSq(x))
		if !(length > 0) {
			return 0
		}
		kernel.Scale(1/length, x)
		for r := range m {
			y[r] = kernel.Dot(dense[r*n:(r+1)*n], x)
		}
		clear(x)
		for r, f := range y {
			kernel.Axpy(f, dense[r*n:(r+1)*n], x)
		}
		norm = math.Sqrt(kernel.SumSq(y))
	}
	return norm
}

// prove is a proven upper bound of the spectral norm, sought from an estimate on, to a relative tolerance.
func (v *prover) prove(ctx context.Context, estimate, tol float64) (top float64) {
	for i := range v.layout.blocks {
		b := &v.layout.blocks[i]
		top = math.Max(top, v.proveBlock(ctx, b, math.Max(estimate, top), tol))
	}
	return top
}

// proveBlock is prove for a block.
func (v *prover) proveBlock(ctx context.Context, b *block, estimate, tol float64) float64 {
	x, n := b.of(v.dense), len(b.cols)
	if v.cone == general {
		return spectral.DenseNorm(ctx, x, len(b.rows), n, estimate, tol)
	}
	bound := spectral.DenseEigenvalue(ctx, x, n, estimate, tol)
	if v.cone == symmetrical {
		negative := make([]float64, len(x))
		kernel.Axpy(-1, x, negative)
		bound = math.Max(bound, spectral.DenseEigenvalue(ctx, negative, n, estimate, tol))
	}
	return math.Max(bound, 0)
}

// certify is the polar at the R of the state, a dual point: with a proven bound where that can close the gap or one is due, and
// else without any. lambda is what the spectral norm is but for what rounding, or the domain of the loss's conjugate, has
// changed, and the largest singular vectors are about those of the steps. align moves R to a better dual point, or is nil.
func (v *prover) certify(ctx context.Context, p *gcg.Problem, s *gcg.State, lambda float64,
	steps []shrinker, align func(), due bool) *gcg.Polar {
	unknown := new(gcg.Polar)
	if s.Iter < v.next && !due {
		return unknown
	}
	guess := v.at(p, s, lambda)
	v.next = s.Iter + 1
	if guess.gap > farGap*v.tol {
		v.next += farSteps
	}
	if guess.gap <= v.tol || due {
		guess = v.guess(p, s, lambda, steps)
	}
	if guess.gap > v.tol && align != nil {
		guess = v.aligned(p, s, lambda, steps, align, guess)
	}
	if guess.gap > v.tol && !due {
		return unknown
	}
	s.Count.Polars++
	tol := proofTol * math.Max(v.tol, math.Min(guess.gap, 1))
	if l, ok := p.Loss.(*loss.WithL1); ok && v.cone == semidefinite && l.Lambda > 0 {
		return v.lower(ctx, s, l, lambda, tol)
	}
	if wide := closingTol * v.leeway(p, s, guess); wide > tol {
		polar := &gcg.Polar{Bound: v.prove(ctx, guess.norm, wide), Kind: gcg.Proven, Alpha: 1}
		if !due || v.gapAt(p, s, p.Bound(s, polar)) <= v.tol {
			return polar
		}
	}
	return &gcg.Polar{Bound: v.prove(ctx, guess.norm, tol), Kind: gcg.Proven, Alpha: 1}
}

// A guess is an estimate of the spectral norm of R, and the lower bound and the gap if it is the norm.
type guess struct{ norm, bound, gap float64 }

// at is what follows from a norm.
func (v *prover) at(p *gcg.Problem, s *gcg.State, norm float64) guess {
	bound := p.Bound(s, &gcg.Polar{Bound: norm, Kind: gcg.Proven})
	return guess{norm, bound, v.gapAt(p, s, bound)}
}

// guess is one of a norm that is at least lambda.
func (v *prover) guess(p *gcg.Problem, s *gcg.State, lambda float64, steps []shrinker) guess {
	v.fill(s.R)
	return v.at(p, s, math.Max(lambda, v.estimate(steps)))
}

// aligned is guess after R was aligned, where the gap is so small that this may close it and does. Else R stays, and so does the
// guess, and no more is tried until the gap has halved.
func (v *prover) aligned(p *gcg.Problem, s *gcg.State, lambda float64, steps []shrinker, align func(), was guess) guess {
	if was.gap > closeGap*v.tol || v.failed > 0 && was.gap > v.failed/2 {
		return was
	}
	before := memory.Borrow[float64](len(s.R))
	defer memory.Repay(before)
	copy(before, s.R)
	for range alignments {
		align()
		if now := v.guess(p, s, lambda, steps); now.gap <= v.tol {
			return now
		}
	}
	copy(s.R, before)
	v.failed = was.gap
	return was
}

const (
	closeGap   = 4 // of the tolerance, from which on R is aligned: that closes gaps that three to seven more steps would
	alignments = 2 // which leave a gap within a tenth of what more of them would; each costs about one step
)

// gapAt is the relative gap of the state above a lower bound.
func (v *prover) gapAt(p *gcg.Problem, s *gcg.State, lower float64) float64 {
	f := s.Objective(p)
	return gcg.RelativeGap(math.Max(f-lower, 0), f)
}

// closingTol is the tolerance of a proof over the leeway: the first try is at most of that, and the last where it succeeds. Where
// it fails the spectral norm is above the estimate, and a step closes the gap sooner than the ten factorizations of a bound near
// it.
const closingTol = 0.8 * spectral.Tries

// leeway is the part of an estimate of κ° that a bound of it may lie above, and still close a gap that is closed at the
// estimate.
// D is A(t) - h*(tκ°) with a concave A(t) = -L*(t p), and A(0) ≥ 0 where no loss is negative: for a κ° of 1 + δ times as much,
// A at t/(1+δ) has fallen by no more than δ of itself, and h* is the same. Most losses let a bound be further above.
func (v *prover) leeway(p *gcg.Problem, s *gcg.State, at guess) float64 {
	cost, f := math.Abs(at.bound), math.Abs(s.Objective(p))
	if zeta := p.Penalty.Max(); !math.IsInf(zeta, 1) {
		cost += zeta * at.norm
	}
	if !(cost > 0) {
		return 0
	}
	return (v.tol - at.gap) * f / cost
}

// lower moves a dual point R on the cone towards -λ₁I until its largest eigenvalue is λ. The polar is that there. All of that is
// feasible: the entries of a diagonal are not negative, where λ₁|x| is λ₁x, so that -λ₁I is a dual point of the loss with the
// eigenvalue -λ₁. Scaling R down, towards 0, costs far more of the bound where λ is small beside λ₁.
func (v *prover) lower(ctx context.Context, s *gcg.State, l *loss.WithL1, lambda, tol float64) *gcg.Polar {
	shift := l.Lambda
	for i := range v.layout.blocks {
		b := &v.layout.blocks[i]
		x, n := b.of(v.dense), len(b.cols)
		for c := range n {
			x[c*n+c] += shift
		}
	}
	top := v.prove(ctx, lambda+shift, tol)
	if keep := (lambda + shift) / top; keep < 1 {
		kernel.Scale(keep, s.R)
		for _, e := range v.layout.diagonal() {
			s.R[e] -= (1 - keep) * shift
		}
		top = lambda + shift
	}
	return &gcg.Polar{Bound: math.Max(top-shift, 0), Kind: gcg.Proven, Alpha: 1}
}

// Steps for which the gap is not guessed once it is so far above the tolerance: a guess costs about half as much as a step, and
// gaps fall by less than a half in one.
const (
	farGap   = 16 // of the tolerance: a guess less trades for steps too many
	farSteps = 2  // steps without a guess, of which a guess costs half of one
)

// powerRounds are the products with B and Bᵀ of an estimate: too low an estimate costs a factorization, which is as much as n/6
// of them.
const powerRounds = 2
