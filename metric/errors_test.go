package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// Errors 1, -2 and 0.5: squares 1 + 4 + 0.25, absolute values 1 + 2 + 0.5, over the range 1 … 5.
func TestErrorsByHand(t *testing.T) {
	var e Errors
	e.Add(4, 3)
	e.Add(1, 3)
	e.Add(5, 4.5)
	near(t, "RMSE", e.RMSE(), math.Sqrt(5.25/3))
	near(t, "MAE", e.MAE(), 3.5/3)
	near(t, "NMAE", e.NMAE(1, 5), 3.5/12)
	if e.N() != 3 {
		t.Errorf("%d predictions", e.N())
	}
}

func TestErrorsOfNothing(t *testing.T) {
	var e Errors
	near(t, "RMSE of none", e.RMSE(), 0)
	near(t, "MAE of none", e.MAE(), 0)
	e.Add(2, 1)
	near(t, "NMAE without a range", e.NMAE(3, 3), 0)
}

// NMAE does not depend on the scale of the ratings, and no error is less than the mean one squared.
func TestErrorsScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var e, scaled Errors
	for range 500 {
		p, x := rng.NormFloat64(), rng.NormFloat64()
		e.Add(p, x)
		scaled.Add(20*p+3, 20*x+3)
	}
	near(t, "NMAE of scaled ratings", scaled.NMAE(-57, 63), e.NMAE(-3, 3))
	near(t, "RMSE of scaled ratings", scaled.RMSE(), 20*e.RMSE())
	if e.MAE() > e.RMSE() {
		t.Errorf("MAE %g above RMSE %g", e.MAE(), e.RMSE())
	}
}
