package views_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// What the components of a view explain adds up to what all its predictions do, of the entries that are not missing; features
// count by their scaled units. A logistic view has none.
func TestExplained(t *testing.T) {
	x1, x2, _ := twoViews(40, 12, 9, 0.3, 1)
	x1 = without(x1, 0.2, 3)
	for i := range x2.Rows {
		x2.Dense[i*9] *= 1000
	}
	r := fit(t, &views.Task{Views: []views.View{{Name: "a", X: x1}, {Name: "b", X: x2}}, Scale: views.Standardised}, 4, 1e-6)
	e, err := views.NewEncoder(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for v, x := range []*dataset.Matrix{x1, x2} {
		parts, p := e.Explained(v, x, e.Training()), e.Predict(v, e.Training())
		var left, all, sum float64
		for i, y := range x.Dense {
			if math.IsNaN(y) {
				continue
			}
			scale, offset := r.Model.RowScale[row+i%x.Cols], r.Model.RowOffset[row+i%x.Cols]
			left += math.Pow((y-p.Dense[i])/scale, 2)
			all += math.Pow((y-offset)/scale, 2)
		}
		for _, part := range parts {
			sum += part
		}
		if len(parts) != r.Model.Rank || math.Abs(sum-(1-left/all)) > 1e-9 || sum < 0.5 || parts[0] <= 0 {
			t.Errorf("view %d: %v, of together %v", v, parts, 1-left/all)
		}
		if d := e.Dictionary(v); d.Rows != x.Cols || d.Cols != r.Model.Rank {
			t.Errorf("view %d: a dictionary of %d×%d", v, d.Rows, d.Cols)
		}
		row += x.Cols
	}
	signs := &dataset.Matrix{Rows: 40, Cols: 9, Dense: make([]float64, 360)}
	for i, x := range x2.Dense {
		signs.Dense[i] = (math.Copysign(1, x) + 1) / 2
	}
	r = fit(t, &views.Task{Views: []views.View{{Name: "a", X: x1}, {Name: "b", X: signs, Loss: task.Loss{Kind: task.Logistic}}}}, 4,
		1e-4)
	if e, err = views.NewEncoder(r.Model); err != nil || e.Explained(1, signs, e.Training()) != nil {
		t.Errorf("of signs something is explained, %v", err)
	}
}
