package task_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
)

// From a slice of ratings to what to offer whom.
func ExampleCompletion() {
	users, films := []string{"ann", "bob", "cid", "dot"}, []string{"Alien", "Brazil", "Casablanca", "Dune", "Emma"}
	var list []dataset.Rating
	for u, row := range [][]float64{{5, 4, 1, 0, 0}, {4, 5, 0, 5, 0}, {1, 0, 5, 0, 5}, {0, 0, 5, 2, 4}} { // 0 is not rated
		for f, value := range row {
			if value > 0 {
				list = append(list, dataset.Rating{User: users[u], Item: films[f], Value: value})
			}
		}
	}
	ratings, err := dataset.FromSlice(list)
	if err != nil {
		log.Fatal(err)
	}
	c := &task.Completion{Train: ratings, Center: dataset.GlobalMean}
	fit, err := c.Fit(context.Background(), task.Options{Lambda: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	lists := model.NewRecommender(fit.Model, 1)
	lists.LeaveOut(ratings, nil)
	for _, user := range users {
		best, err := lists.User(user)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s %.1f\n", user, fit.Model.ColIDs[best[0].Item], best[0].Score)
	}
	// Output:
	// ann: Dune 4.9
	// bob: Emma 3.8
	// cid: Brazil 3.8
	// dot: Alien 3.4
}
