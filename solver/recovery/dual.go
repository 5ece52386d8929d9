package recovery

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/loss"
)

// Dual is accelerated projected gradient on the dual of Σ ½w(x-y)² + λ₁‖X‖₁ + h(‖X‖_*), for problems whose solution has no
// entries but observed ones: those with λ ≤ λ₁, or with a bound whose multiplier is at most λ₁. Where x_ij is not observed, it is
// 0 unless |B_ij| = λ₁, and |B_ij| ≤ ‖B‖₂. With all of the observed entries of one weight w, a step is
//
//	C ← B + momentum
//	X ← soft(wY - C, λ₁)/w       on the observed entries
//	M ← C + wX
//	B ← M - argmin h(‖Z‖_*)·w + ½‖Z - M‖²      that is, singular values cut off at λ
//
// X at the new B is the iterate, a sparse matrix whose trace norm is computed; at B = 0 sums of the norms of its rows or columns
// may do for that, in which case nothing is decomposed at all.
type Dual struct {
	p         *gcg.Problem
	layout    *layout
	shrinkers []shrinker
	w, lambda float64 // of an observed entry; λ₁
	wy        []float64
	observed  []bool
	b, last   []float64 // dense, of all blocks
	m, z      []float64
	momentum  firstorder.Momentum
	bound     float64 // at the last B, for restarts
	norm      float64 // ‖B‖₂ as computed
	prover    prover
}

// Name is dual.
func (*Dual) Name() string { return "dual" }

// Descends is false.
func (*Dual) Descends() bool { return false }

// Ask wants nothing: the steps bring their own polars.
func (*Dual) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init begins at B = 0, and the X that belongs to it. It refuses what Splitting refuses, symmetric matrices, and losses other
// than loss.WithL1 of a squared one whose weights are 0 or the same.
func (d *Dual) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	l, c, err := admit(p)
	if err != nil {
		return err
	}
	if c != general {
		return fmt.Errorf("solver: the dual method is for the trace norm of any matrix, not for gauge %s", p.Gauge.Name())
	}
	if d.w, d.lambda, err = oneWeight(p.Loss); err != nil {
		return err
	}
	d.p, d.layout, d.momentum, d.bound, d.norm = p, l, firstorder.Momentum{}, math.Inf(-1), 0
	d.b, d.last, d.m, d.z = make([]float64, l.size), make([]float64, l.size), make([]float64, l.size), make([]float64, l.size)
	d.prover = newProver(l, c, set.Tol)
	d.shrinkers = make([]shrinker, len(l.blocks))
	for i, b := range l.blocks {
		d.shrinkers[i] = shrinker{cone: c, m: len(b.rows), n: len(b.cols), draw: s.Seed, first: wholeDecomposition}
	}
	q := p.Loss.(*loss.WithL1).Loss.(*loss.Squared)
	d.wy, d.observed = make([]float64, len(q.Y)), make([]bool, len(q.Y))
	for e, y := range q.Y {
		if d.observed[e] = q.Omega == nil || q.Omega[e] > 0; d.observed[e] {
			d.wy[e] = d.w * y
		}
	}
	clear(s.R)
	d.primal(s, false)
	s.Polar = &gcg.Polar{Kind: gcg.Proven, Alpha: 1} // at R = 0
	return nil
}

// oneWeight is w and λ₁ of a loss that the method takes.
func oneWeight(l gcg.Loss) (w, lambda float64, err error) {
	refused := fmt.Errorf("solver: the dual method needs a loss.WithL1 of a squared loss of one weight, not %T", l)
	sum, ok := l.(*loss.WithL1)
	if !ok {
		return 0, 0, refused
	}
	q, ok := sum.Loss.(*loss.Squared)
	if !ok {
		return 0, 0, refused
	}
	common := 0.0
	if q.Omega == nil {
		common = 1
	}
	for _, o := range q.Omega {
		if o > 0 && common > 0 && o != common {
			return 0, 0, refused
		}
		common = math.Max(common, o)
	}
	return q.Scale() * common, sum.Lambda, nil
}

// Step is one gradient step on B.
func (d *Dual) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	momentum := d.momentum.Next()
	for i, b := range d.b {
		d.m[i] = b + momentum*(b-d.last[i])
	}
	d.gradient()
	d.b, d.last = d.last, d.b
	d.cut()
	for i, m := range d.m {
		d.b[i] = m - d.z[i]
	}
	d.layout.gather(s.R, d.b)
	p.Loss.(*loss.WithL1).ClipTo(s.R, 0)
	d.primal(s, true)
	did := gcg.Moved{Polar: d.prover.certify(ctx, p, s, d.norm, nil, nil, true)}
	if bound := p.Bound(s, did.Polar); bound < d.bound { // momentum leads away
		d.momentum.Restart()
		copy(d.last, d.b)
	} else {
		d.bound = bound
	}
	return did, nil
}

// gradient overwrites M = C with C + wX.
func (d *Dual) gradient() {
	at := func(e int) int {
		if d.layout.place == nil {
			return e
		}
		return d.layout.place[e]
	}
	par.Pieces(len(d.wy), func(lo, hi int) {
		for e := lo; e < hi; e++ {
			if d.observed[e] {
				d.m[at(e)] += linalg.Soft(d.wy[e]-d.m[at(e)], d.lambda)
			}
		}
	})
}

// cut writes Z, the singular values of M above λ less λ; for a bound, above the threshold at which they sum to wζ.
func (d *Dual) cut() {
	zeta, theta := d.p.Penalty.Max(), 0.0
	if math.IsInf(zeta, 1) {
		theta = d.p.Penalty.Deriv(0)
	}
	parts := make([]triples, len(d.layout.blocks))
	var values []float64
	for i, b := range d.layout.blocks {
		parts[i] = d.shrinkers[i].decompose(b.of(d.m), func(values []float64) bool {
			if math.IsInf(zeta, 1) {
				return values[len(values)-1] <= theta
			}
			own := linalg.BallThreshold(values, d.w*zeta)
			return own > 0 && values[len(values)-1] <= own
		})
		values = append(values, parts[i].values...)
	}
	if !math.IsInf(zeta, 1) {
		theta = linalg.BallThreshold(values, d.w*zeta)
	}
	d.norm = theta
	for i, b := range d.layout.blocks {
		d.shrinkers[i].lower(&parts[i], theta)
		parts[i].matrixTo(b.of(d.z), len(b.rows), len(b.cols))
	}
}

// primal makes the X of the dual point R the iterate, within the ball. Its trace norm is bounded by rows or columns alone where
// that closes the gap and exact is false.
func (d *Dual) primal(s *gcg.State, exact bool) {
	par.Pieces(len(s.Z), func(lo, hi int) {
		for e := lo; e < hi; e++ {
			s.Z[e] = 0
			if d.observed[e] {
				s.Z[e] = linalg.Soft(d.wy[e]-s.R[e], d.lambda) / d.w
			}
		}
	})
	d.prover.fill(s.Z)
	zeta := d.p.Penalty.Max()
	s.Rho = d.traceBound()
	s.Loss = d.p.Value(s.Z, nil)
	s.Count.Gradients++
	if f := s.Loss + d.p.Penalty.Value(math.Min(s.Rho, zeta)); exact || s.Rho > zeta || !(f-s.Loss <= d.prover.tol*f) {
		s.Rho = d.traceNorm()
	}
	if s.Rho > zeta {
		kernel.Scale(zeta/s.Rho, s.Z)
		s.Rho, s.Loss = zeta, d.p.Value(s.Z, nil)
	}
	s.W, s.Exact = sparseOf(d.layout.op, s.Z), true
}

// traceNorm is ‖X‖_* of the blocks that the prover holds.
func (d *Dual) traceNorm() (norm float64) {
	for i := range d.layout.blocks {
		b := &d.layout.blocks[i]
		norm += spectral.DenseTraceNorm(b.of(d.prover.dense), len(b.rows), len(b.cols))
	}
	return norm
}

// traceBound is Σ‖X_i:‖₂ or Σ‖X_:j‖₂, the smaller of the two, of each block.
func (d *Dual) traceBound() (bound float64) {
	for i := range d.layout.blocks {
		b := &d.layout.blocks[i]
		n := len(b.cols)
		x, squares := b.of(d.prover.dense), make([]float64, n)
		var byRows, byCols float64
		for r := range b.rows {
			var row float64
			for c, v := range x[r*n : (r+1)*n] {
				if v != 0 {
					row += v * v
					squares[c] += v * v
				}
			}
			byRows += math.Sqrt(row)
		}
		for _, v := range squares {
			byCols += math.Sqrt(v)
		}
		bound += math.Min(byRows, byCols)
	}
	return bound
}
