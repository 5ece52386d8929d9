package conform

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// bruteLimit is the number of entries up to which a gauge is also checked against atoms of other maps and on dense matrices.
const bruteLimit = 1 << 12

// Gauge checks a gauge at a map. It checks what its polar claims there, at its multiples, at 0, at a map of rank one and at one
// full of ties. On small maps nothing may beat the bound: neither atoms of the gauge from other maps (all of {-1, 0, 1} where
// there are few), nor matrices whose gauge is known. A proximity operator must satisfy its optimality conditions.
func Gauge(ctx context.Context, k gcg.Gauge, g gcg.Map, rng *rand.Rand) ([]Check, error) {
	c := &gaugeCheck{ctx: ctx, k: k, rng: rng, seed: rng.Uint64()}
	p := c.claims("polar", g)
	c.multiples(g, p)
	m, n := g.Dims()
	zero := c.polar(gcg.Scaled(g, 0), 3)
	if zero.Kind != gcg.Unbounded {
		c.add("polar: value and bound are 0 at 0, with an atom", math.Max(math.Abs(zero.Value),
			math.Abs(zero.Bound))+float64(1-min(len(zero.Atoms), 1)), 0)
	}
	if view.OfGauge(k).Spectral {
		excess := 0.0
		for range 20 {
			a := gcg.RankOne(unit(rng, m), unit(rng, n))
			excess = math.Max(excess, (math.Abs(a.Dot(g))-p.Bound)/c.scale(g, p))
		}
		c.add("polar: no random atom beats the bound", excess, 0)
	}
	if n <= bruteLimit/m && c.err == nil {
		c.claims("polar of rank one", Matrix{m, n, outer(normals(rng, m), normals(rng, n))})
		c.claims("polar with ties", Matrix{m, n, signs(rng, m*n)})
		c.brute(g, p)
		c.prox(g, p)
	}
	if c.err == errNoAtoms {
		c.err = nil
	}
	return c.checks, c.err
}

// errNoAtoms ends the checks of a polar that leaves nothing to check; one that failed says so.
var errNoAtoms = errors.New("no atoms, or not a value of each")

// A gaugeCheck gathers checks until the first error of a polar.
type gaugeCheck struct {
	ctx    context.Context
	k      gcg.Gauge
	rng    *rand.Rand
	seed   uint64
	checks []Check
	err    error
}

func (c *gaugeCheck) add(name string, err, limit float64) {
	if c.err == nil {
		c.checks = append(c.checks, Check{name, err, limit})
	}
}

// polar returns an empty answer after an error, which then ends the checks. What a gauge may leave to the caller is filled in
// as a run does: the values, the value of the first atom, and a bound where none is known.
func (c *gaugeCheck) polar(g gcg.Map, count int) gcg.Polar {
	if c.err != nil {
		return gcg.Polar{}
	}
	var p gcg.Polar
	p, c.err = c.k.Polar(c.ctx, g, gcg.Ask{Count: count, Tol: 1e-6, Seed: c.seed})
	if p.Values == nil {
		for i := range p.Atoms {
			p.Values = append(p.Values, p.Atoms[i].Dot(g))
		}
	}
	if p.Value == 0 && len(p.Values) > 0 {
		p.Value = p.Values[0]
	}
	if p.Kind == gcg.Unbounded && p.Bound == 0 {
		p.Bound = math.Inf(1)
	}
	return p
}

// scale is the size of the numbers that a value is made of, where the value itself may cancel to nothing.
func (c *gaugeCheck) scale(g gcg.Map, p gcg.Polar) float64 {
	m, n := g.Dims()
	gx := make([]float64, m)
	g.MulTo(gx, unit(rand.New(rand.NewPCG(c.seed, 2)), n))
	return math.Max(math.Max(math.Abs(p.Value), gcg.Norm(gx)), 1e-300)
}

// claims checks what one polar says of itself.
func (c *gaugeCheck) claims(name string, g gcg.Map) gcg.Polar {
	p, again := c.polar(g, 3), c.polar(g, 3)
	if c.err != nil {
		return p
	}
	if len(p.Atoms) == 0 || len(p.Values) != len(p.Atoms) {
		c.add(name+": there is an atom, and a value of each or none", 1, 0)
		c.err = errNoAtoms
		return p
	}
	scale := c.scale(g, p)
	attained, below, order := math.Abs(p.Value-p.Values[0]), 0.0, 0.0
	for i := range p.Atoms {
		attained = math.Max(attained, math.Abs(p.Atoms[i].Dot(g)-p.Values[i]))
		below = math.Max(below, p.Values[i]-p.Bound)
		order = math.Max(order, p.Values[i]-p.Values[0])
	}
	c.add(name+": the atom attains the value", attained/scale, 1e-9)
	c.add(name+": the bound is not below the value", math.Max(below, p.Value-p.Bound)/scale, 0)
	c.add(name+": the best atom is first", order/scale, 1e-12)
	c.add(name+": a bound says what it is worth", boolError(!worth(p)), 0)
	if k := view.OfGauge(c.k).Compressor; k != nil {
		c.add(name+": atoms have the gauge 1 by Compress", offGauge(k, p.Atoms, g), 1e-9)
	} else {
		c.add(name+": sides of low-rank atoms are unit", offUnit(p.Atoms), 1e-9)
	}
	c.add(name+": the same ask has the same answer", boolError(!reflect.DeepEqual(p, again)), 0)
	switch p.Kind {
	case gcg.Proven:
		c.add(name+": a proven bound is sharp", (p.Bound-math.Max(p.Value, 0))/scale, 1e-6)
	case gcg.Approximate:
		c.add(name+": the value keeps its ratio", (p.Alpha*p.Bound-p.Value)/scale, 1e-9)
	}
	return p
}

// offUnit is how far ‖u‖‖v‖ is from 1 for the pairs of columns of low-rank atoms.
func offUnit(atoms []gcg.Atom) (off float64) {
	for i := range atoms {
		if !atoms[i].LowRank() {
			continue
		}
		m, n := atoms[i].U.Rows, atoms[i].V.Rows
		w := gcg.Iterate{M: m, N: n, U: atoms[i].U, V: atoms[i].V}
		off = math.Max(off, math.Abs(w.Weights()-1))
	}
	return off
}

// offGauge is how far κ(a) is from 1 for the atoms.
func offGauge(k gcg.Compressor, atoms []gcg.Atom, g gcg.Map) (off float64) {
	m, n := g.Dims()
	for _, a := range atoms {
		off = math.Max(off, math.Abs(k.Compress(gcg.Join(m, n, []gcg.Term{{Atom: a, Weight: 1}}))-1))
	}
	return off
}

// worth reports whether a finite bound has a kind, with the probability or the ratio that belongs to it.
func worth(p gcg.Polar) bool {
	switch p.Kind {
	case gcg.Unbounded:
		return math.IsInf(p.Bound, 1)
	case gcg.Probable:
		return p.Failure > 0 && p.Failure <= 1
	case gcg.Approximate:
		return p.Alpha > 0 && p.Alpha <= 1 && p.Failure >= 0 && p.Failure <= 1
	}
	return p.Kind == gcg.Proven
}

func boolError(wrong bool) float64 {
	if wrong {
		return 1
	}
	return 0
}

// multiples checks κ°(cG) = cκ°(G): the two brackets of it overlap, and proven values agree.
func (c *gaugeCheck) multiples(g gcg.Map, p gcg.Polar) {
	apart := 0.0
	for _, by := range []float64{3, 1e-7, 1e9} {
		q := c.polar(gcg.Scaled(g, by), 3)
		scale := by * c.scale(g, p)
		apart = math.Max(apart, math.Max(q.Value-by*p.Bound, by*p.Value-q.Bound)/scale)
		if p.Kind == gcg.Proven && q.Kind == gcg.Proven {
			apart = math.Max(apart, math.Abs(q.Value-by*p.Value)/scale)
		}
	}
	c.add("polar: κ°(cG) = cκ°(G)", apart, 1e-9)
}

func outer(u, v []float64) []float64 {
	var w []float64
	for _, x := range u {
		for _, y := range v {
			w = append(w, x*y)
		}
	}
	return w
}

func signs(rng *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(1 - 2*rng.IntN(2))
	}
	return w
}
