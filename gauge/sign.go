package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/spectral"
)

// signPolar is the polar of a factor gauge with ‖·‖_∞ on one or both sides, and ‖·‖₂ on the other.
//
// Where a side with ‖·‖_∞ has at most signLimit entries, all its sign vectors are tried. The best vector of the other side
// follows from each, and the bound is proven. Otherwise the value is the best of many alternating ascents. Their starts are
// rounded from the relaxation
//
//	max Σ_ij G_ij⟨x_i, y_j⟩,   ‖x_i‖₂ ≤ 1 for every i (∞) or Σ‖x_i‖² ≤ 1 (2), likewise y
//
// and the bound comes from its dual: for all d, e > 0
//
//	uᵀGv ≤ √(Σd)·√(Σe)·σ₁(D^-½ G E^-½),   with d = 1, and 1 in place of Σd, on a side with ‖·‖₂
//
// because ‖D^½u‖² ≤ Σd. At the optimal d, e the bound is the relaxation's value. With one side of signs this is at most √(π/2) =
// 1.253 times κ° [Nesterov 1998, as ‖Gᵀu‖² is a semidefinite form]. With two it is at most 1.783 times κ° [Krivine 1979,
// Grothendieck's inequality]. The ratio that is reported is the one that was reached, Alpha = Value/Bound. Failure is the
// probability that the bound of σ₁ fails.
func signPolar(ctx context.Context, g gcg.Map, k Factor, ask gcg.Ask) (gcg.Polar, error) {
	s := newSignProblem(g, k)
	total, err := s.rowBound(ctx)
	if err != nil {
		return gcg.Polar{}, err
	}
	if total == 0 {
		return spectral.ZeroPolar(g), nil
	}
	if s.enumerable() {
		return s.enumerate(ctx, ask)
	}
	relaxed, err := s.relax(ctx, ask.Seed)
	if err != nil {
		return gcg.Polar{}, err
	}
	p, err := s.round(ctx, relaxed, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	bound, failure, err := s.dualBound(ctx, relaxed, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	if bound > total {
		bound, failure = total, 0
	}
	p.Bound = math.Max(bound, p.Value)
	p.Kind, p.Failure, p.Alpha = gcg.Approximate, failure, p.Value/p.Bound
	return p, nil
}

// A signProblem is G, transposed if need be so that the vector on its rows has ‖·‖_∞. The vector on its columns has ‖·‖_∞ too, or
// ‖·‖₂.
type signProblem struct {
	g, t       gcg.Map // G and Gᵀ
	m, n       int
	both       bool // the vector on the columns has ‖·‖_∞ too
	transposed bool // g is the transpose of the G that was given
}

// newSignProblem is for a Factor gauge whose norms are ∞ on one side, and 2 or ∞ on the other.
func newSignProblem(g gcg.Map, k Factor) *signProblem {
	c, r := k.norms()
	m, n := g.Dims()
	s := &signProblem{g: g, t: gcg.Transposed(g), m: m, n: n, both: math.IsInf(c, 1) && math.IsInf(r, 1)}
	if c == 2 || s.both && n < m { // the smaller side is enumerated
		s.g, s.t, s.m, s.n, s.transposed = s.t, g, n, m, true
	}
	if s.n == 1 && !s.both { // on one entry the two norms are the same
		s.g, s.t, s.m, s.n, s.both, s.transposed = s.t, s.g, 1, s.m, true, !s.transposed
	}
	return s
}

// rowBound is Σ‖G_i:‖₂, or Σ|G_ij| with signs on both sides. It is a bound of the polar, and 0 only at G = 0.
func (s *signProblem) rowBound(ctx context.Context) (float64, error) {
	q := 2.0
	if s.both {
		q = 1
	}
	given := s.g
	if s.transposed {
		given = s.t // only the map that was given may know its rows
	}
	m, n := given.Dims()
	part := &partition{m: m, n: n, columns: s.transposed}
	norms, err := part.norms(ctx, given, q)
	var total float64
	for _, x := range norms {
		total += x
	}
	return total * (1 + 2*float64(m+n)*linalg.Epsilon), err
}

// dualBound is the bound of the polar from the dual of the relaxation, with the weights d, e that r suggests.
func (s *signProblem) dualBound(ctx context.Context, r *relaxation, ask gcg.Ask) (bound, failure float64, err error) {
	d, weight := dualWeights(r.rows)
	e, other := []float64(nil), 1.0
	if s.both {
		e, other = dualWeights(r.cols)
	}
	root := math.Sqrt(weight) * math.Sqrt(other)
	p, err := Trace{}.Polar(ctx, gcg.RowScaled(s.g, d, e), gcg.Ask{Count: 1, Tol: 1e-3, Exact: ask.Exact, Seed: ask.Seed + 1})
	return root * p.Bound * (1 + 4*float64(s.m+s.n)*linalg.Epsilon), p.Failure, err
}

// dualWeights are d^-½ and Σd, for d with a floor of 1e-8 of the largest, so that no row has weight 0.
func dualWeights(d []float64) (root []float64, sum float64) {
	root = make([]float64, len(d))
	floor := 1e-8 * linalg.MaxAbs(d)
	for i, x := range d {
		x = math.Max(x, floor)
		root[i] = 1 / math.Sqrt(x)
		sum += x
	}
	return root, sum
}
