package implicit_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// clicks are those of users who like one of four kinds of items, of counts 1 to 3, and a few others.
func clicks(t *testing.T, m, n int, seed uint64) *dataset.Ratings {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var list []dataset.Rating
	for i := range m {
		for j := range n {
			share := 0.03
			if i%4 == j%4 {
				share = 0.4
			}
			if rng.Float64() < share {
				list = append(list, dataset.Rating{User: fmt.Sprint("u", i), Item: fmt.Sprint("i", j), Value: float64(3 - min(2,
					rng.IntN(6)))})
			}
		}
	}
	r, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// dense is the same problem with every cell an observation: weighted least squares on the identity.
func dense(t *testing.T, f *implicit.Task, lambda float64, weights task.Weights) *gcg.Problem {
	t.Helper()
	m, n := f.Train.Shape[0], f.Train.Shape[1]
	y, c := make([]float64, m*n), make([]float64, m*n)
	for e := range c {
		c[e] = f.Background
	}
	for e, r := range f.Train.Values {
		at := int(f.Train.Rows[e])*n + int(f.Train.Cols[e])
		y[at] = 1
		c[at] += f.Alpha * r
	}
	ptr, cols := make([]int64, m+1), make([]int32, m*n)
	for i := range m {
		ptr[i+1] = int64((i + 1) * n)
		for j := range n {
			cols[i*n+j] = int32(j)
		}
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	if weights.Rule > task.NoWeights {
		rows, cols := make([]float64, m), make([]float64, n)
		for e, i := range f.Train.Rows {
			rows[i]++
			cols[f.Train.Cols[e]]++
		}
		count := len(f.Train.Rows)
		if op, err = op.Scaled(weights.Scales(rows, count), weights.Scales(cols, count)); err != nil {
			t.Fatal(err)
		}
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Omega: c}, Gauge: gauge.Trace{},
		Penalty: gauge.Linear{Lambda: lambda}}
}

// The certified optimum is that of weighted least squares over all cells, which another operator and another loss state.
func TestIsWeightedLeastSquaresOverAllCells(t *testing.T) {
	const tol = 1e-6
	for _, weights := range []task.Weights{{}, {Rule: task.Power, Alpha: 0.5}, {Rule: task.Smoothed, Alpha: 0.3}} {
		f := &implicit.Task{Train: clicks(t, 40, 30, 1), Alpha: 4, Background: 0.7, Weights: weights}
		res, err := f.Fit(context.Background(), task.Options{LambdaRatio: 0.2, Run: solver.Options{Tol: tol}})
		if err != nil {
			t.Fatal(err)
		}
		p := dense(t, f, res.Lambda, weights)
		method, improver, _ := solver.For(p)
		twin, err := solver.Run(context.Background(), p, method, solver.Options{Improver: improver, Tol: tol})
		if err != nil {
			t.Fatal(err)
		}
		a, b := res.Result.State.Cert, twin.State.Cert
		if a.Relative > tol || b.Relative > tol || a.LowerBound > b.Objective || b.LowerBound > a.Objective {
			t.Errorf("weights %v: [%v, %v] over clicks, [%v, %v] over all cells", weights, a.LowerBound, a.Objective,
				b.LowerBound, b.Objective)
		}
		if res.Model.Rank < 2 || res.Model.Rank > 20 {
			t.Errorf("weights %v: rank %d is no test", weights, res.Model.Rank)
		}
	}
}

// No score of a loose solution is further from the optimum's than its gap says.
func TestGapBoundsScores(t *testing.T) {
	f := &implicit.Task{Train: clicks(t, 40, 30, 2), Alpha: 3, Background: 0.5}
	at := func(tol float64) *implicit.Result {
		res, err := f.Fit(context.Background(), task.Options{Lambda: 8, Run: solver.Options{Tol: tol}})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	loose, tight := at(0.02), at(1e-10)
	within := loose.Model.ScoresWithin()
	if want := math.Sqrt(2 * loose.Result.State.Cert.Gap / 0.5); math.Abs(within-want) > 1e-9*want {
		t.Errorf("scores are within %v, want %v", within, want)
	}
	var square, most float64
	for i := range 40 {
		for j := range 30 {
			d := loose.Model.Predict(i, j) - tight.Model.Predict(i, j)
			square += d * d
			most = math.Max(most, math.Abs(d))
		}
	}
	if most == 0 || math.Sqrt(square) > within+tight.Model.ScoresWithin() {
		t.Errorf("scores are off by %v together, and %v at most; the gap allows %v", math.Sqrt(square), most, within)
	}
	list, none := tight.Model.Top(0, 5, nil), loose.Model.Top(0, 5, nil)
	if c := tight.Model.Certify(list, tight.Model.Top(0, 6, nil)[5].Score); c.Count() != 5 {
		t.Errorf("%d of 5 places are known at a gap of %v", c.Count(), tight.Result.State.Cert.Relative)
	}
	if c := loose.Model.Certify(none, math.Inf(-1)); c.Count() == 5 {
		t.Errorf("all places are known at a gap of %v, scores within %v", loose.Result.State.Cert.Relative, c.Within)
	}
}

// Folding in what a user of training clicked gives that user's row: it solves the same regression over all items.
func TestFoldsInAsTheFitDoes(t *testing.T) {
	for _, weights := range []task.Weights{{}, {Rule: task.Power, Alpha: 0.5}} {
		f := &implicit.Task{Train: clicks(t, 40, 30, 3), Alpha: 3, Background: 0.5, Weights: weights}
		res, err := f.Fit(context.Background(), task.Options{LambdaRatio: 0.2, Run: solver.Options{Tol: 1e-9}})
		if err != nil {
			t.Fatal(err)
		}
		var cols []int32
		var counts []float64
		for e, i := range f.Train.Rows {
			if i == 7 {
				cols, counts = append(cols, f.Train.Cols[e]), append(counts, f.Train.Values[e])
			}
		}
		list, err := res.Model.FoldIn(cols, counts, res.Model.Cols)
		if err != nil || len(list) != res.Model.Cols-len(cols) {
			t.Fatalf("%d items for %d clicks, %v", len(list), len(cols), err)
		}
		for _, r := range list {
			if want := res.Model.Predict(7, r.Item); math.Abs(r.Score-want) > 1e-3 {
				t.Errorf("weights %v: item %d scores %v, want %v", weights, r.Item, r.Score, want)
			}
		}
		if _, err := res.Model.FoldIn([]int32{1}, []float64{-1}, 3); err == nil {
			t.Error("a negative count is folded in")
		}
	}
}

// λ is chosen by lists, which beat those of the most popular items where people differ.
func TestChoosesLambdaByLists(t *testing.T) {
	f := &implicit.Task{Train: clicks(t, 200, 120, 4), Split: dataset.Split{PerUser: 0.8, Seed: 1}, Alpha: 5,
		Lengths: []int{5, 20}}
	res, err := f.Fit(context.Background(), task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	model, popular := res.Ranked.Model, res.Ranked.Popular
	if res.Choice == nil || res.Lambda <= 0 || model.At[1].NDCG() < 1.5*popular.At[1].NDCG() || model.AUC < 0.7 ||
		res.Ranked.Loses() {
		t.Errorf("λ %v: NDCG %v, AUC %v; of the most popular items %v, %v", res.Lambda, model.At[1].NDCG(), model.AUC,
			popular.At[1].NDCG(), popular.AUC)
	}
	if res.Result.State.Cert.Relative > 1e-3 || len(res.Warnings) > 0 {
		t.Errorf("gap %v, warnings %v", res.Result.State.Cert.Relative, res.Warnings)
	}
}

// Ratings that are split are clicks once: what is held out stays relevant.
func TestSplitRatingsStayClicks(t *testing.T) {
	r := clicks(t, 60, 40, 5)
	for e := range r.Values {
		r.Values[e] += 2
	}
	f := &implicit.Task{Train: r, Split: dataset.Split{PerUser: 0.7, Seed: 1}, Alpha: 5, Positive: 3}
	p, err := f.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Fit(context.Background(), task.Options{LambdaRatio: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	if res.Ranked.Model.Users < 50 || res.Ranked.Model.At[0].Recall() == 0 || p.Dropped() != 0 {
		t.Errorf("%d users, recall %v, %d dropped", res.Ranked.Model.Users, res.Ranked.Model.At[0].Recall(), p.Dropped())
	}
}

// Repeated clicks are added up, ratings below Positive and counts of 0 are none, and a file without counts has one each.
func TestMakesClicks(t *testing.T) {
	list := []dataset.Rating{{User: "a", Item: "x", Value: 5}, {User: "a", Item: "y", Value: 2}, {User: "b", Item: "x",
		Value: 4}, {User: "a", Item: "x", Value: 1}, {User: "b", Item: "y", Value: 0}}
	for name, c := range map[string]struct {
		positive float64
		want     string
		dropped  int
	}{"counts": {0, "a x 6, a y 2, b x 4", 1}, "ratings": {4, "a x 1, b x 1", 3}} {
		r, err := dataset.FromSlice(list)
		if err != nil {
			t.Fatal(err)
		}
		f := &implicit.Task{Train: r, Alpha: 1, Positive: c.positive}
		p, err := f.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		train := p.Train()
		for e, x := range train.Values {
			got = append(got, fmt.Sprint(train.RowIDs.Text(int(train.Rows[e])), " ", train.ColIDs.Text(int(train.Cols[e])), " ", x))
		}
		if strings.Join(got, ", ") != c.want || p.Dropped() != c.dropped {
			t.Errorf("%s: %v, %d dropped; want %s, %d", name, got, p.Dropped(), c.want, c.dropped)
		}
	}
}

func TestRefuses(t *testing.T) {
	r := func(values ...float64) *dataset.Ratings {
		var list []dataset.Rating
		for k, x := range values {
			list = append(list, dataset.Rating{User: fmt.Sprint(k), Item: "x", Value: x})
		}
		d, err := dataset.FromSlice(list)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for name, c := range map[string]struct {
		f    *implicit.Task
		want string
	}{
		"no α":            {&implicit.Task{Train: r(1)}, "α"},
		"α < 0":           {&implicit.Task{Train: r(1), Alpha: -1}, "α"},
		"α is NaN":        {&implicit.Task{Train: r(1), Alpha: math.NaN()}, "α"},
		"w₀ < 0":          {&implicit.Task{Train: r(1), Alpha: 1, Background: -1}, "background"},
		"negative counts": {&implicit.Task{Train: r(1, -2), Alpha: 1}, "count of -2"},
		"all below":       {&implicit.Task{Train: r(1, 2), Alpha: 1, Positive: 4}, "at least 4"},
		"no data":         {&implicit.Task{Alpha: 1}, "Train"},
		"lengths":         {&implicit.Task{Train: r(1), Alpha: 1, Lengths: []int{5, 2}}, "ascend"},
	} {
		if _, err := c.f.Prepare(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of a split by time training knows nothing of later clicks, not even how often an item of hers is clicked again.
func TestSplitByTimeCountsNoLaterClicks(t *testing.T) {
	r, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 1}, {User: "a", Item: "y", Value: 1},
		{User: "b", Item: "x", Value: 1}, {User: "b", Item: "y", Value: 1}, {User: "a", Item: "x", Value: 1},
		{User: "b", Item: "x", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r.Times = []int64{1, 9, 2, 3, 8, 3}
	f := &implicit.Task{Train: r, Split: dataset.Split{Time: 0.5}, Alpha: 1}
	p, err := f.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	counts, train := map[string]float64{}, p.Train()
	for e, x := range train.Values {
		counts[train.RowIDs.Text(int(train.Rows[e]))+train.ColIDs.Text(int(train.Cols[e]))] = x
	}
	if len(counts) != 3 || counts["ax"] != 1 || counts["bx"] != 2 || counts["by"] != 1 || p.Test().Len() != 2 {
		t.Errorf("training counts %v, %d test clicks", counts, p.Test().Len())
	}
}

// Lines of one pair are one click, where it stood first, with the sum of the counts and the first time; lines of unknown ids
// stay what they are.
func TestSumsLinesOfAPair(t *testing.T) {
	r := &dataset.Ratings{Shape: [2]int{3, 4}, Rows: []int32{2, 0, 2, 0, -1, 2, -1, 0, 1}, Cols: []int32{1, 1, 3, 1, 2, 1, 2, -1, 1},
		Values: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}, Times: []int64{5, 7, 1, 2, 3, 9, 3, 3, 3}}
	got := implicit.Summed(r)
	want := []float64{33, 10, 4, 16, 64, 128, 256}
	if !slices.Equal(got.Values, want) || !slices.Equal(got.Times, []int64{5, 2, 1, 3, 3, 3, 3}) ||
		!slices.Equal(got.Rows, []int32{2, 0, 2, -1, -1, 0, 1}) || !slices.Equal(got.Cols, []int32{1, 1, 3, 2, 2, -1, 1}) {
		t.Errorf("rows %v, columns %v, values %v, times %v", got.Rows, got.Cols, got.Values, got.Times)
	}
}
