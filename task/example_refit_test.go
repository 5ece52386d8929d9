package task_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A refit with new ratings starts from the model of the old ones. The certificate of the start says how far this is from the
// new optimum: whether to bother.
func ExampleCompletion_Fit_warm() {
	var ratings []dataset.Rating
	rate := func(user, item int) {
		liking := math.Sin(float64(user))*math.Cos(float64(3*item)) + 0.5*math.Cos(float64(5*user*item))
		ratings = append(ratings, dataset.Rating{User: fmt.Sprint("u", user), Item: fmt.Sprint("i", item),
			Value: math.Round(3 + 2*liking)})
	}
	for user := range 200 {
		for item := user % 3; item < 60; item += 3 {
			rate(user, item)
		}
	}
	fit := func(warm *model.Model) *task.CompletionResult {
		train, err := dataset.FromSlice(ratings)
		if err != nil {
			log.Fatal(err)
		}
		c := &task.Completion{Train: train, Center: dataset.GlobalMean, Warm: warm}
		r, err := c.Fit(context.Background(), task.Options{Lambda: 15, Run: solver.Options{Tol: 1e-4}})
		if err != nil {
			log.Fatal(err)
		}
		return r
	}
	var file bytes.Buffer // what a program keeps over night
	if err := fit(nil).Model.Write(&file); err != nil {
		log.Fatal(err)
	}
	for user := range 40 { // the next day
		rate(5*user, (5*user+1)%60)
	}
	rate(200, 7) // a new user
	old, err := model.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	cold, warm := fit(nil), fit(old)
	fmt.Printf("from W = 0: gap %.0f %%, iterations %d\n", 100*cold.Began.Relative, cold.Result.Iter)
	fmt.Printf("from the model: gap %.0f %%, iterations %d\n", 100*warm.Began.Relative, warm.Result.Iter)
	// Output:
	// from W = 0: gap 37 %, iterations 2
	// from the model: gap 1 %, iterations 1
}
