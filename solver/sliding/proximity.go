package sliding

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// warm is the inner loop from u = x: the best c u + θa, c ≥ 0 and θ ≥ 0, again and again. The refined method takes m steps, the
// other goes on until the gap of the inner problem is η.
func (x *Method) warm(ctx context.Context, in *innerProblem) error {
	steps := x.Steps
	switch {
	case steps == 0 && x.Refined:
		steps = refinedSteps
	case steps == 0 && x.Distance == 0:
		steps = warmSteps
	case steps == 0:
		steps = gapSteps
	}
	goal := in.eta
	for t := range steps {
		polar, err := in.polar(ctx, x.polarTol())
		if err != nil {
			return err
		}
		a, value := atomOf(polar)
		if a == nil {
			return nil
		}
		if !x.Refined {
			in.s.Polar, in.s.Iter = polar, t
			in.s.Certify(in.p)
			if goal == 0 {
				goal = firstPart * in.beta * in.s.Cert.Gap
			}
			if in.beta*in.s.Cert.Gap <= goal {
				return nil
			}
		}
		c, theta := jointly(in.productsWith(a, value), in.s.Rho, in.p.Penalty)
		if c == 1 && theta == 0 {
			return nil
		}
		in.move(a, c, theta)
		x.atoms = append(x.atoms, *a)
		if in.space.p.Compressor != nil && !in.space.lowRank {
			in.tighten()
		}
	}
	return nil
}

// polarTol is the accuracy of inner polars.
func (x *Method) polarTol() float64 {
	if x.Refined {
		return atomTol
	}
	return polarTol
}

// tighten takes κ(u) for ρ, which costs no more than a step does.
func (in *innerProblem) tighten() {
	if rho := in.p.GaugeOf(in.s.W); rho < in.s.Rho {
		in.s.Rho = rho
	}
}

// averaged is [Cheung15 Algorithm 4] as printed: u ← (1-α)u + θa, α = 2/(t+2), θ the best for (1-α)h(ρ) + αh(θ/α) in place of
// h. It returns the mean of u₁ … u_m with weights that grow like t [Cheung15 eq 37, with the indices of the listing].
func (x *Method) averaged(ctx context.Context, in *innerProblem) error {
	steps := x.Steps
	if steps == 0 {
		steps = refinedSteps
	}
	mean := &gcg.Iterate{M: in.s.W.M, N: in.s.W.N}
	var rho float64
	for t := range steps {
		polar, err := in.polar(ctx, x.polarTol())
		if err != nil {
			return err
		}
		a, value := atomOf(polar)
		if a == nil {
			break
		}
		alpha := 2 / float64(t+2)
		q := in.productsWith(a, value)
		in.move(a, 1-alpha, bestWeight(in.p.Penalty, alpha, q.at-(1-alpha)*q.ua, q.aa))
		if rho = (1-alpha)*rho + alpha*in.s.Rho; alpha == 1 {
			mean = in.s.W.Clone()
			continue
		}
		mean.Scale(1 - alpha)
		part := in.s.W.Clone()
		part.Scale(alpha)
		join(mean, part)
	}
	in.s.W, in.s.Rho = mean, rho
	return nil
}

// bestWeight is the θ ≥ 0 that minimises ½aa θ² - b θ + αh(θ/α) [Cheung15 eq 35].
func bestWeight(h gcg.Penalty, alpha, b, aa float64) float64 {
	slope := func(theta float64) float64 { return aa*theta - b + h.Deriv(theta/alpha) }
	hi := math.Min(math.Max(b/aa, 0), alpha*h.Max())
	if lo := alpha * h.Max(); math.IsInf(h.Value(0), 1) { // κ is held at ζ
		return lo
	}
	if !(slope(0) < 0) {
		return 0
	}
	_, hi = roots.Bisect(0, hi, 0, func(theta float64) bool { return slope(theta) < 0 })
	return hi
}

// printed is [Cheung15 Algorithm 2] as printed, until the gap G(u, v) = h(κ(u)) - ⟨u, T-u⟩ + h*(κ°(T-u)) is η, with ρ for κ(u):
// v is the best multiple of an atom, and u ← (1-α)u + αv. κ(v) is at most limit, which bounds κ(W*).
func (x *Method) printed(ctx context.Context, in *innerProblem, limit float64) error {
	steps, goal := x.Steps, in.eta
	if steps == 0 {
		steps = gapSteps
	}
	for range steps {
		polar, err := in.polar(ctx, x.polarTol())
		if err != nil {
			return err
		}
		a, value := atomOf(polar)
		if a == nil {
			return nil
		}
		q := in.productsWith(a, value)
		bound := polar.UpperBound()
		if math.IsInf(bound, 1) {
			bound = value
		}
		conj, _ := in.p.Penalty.Conj(bound, limit)
		_, size := in.p.Penalty.Conj(value, limit)
		gap := in.beta * (in.p.Penalty.Value(in.s.Rho) - (q.ut - q.uu) + conj)
		if goal == 0 {
			goal = firstPart * gap
		}
		if gap <= goal {
			return nil
		}
		alpha := in.lineSearch(q, size)
		if alpha == 0 {
			return nil
		}
		in.move(a, 1-alpha, alpha*size)
	}
	return nil
}

// lineSearch is the α in [0, 1] that minimises ½‖(1-α)u + αv - T‖² + h((1-α)ρ + αx) for v = x·a [Cheung15 eq 22].
func (in *innerProblem) lineSearch(q products, x float64) float64 {
	h, rho := in.p.Penalty, in.s.Rho
	vv, uv, vt := x*x*q.aa, x*q.ua, x*q.at
	square, linear := q.uu-2*uv+vv, (q.ut-q.uu)-(vt-uv) // of α, at 0
	slope := func(alpha float64) float64 {
		s := alpha*square + linear
		if x != rho {
			s += h.Deriv(math.Min((1-alpha)*rho+alpha*x, h.Max())) * (x - rho)
		}
		return s
	}
	if !(slope(0) < 0) {
		return 0
	}
	if slope(1) <= 0 {
		return 1
	}
	_, hi := roots.Bisect(0, 1, 0, func(alpha float64) bool { return slope(alpha) < 0 })
	return hi
}

// jointly minimises ½‖c u + θa - T‖² + h(cρ + θ) over c ≥ 0 and θ ≥ 0. For h = λx that is a closed form. For others it is that
// with the multiplier μ = h'(cρ + θ) for λ, which is found as a root.
func jointly(q products, rho float64, h gcg.Penalty) (c, theta float64) {
	if view.IsLinear(h) {
		return q.linear(rho, h.Deriv(1))
	}
	zeta := h.Max()
	if zeta == 0 {
		return 0, 0
	}
	excess := func(mu float64) float64 {
		c, theta = q.linear(rho, mu)
		return roots.ExcessOf(h, c*rho+theta, mu)
	}
	signed := view.HoldsGauge(h)
	first := roots.TrialMultiplier{Mu: 0, Excess: excess(0)}
	unit := math.Max(math.Abs(q.at), math.Abs(q.ut)/math.Max(rho, leastGauge))
	if !(unit > 0) || math.IsInf(unit, 1) {
		unit = 1
	}
	lo, hi, inside := roots.BracketRoot(excess, first, unit, signed, func(by float64) float64 {
		if mu := -by * unit; signed || mu > 0 {
			return mu
		}
		return 0
	})
	if !inside {
		roots.Root(excess, lo, hi, 0)
	} else {
		excess(0)
	}
	if at := c*rho + theta; !math.IsInf(zeta, 1) && at > 0 && (at > zeta || signed) { // met but for rounding
		c, theta = c*zeta/at, theta*zeta/at
	}
	return c, theta
}

// linear is the minimiser for h = λx: of both weights where they are not negative, else the better one of each alone.
func (q products) linear(rho, lambda float64) (c, theta float64) {
	bu, ba := q.ut-lambda*rho, q.at-lambda
	det := q.uu*q.aa - q.ua*q.ua
	if det > dependent*q.uu*q.aa {
		c, theta = (bu*q.aa-ba*q.ua)/det, (ba*q.uu-bu*q.ua)/det
		if c >= 0 && theta >= 0 {
			return c, theta
		}
	}
	var alone, gain float64
	if q.uu > 0 && bu > 0 {
		alone, gain = bu/q.uu, bu*bu/q.uu
	}
	if q.aa > 0 && ba > 0 && ba*ba/q.aa > gain {
		return 0, ba / q.aa
	}
	return alone, 0
}

// dependent is the squared sine of the angle below which u and a count as parallel.
const dependent = rounding.Sum

// Relative accuracies that are asked of inner polars.
const (
	polarTol = 1e-2 // where an inner gap rests on the bound, which is to be a part of the first one only
	atomTol  = 1    // where only the atom counts
)

// An innerSpace is how the inner problem keeps W: as factors for gauges of low-rank atoms, else as a matrix.
type innerSpace struct {
	p       *view.Problem
	lowRank bool
	blocks  *view.Blocks // of a gauge of blocks kept as a matrix, or nil
}

// newInnerSpace looks at an atom and at the start.
func newInnerSpace(p *view.Problem, s *gcg.State, polar *gcg.Polar) innerSpace {
	x := innerSpace{p: p}
	if a, _ := atomOf(polar); a != nil {
		x.lowRank = a.LowRank() && len(s.W.Terms) == 0
	}
	if m, n := s.W.M, s.W.N; !x.lowRank && p.BlockGauge != nil && p.Compressor == nil {
		x.blocks = p.BlocksOf(m, n)
	}
	return x
}

// An innerProblem is ½‖V - T‖² + h(κ(V))/β, T = X + G/β, with the state of its V = u: all is over β.
type innerProblem struct {
	p     *gcg.Problem
	s     *gcg.State
	gauge gcg.Gauge
	beta  float64
	eta   float64 // the gap to end at, of the problem times β
	seed  uint64
	space *innerSpace
	// squares are the inner products of factors, or nil where u is a matrix
	squares *operator.Proximal
}

// problem is the inner problem at x.
func (x *innerSpace) problem(s *gcg.State, at position, g gcg.Map, beta float64) (*innerProblem, error) {
	in := &innerProblem{p: &gcg.Problem{Gauge: x.p.Gauge, Penalty: view.ScalePenalty(x.p.Penalty, 1/beta)}, gauge: x.p.Gauge,
		beta: beta, seed: s.Seed, space: x}
	if x.lowRank {
		target := gcg.Scaled(g, 1/beta)
		if at.w.Rank() > 0 {
			target = gcg.Sum(gcg.LowRank(at.w.U, at.w.V), target)
		}
		proximal, err := operator.NewProximal(target, 1)
		if err != nil {
			return nil, err
		}
		in.p.Operator, in.p.Loss, in.squares = proximal, proximal, proximal
	} else {
		identity, err := operator.NewIdentity(at.w.M, at.w.N)
		if err != nil {
			return nil, err
		}
		target := make([]float64, at.w.M*at.w.N)
		gcg.DenseTo(target, g)
		kernel.Scale(1/beta, target)
		kernel.Axpy(1, at.w.Dense(), target)
		in.p.Operator, in.p.Loss = identity, &loss.Squared{Y: target}
	}
	var err error
	if in.s, err = s.InnerState(in.p, at.w); err == nil {
		in.s.Rho = math.Min(in.s.Rho, at.rho)
	}
	return in, err
}

// distance is ‖V - W‖².
func (x *innerSpace) distance(v, w *gcg.Iterate) float64 {
	if !x.lowRank {
		return squareOf(v.Dense(), w.Dense())
	}
	var parts []gcg.Map
	if v.Rank() > 0 {
		parts = append(parts, gcg.LowRank(v.U, v.V))
	}
	if w.Rank() > 0 {
		parts = append(parts, gcg.Scaled(gcg.LowRank(w.U, w.V), -1))
	}
	if len(parts) == 0 {
		return 0
	}
	return math.Max(gcg.SquaredNorm(gcg.Sum(parts...)), 0)
}

// tidy writes W with the fewest atoms, and returns κ(W), or rho where nothing evaluates it.
func (x *innerSpace) tidy(p *gcg.Problem, w *gcg.Iterate, rho float64) float64 {
	switch {
	case x.p.Compressor != nil:
		return p.GaugeOf(w)
	case x.blocks != nil:
		return x.blocks.Write(w)
	case w.Rank() > 2*min(w.M, w.N):
		w.Merge(rho)
	}
	return rho
}

// polar asks for one at u, of a relative accuracy.
func (in *innerProblem) polar(ctx context.Context, tol float64) (*gcg.Polar, error) {
	return in.s.Ask(ctx, in.gauge, in.s.Gradient(in.p), gcg.Ask{Count: 1, Tol: tol, W: in.s.W, Seed: in.seed})
}

// atomOf is the first atom of a polar, and what it attains; nil where there is none.
func atomOf(polar *gcg.Polar) (*gcg.Atom, float64) {
	switch u, v := polar.Stacked(); {
	case len(polar.Atoms) > 0:
		return &polar.Atoms[0], polar.Values[0]
	case u != nil && u.K > 0:
		left, right := make([]float64, u.Rows), make([]float64, v.Rows)
		u.ColumnTo(left, 0)
		v.ColumnTo(right, 0)
		a := gcg.RankOne(left, right)
		return &a, polar.Values[0]
	}
	return nil, 0
}

// products are those of u, of an atom a and of the target T that the quadratic on c u + θa is made of.
type products struct{ uu, ua, aa, ut, at float64 }

// productsWith is for an atom that attains ⟨a, T - u⟩ = value.
func (in *innerProblem) productsWith(a *gcg.Atom, value float64) (x products) {
	x.aa = a.Frobenius2()
	if q := in.squares; q != nil {
		if in.s.W.Rank() > 0 {
			x.uu, x.ua, x.aa = q.Cross(in.s.W.U, in.s.W.V, a.U, a.V)
		}
		rr, rt := q.Sums() // ‖T - u‖² and ⟨T - u, T⟩
		x.ut = rt - rr + x.uu
	} else {
		u, n := in.s.Z, in.s.W.N
		x.uu = kernel.SumSq(u)
		x.ut = kernel.Dot(u, in.s.R) + x.uu
		for e, v := range a.Vals {
			x.ua += v * u[int(a.Rows[e])*n+int(a.Cols[e])]
		}
		if a.LowRank() {
			z := make([]float64, len(u))
			in.p.ApplyAtoms(z, []gcg.Atom{*a}, []float64{1})
			x.ua = kernel.Dot(z, u)
		}
	}
	x.at = value + x.ua
	return x
}

// move goes to c u + θa, of the gauge bound cρ + θ.
func (in *innerProblem) move(a *gcg.Atom, c, theta float64) {
	s := in.s
	s.W.Scale(c)
	if c == 0 {
		s.W.SetFactors(nil, nil)
		s.W.Terms = nil
	}
	s.W.Add([]gcg.Atom{*a}, []float64{theta})
	s.Rho = c*s.Rho + theta
	if in.space.lowRank {
		s.Refresh(in.p)
		return
	}
	kernel.Scale(c, s.Z)
	n := s.W.N
	for e, v := range a.Vals {
		s.Z[int(a.Rows[e])*n+int(a.Cols[e])] += theta * v
	}
	if a.LowRank() {
		s.Refresh(in.p)
		return
	}
	s.Evaluate(in.p)
}
