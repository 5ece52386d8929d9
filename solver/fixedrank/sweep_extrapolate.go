package fixedrank

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// factors are U and V in float32, as one vector.
type factors struct{ u, v *gcg.Factor32 }

// newFactors are scale·U and scale·V, scaled before they are rounded.
func newFactors(u, v *gcg.Factor, scale float64) factors {
	return factors{factor.Narrowed(u, scale), factor.Narrowed(v, scale)}
}

// wide are scale·U and scale·V in float64.
func (x factors) wide(scale float64) (u, v *gcg.Factor) {
	u, v = gcg.FactorIn[float64](x.u), gcg.FactorIn[float64](x.v)
	u.Scale(scale)
	v.Scale(scale)
	return u, v
}

// clone is a copy.
func (x factors) clone() factors { return factors{x.u.Clone(), x.v.Clone()} }

// repay gives the memory of x back.
func (x factors) repay() { gcg.Repay(x.u, x.v) }

// blank is another pair of the same shape.
func (x factors) blank() factors { return factors{factor.Blank(x.u), factor.Blank(x.v)} }

// set makes x a copy of y.
func (x factors) set(y factors) {
	copy(x.u.Data, y.u.Data)
	copy(x.v.Data, y.v.Data)
}

// dot is ⟨U, U'⟩ + ⟨V, V'⟩.
func (x factors) dot(y factors) float64 { return x.u.Dot(y.u) + x.v.Dot(y.v) }

// scale is x *= a.
func (x factors) scale(a float32) {
	x.u.Scale(a)
	x.v.Scale(a)
}

// add is x += a·y.
func (x factors) add(a float32, y factors) {
	x.u.AddScaled(a, y.u)
	x.v.AddScaled(a, y.v)
}

// An ending says when sweeps end: when one gains less than the part of all that was gained, or than sweepGain of what F is
// expected to fall by. solveCore, if it is not nil, then goes on from the last end, and says whether sweeps do so too, until
// one gains less than settledGain of F.
type ending struct {
	part, expected float64
	limit          int // of sweeps
	solveCore      func(x factors) (y factors, on bool)
}

// settledGain is what sweeps leave to Newton steps, which take a few products for it where sweeps take many. Measured from
// 1e-7 to 1e-5.
const settledGain = 3e-7

// reached says that the sweep which came to f was the last: it gained gain, of gained by all sweeps.
func (e ending) reached(gain, gained, f float64) bool {
	if e.part == 0 {
		return gain < settledGain*f
	}
	return gain < math.Max(e.part*gained, sweepGain*e.expected)
}

// balancing is the turn that balances x, where that is to be done: before and after solveCore.
func (e ending) balancing(x factors) (t turn, ok bool) {
	if e.solveCore == nil && e.part != 0 {
		return t, false
	}
	return balancing(x)
}

// extrapolated repeats sweeps until the ending, each from a point beyond the end of the last: the combination of the last
// two ends at which the moves of the sweeps, combined alike, are shortest (Anderson's acceleration of depth 1). A sweep that
// ends higher than the last one is undone, and the next starts where that one ended. It returns the last end.
func extrapolated(ctx context.Context, x factors, until ending, sweep func(x factors) (f, gain float64)) factors {
	t := newAndersonState(x)
	var start, last float64 // F at first, and at t.end
	for it := 0; it < until.limit && ctx.Err() == nil; it++ {
		t.from.set(t.x)
		f, gain := sweep(t.x)
		if it == 0 {
			start, last = f, f
		}
		f -= gain
		if !(f <= last) {
			if !t.moved {
				break
			}
			t.undo()
			continue
		}
		last, gain = f, last-f
		t.extrapolate()
		if by, ok := until.balancing(t.x); ok {
			t.turn(by)
		}
		if until.reached(gain, start-last, last) {
			if until.solveCore == nil {
				break
			}
			y, on := until.solveCore(t.end)
			if t.repay(); y != t.end {
				t.end.repay()
			}
			if !on {
				return y
			}
			t, until = newAndersonState(y), ending{limit: sweepLimit}
		}
	}
	t.repay()
	return t.end
}

// An andersonState is where sweeps have come to. Its pairs of factors change places and are used again: memory that is
// touched for the first time costs as much as a product, and beside large data there is none to spare.
type andersonState struct {
	x, end factors // where the next sweep begins, and where the last one ended
	back   factors // the way from end to where its sweep began, if it has moved
	moved  bool
	from   factors // where the present sweep began
	spare  factors // for turns
}

// newAndersonState is at x, which it takes over.
func newAndersonState(x factors) *andersonState {
	return &andersonState{x: x, end: x.clone(), back: x.blank(), from: x.blank()}
}

// repay gives the memory of all but the last end back.
func (t *andersonState) repay() {
	for _, x := range []factors{t.x, t.back, t.from, t.spare} {
		x.repay()
	}
}

// undo goes back to the last end.
func (t *andersonState) undo() {
	t.x.set(t.end)
	t.moved = false
}

// extrapolate makes x the last end and moves x beyond it, to x + by·(end - x) with the former end, where the ways back,
// combined alike, are shortest.
func (t *andersonState) extrapolate() {
	t.from.add(-1, t.x)
	by := math.NaN()
	if d := t.back; t.moved {
		d.add(-1, t.from)
		by = -d.dot(t.from) / d.dot(d)
	}
	if math.IsNaN(by) {
		t.end.set(t.x)
	} else {
		t.end.scale(float32(by))
		t.end.add(float32(1-by), t.x)
	}
	t.x, t.end = t.end, t.x
	t.back, t.from, t.moved = t.from, t.back, true
}

// turn turns all of its pairs.
func (t *andersonState) turn(by turn) {
	if t.spare.u == nil {
		t.spare = t.x.blank()
	}
	for _, y := range []*factors{&t.x, &t.end, &t.back} {
		by.to(t.spare, *y)
		*y, t.spare = t.spare, *y
	}
}
