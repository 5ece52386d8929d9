package selection_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/selection"
)

// With X = I the lasso is w_j = sign(y_j) max(|y_j| - λ, 0): a path keeps the largest of these, and none where none are asked
// for.
func TestLargestCoefficients(t *testing.T) {
	s := &rows{p: 5, x: make([]float64, 25), y: []float64{1, -4, 0.5, 3, -2}}
	for j := range 5 {
		s.x[6*j] = 1
	}
	f, err := s.Whole()
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{0, 2, 9} {
		c, err := selection.Path(context.Background(), f, selection.Options{Points: 4, Ratio: 0.1, Largest: most})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.Points {
			if len(p.Largest) != min(most, p.Size.Count()) {
				t.Errorf("%d of %d nonzeros at λ = %v, %d were asked for", len(p.Largest), p.Size.Count(), p.Lambda, most)
			}
			for k, e := range p.Largest {
				j := []int{1, 3, 4, 0, 2}[k]
				want := math.Copysign(math.Abs(s.y[j])-p.Lambda, s.y[j])
				if int(e.Row) != j || e.Col != 0 || math.Abs(e.Value-want) > 1e-6 {
					t.Errorf("λ = %v: %+v, want %v of feature %d", p.Lambda, e, want, j)
				}
			}
		}
	}
}
