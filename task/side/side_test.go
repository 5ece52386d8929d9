package side_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator/inductive"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/side"
)

// tableOf reads a file of features of this text.
func tableOf(t *testing.T, text string) *features.Table {
	t.Helper()
	name := filepath.Join(t.TempDir(), "features.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := features.Reader{}.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// described are ratings of 30 users and 20 items by what their features say, and files of these with two more users and items.
// The files end with one that has the features of the first.
func described(t *testing.T) (train *dataset.Ratings, users, items *features.Table) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	kind := func(i int) string { return string(rune('a' + i%3)) }
	u, v := "user,kind,age\n", "item,genre,year\n"
	for i := range 30 {
		u += fmt.Sprintf("u%d,%s,%d\n", i, kind(i), 20+i)
	}
	for j := range 20 {
		v += fmt.Sprintf("i%d,%s,%d\n", j, kind(j), 1990+j/3)
	}
	u += "new,b,\nlike0,a,20\n"
	v += "fresh,c,1992\nlike0,a,1990\n"
	train = &dataset.Ratings{Name: "ratings", RowIDs: &dataset.IDs{}, ColIDs: &dataset.IDs{}}
	for i := range 30 {
		for j := range 20 {
			if rng.IntN(3) > 0 {
				continue
			}
			x := 3 + float64(i%3)*float64(j%3-1) + 0.3*rng.NormFloat64()
			train.Rows = append(train.Rows, train.RowIDs.Add([]byte(fmt.Sprintf("u%d", i))))
			train.Cols = append(train.Cols, train.ColIDs.Add([]byte(fmt.Sprintf("i%d", j))))
			train.Values = append(train.Values, x)
		}
	}
	train.Shape = [2]int{train.RowIDs.Len(), train.ColIDs.Len()}
	return train, tableOf(t, u), tableOf(t, v)
}

// fit fits a completion to a tight certificate.
func fit(t *testing.T, c *task.Completion, lambda float64) *task.CompletionResult {
	t.Helper()
	r, err := c.Fit(context.Background(), task.Options{Lambda: lambda, Run: solver.Options{Tol: 1e-7}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Result.Status != solver.Converged {
		t.Fatalf("%s at a gap of %v", r.Result.Status, r.Result.State.Cert.Relative)
	}
	return r
}

// The prediction of a user and an item without ratings is f_iᵀ W_FG g_j in the coordinates of the solution, whether they were
// known when the model was fitted or came later, and after the model was saved.
func TestPredictsByFeatures(t *testing.T) {
	for _, weights := range []task.Weights{{Rule: task.NoWeights}, {Rule: task.Power, Alpha: 0.5}} {
		train, users, items := described(t)
		c := &task.Completion{Train: train, Side: &side.Information{Users: users, Items: items, Weight: 4}, Center: dataset.GlobalMean,
			Weights: weights, Clip: task.Clip{Rule: task.NoClip}}
		r := fit(t, c, 0.5)
		m := reread(t, r.Model)
		w := r.Result.State.W
		left, right := r.Fitting.Problem.Operator.(*inductive.Operator).Times(w.U, w.V)
		rows, cols := dataset.NewIDs(m.RowIDs), dataset.NewIDs(m.ColIDs)
		for i := range m.Rows {
			for j := range m.Cols {
				want := m.Global
				for k := range left.K {
					want += left.Row(i)[k] * right.Row(j)[k]
				}
				if got := m.Predict(i, j); math.Abs(got-want) > 1e-9 {
					t.Fatalf("%s %s: %v, not %v", m.RowIDs[i], m.ColIDs[j], got, want)
				}
			}
		}
		later := tableOf(t, "user,age,kind\nlater,,b\nu3,1,a\n")
		if n, err := m.AddRows(later); n != 1 || err != nil {
			t.Fatalf("%d users came in: %v", n, err)
		}
		at, same, j := m.Rows-1, int(rows.Find([]byte("new"))), int(cols.Find([]byte("fresh")))
		if a, b := m.Predict(at, j), m.Predict(same, j); math.Abs(a-b) > 1e-12 || math.Abs(a-m.Global) < 0.1 {
			t.Errorf("a later user of the same features has %v, one of training %v", a, b)
		}
		if n, err := m.AddCols(tableOf(t, "item,year,genre\nzz,1992,c\n")); n != 1 || err != nil ||
			math.Abs(m.Predict(3, m.Cols-1)-m.Predict(3, j)) > 1e-12 {
			t.Errorf("a later item: %d, %v", n, err)
		}
	}
}

// reread is a model that was saved.
func reread(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := model.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// A model with features is where it was when a fit starts from it, with features of either side or both.
func TestStartsWhereAModelIs(t *testing.T) {
	for _, which := range []string{"both", "users", "items"} {
		train, users, items := described(t)
		about := &side.Information{Users: users, Items: items}
		switch which {
		case "users":
			about.Items = nil
		case "items":
			about.Users = nil
		}
		c := &task.Completion{Train: train, Side: about, Weights: task.Weights{Rule: task.Power, Alpha: 0.5}}
		r := fit(t, c, 0.5)
		c.Warm = reread(t, r.Model)
		if again := fit(t, c, 0.5); again.Result.Iter > 0 {
			t.Errorf("%s: a fit from its own optimum took %d steps", which, again.Result.Iter)
		}
	}
}

// Ratings of users and items without training ratings are measured apart, and predicted better than by biases; a user of whom
// nothing is known has what all have in common.
func TestMeasuresWhatIsCold(t *testing.T) {
	train, users, items := described(t)
	about := &side.Information{Users: users, Items: items}
	if err := about.Number(train); err != nil {
		t.Fatal(err)
	}
	test := &dataset.Ratings{Name: "test", RowIDs: train.RowIDs, ColIDs: train.ColIDs, Shape: train.Shape}
	for i := range 30 {
		test.Rows = append(test.Rows, train.RowIDs.Find([]byte(fmt.Sprintf("u%d", i))))
		test.Cols = append(test.Cols, train.ColIDs.Find([]byte("fresh")))
		test.Values = append(test.Values, 3+float64(i%3))
	}
	c := &task.Completion{Train: train, Test: test, Side: about, Center: dataset.GlobalMean}
	about.Weight = 4 // ratings are by the features alone
	r := fit(t, c, 0.5)
	cold := r.Scores.Cold
	if cold == nil || cold.N() != 30 || r.Scores.Unknown != 0 {
		t.Fatalf("%+v", r.Scores)
	}
	if cold.RMSE() > 0.7*cold.Trivial.Biases {
		t.Errorf("RMSE %v, biases %v", cold.RMSE(), cold.Trivial.Biases)
	}
	if a, b := r.Model.Predict(-1, 0), r.Model.Global; a == b {
		t.Errorf("nothing is in common: %v", a)
	}
}

// Folding in no ratings, and ratings that are as the features foresaw, leaves the prediction of features.
func TestFoldsInTowardsFeatures(t *testing.T) {
	train, users, items := described(t)
	c := &task.Completion{Train: train, Side: &side.Information{Users: users, Items: items, Weight: 4}, Center: dataset.GlobalMean,
		Clip: task.Clip{Rule: task.NoClip}}
	m := fit(t, c, 0.5).Model
	rec := model.NewRecommender(m, m.Cols)
	if _, err := rec.AddUsers(tableOf(t, "user,kind,age\nx,c,41\n")); err != nil {
		t.Fatal(err)
	}
	want, err := rec.User("x")
	if err != nil {
		t.Fatal(err)
	}
	scores := map[int]float64{}
	for _, w := range want {
		scores[w.Item] = w.Score
	}
	for _, rated := range [][]int32{nil, {2, 5}} {
		u := model.NewUser{ID: "x", Cols: rated}
		for _, j := range rated {
			u.Values = append(u.Values, scores[int(j)])
		}
		got, err := rec.FoldIn(u)
		if err != nil || len(got) != m.Cols-len(rated) {
			t.Fatal(len(got), err)
		}
		for _, g := range got {
			if math.Abs(g.Score-scores[g.Item]) > 1e-9 {
				t.Errorf("%d ratings: item %d has %v, its features say %v", len(rated), g.Item, g.Score, scores[g.Item])
			}
		}
	}
}

func TestRefusesStrangers(t *testing.T) {
	train, _, items := described(t)
	c := &task.Completion{Train: train, Side: &side.Information{Items: tableOf(t, "item,genre\nx1,a\nx2,b\n")}}
	if _, err := c.Prepare(); err == nil || !strings.Contains(err.Error(),
		`none of its ids, such as "x1", is among the items of ratings, such as "i`) {
		t.Errorf("ids of nobody: %v", err)
	}
	c = &task.Completion{Train: train, Side: &side.Information{Items: items}}
	m := fit(t, c, 0.5).Model
	if _, err := m.AddRows(items); err == nil || !strings.Contains(err.Error(), "fitted without features of users") {
		t.Errorf("features of users: %v", err)
	}
}
