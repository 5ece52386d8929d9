package implicit_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// What was listened to says what else is liked, without a rating.
func ExampleTask_Fit() {
	var clicks []dataset.Rating
	for _, heard := range []string{"Ann fugue mass motet", "Bob fugue mass motet", "Cyd fugue mass", "Dan riff solo",
		"Eva riff solo"} {
		words := strings.Fields(heard)
		for _, item := range words[1:] {
			clicks = append(clicks, dataset.Rating{User: words[0], Item: item, Value: 1})
		}
	}
	train, err := dataset.FromSlice(clicks)
	if err != nil {
		log.Fatal(err)
	}
	t := &implicit.Task{Train: train, Alpha: 10}
	r, err := t.Fit(context.Background(), task.Options{LambdaRatio: 0.1})
	if err != nil {
		log.Fatal(err)
	}
	lists := model.NewRecommender(r.Model, 1)
	lists.LeaveOut(train, lists.Users())
	best, err := lists.User("Cyd")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lists.Items().Text(best[0].Item))
	// Output: motet
}
