package loss

import (
	"fmt"
	"math"
)

// Poisson is the loss of counts y ≥ 0 of mean exp(z), half of their deviance,
//
//	L(z) = c Σ ωᵢ (exp(zᵢ) - yᵢ - yᵢ(zᵢ - log yᵢ)) ≥ 0
//
// with c = 1 for a sum and c = 1/N for a mean. Rates yᵢ over an exposure eᵢ are counts eᵢyᵢ of mean eᵢexp(zᵢ) with ωᵢ = eᵢ. No
// number bounds its curvature. Source: McCullagh and Nelder 1989, chapter 6.
type Poisson struct {
	Y     []float64 // counts, or any numbers not below 0
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
	Group int // outputs of a row, which blocks do not cut; 0 is 1
}

// Gamma is the loss of positive amounts y of mean exp(z), whose variance grows as the square of the mean: half of their deviance,
//
//	L(z) = c Σ ωᵢ (yᵢ exp(-zᵢ) - 1 + zᵢ - log yᵢ) ≥ 0
//
// with c as of Poisson. No number bounds its curvature. Source: McCullagh and Nelder 1989, chapter 8.
type Gamma struct {
	Y     []float64 // > 0
	Omega []float64 // weights ≥ 0, or nil for ones
	Mean  bool
	Group int // outputs of a row, which blocks do not cut; 0 is 1
}

// A deviance is half of a deviance with the logarithm as its link. A unit has value and derivatives in z, and the conjugate at p.
type deviance struct {
	y, omega []float64
	c        float64
	unit     func(y, z float64) (value, slope, curve float64)
	dual     func(y, p float64) float64
}

// xlogx is x log(x/y), 0 at x = 0.
func xlogx(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(x/y)
}

// deviance has the units of Poisson. With q = y + p ≥ 0 its conjugate is q log q - q - (y log y - y).
func (l *Poisson) deviance() *deviance {
	return &deviance{l.Y, l.Omega, scale(l.Mean, len(l.Y)), func(y, z float64) (value, slope, curve float64) {
		mean := math.Exp(z)
		return mean - y - y*z + xlogx(y, 1), mean - y, mean
	}, func(y, p float64) float64 {
		q, ok := inside(y+p, 0, math.Inf(1))
		if !ok {
			return math.Inf(1)
		}
		return xlogx(q, 1) - q - xlogx(y, 1) + y
	}}
}

// deviance has the units of Gamma. With q = 1 - p ≥ 0 its conjugate is q log(q/y) - q + log y + 1.
func (l *Gamma) deviance() *deviance {
	return &deviance{l.Y, l.Omega, scale(l.Mean, len(l.Y)), func(y, z float64) (value, slope, curve float64) {
		ratio := y * math.Exp(-z)
		return ratio - 1 + z - math.Log(y), 1 - ratio, ratio
	}, func(y, p float64) float64 {
		q, ok := inside(1-p, 0, math.Inf(1))
		if !ok {
			return math.Inf(1)
		}
		return xlogx(q, y) - q + math.Log(y) + 1
	}}
}

func (d *deviance) eval(lo int, z, r []float64) (sum float64) {
	for i, x := range z {
		w := d.c * weight(d.omega, lo+i)
		if w == 0 {
			if r != nil {
				r[i] = 0
			}
			continue
		}
		value, slope, _ := d.unit(d.y[lo+i], x)
		sum += w * value
		if r != nil {
			r[i] = -w * slope
		}
	}
	return sum
}

func (d *deviance) hessTo(dst []float64, lo int, z, e []float64) {
	for i, x := range z {
		w := d.c * weight(d.omega, lo+i)
		if w == 0 {
			dst[i] = 0
			continue
		}
		_, _, curve := d.unit(d.y[lo+i], x)
		dst[i] = w * curve * e[i]
	}
}

// conjugate is Σ cω ℓ*(p/(cω)) at p = -s r; an observation of weight 0 asks for p = 0.
func (d *deviance) conjugate(lo int, r []float64, s float64) (sum float64) {
	for i, x := range r {
		w := d.c * weight(d.omega, lo+i)
		if w == 0 {
			if s*x != 0 {
				return math.Inf(1)
			}
			continue
		}
		sum += w * d.dual(d.y[lo+i], -s*x/w)
	}
	return sum
}

// check names the first target that is out of range, where it has a weight.
func (d *deviance) check(group int, fits func(y float64) bool, what string) error {
	if err := first(checkTargets(d.y), checkWeights(d.omega, len(d.y)), checkGroup(group, len(d.y))); err != nil {
		return err
	}
	for i, y := range d.y {
		if !fits(y) && weight(d.omega, i) > 0 {
			return fmt.Errorf("loss: the target of observation %d is %v; %s", i+1, y, what)
		}
	}
	return nil
}

func (l *Poisson) Len() int           { return len(l.Y) }
func (l *Poisson) Stride() int        { return max(1, l.Group) }
func (l *Poisson) Separable() bool    { return true }
func (l *Poisson) Curvature() float64 { return math.Inf(1) }
func (l *Poisson) Infimum() float64   { return 0 }

// Check names the first target that is below 0 or not finite, the first weight that is negative or not finite, or rows that are
// cut.
func (l *Poisson) Check() error {
	return l.deviance().check(l.Group, func(y float64) bool { return y >= 0 }, "a count is not below 0")
}

func (l *Poisson) Eval(lo int, z, r []float64) float64 { return l.deviance().eval(lo, z, r) }

func (l *Poisson) HessTo(dst []float64, lo int, z, e []float64) { l.deviance().hessTo(dst, lo, z, e) }

// Conjugate of the block at p = -s r is c Σ ω (q log q - q - y log y + y), q = y + p/(cω) not below 0, +Inf elsewhere.
func (l *Poisson) Conjugate(lo int, r []float64, s float64) float64 {
	return l.deviance().conjugate(lo, r, s)
}

func (l *Gamma) Len() int           { return len(l.Y) }
func (l *Gamma) Stride() int        { return max(1, l.Group) }
func (l *Gamma) Separable() bool    { return true }
func (l *Gamma) Curvature() float64 { return math.Inf(1) }
func (l *Gamma) Infimum() float64   { return 0 }

// Check names the first target that is not above 0 or not finite, the first weight that is negative or not finite, or rows that
// are cut.
func (l *Gamma) Check() error {
	return l.deviance().check(l.Group, func(y float64) bool { return y > 0 }, "an amount is above 0")
}

func (l *Gamma) Eval(lo int, z, r []float64) float64 { return l.deviance().eval(lo, z, r) }

func (l *Gamma) HessTo(dst []float64, lo int, z, e []float64) { l.deviance().hessTo(dst, lo, z, e) }

// Conjugate of the block at p = -s r is c Σ ω (q log(q/y) - q + log y + 1), q = 1 - p/(cω) not below 0, +Inf elsewhere.
func (l *Gamma) Conjugate(lo int, r []float64, s float64) float64 {
	return l.deviance().conjugate(lo, r, s)
}
