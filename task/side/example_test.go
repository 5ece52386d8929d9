package side_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/side"
)

// An item that nobody rated is ranked by its features: Ann likes what is sweet.
func ExampleInformation() {
	ids := &dataset.IDs{}
	var sweet []string
	var rated []dataset.Rating
	for _, x := range []struct {
		item, taste string
		ann, bob    float64
	}{{"honey", "sweet", 5, 1}, {"jam", "sweet", 5, 2}, {"fudge", "sweet", 4, 1}, {"olive", "salty", 1, 5}, {"crisps", "salty",
		2, 5},
		{"feta", "salty", 1, 4}, {"toffee", "sweet", 0, 0}, {"caper", "salty", 0, 0}} {
		ids.Add([]byte(x.item))
		sweet = append(sweet, x.taste)
		if x.ann > 0 {
			rated = append(rated, dataset.Rating{User: "Ann", Item: x.item, Value: x.ann},
				dataset.Rating{User: "Bob", Item: x.item, Value: x.bob})
		}
	}
	train, err := dataset.FromSlice(rated)
	if err != nil {
		log.Fatal(err)
	}
	words, rows := make([][]string, len(sweet)), make([]int32, len(sweet))
	for i, w := range sweet {
		words[i], rows[i] = []string{w}, int32(i)
	}
	items := &features.Table{Name: "items", IDs: ids, Columns: []features.Column{{Name: "taste", Rows: rows, Words: words}}}
	c := &task.Completion{Train: train, Side: &side.Information{Items: items}}
	r, err := c.Fit(context.Background(), task.Options{LambdaRatio: 0.05})
	if err != nil {
		log.Fatal(err)
	}
	best := model.NewRecommender(r.Model, 1)
	best.LeaveOut(train, best.Users())
	list, err := best.User("Ann")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best.Items().Text(list[0].Item))
	// Output: toffee
}
