package views_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// The width of Huber's loss is 1 where none is given.
func TestUsualWidth(t *testing.T) {
	x1, x2, _ := twoViews(10, 4, 3, 0.1, 1)
	var objectives []float64
	for _, width := range []float64{0, 1} {
		huber := task.Loss{Kind: task.Huber, Mu: width}
		v := &views.Task{Views: []views.View{{X: x1, Loss: huber}, {X: x2, Loss: huber}}}
		r, err := v.Fit(context.Background(), task.Options{Lambda: 1})
		if err != nil {
			t.Fatal(err)
		}
		objectives = append(objectives, r.Result.State.Cert.Objective)
	}
	if objectives[0] != objectives[1] {
		t.Errorf("%v", objectives)
	}
}

// A value that no constant of its type has is an error that names the field.
func TestUnknownValuesAreRefused(t *testing.T) {
	x1, x2, _ := twoViews(10, 4, 3, 0.1, 1)
	two := []views.View{{Name: "a", X: x1}, {Name: "b", X: x2}}
	odd := []views.View{{Name: "a", X: x1}, {Name: "b", X: x2, Loss: task.Loss{Kind: 99}}}
	for want, v := range map[string]views.Task{
		"Scale is 3": {Views: two, Scale: 3}, "Normalize is 3": {Views: two, Normalize: 3}, "Loss.Kind is 99": {Views: odd},
	} {
		if _, err := v.Fit(context.Background(), task.Options{Lambda: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
