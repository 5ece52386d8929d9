package spca_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/spca"
)

// A path and a cross-validation that are cancelled return what they have, and an error that says so.
func TestPathsAreCancelled(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	x := &dataset.Matrix{Rows: 30, Cols: 5, Dense: make([]float64, 150)}
	for e := range x.Dense {
		x.Dense[e] = rng.NormFloat64() * float64(1+e%5)
	}
	p, err := (&spca.Task{Features: x, Name: "x"}).Prepare(task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	met := 0
	all, err := p.Path(ctx, spca.Grid{Points: 8}, func(*spca.Point) {
		if met++; met == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(all) != 3 {
		t.Errorf("path: %d points, %v", len(all), err)
	}
	if all, err := p.Path(ctx, spca.Grid{Points: 8}, nil); !errors.Is(err, context.Canceled) || len(all) > 0 {
		t.Errorf("a path that is cancelled at once: %d points, %v", len(all), err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	all, err = p.CrossValidate(ctx, spca.Grid{Points: 4}, 3, func(fold int, _ *spca.Point) {
		if fold == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(all) != 1 || all[0].Held != 3 {
		t.Errorf("cross-validation: %d points, %v", len(all), err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if all, err := p.CrossValidate(ctx, spca.Grid{Points: 4}, 3, nil); len(all) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a cross-validation that is cancelled at once: %d points, %v", len(all), err)
	}
}

// Where ctx ends between two components, the first is the result, with a warning and the error.
func TestComponentsAreCancelled(t *testing.T) {
	c := &dataset.Matrix{Rows: 3, Cols: 3, Dense: []float64{4, 3, 0, 3, 4, 0, 0, 0, 2}}
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	opt := task.Options{Lambda: 0.3, Run: solver.Options{Event: func(e solver.Event) {
		if e.Iter == 0 {
			runs++
		}
		if e.Status == solver.Converged && runs == 1 {
			cancel()
		}
	}}}
	r, err := (&spca.Task{Covariance: c, Name: "c", Components: 2}).Fit(ctx, opt)
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Components) != 1 {
		t.Fatalf("%d runs: %+v, %v", runs, r, err)
	}
	if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].String(), "1 of 2 components: an interrupt") {
		t.Errorf("%v", r.Warnings)
	}
}
