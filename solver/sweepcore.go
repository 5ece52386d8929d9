package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A sweepCore is ½‖y - A(P T Qᵀ)‖² + λ‖P T Qᵀ‖_* as a function of the k×k matrix T, near a positive diagonal one. Sweeps change small singular
// values slowly: with one factor fixed its half of the penalty resists, λ/(hσ) times as much as the loss of curvature h. Here they come to
// their place in a few products of 4k flops for every observation, and those that are on their way to 0 go below it.
type sweepCore struct {
	w     *sweeper
	p, q  *gcg.Factor32
	sigma []float64
	loss  float64 // about the second derivative of the loss, along any unit M
}

const (
	coreSweepSteps = 8    // conjugate gradient steps
	coreSweepPart  = 1e-2 // or until the gradient is this part of what it was
)

// settled goes to the minimum of the core of x, about, without the directions in which that is not positive; their right vectors (n×d)
// are gone.
func (w *sweeper) settled(x factors) (y factors, gone *gcg.Factor) {
	t, ok := balancing(x)
	if !ok {
		return x, gcg.NewFactor(x.v.Rows, 0)
	}
	x = t.of(x)
	c := &sweepCore{w: w, sigma: make([]float64, x.u.K)}
	for i, g := 0, gram64(x.u); i < len(c.sigma); i++ {
		c.sigma[i] = g.Row(i)[i]
	}
	c.p, c.q = scaleColumns(x.u, c.sigma, -0.5), scaleColumns(x.v, c.sigma, -0.5)
	if y, gone, ok := c.positive(c.minimise()); ok {
		return y, gone
	}
	return x, gcg.NewFactor(x.v.Rows, 0)
}

// normal is PᵀA*(A(P T Qᵀ))Q.
func (c *sweepCore) normal(t *gcg.Factor) *gcg.Factor {
	gu := blank(c.p)
	c.w.rows.Normal32To(gu, gcg.Mul(c.p, gcg.FactorIn[float32](t)), c.q)
	return gcg.FactorIn[float64](gcg.TMul(c.p, gu))
}

// target is PᵀA*(y)Q, in the sweeper's units.
func (c *sweepCore) target() *gcg.Factor {
	gu := gcg.NewFactor(c.p.Rows, c.p.K)
	gcg.MulBlock(c.w.rows.Adjoint(c.w.target), gu, gcg.FactorIn[float64](c.q))
	t := gcg.TMul(gcg.FactorIn[float64](c.p), gu)
	t.Scale(1 / c.w.unit)
	return t
}

// minimise takes conjugate gradient steps from T = S.
func (c *sweepCore) minimise() *gcg.Factor {
	k := len(c.sigma)
	t := gcg.Small(k, k)
	for i, s := range c.sigma {
		t.Row(i)[i] = s
	}
	r, h := c.target(), c.normal(t)
	r.AddScaled(-1, h)
	for i, s := range c.sigma {
		r.Row(i)[i] -= c.w.ridge
		c.loss = math.Max(c.loss, h.Row(i)[i]/s)
	}
	z := c.bent(r, c.preconditioned)
	d, rz := z.Clone(), r.Dot(z)
	enough := coreSweepPart * coreSweepPart * rz
	for it := 0; it < coreSweepSteps && rz > enough; it++ {
		h := c.normal(d)
		h.AddScaled(1, c.bent(d, c.penalty))
		alpha := rz / d.Dot(h)
		t.AddScaled(alpha, d)
		r.AddScaled(-alpha, h)
		z = c.bent(r, c.preconditioned)
		next := r.Dot(z)
		d.Scale(next / rz)
		d.AddScaled(1, z)
		rz = next
	}
	return t
}

// bent applies f to the symmetric and to the skew part of every pair of entries: along the latter the trace norm bends by 2λ/(sᵢ+sⱼ).
func (c *sweepCore) bent(m *gcg.Factor, f func(symmetric, skew, bend float64) (float64, float64)) *gcg.Factor {
	to := gcg.Small(m.K, m.K)
	for i, si := range c.sigma {
		for j, sj := range c.sigma[:i+1] {
			a, b := m.Row(i)[j], m.Row(j)[i]
			symmetric, skew := f((a+b)/2, (a-b)/2, 2*c.w.ridge/(si+sj))
			to.Row(i)[j], to.Row(j)[i] = symmetric+skew, symmetric-skew
		}
	}
	return to
}

func (c *sweepCore) penalty(_, skew, bend float64) (float64, float64) { return 0, bend * skew }

func (c *sweepCore) preconditioned(symmetric, skew, bend float64) (float64, float64) {
	return symmetric / c.loss, skew / (c.loss + bend)
}

// positive are balanced factors of P T Qᵀ in the directions in which the symmetric part of T is positive, and the right vectors of the
// others, if there are any.
func (c *sweepCore) positive(t *gcg.Factor) (x factors, gone *gcg.Factor, ok bool) {
	k := len(c.sigma)
	values, e := t.SymEigen(true) // ascending
	dead := 0
	for dead < k && !(values[dead] > deadBelow*values[k-1]) {
		dead++
	}
	if dead == k || !(values[k-1] > 0) {
		return x, nil, false
	}
	left := columnsOf(e, dead, k)
	right := left.Clone()
	for i, v := range values[dead:] {
		left.ScaleColumn(i, 1/math.Sqrt(v))
		right.ScaleColumn(i, math.Sqrt(v))
	}
	return factors{gcg.Mul(c.p, gcg.FactorIn[float32](gcg.Mul(t, left))), gcg.Mul(c.q, gcg.FactorIn[float32](right))},
		gcg.FactorIn[float64](gcg.Mul(c.q, gcg.FactorIn[float32](columnsOf(e, 0, dead)))), true
}

// deadBelow is the part of the largest singular value below which one counts as 0: squares of less are lost in float32.
const deadBelow = 1e-6
