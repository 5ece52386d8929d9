package task_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// A split is worth the same as its parts as two data: sizes, smoothed weights and lists are of the training part.
func TestSplitIsTwoParts(t *testing.T) {
	rng, list := rand.New(rand.NewPCG(3, 8)), []dataset.Rating(nil)
	for i := range 60 {
		for j := range 50 {
			if rng.Float64() < 0.08 {
				list = append(list, dataset.Rating{User: fmt.Sprint("u", i), Item: fmt.Sprint("i", j), Value: float64(1 + rng.IntN(5))})
			}
		}
	}
	all, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	split := dataset.Split{Fraction: 0.2, Seed: 1}
	in, out, err := split.Parts(all)
	if err != nil {
		t.Fatal(err)
	}
	var parts [2]*dataset.Ratings
	for k, index := range [][]int32{in, out} {
		var some []dataset.Rating
		for _, e := range index {
			some = append(some, list[e])
		}
		if parts[k], err = dataset.FromSlice(some); err != nil {
			t.Fatal(err)
		}
	}
	opt := task.Options{Lambda: 30, Run: solver.Options{Tol: 1e-6}}
	fitted := func(c *task.Completion) *task.CompletionResult {
		c.Weights, c.Ranking, c.Center = task.Weights{Rule: task.Smoothed, Alpha: 0.5}, []int{5}, dataset.NoCentre
		res, err := c.Fit(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	a, b := fitted(&task.Completion{Train: all, Split: split}), fitted(&task.Completion{Train: parts[0], Test: parts[1]})
	if a.Model.Rows != b.Model.Rows || a.Result.State.Cert.Objective != b.Result.State.Cert.Objective ||
		!reflect.DeepEqual(a.Scores, b.Scores) {
		t.Errorf("a split: %d rows, %v, %+v; two files: %d rows, %v, %+v", a.Model.Rows, a.Result.State.Cert.Objective, a.Scores,
			b.Model.Rows, b.Result.State.Cert.Objective, b.Scores)
	}
	clicks := func(f *implicit.Task) *implicit.Result {
		f.Alpha, f.Lengths = 1, []int{5}
		res, err := f.Fit(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	c, d := clicks(&implicit.Task{Train: all, Split: split}), clicks(&implicit.Task{Train: parts[0], Test: parts[1]})
	if c.Model.Rows != d.Model.Rows || !reflect.DeepEqual(c.Ranked, d.Ranked) {
		t.Errorf("a split of clicks: %d rows, %+v; two files: %d, %+v", c.Model.Rows, c.Ranked, d.Model.Rows, d.Ranked)
	}
}
