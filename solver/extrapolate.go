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
// its minimum. There settle, if it is not nil, goes on from the last end; it says whether sweeps do too, until one gains less than
// settledGain of F.
type ending struct {
	part, hope float64
	limit      int // of sweeps
	settle     func(x factors) (y factors, on bool)
}

// settledGain leaves to Newton steps what takes them a few products and sweeps many: measured from 1e-7 to 1e-5.
const settledGain = 1e-6

// reached says that a sweep, which gained so much of all that was gained to come to f, was the last.
func (e ending) reached(gain, gained, f float64) bool {
	if e.part == 0 {
		return gain < settledGain*f
	}
	return gain < math.Max(e.part*gained, sweepGain*e.hope)
}

// turn is the balancing of factors that were never balanced, as those that have yet to settle or just did.
func (e ending) turn(x factors) (t turn, ok bool) {
	if e.settle == nil && e.part != 0 {
		return t, false
	}
	return balancing(x)
}

// extrapolated repeats sweeps, each from a point beyond where the last one ended: the combination of the last two ends at which
// the moves of the sweeps, combined alike, are shortest (Anderson's acceleration of depth 1). A sweep that ends above the last one
// is undone, and the next starts where that one ended. It returns the last end, as the ending says.
func extrapolated(ctx context.Context, x factors, until ending, sweep func(x factors) (f, gain float64)) factors {
	end := x.clone()
	var start, last float64 // F at first, and at end
	var back factors        // from end to where its sweep began
	for it := 0; it < until.limit && ctx.Err() == nil; it++ {
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
		if t, ok := until.turn(x); ok {
			x, end, back = t.of(x), t.of(end), t.of(back)
		}
		if until.reached(gain, start-last, last) {
			if until.settle == nil {
				break
			}
			var on bool
			if x, on = until.settle(end); !on {
				return x
			}
			end, back, until = x.clone(), factors{}, ending{limit: sweepLimit}
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
