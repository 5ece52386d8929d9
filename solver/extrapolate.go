package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// factors are U and V in float32, as one vector.
type factors struct{ u, v *gcg.Factor32 }

// newFactors are scale·U and scale·V, scaled before they are rounded.
func newFactors(u, v *gcg.Factor, scale float64) factors {
	if scale != 1 {
		u, v = u.Clone(), v.Clone()
		u.Scale(scale)
		v.Scale(scale)
	}
	return factors{gcg.FactorIn[float32](u), gcg.FactorIn[float32](v)}
}

// wide are scale·U and scale·V in float64.
func (x factors) wide(scale float64) (u, v *gcg.Factor) {
	u, v = gcg.FactorIn[float64](x.u), gcg.FactorIn[float64](x.v)
	u.Scale(scale)
	v.Scale(scale)
	return u, v
}

func (x factors) clone() factors { return factors{x.u.Clone(), x.v.Clone()} }

func (x factors) dot(y factors) float64 { return x.u.Dot(y.u) + x.v.Dot(y.v) }

// add is x += a·y.
func (x factors) add(a float32, y factors) {
	x.u.AddScaled(a, y.u)
	x.v.AddScaled(a, y.v)
}

// An ending is when sweeps end: where one gains less than a part of all that was gained, or than sweepGain of what F is hoped to be above
// its minimum.
type ending struct{ part, hope float64 }

// extrapolated repeats sweeps, each from a point beyond where the last one ended: the combination of the last two ends at which
// the moves of the sweeps, combined alike, are shortest (Anderson's acceleration of depth 1). A sweep that ends above the last one
// is undone, and the next starts where that one ended. It returns the last end, as the ending says.
func extrapolated(ctx context.Context, x factors, until ending, sweep func(x factors) (f, gain float64)) factors {
	end := x.clone()
	var start, last float64 // F at first, and at end
	var back factors        // from end to where its sweep began
	for it := 0; it < sweepLimit && ctx.Err() == nil; it++ {
		from := x.clone()
		f, gain := sweep(x)
		if it == 0 {
			start, last = f, f
		}
		f -= gain
		if !(f <= last) {
			if back.u == nil {
				break
			}
			x, back = end.clone(), factors{}
			continue
		}
		last, gain = f, last-f
		from.add(-1, x)
		x, end = beyond(x, end, from, back), x
		back = from
		if gain < math.Max(until.part*(start-last), sweepGain*until.hope) {
			break
		}
	}
	return end
}

// beyond is the next start, from the last two ends and the ways back from them; it is the last end if there is one only.
func beyond(end, before, back, backBefore factors) factors {
	next := end.clone()
	if backBefore.u == nil {
		return next
	}
	d := back.clone()
	d.add(-1, backBefore)
	if by := d.dot(back) / d.dot(d); !math.IsNaN(by) {
		next.add(-float32(by), end)
		next.add(float32(by), before)
	}
	return next
}
