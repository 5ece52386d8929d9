package views_test

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

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
