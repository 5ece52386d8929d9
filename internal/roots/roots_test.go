package roots

import (
	"math"
	"testing"
)

// Halving ends at a width or at neighbours among floats, with the root between the ends.
func TestBisect(t *testing.T) {
	for _, c := range []struct{ lo, hi, width, root float64 }{
		{0, 1, 0, 1.0 / 3}, {-5, 7, 0.25, 2}, {-2, -1, 0, -1.5}, {1, 1, 0, 1},
	} {
		lo, hi := Bisect(c.lo, c.hi, c.width, func(x float64) bool { return x < c.root })
		if lo > c.root || hi < c.root {
			t.Errorf("%+v: the root is not within %v to %v", c, lo, hi)
		}
		if at := math.Nextafter(lo, hi); hi-lo > c.width && at != hi && c.lo != c.hi && hi-lo > 1e-14*c.root {
			t.Errorf("%+v: %v to %v is wider than asked for", c, lo, hi)
		}
	}
}

// Newton steps that cycle between ±a leave the bracket's middle to the guard, which comes to the root all the same.
func TestGuard(t *testing.T) {
	f := func(x float64) (value, slope float64) { return math.Atan(x - 1), 1 / (1 + (x-1)*(x-1)) }
	g := Guard{Lo: -40, Hi: 40}
	x := 30.0 // from where Newton steps alone go to infinity
	for k := 0; k < 60; k++ {
		value, slope := f(x)
		if value == 0 {
			break
		}
		if value < 0 {
			g.Lo = x
		} else {
			g.Hi = x
		}
		x = g.Next(x, x-value/slope)
	}
	if math.Abs(x-1) > 1e-14 {
		t.Errorf("the root is %v, not 1", x)
	}
}

// The root of a multiplier is on the side where the excess is not positive, and the excess is taken last there.
func TestRoot(t *testing.T) {
	var last float64
	excess := func(mu float64) float64 { last = mu; return math.Exp(-mu) - 0.3 }
	lo, hi, inside := BracketRoot(excess, TrialMultiplier{0, excess(0)}, 1, false, func(by float64) float64 { return 0 })
	if inside {
		t.Fatal("the root is not at 0")
	}
	if mu := Root(excess, lo, hi, 0); math.Abs(mu+math.Log(0.3)) > 1e-13 || mu != last || excess(mu) > 1e-15 {
		t.Errorf("the root is %v, the last trial %v", mu, last)
	}
}
