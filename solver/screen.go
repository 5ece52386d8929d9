package solver

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A screen drops blocks of a gcg.BlockGauge that are proven to be 0 at every solution of a problem with h = λx, by the gap-safe
// sphere test [Ndiaye, Fercoq, Gramfort and Salmon, JMLR 2017]. The dual
//
//	maximise over v   D(v) = -L*(-v)   subject to κ°(A*v) ≤ λ
//
// is 1/H-strongly concave where H bounds ∇²L. So its solution v* lies in the ball around any feasible v of radius
// √(2H(F(W) - D(v))), for any W; here v = tR. Each entry of A*v* is within c_e = ‖A(e)‖ times that radius of (A*v)_e, and
//
//	κ_b°(|A_b*v| + radius·c_b) < λ   ⇒   κ_b°(A_b*v*) < λ   ⇒   W*_b = 0
//
// which a proximity operator tests: prox of λκ_b gives 0 exactly where κ_b° ≤ λ. When few entries are left, the screen takes
// their columns out of the data, and the polar of the reduced problem needs those alone; its lower bound is one of the whole
// problem, which has the same optimum.
type screen struct {
	view.ColumnOperator
	p     *view.Problem // the whole one
	n     int           // columns of W
	norms []float64     // c_e of all entries, row-major
	start []int         // entries of block b are entry[start[b]] … entry[start[b+1]-1]
	entry []int
	live  []bool // the blocks that may not be 0
	left  int    // entries in them

	reduced *reduction // nil while the whole gradient is cheaper
	last    gcg.Map    // the gradient that was asked for last
}

// screened is the problem with the screen as its operator, and the screen; an error names what the problem lacks for that.
func screened(problem *gcg.Problem) (*gcg.Problem, *screen, error) {
	p := view.Of(problem)
	c := &screen{ColumnOperator: p.Columns, p: p}
	switch {
	case p.Columns == nil:
		return nil, nil, fmt.Errorf("solver: screening needs an operator that gives its columns; %T does not", p.Operator)
	case p.BlockGauge == nil:
		return nil, nil, fmt.Errorf("solver: screening needs a gauge that is a sum over numbered blocks; gauge %s is not",
			p.Gauge.Name())
	case p.Curved == nil || p.Conjugate == nil || !(p.Curved.Curvature() > 0) || math.IsInf(p.Curved.Curvature(), 1):
		return nil, nil, fmt.Errorf("solver: screening needs a loss with a conjugate and bounded second derivatives; %T is none",
			p.Loss)
	case gcg.Smooths(p.Loss): // an entry that is 0 at its optimum need not be 0 at that of the other, of which the bound is
		return nil, nil, fmt.Errorf("solver: screening needs the loss that the certificate is of; %T smooths another", p.Loss)
	}
	c.measure()
	q := *problem
	q.Operator = c
	return &q, c, nil
}

// Intercepts are those of the operator.
func (c *screen) Intercepts() (count int, of []int32) {
	if c.p.Intercepts != nil {
		return c.p.Intercepts.Intercepts()
	}
	return 0, nil
}

// measure lists the entries of the blocks, and takes one pass over the data for the norms of the columns.
func (c *screen) measure() {
	m, n, _ := c.Dims()
	c.n = n
	c.norms = make([]float64, m*n)
	rows := max(1, 256/n)
	for lo := 0; lo < m; lo += rows {
		var r, k []int32
		for e := lo * n; e < min(lo+rows, m)*n; e++ {
			r, k = append(r, int32(e/n)), append(k, int32(e%n))
		}
		columns := c.Columns(r, k)
		par.For(len(columns), func(t int) { c.norms[lo*n+t] = gcg.Norm(columns[t].Values) * (1 + view.DomainRounding) })
	}
	c.start = []int{0}
	for b := range c.p.BlockGauge.Blocks(m, n) {
		r, k := c.p.BlockGauge.Block(int64(b+1), m, n)
		for e := range r {
			c.entry = append(c.entry, int(r[e])*n+int(k[e]))
		}
		c.start = append(c.start, len(c.entry))
	}
	c.live = make([]bool, len(c.start)-1)
}

// reset forgets what was proven, as it does not hold for another λ. The columns that were taken out stay.
func (c *screen) reset() {
	for b := range c.live {
		c.live[b] = true
	}
	c.left = len(c.entry)
	if c.reduced != nil {
		c.reduced.entries = nil
	}
}

// Adjoint is A*(r), or its live entries with zeros elsewhere.
func (c *screen) Adjoint(r []float64) gcg.Map {
	c.last = nil
	if c.reduced != nil && c.reduced.entries != nil {
		c.last = c.reduced.adjoint(r)
	} else {
		c.last = c.ColumnOperator.Adjoint(r)
	}
	return c.last
}

// dropped is the number of blocks that are proven to be 0.
func (c *screen) dropped() int {
	var n int
	for _, live := range c.live {
		if !live {
			n++
		}
	}
	return n
}

// screenRounding is the part of λ by which a block must stay below it to be 0: what the sphere's centre and norms are rounded by.
const screenRounding = 1e-10

// update tests the live blocks at a state with its polar, and takes out the columns of those that are left once they are
// few.
func (c *screen) update(p *gcg.Problem, s *gcg.State) {
	lambda := p.Penalty.Deriv(0)
	scale, radius := c.sphere(p, s, lambda)
	if math.IsInf(radius, 1) || c.last == nil {
		return
	}
	g := c.Gradient()
	limit := lambda * (1 - screenRounding)
	parts := par.Grain(len(c.live), 4096, 64)
	kept := make([]int, parts)
	par.For(parts, func(part int) {
		lo, hi := par.Range(part, parts, len(c.live))
		var y []float64
		for b := lo; b < hi; b++ {
			if !c.live[b] {
				continue
			}
			at := c.entry[c.start[b]:c.start[b+1]]
			y = append(y[:0], make([]float64, len(at))...)
			if c.live[b] = !c.zero(y, g, at, int64(b+1), scale, radius, limit); c.live[b] {
				kept[part] += len(at)
			}
		}
	})
	c.left = 0
	for _, k := range kept {
		c.left += k
	}
	c.reduce()
}

// zero reports whether a block is proven to be 0: no point of the sphere around scale·g reaches λ on it. The entry of
// largest modulus on the sphere is tried, and of a block of one entry the other end too, as a gauge may tell signs apart. y
// is work space.
func (c *screen) zero(y, g []float64, at []int, key int64, scale, radius, limit float64) bool {
	for i, e := range at {
		y[i] = scale*g[e] + math.Copysign(radius*c.norms[e], g[e])
	}
	if c.p.BlockGauge.BlockProxTo(y, y, key, limit); !hessian.IsZero(y) {
		return false
	}
	if len(at) == 1 {
		y[0] = scale*g[at[0]] - math.Copysign(radius*c.norms[at[0]], g[at[0]])
		c.p.BlockGauge.BlockProxTo(y, y, key, limit)
	}
	return hessian.IsZero(y)
}

// sphere is the scale t of the dual point tR and the radius around it. Of the feasible t ≤ λ/κ° the largest and 1 are tried.
func (c *screen) sphere(p *gcg.Problem, s *gcg.State, lambda float64) (scale, radius float64) {
	most := math.Inf(1)
	if s.Polar.Bound > 0 {
		most = lambda / s.Polar.Bound
	}
	best := math.Inf(-1)
	for _, t := range []float64{most, math.Min(1, most)} {
		if math.IsInf(t, 1) {
			continue
		}
		d := -p.Sum(func(lo, hi int) float64 {
			return c.p.Conjugate.Conjugate(lo, s.R[lo:hi], t)
		})
		if d > best {
			best, scale = d, t
		}
	}
	f := s.Objective(p)
	gap := math.Max(f-best, 0) + view.Rounding*math.Abs(f)
	return scale, math.Sqrt(2 * c.p.Curved.Curvature() * gap)
}
