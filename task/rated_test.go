package task_test

import (
	"bytes"
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

var long = flag.Bool("long", false, "choose lists of what was rated on MovieLens-1M, which takes minutes")

// What is chosen without an option has at most these errors on real data: MovieLens-1M s1 with -long only.
func TestErrorsOfWhatIsChosen(t *testing.T) {
	for _, c := range []struct {
		train, test string
		split, most float64
		long        bool
	}{
		{train: "movielens-100k/ua.base", test: "movielens-100k/ua.test", most: 0.908},
		{train: "movielens-100k/u.data", split: 0.8, most: 0.885},
		{train: "movielens-1m/s1.train.tsv.gz", test: "movielens-1m/s1.test.tsv.gz", most: 0.832, long: true},
	} {
		t.Run(c.train, func(t *testing.T) {
			read := func(name string) *dataset.Ratings {
				if name == "" {
					return nil
				}
				r, err := dataset.RatingsReader{}.ReadRatings("../../shared/data/" + name)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			if _, err := os.Stat("../../shared/data/" + c.train); err != nil {
				t.Skip("real data is not here")
			}
			if (c.long || c.split > 0) && !*long {
				t.Skip("takes long: run with -long")
			}
			fit := &task.Completion{Train: read(c.train), Test: read(c.test), Split: dataset.Split{Fraction: c.split, Seed: 1},
				Rated: task.AutoRated}
			res, err := fit.Fit(context.Background(), task.Options{Run: solver.Options{Tol: 1e-2}})
			if err != nil || res.Scores.RMSE() > c.most || res.Result.State.Cert.Relative > 1e-2 {
				t.Fatalf("RMSE %v, at most %v; relative gap %v, %v", res.Scores.RMSE(), c.most, res.Result.State.Cert.Relative, err)
			}
			t.Logf("RMSE %v with %s, λ %v", res.Scores.RMSE(), res.Model.Info.Rated, res.Lambda)
		})
	}
}

// tasteful are ratings of users who rate mostly what they like: of two groups of items, each user likes one, rates it often, and
// high.
func tasteful(users, items, each int) *dataset.Ratings {
	rng := rand.New(rand.NewPCG(3, 9))
	r := &dataset.Ratings{Name: "tasteful", Shape: [2]int{users, items}}
	for i := range users {
		met := map[int]bool{}
		for len(met) < each {
			j := rng.IntN(items)
			likes := j%2 == i%2
			if met[j] || !likes && rng.IntN(8) > 0 {
				continue
			}
			met[j] = true
			y := 2 + rng.NormFloat64()
			if likes {
				y += 2
			}
			r.Rows, r.Cols, r.Values = append(r.Rows, int32(i)), append(r.Cols, int32(j)), append(r.Values, y)
		}
	}
	r.RowIDs, r.ColIDs = numbered(users), numbered(items)
	return r
}

// numbered are the ids 0 … n-1.
func numbered(n int) *dataset.IDs {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	return dataset.NewIDs(texts)
}

// What was rated tells of users of noisy ratings what these do not: lists have a smaller error than none, with a certificate,
// and are chosen.
func TestListsOfWhatWasRated(t *testing.T) {
	defer task.TryListsFrom(1000)()
	fit := func(r task.Rated) *task.CompletionResult {
		c := &task.Completion{Train: tasteful(300, 60, 8), Split: dataset.Split{Fraction: 0.8, Seed: 1}, Rated: r}
		res, err := c.Fit(context.Background(), task.Options{})
		if err != nil || res.Result.Status != solver.Converged {
			t.Fatalf("%s: %v", r, err)
		}
		return res
	}
	plain, both, auto := fit(task.NoRated), fit(task.RatedBoth), fit(task.AutoRated)
	if both.Scores.RMSE() > 0.97*plain.Scores.RMSE() {
		t.Errorf("RMSE %v with lists, %v without", both.Scores.RMSE(), plain.Scores.RMSE())
	}
	if auto.Model.Info.Rated == "" || auto.Scores.RMSE() > 0.98*plain.Scores.RMSE() {
		t.Errorf("chose lists %q of RMSE %v, without any %v", auto.Model.Info.Rated, auto.Scores.RMSE(), plain.Scores.RMSE())
	}
}

// Lists have directions that all of them share, and Newton steps know of these: by a diagonal they take 334 products.
func TestListsTakeFewProducts(t *testing.T) {
	c := &task.Completion{Train: tasteful(600, 200, 30), Rated: task.RatedBoth, Center: dataset.GlobalMean}
	res, err := c.Fit(context.Background(), task.Options{Lambda: 10, Run: solver.Options{Tol: 1e-4}})
	if err != nil {
		t.Fatal(err)
	}
	if count := res.Result.State.Count.Products; res.Result.Status != solver.Converged || count > 260 {
		t.Errorf("%s after %d products", res.Result.Status, count)
	}
}

// A saved model with lists is the same after it is read, starts a fit at its optimum, and folds a new user in by what it rated:
// one with the ratings of a user of training is predicted as that one.
func TestListsInModels(t *testing.T) {
	train := tasteful(120, 40, 10)
	c := &task.Completion{Train: train, Rated: task.RatedBoth, RatedShare: 0.6, Center: dataset.GlobalMean,
		Weights: task.Weights{Rule: task.NoWeights}, Clip: task.Clip{Rule: task.NoClip}}
	opt := task.Options{Lambda: 6, Run: solver.Options{Tol: 1e-9}}
	res, err := c.Fit(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := res.Model.Write(&file); err != nil {
		t.Fatal(err)
	}
	m, err := model.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	again := &task.Completion{Train: tasteful(120, 40, 10), Rated: task.RatedBoth, RatedShare: 0.6, Center: dataset.GlobalMean,
		Weights: task.Weights{Rule: task.NoWeights}, Warm: m}
	warm, err := again.Fit(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := warm.Began.Objective, res.Result.State.Cert.Objective; math.Abs(a-b) > 1e-6*b {
		t.Errorf("the start has the objective %v, and the model %v", a, b)
	}
	var cols []int32
	var values []float64
	for e, i := range train.Rows {
		if i == 5 {
			cols, values = append(cols, train.Cols[e]), append(values, train.Values[e])
		}
	}
	top, err := m.FoldIn(cols, values, m.Cols)
	if err != nil || len(top) == 0 {
		t.Fatal(len(top), err)
	}
	for _, r := range top {
		if want := m.Predict(5, r.Item); math.Abs(r.Score-want) > 0.05 {
			t.Errorf("item %d: folded in %v, in training %v", r.Item, r.Score, want)
		}
	}
}
