package sliding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method is gradient sliding. Its inner loop ends by its gap, [Cheung15 Algorithms 1 and 2], or, Refined, after so many Steps
// [Cheung15 Algorithms 3 and 4].
//
// As Printed, the inner loop mixes u with the new atom, u ← (1-α)u + θa. In the refined method α = 2/(t+2), which forgets x at t
// = 0, and the loop returns a weighted average. With few inner steps that stays far from the optimum. By default the loop begins
// at u = x, chooses both weights of c u + θa by a search, and returns its last point.
//
// L is found by backtracking, where Lipschitz does not give it: it is doubled until
//
//	ℓ(y⁺) ≤ ℓ(z) + ⟨g, y⁺ - z⟩ + L/2 ‖y⁺ - z‖²
//
// A step asks for no polar of the problem itself. The certificate takes one now and then, see solver.Polarless.
type Method struct {
	Refined bool // so many inner steps, rather than a gap
	// Steps is m of a refined inner loop, 0 means 3; of one that ends by its gap it is the most of them, 0 means 20, or 200 as
	// Printed and with a Distance.
	Steps   int
	Printed bool // as in the paper
	// Distance is D₀ = ‖x₀ - x*‖² and Horizon K of the inner gap η = 2LD₀/(K(k+1)). A Distance of 0 means a tenth of the first gap
	// of each inner loop, and a Horizon of 0 means Restart, or the steps taken so far.
	Horizon   int
	Distance  float64
	Lipschitz float64 // L of ∇ℓ; 0 means backtracking
	// Restart begins again at y, with k = 0 and half of D₀, after so many steps: for strongly convex ℓ [Lan and Zhou 2016].
	// Where ℓ - μ/2‖·‖² is convex, Restart is 2√(6L/μ) at least and Distance 2(F(x₀) - F*)/μ at least, F - F* halves each time.
	// 0 means when F rises, and never as Printed; -1 means never.
	Restart int

	k     int // steps since the last restart
	l     float64
	d     float64 // D₀, since the last restart
	x     position
	ay    []float64 // A(W) at y, without the intercept
	z     *gcg.State
	space innerSpace
	moved bool       // the last step moved x
	atoms []gcg.Atom // of the last inner loop
	known []position // atoms of inner loops, the last one last
}

// A position is W with its predictions without an intercept.
type position struct {
	w   *gcg.Iterate
	rho float64
	a   []float64
}

const (
	refinedSteps   = 3    // of [Cheung15 §4]; 2 to 7 take about as many gradients on the gene sets
	gapSteps       = 200  // where a gap is not reached because of rounding
	warmSteps      = 20   // of a warm loop without D₀: with 200 gradients were as many, and CPU times two to three times as long
	growth         = 2    // of L
	shrink         = 0.9  // of L at the begin of a step, as it may be less where the method is now
	mostGrowths    = 60   // after which L is beyond what rounding can tell
	firstPart      = 0.1  // of the first inner gap, where no distance is known
	smoothRounding = 1e-9 // of the size of ℓ's terms that the condition on L leaves to rounding
)

// Name is sliding or sliding-refined.
func (x *Method) Name() string {
	if x.Refined {
		return "sliding-refined"
	}
	return "sliding"
}

// Descends is false, as momentum may raise F.
func (x *Method) Descends() bool { return false }

// WithoutPolars is true: the polars of a step are of its inner problem.
func (x *Method) WithoutPolars() bool { return true }

// Ask wants one atom, for the certificate.
func (x *Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init begins at s. It refuses fewer inner steps than the method needs, and as printed a problem where nothing bounds κ(W*).
func (x *Method) Init(p *gcg.Problem, s *gcg.State, _ gcg.Settings) error {
	switch {
	case x.Steps < 0 || x.Horizon < 0 || x.Restart < -1 || !(x.Distance >= 0) || !(x.Lipschitz >= 0) ||
		math.IsInf(x.Distance+x.Lipschitz, 1):
		return errors.New("solver: sliding takes Steps, Horizon, Distance and Lipschitz that are finite and not negative")
	case x.Refined && x.Printed && x.Steps == 1:
		return fmt.Errorf("solver: sliding-refined as printed takes at least 2 inner steps, not %d: the weights of [Cheung15 eq 37] "+
			"leave x₀ only with more than one", x.Steps)
	}
	v := view.Of(p)
	if x.Printed && !x.Refined && math.IsInf(p.GaugeLimit(s), 1) {
		return fmt.Errorf("solver: sliding as printed needs a bound of κ at the optimum, and with the loss %T and the penalty %T "+
			"there is none: use it with warm inner loops, or sliding-refined", p.Loss, p.Penalty)
	}
	a, err := s.Ask(context.Background(), p.Gauge, s.Gradient(p), gcg.Ask{Count: 1, Tol: polarTol, Seed: s.Seed})
	if err != nil {
		return err
	}
	x.space = newInnerSpace(v, s, a)
	x.d = x.Distance
	x.ay, x.known = make([]float64, len(s.Z)), nil
	p.Apply(x.ay, s.W)
	x.begin(s)
	count := s.Count.Gradients
	x.z, err = s.InnerState(p, nil)
	if s.Count.Gradients = count; err != nil { // that of W = 0 is none of the method's
		return err
	}
	if x.l = x.Lipschitz; x.l == 0 {
		x.l = x.secant(p, s, a)
	}
	return nil
}

// begin makes y the x of the next step.
func (x *Method) begin(s *gcg.State) {
	x.k = 0
	x.x = position{s.W.Clone(), s.Rho, slices.Clone(x.ay)}
}

// secant is the curvature of ℓ between W and W + a, for an atom a, per ‖a‖²: at most L.
func (x *Method) secant(p *gcg.Problem, s *gcg.State, polar *gcg.Polar) float64 {
	a, _ := atomOf(polar)
	if a == nil {
		return 1
	}
	az, r := make([]float64, len(s.Z)), make([]float64, len(s.Z))
	p.ApplyAtoms(az, []gcg.Atom{*a}, []float64{1})
	z := slices.Clone(az)
	kernel.Axpy(1, s.Z, z)
	p.Value(z, r)
	kernel.Axpy(-1, s.R, r)
	if l := -kernel.Dot(r, az) / a.Frobenius2(); l > 0 && !math.IsInf(l, 1) {
		return l
	}
	return 1
}

// Step is one gradient and one inner loop, or several of these with the same gradient until L is large enough.
func (x *Method) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	before, f := s.Objective(p), 0.0
	gamma := 2 / float64(x.k+2)
	x.gradientAt(p, s, gamma)
	g := x.z.Gradient(p)
	y, ay := view.SnapshotOf(s), slices.Clone(x.ay)
	if x.Lipschitz == 0 {
		x.l *= shrink
	}
	for tries := 0; ; tries++ {
		next, square, err := x.proximal(ctx, p, s, g)
		if err != nil {
			return gcg.Moved{}, err
		}
		x.moveTo(p, s, []position{{y.W, y.Rho, ay}, next}, []float64{1 - gamma, gamma})
		f = s.Objective(p)
		if ctx.Err() != nil || x.Lipschitz > 0 || tries == mostGrowths || x.smooth(s, next, gamma, square) {
			if !x.Printed {
				f = x.improve(p, s, y, ay, next, gamma, f)
			}
			x.x, x.moved = next, square > 0
			break
		}
		x.l *= growth
	}
	x.k++
	switch {
	case x.Restart > 0 && x.k >= x.Restart:
		x.d /= 2
		x.begin(s)
	case x.Restart == 0 && !x.Printed && f > before:
		x.begin(s)
	}
	return gcg.Moved{}, nil
}

// gradientAt moves x.z to (1-γ)y + γx, and counts the gradient.
func (x *Method) gradientAt(p *gcg.Problem, s *gcg.State, gamma float64) {
	mixTo(x.z.Z, x.ay, x.x.a, 1-gamma, gamma)
	if s.Intercept != nil {
		copy(x.z.Intercept, s.Intercept)
		p.InterceptMap().AddTo(x.z.Z, 1, s.Intercept)
	}
	x.z.Recentre(p)
}

// mixTo writes c a + θb.
func mixTo(dst, a, b []float64, c, theta float64) {
	for i, v := range a {
		dst[i] = c*v + theta*b[i]
	}
}

// smooth reports whether ℓ(y⁺) is below its quadratic bound at z, for the W whose predictions are in x.ay, but for rounding.
func (x *Method) smooth(s *gcg.State, next position, gamma, square float64) bool {
	var slope, size float64
	for i, r := range x.z.R {
		d := r * (next.a[i] - x.x.a[i])
		slope += d
		size += math.Abs(d)
	}
	bound := x.z.Loss - gamma*slope + x.l/2*gamma*gamma*square
	return s.Loss <= bound+smoothRounding*(gamma*size+view.Rounding*s.RoundingScale(s.Loss))
}

// proximal is x⁺, by the inner loop with the present L, and ‖x⁺ - x‖². The evaluations of the inner problem are differences of
// matrices, and not counted as gradients.
func (x *Method) proximal(ctx context.Context, p *gcg.Problem, s *gcg.State, g gcg.Map) (next position, square float64,
	err error) {
	count := s.Count.Gradients
	defer func() { s.Count.Gradients = count }()
	beta := 2 * x.l / float64(x.k+1)
	in, err := x.space.problem(s, x.x, g, beta)
	if err != nil {
		return next, 0, err
	}
	in.eta, x.atoms = x.goal(beta), nil
	switch {
	case !x.Printed:
		err = x.warm(ctx, in)
	case x.Refined:
		err = x.averaged(ctx, in)
	default:
		err = x.printed(ctx, in, p.GaugeLimit(s))
	}
	if err != nil {
		return next, 0, err
	}
	next = position{in.s.W, in.s.Rho, make([]float64, len(x.ay))}
	next.rho = math.Min(next.rho, x.space.tidy(p, next.w, next.rho))
	p.Apply(next.a, next.w)
	return next, x.space.distance(x.x.w, next.w), nil
}

// goal is the η of the inner gap; 0 where it is to be a part of the first inner gap.
func (x *Method) goal(beta float64) float64 {
	horizon := x.Horizon
	if horizon == 0 {
		horizon = x.Restart
	}
	if horizon <= 0 {
		horizon = x.k + 1
	}
	return beta * x.d / float64(horizon) // β = 2L/(k+1)
}

// squareOf is ‖a - b‖².
func squareOf(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}
