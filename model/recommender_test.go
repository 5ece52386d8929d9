package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Lists by ids are those of rows, for one user as for everybody; what was seen is in none.
func TestRecommender(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const rows, cols, n = 300, 12, 3
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = rng.NormFloat64() * 2
	}
	m := thresholdedModel(x, rows, cols, 0.5)
	m.RowIDs, m.ColIDs = nil, nil
	r := NewRecommender(m, n)
	seen, err := dataset.FromSlice([]dataset.Rating{{User: "2", Item: "3"}, {User: "2", Item: "1"}, {User: "nobody", Item: "1"},
		{User: "3", Item: "nothing"}})
	if err != nil {
		t.Fatal(err)
	}
	if met := r.LeaveOut(seen, nil); met != 1 {
		t.Errorf("items of %d users are left out", met)
	}
	i := 0
	err = r.Everybody(context.Background(), func(user string, list []Recommendation) error {
		out := []int32(nil)
		if user == "2" {
			out = []int32{0, 2}
		}
		one, err := r.User(user)
		if user != strconv.Itoa(i+1) || err != nil || !slices.Equal(list, one) || !slices.Equal(list, m.Top(i, n, out)) {
			t.Errorf("user %s: %v and %v, %v", user, list, one, err)
		}
		i++
		return nil
	})
	if err != nil || i != rows {
		t.Errorf("%d users, %v", i, err)
	}
	if _, err := r.User("nobody"); err == nil || r.Knows("nobody") || !r.Knows("300") {
		t.Errorf("an unknown user: %v", err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Everybody(gone, func(string, []Recommendation) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// New users are folded in from what the model knows of their ratings; what they have seen is left out for them alone.
func TestRecommenderOfNewUsers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const rows, cols = 20, 9
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = rng.NormFloat64() * 2
	}
	m := thresholdedModel(x, rows, cols, 0.5)
	m.RowIDs, m.ColIDs, m.Info.Lambda = nil, nil, 0.5
	r := NewRecommender(m, cols)
	fresh, err := dataset.FromSlice([]dataset.Rating{{User: "ann", Item: "nothing", Value: 3}, {User: "ann", Item: "5", Value: 2},
		{User: "bob", Item: "nothing", Value: 2},
		{User: "ann", Item: "2", Value: -1}})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := dataset.FromSlice([]dataset.Rating{{User: "ann", Item: "7"}, {User: "1", Item: "2"}})
	if err != nil {
		t.Fatal(err)
	}
	if met := r.LeaveOut(seen, fresh.RowIDs); met != 1 {
		t.Errorf("items of %d new users are left out", met)
	}
	users, err := r.NewUsers(fresh)
	if err != nil || len(users) != 2 || users[0].ID != "ann" || users[0].Unknown != 1 || len(users[1].Cols) != 0 ||
		users[1].Unknown != 1 {
		t.Fatalf("%+v, %v", users, err)
	}
	want, err := m.FoldIn([]int32{1, 4}, []float64{-1, 2}, cols, 6)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.FoldIn(users[0])
	if err != nil || len(got) != cols-3 {
		t.Fatalf("%v, %v", got, err)
	}
	for k := range got {
		if d := got[k].Score - want[k].Score; got[k].Item != want[k].Item || d > 1e-9 || d < -1e-9 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if list, err := r.FoldIn(users[1]); err != nil || len(list) != cols {
		t.Errorf("of nothing known: %v, %v", list, err)
	}
	twice, _ := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "1", Value: 1}, {User: "a", Item: "1", Value: 2}})
	if _, err := r.NewUsers(twice); !errors.Is(err, dataset.ErrDuplicate) {
		t.Errorf("an item rated twice: %v", err)
	}
}

// Ratings by the ids of a model are predicted by its rows and columns.
func TestAlign(t *testing.T) {
	m := &Model{Rows: 2, Cols: 2, RowIDs: []string{"a", "b"}, ColIDs: []string{"x", "y"}}
	r, err := dataset.FromSlice([]dataset.Rating{{User: "b", Item: "y", Value: 1}, {User: "c", Item: "x", Value: 2},
		{User: "a", Item: "z", Value: 3}})
	if err != nil {
		t.Fatal(err)
	}
	at := m.Align(r)
	if !slices.Equal(at.Rows, []int32{1, -1, 0}) || !slices.Equal(at.Cols, []int32{1, 0, -1}) || at.Unknown() != 2 ||
		!slices.Equal(at.Values, r.Values) || at.Shape != [2]int{2, 2} {
		t.Errorf("rows %v, columns %v of %v", at.Rows, at.Cols, at.Shape)
	}
	if !slices.Equal(r.Rows, []int32{0, 1, 2}) {
		t.Errorf("the ratings themselves: %v", r.Rows)
	}
}

// Clicks of new users add up, each one where it has no count, and the Gram matrix of the items is the same for all users.
func TestRecommenderOfNewClicks(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 5))
	x := make([]float64, 20*9)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	m := thresholdedModel(x, 20, 9, 0.5)
	m.Info.Alpha, m.Info.Background = 4, 0.5
	r := NewRecommender(m, 9)
	clicks, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "2", Value: 1}, {User: "b", Item: "3", Value: 1},
		{User: "a", Item: "2", Value: 1}, {User: "a", Item: "8", Value: 1}, {User: "b", Item: "none", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, counted := range []bool{true, false} {
		if clicks.NoValues = !counted; !counted {
			clear(clicks.Values)
		}
		users, err := r.NewUsers(clicks)
		if err != nil || len(users) != 2 || users[1].Unknown != 1 {
			t.Fatalf("%+v, %v", users, err)
		}
		for k, of := range []NewUser{{Cols: []int32{1, 7}, Values: []float64{2, 1}}, {Cols: []int32{2}, Values: []float64{1}}} {
			want, err := m.FoldIn(of.Cols, of.Values, 9)
			got, err2 := r.FoldIn(users[k])
			if err != nil || err2 != nil || len(got) != len(want) {
				t.Fatalf("%v, %v; %d and %d items", err, err2, len(got), len(want))
			}
			for at := range got {
				if d := got[at].Score - want[at].Score; got[at].Item != want[at].Item || d > 1e-12 || d < -1e-12 {
					t.Errorf("%v, want %v", got, want)
				}
			}
		}
	}
}

// Several goroutines may fold clicks in at once, which share a Gram matrix; of the race detector.
func TestRecommenderFoldsInAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	x := make([]float64, 20*9)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	m := thresholdedModel(x, 20, 9, 0.5)
	m.Info.Alpha, m.Info.Background = 4, 0.5
	r, lists := NewRecommender(m, 9), make([][]Recommendation, 8)
	var all sync.WaitGroup
	for k := range lists {
		all.Go(func() {
			var err error
			if lists[k], err = r.FoldIn(NewUser{Cols: []int32{1, 7}, Values: []float64{2, 1}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, list := range lists {
		if len(list) == 0 || !slices.Equal(list, lists[0]) {
			t.Errorf("%v, and %v", lists[0], list)
		}
	}
}
