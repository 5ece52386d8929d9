package task_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/task"
)

// Features of scales that differ a thousandfold are standardized where that is left open, those of like scales are not, and a
// given choice stands.
func TestStandardizesUnevenFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		scale             float64
		auto, given, want bool
	}{{1000, true, false, true}, {5, true, false, false}, {1000, false, false, false}, {1, false, true, true}} {
		x, y := make([][]float64, 60), make([]float64, 60)
		for i := range x {
			x[i] = []float64{rng.NormFloat64(), c.scale * rng.NormFloat64(), 7}
			y[i] = x[i][0] + x[i][1]/c.scale + 0.1*rng.NormFloat64()
		}
		rows := targetsOf(t, x, y...)
		l := &task.Linear{Kind: task.Regression, Train: rows, AutoStandardize: c.auto, Standardize: c.given}
		p, err := l.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		if p.Standardized() != c.want || p.Uneven() != (c.scale > 100 && !c.want) {
			t.Errorf("%+v: standardized %v, uneven %v, spread %v", c, p.Standardized(), p.Uneven(), p.Spread())
		}
		if got := rows.X.Dense[1]; got != x[0][1] {
			t.Errorf("%+v: the rows of the caller were changed", c)
		}
	}
}
