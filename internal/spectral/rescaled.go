package spectral

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// underflowBelow is a norm of G below which its squares, of which Lanczos steps and proofs are made, may have underflowed.
const underflowBelow = 1e-140

// Rescaled is p, the polar of G, unless squares may have underflowed: |p.Bound| is below underflowBelow or is no number. Then it
// is the polar of G computed from that of 2ᵉG, whose norm is about 1. Where no product with G differs from 0, it is p.
func Rescaled(ctx context.Context, p gcg.Polar, g gcg.Map, ask gcg.Ask,
	polar func(context.Context, gcg.Map, gcg.Ask) (gcg.Polar, error)) (gcg.Polar, error) {
	if math.Abs(p.Bound) >= underflowBelow {
		return p, nil
	}
	e := exponentOf(g, ask.Seed)
	if e < underflowExponent { // G is 0, or as it should be
		return p, nil
	}
	up := func(x float64) float64 { return math.Min(math.Ldexp(x, e), math.MaxFloat64) }
	ask.Above, ask.Goal = up(ask.Above), up(ask.Goal)
	ask.Spectral.Projections, ask.Spectral.Shift = nil, nil
	p, err := polar(ctx, scaledMap{g, math.Ldexp(1, e/2), math.Ldexp(1, e-e/2)}, ask)
	if err != nil {
		return gcg.Polar{}, err
	}
	for i, v := range p.Values {
		p.Values[i] = math.Ldexp(v, -e)
	}
	p.Value = math.Ldexp(p.Value, -e)
	if x := p.Spectral; x != nil {
		x.Complement.Norm, x.Complement.Next = math.Ldexp(x.Complement.Norm, -e), math.Ldexp(x.Complement.Next, -e)
	}
	if p.Bound != 0 {
		p.Bound = math.Nextafter(math.Ldexp(p.Bound, -e), math.Inf(1)) // below the normal numbers rounding is not relative
	}
	return p, nil
}

// underflowExponent is the least number of powers of two between 1 and a norm below underflowBelow. exponentOf makes x longer by
// as many, so that no product is below the normal numbers.
const underflowExponent = 400

// exponentOf is the e with which 2ᵉ‖Gx‖/‖x‖ is between ½ and 1 for a random x; 0 where Gx is 0.
func exponentOf(g gcg.Map, seed uint64) int {
	m, n := g.Dims()
	rng := rand.New(rand.NewPCG(seed, 0x2545f4914f6cdd1d))
	x, y := make([]float64, n), make([]float64, m)
	for i := range x {
		x[i] = math.Ldexp(rng.NormFloat64(), underflowExponent)
	}
	g.MulTo(y, x)
	size := gcg.Norm(y) / gcg.Norm(x)
	if !(size > 0) || math.IsInf(size, 0) {
		return 0
	}
	_, e := math.Frexp(size)
	return -e
}

// stretched is G times the product of two factors, one for the vectors before the product, and one for those after it.
type scaledMap struct {
	gcg.Map
	before, after float64
}

// MulTo is dst = before·after·G x.
func (t scaledMap) MulTo(dst, x []float64) {
	t.Map.MulTo(dst, t.of(x))
	kernel.Scale(t.after, dst)
}

// TMulTo is dst = before·after·Gᵀ y.
func (t scaledMap) TMulTo(dst, y []float64) {
	t.Map.TMulTo(dst, t.of(y))
	kernel.Scale(t.after, dst)
}

// Factors are those of the map.
func (t scaledMap) Factors() (left, right *gcg.Factor) { return gcg.FactorsOf(t.Map) }

// of is before·x in a new slice.
func (t scaledMap) of(x []float64) []float64 {
	out := append([]float64(nil), x...)
	kernel.Scale(t.before, out)
	return out
}
