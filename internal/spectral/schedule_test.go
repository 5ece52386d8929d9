package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// What is allowed beside three norms has the norm that is wanted, and where nothing is, it is 0.
func TestAllowed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		c, e, f := rng.Float64(), 0.3*rng.Float64(), 0.3*rng.Float64()
		least := linalg.Norm2(c, f, e, 0)
		w := least * (1 + rng.Float64())
		tau := allowed(c, e, f, w)
		if got := linalg.Norm2(c, f, e, tau); math.Abs(got/w-1) > 1e-12 {
			t.Fatalf("[%v %v; %v %v] has norm %v, not %v", c, f, e, tau, got, w)
		}
		if tau := allowed(c, e, f, c*(1-1e-3)); tau != 0 {
			t.Fatalf("%v is said to do though %v is more than is wanted", tau, c)
		}
	}
}

// An excess that halves with every step is looked at again when it has come down to the need, and not before the next step.
func TestBoundSchedule(t *testing.T) {
	var p boundSchedule
	bound := func(steps int) float64 { return 1 + math.Pow(0.5, float64(steps)) }
	if next := p.next(4, bound(4), 1, 1.001); next != 7 {
		t.Errorf("with nothing to go by the next bound is at %d", next)
	}
	if next := p.next(7, bound(7), 1, 1.003); next != 9 {
		t.Errorf("0.003 is reached at 9, the next bound is at %d", next)
	}
	for _, need := range []float64{1.001, 0.9, 0} {
		q := boundSchedule{4, bound(4) - 1}
		if next := q.next(7, bound(7), 1, need); next != 10 {
			t.Errorf("for %v the next bound is at %d", need, next)
		}
	}
	q := boundSchedule{7, 0.01}
	if next := q.next(10, math.Inf(1), 1, 1.1); next != 13 {
		t.Errorf("with no bound the next bound is at %d", next)
	}
	q = boundSchedule{16, 0.01}
	if next := q.next(20, 1.0001, 1, 1.002); next != 22 {
		t.Errorf("a need that is met lets the next bound come at %d", next)
	}
}
