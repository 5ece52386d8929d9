package task_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/cur"
	"github.com/seed-b18ef778/gcg/task/implicit"
	"github.com/seed-b18ef778/gcg/task/ranking"
	"github.com/seed-b18ef778/gcg/task/recovery"
	"github.com/seed-b18ef778/gcg/task/views"
)

// handmade are ratings of 5 users and items that change was made to.
func handmade(t *testing.T, change func(*dataset.Ratings)) *dataset.Ratings {
	t.Helper()
	var list []dataset.Rating
	for i := range 20 {
		list = append(list, dataset.Rating{User: fmt.Sprint("u", i%5), Item: fmt.Sprint("i", (i+i/5)%5), Value: float64(1 + i%3)})
	}
	r, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	change(r)
	return r
}

// Ratings whose parts do not go together are refused by every task of ratings, in whichever place they stand.
func TestRatingsMadeByHand(t *testing.T) {
	good := handmade(t, func(*dataset.Ratings) {})
	for want, bad := range map[string]*dataset.Ratings{
		"ratings need RowIDs": {Rows: []int32{0, 1}, Cols: []int32{0, 1}, Values: []float64{1, 2}},
		"3 values":            handmade(t, func(r *dataset.Ratings) { r.Values = r.Values[:3] }),
		"3 columns":           handmade(t, func(r *dataset.Ratings) { r.Cols = r.Cols[:3] }),
		"1 weights":           handmade(t, func(r *dataset.Ratings) { r.Omega = []float64{1} }),
		"1 offsets":           handmade(t, func(r *dataset.Ratings) { r.Offset = []float64{1} }),
		"row 77":              handmade(t, func(r *dataset.Ratings) { r.Rows[0] = 77 }),
	} {
		for place, prepare := range map[string]func() error{
			"completion": func() error { _, err := (&task.Completion{Train: bad}).Prepare(); return err },
			"test":       func() error { _, err := (&task.Completion{Train: good, Test: bad}).Prepare(); return err },
			"also seen": func() error {
				_, err := (&task.Completion{Train: good, Rated: task.RatedBoth, AlsoSeen: bad}).Prepare()
				return err
			},
			"implicit": func() error { _, err := (&implicit.Task{Train: bad, Alpha: 1}).Prepare(); return err },
			"valid":    func() error { _, err := (&implicit.Task{Train: good, Valid: bad, Alpha: 1}).Prepare(); return err },
			"recovery": func() error { _, err := (&recovery.Task{Train: good, Test: bad}).Prepare(); return err },
			"ranking":  func() error { _, err := (&ranking.Task{Ratings: &task.Completion{Train: bad}}).Prepare(); return err },
		} {
			if err := prepare(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v", place, want, err)
			}
		}
	}
}

// Fields that no fit can have are refused by their names.
func TestFieldsOutOfRange(t *testing.T) {
	good, ctx, opt := handmade(t, func(*dataset.Ratings) {}), context.Background(), task.Options{Lambda: 1}
	zeros := handmade(t, func(r *dataset.Ratings) { clear(r.Values) })
	x := &dataset.Matrix{Rows: 3, Cols: 2, Dense: []float64{1, 2, 3, 4, 5, 7}}
	completion := func(c task.Completion) error {
		c.Train = good
		_, err := c.Fit(ctx, opt)
		return err
	}
	linear := func(change func(*dataset.Rows)) error {
		r := &dataset.Rows{X: &dataset.Matrix{Rows: 3, Cols: 2, Ptr: []int64{0, 1, 2, 3}, Index: []int32{0, 1, 1},
			Values: []float64{1, 2, 3}}, Targets: &dataset.Matrix{Rows: 3, Cols: 1, Dense: []float64{1, 2, 4}}}
		change(r)
		_, err := (&task.Linear{Kind: task.MultiTask, Train: r}).Fit(ctx, opt)
		return err
	}
	for want, err := range map[string]error{
		"Ranking":    completion(task.Completion{Test: good, Ranking: []int{5, 2}}),
		"RatedShare": completion(task.Completion{Rated: task.RatedUsers, RatedShare: -1}),
		"Clip":       completion(task.Completion{Clip: task.Clip{Rule: task.ClipTo, Lo: 5, Hi: 1}}),
		"Labels are the two of a loss of signs, and the squared": completion(task.Completion{Labels: []string{"no", "yes"}}),
		"RatedShare is of the lists":                             completion(task.Completion{RatedShare: 0.5}),
		"only its Rule ClipTo reads":                             completion(task.Completion{Clip: task.Clip{Lo: 1, Hi: 5}}),
		"only the rules Power and Smoothed read":                 completion(task.Completion{Weights: task.Weights{Alpha: 0.5}}),
		"no ClipTo and no Labels": completion(task.Completion{Labels: []string{"no", "yes"},
			Own: func(y, omega []float64) gcg.Loss { return &loss.Squared{Y: y, Omega: omega} }}),
		"Lengths are of the lists": func() error {
			_, err := (&implicit.Task{Train: good, Alpha: 1, Lengths: []int{5}}).Prepare()
			return err
		}(),
		"Own makes":   completion(task.Completion{Own: func([]float64, []float64) gcg.Loss { return nil }}),
		"the task 5":  linear(func(r *dataset.Rows) { r.Tasks, r.Task = []string{"a"}, []int32{0, 5, 0} }),
		"rows: 4 off": linear(func(r *dataset.Rows) { r.X.Ptr[3] = 8 }),
		"Choosing": func() error {
			_, err := (&implicit.Task{Train: good, Alpha: 1, Choosing: -1}).Prepare()
			return err
		}(),
		"-9 rows": func() error { _, err := (&cur.Task{D: x, Rows: -9}).Fit(ctx, opt); return err }(),
		"-3 links": func() error {
			_, err := (&recovery.Graph{Edges: good}).Fit(ctx, opt, -3)
			return err
		}(),
		"no rating is above 0": func() error {
			_, err := (&ranking.Task{Ratings: &task.Completion{Train: zeros}}).Prepare()
			return err
		}(),
		"view 2: is no matrix": func() error { _, err := (&views.Task{Views: []views.View{{X: x}, {}}}).Prepare(); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
