package model_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// tastes is a model of rank one: how much each of three users likes each of four items.
func tastes() *model.Model {
	return &model.Model{Problem: "completion", Rows: 3, Cols: 4, Rank: 1, U: []float64{0.6, 0.8, 0},
		V: []float64{0.5, 0.5, -0.5, 0.5},
		S: []float64{2}, Global: 3, ColOffset: []float64{0, 0.5, 0, -0.5}, RowIDs: []string{"ann", "bob", "cid"},
		ColIDs: []string{"tea", "milk", "rum", "rye"}, Info: model.Info{Lambda: 0.1}}
}

// From ratings to a list of what to offer: fit, make a model, name its rows and columns.
func ExampleOf() {
	op, err := operator.NewSampling(3, 3, []int64{0, 2, 4, 6}, []int32{0, 1, 0, 1, 1, 2}) // each of three users rated two items
	if err != nil {
		log.Fatal(err)
	}
	const mean = 3
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{2, -1, 1, -1, -2, 1}}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 0.1}}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Tol: 1e-6,
		Improver: &fixedrank.Local{}})
	if err != nil {
		log.Fatal(err)
	}
	m, err := model.Of("completion", r.State.W)
	if err != nil {
		log.Fatal(err)
	}
	m.Global, m.RowIDs, m.ColIDs = mean, []string{"ann", "bob", "cid"}, []string{"tea", "rum", "rye"}
	for _, best := range m.Top(0, 1, []int32{0, 1}) { // what ann has not rated
		fmt.Printf("ann: %s %.1f\n", m.ColIDs[best.Item], best.Score)
	}
	// Output: ann: rye 3.5
}

// Predictions of single entries, and the best items that a user has not seen.
func ExampleModel_Top() {
	m := tastes()
	fmt.Printf("bob, rum: %.2f\n", m.Predict(1, 2))
	for _, r := range m.Top(1, 2, []int32{0}) {
		fmt.Printf("%s %.2f\n", m.ColIDs[r.Item], r.Score)
	}
	// Output:
	// bob, rum: 2.20
	// milk 4.30
	// rye 3.30
}

// A user that the model has not seen: one small ridge problem with the items' factors fixed.
func ExampleModel_FoldIn() {
	m := tastes()
	best, err := m.FoldIn([]int32{0, 2}, []float64{4, 2}, 2) // likes tea, not rum
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range best {
		fmt.Printf("%s %.2f\n", m.ColIDs[r.Item], r.Score)
	}
	// Output:
	// milk 4.41
	// rye 3.41
}

// A model is one file.
func ExampleLoad() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	if err := tastes().Write(&b); err != nil {
		log.Fatal(err)
	}
	name := filepath.Join(dir, "tastes.gcg")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	m, err := model.Load(name)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d×%d of rank %d; ann, tea: %.2f\n", m.Rows, m.Cols, m.Rank, m.Predict(0, 0))
	// Output: 3×4 of rank 1; ann, tea: 3.60
}
