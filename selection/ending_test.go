package selection

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// A path ends where the error rose, fell by less than is worth, or fell so much less than before that it will rise; a fall that
// slows while it is large, and one of a fitting without Worth, go on.
func TestPathEndsBeforeTheRise(t *testing.T) {
	for _, c := range []struct {
		worth  float64
		errors []float64
		tried  int
	}{
		{0.01, []float64{0.848, 0.817, 0.767, 0.726, 0.697, 0.686, 0.717}, 6}, // falls by 0.029, by 0.011
		{0, []float64{0.848, 0.817, 0.767, 0.726, 0.697, 0.686, 0.717, 0.8}, 7},
		{0.01, []float64{0.9, 0.8, 0.77, 0.74, 0.7, 0.699, 0.6}, 6},    // falls by 0.03 after 0.1, and ends where it falls by 0.001
		{0.01, []float64{0.7, 0.69, 0.675, 0.66, 0.65, 0.64, 0.63}, 7}, // falls evenly
	} {
		s := &pathSearch{fitting: &Fitting{Worth: c.worth}, least: math.Inf(1), last: math.NaN()}
		over := (&Race{Options: Options{Points: 40}}).ends(s)
		for i, x := range c.errors {
			p := Point{Scores: Scores{{Name: "1-NDCG", Value: x}}}
			s.note(&p, &gcg.State{Loss: 1 - 0.1*float64(i)})
			if s.points = append(s.points, p); over() {
				break
			}
		}
		if len(s.points) != c.tried {
			t.Errorf("%v, worth %v: %d λ were tried, not %d", c.errors, c.worth, len(s.points), c.tried)
		}
	}
}

// A path that may fall late ends where its parabola levels off, and goes on where it still falls by more or is not ahead. What is
// measured after it lies on the side where the parabola is least.
func TestLatePathEndsWhereItLevelsOff(t *testing.T) {
	for _, c := range []struct {
		plain   float64
		errors  []float64
		tried   int
		fallsOn bool
	}{
		{0.9, []float64{0.95, 0.8854, 0.8545, 0.8358, 0.8319}, 4, true},   // 0.0066 is predicted, and 0.0084 is worth it
		{0.8, []float64{0.95, 0.8854, 0.8545, 0.8358, 0.8319}, 5, false},  // a usual model is better so far
		{0.9, []float64{0.95, 0.93, 0.906, 0.8826, 0.8742}, 5, false},     // the last falls little, and lies near the minimum
		{0.9, []float64{0.95, 0.89, 0.84, 0.8, 0.77, 0.748}, 6, true},     // falls evenly
		{0.9, []float64{0.95, 0.93, 0.88, 0.878, 0.877, 0.875}, 4, false}, // falls by too little
	} {
		s := &pathSearch{fitting: &Fitting{Worth: 0.005, Late: true, Plain: c.plain}, least: math.Inf(1), last: math.NaN()}
		over := (&Race{Options: Options{Points: 40}}).ends(s)
		for i, x := range c.errors {
			p := Point{Scores: Scores{{Name: "RMSE", Value: x}}}
			p.Status = solver.Converged
			s.note(&p, &gcg.State{Loss: 1 - 0.1*float64(i)})
			if s.points = append(s.points, p); over() {
				break
			}
		}
		if on := s.curve().fallsOn(); len(s.points) != c.tried || on != c.fallsOn {
			t.Errorf("%v: %d λ were tried, not %d, and the next is tried: %v", c.errors, len(s.points), c.tried, on)
		}
	}
}
