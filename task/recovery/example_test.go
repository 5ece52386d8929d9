package recovery_test

import (
	"context"
	"fmt"
	"log"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

// Two circles of friends, each with one pair that is not known to be friends: these pairs come first.
func ExampleGraph_Fit() {
	var known []dataset.Rating
	for _, circle := range [][]string{{"Ann", "Bob", "Cyd", "Dan"}, {"Eva", "Fay", "Gus", "Hal"}} {
		for i, a := range circle {
			for _, b := range circle[i+1:] {
				if a != circle[0] || b != circle[3] {
					known = append(known, dataset.Rating{User: a, Item: b, Value: 1})
				}
			}
		}
	}
	edges, err := dataset.FromSlice(known)
	if err != nil {
		log.Fatal(err)
	}
	g := &recovery.Graph{Edges: edges}
	r, err := g.Fit(context.Background(), task.Options{LambdaRatio: 0.2}, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range r.Links {
		fmt.Println(l.From, l.To)
	}
	// Unordered output:
	// Ann Dan
	// Eva Hal
}
