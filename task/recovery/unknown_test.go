package recovery_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

// A value that no constant of its type has is an error that names the field.
func TestUnknownValuesAreRefused(t *testing.T) {
	for want, q := range map[string]recovery.Task{
		"Cone is 3": {Cone: 3}, "Cone is -1": {Cone: -1}, "Normalize is 3": {Normalize: 3}, "duplicates is 3": {Duplicates: 3},
		"Loss.Kind is 99": {Loss: task.Loss{Kind: 99}}, "poisson loss is of rows": {Loss: task.Loss{Kind: task.Poisson}},
	} {
		q.Train = paper(10, 0.5, 9)
		if _, err := q.Prepare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Entries whose squares are 0 in float64 end with finite numbers or an error, with λκ²/2, too.
func TestTinyEntriesWithSquare(t *testing.T) {
	for _, scale := range []float64{1e-170, 1e-200} {
		train := paper(10, 0.5, 9)
		for e := range train.Values {
			train.Values[e] *= scale
		}
		q := recovery.Task{Train: train}
		r, err := q.Fit(context.Background(), task.Options{Lambda: 1e-3, Square: true})
		if err == nil && !(math.Abs(r.Model.Predict(0, 0)) < 1) {
			t.Errorf("%g: %v", scale, r.Model.Predict(0, 0))
		}
	}
}
