package firstorder_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/firstorder"
)

func TestBalance(t *testing.T) {
	plain := firstorder.Balance{Apart: 3, By: 2, Far: 100, Most: 1e4}
	for _, c := range []struct{ primal, dual, want float64 }{
		{1, 1, 1}, {3, 1, 1}, {4, 1, 2}, {1, 4, 0.5}, {400, 1, 20}, {1, 400, 0.05}, {1, 0, 100}, {0, 1, 0.01}, {0, 0, 1},
		{math.NaN(), 1, 1},
	} {
		if got := plain.Factor(c.primal, c.dual); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("residuals %v and %v: the factor is %v, want %v", c.primal, c.dual, got, c.want)
		}
	}
	resting := firstorder.Balance{Apart: 3, By: 2, Rest: true}
	if up, down, again := resting.Factor(4, 1), resting.Factor(1, 4), resting.Factor(4, 1); up != 2 || down != 0.5 || again != 1 {
		t.Errorf("to and fro the factors are %v, %v and %v", up, down, again)
	}
	fading := firstorder.Balance{Apart: 3, By: 2, Fade: 0.5}
	if first, second := fading.Factor(4, 1), fading.Factor(4, 1); first != 2 || math.Abs(second-math.Sqrt2) > 1e-15 {
		t.Errorf("the factors are %v and %v, want 2 and √2", first, second)
	}
}
