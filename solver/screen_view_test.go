package solver

import (
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// A screen passes on the columns and the intercepts of its operator, and nothing that would reckon with features that are left
// out.
func TestScreenPassesOn(t *testing.T) {
	x, err := operator.DenseFeatures(3, 2, []float64{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewTasks(x, []int32{0, 1, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{1, 2, 3}}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
	q, c, err := screened(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := view.OfOperator(q.Operator), (view.OperatorCapabilities{Columns: c, Intercepts: c}); got != want {
		t.Errorf("a screen offers %+v, not %+v", got, want)
	}
	if got, want := q.InterceptMap(), p.InterceptMap(); got.Count != want.Count || got.At(1) != want.At(1) ||
		got.At(2) != want.At(2) {
		t.Errorf("the constants of observations are %+v, not %+v", got, want)
	}
}
