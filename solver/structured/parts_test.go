package structured

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// On a part the penalty, the ℓ1 norm, the proximity operator and θ are those of all of x: a proximal point of x that is in the
// part is that of the part, and what a step adds is there, as much as is asked for.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const p = 40
	groups := &Groups{P: p}
	for i := 0; i+4 <= 32; i += 4 { // the others are in no group
		groups.Member = append(groups.Member, []int32{int32(i), int32(i + 2), int32(i + 1), int32(i + 3)})
		groups.Weight = append(groups.Weight, 0.2+rng.Float64())
	}
	for _, g := range []divisible{groups, &Differences{P: p, Order: 1, Weight: 0.7}} {
		for range 100 {
			v, next := make([]float64, p), make([]float64, p)
			for i := range v {
				v[i] = rng.NormFloat64() + 2*math.Sin(float64(i/8))
			}
			h := &shrinkage{radius: 1 + 20*rng.Float64(), ball: rng.IntN(2) == 0, lambda: rng.Float64()}
			g.proxTo(next, v, 0.8, h)
			nothing := make([]float64, p)
			if two := g.part(nothing, next, 2); two.units > 5 { // with equal ones, and the cell of all of x
				t.Fatalf("%T: %d units, 2 were asked for beside the first", g, two.units)
			}
			all := g.part(nothing, next, p)
			d, back := all.from(next), make([]float64, p)
			if all.to(back, d); linalg.MaxAbs(sub(back, next)) > 1e-12 {
				t.Fatalf("%T: %v is %v as its part", g, next, back)
			}
			if a, b := all.value(d), g.value(next); math.Abs(a-b) > 1e-10 {
				t.Errorf("%T: g is %v, and of the part %v", g, b, a)
			}
			if a, b := all.size(d), linalg.SumAbs(next); math.Abs(a-b) > 1e-10 {
				t.Errorf("%T: the ℓ1 norm is %v, and of the part %v", g, b, a)
			}
			within, q := make([]float64, len(d)), make([]float64, len(d)) // adjoint: sums of v, scaled
			for i, c := range all.place {
				if c >= 0 {
					q[c] += all.scale[c] * v[i]
				}
			}
			all.proxTo(within, q, 0.8, h)
			if all.to(back, within); linalg.MaxAbs(sub(back, next)) > 1e-9 {
				t.Errorf("%T: the proximal point is %v, and of the part %v", g, next, back)
			}
			u, own := make([]float64, p), make([]float64, all.duals)
			if u = u[:sizeOf(g)]; all.dualTo(own, q, 0) > g.dualTo(u, v, 0)*(1+2*dualPart) {
				t.Errorf("%T: θ is larger of a part", g)
			}
		}
	}
}

func sub(a, b []float64) []float64 {
	d := append([]float64(nil), a...)
	for i, x := range b {
		d[i] -= x
	}
	return d
}

func sizeOf(g divisible) int { _, n := g.(Penalty).Size(); return n }
