package task_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

var _ task.Chooser = &task.PreparedCompletion{}

// generated are ratings of low rank with noise; the shape and the split are the same for every test.
func generated(t *testing.T) (train, test *dataset.Ratings) {
	t.Helper()
	r, err := dataset.Generator{Name: "small", Rows: 60, Cols: 40, N: 900, Rank: 2, RowExponent: 0.3, ColExponent: 0.3, Mean: 3,
		Scale: 1, Noise: 0.3, Seed: 3}.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	in, out, err := dataset.Split{Fraction: 0.8, Seed: 1}.Parts(r)
	if err != nil {
		t.Fatal(err)
	}
	train, test = r.Subset(in), r.Subset(out)
	test.HideUnseen(train)
	return train, test
}

func fit(t *testing.T, c *task.Completion, opt task.Options) *task.CompletionResult {
	t.Helper()
	r, err := c.Fit(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want, slack float64) {
	t.Helper()
	if !(math.Abs(got-want) <= slack) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Of a matrix that is known everywhere the solution has its singular vectors, and its singular values less λ, but not below 0.
func TestCompletionOfWhatIsKnown(t *testing.T) {
	y := [][]float64{{3, 1, 0}, {1, 2, -1}, {0, -1, 4}, {2, 2, 2}}
	var list []dataset.Rating
	u, v := gcg.NewFactor(4, 3), gcg.NewFactor(3, 3) // y = u vᵀ
	for i, row := range y {
		copy(u.Row(i), row)
		for j, x := range row {
			list = append(list, dataset.Rating{User: string(rune('a' + i)), Item: string(rune('x' + j)), Value: x})
		}
	}
	for j := range 3 {
		v.Row(j)[j] = 1
	}
	_, sigma, _ := gcg.SVD(u, v, 0)
	r, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	const lambda = 1.5
	res := fit(t, &task.Completion{Train: r, Clip: task.Clip{Rule: task.NoClip}},
		task.Options{Lambda: lambda, Run: solver.Options{Tol: 1e-10}})
	for k, s := range sigma {
		want := math.Max(0, s-lambda)
		got := 0.0
		if k < len(res.Model.S) {
			got = res.Model.S[k]
		}
		near(t, "a singular value", got, want, 1e-4)
	}
	if res.Result.Status != solver.Converged || res.Result.State.Cert.Relative > 1e-10 {
		t.Errorf("%s at a gap of %g", res.Result.Status, res.Result.State.Cert.Relative)
	}
}

// The model's predictions have the certified objective, whatever the centre and the weights: ½Σ(y - prediction)² + λ Σ S.
func TestCompletionModelIsTheSolution(t *testing.T) {
	for _, c := range []task.Completion{{Center: dataset.NoCentre}, {Center: dataset.BothMeans}, {Center: dataset.ShrunkMeans},
		{Weights: task.Weights{Rule: task.Smoothed, Alpha: 0.3},
			Center: dataset.GlobalMean},
		{Weights: task.Weights{Rule: task.Power, Alpha: 0.7}, Center: dataset.ColumnMeans, Normalize: task.Mean},
		{Weights: task.Weights{Rule: task.Empirical}}} {
		for _, narrow := range []bool{false, true} {
			train, test := generated(t)
			y := slices.Clone(train.Values)
			rows, cols := slices.Clone(train.Rows), slices.Clone(train.Cols)
			c := c
			c.Train, c.Test, c.Float32, c.Clip = train, test, narrow, task.Clip{Rule: task.NoClip}
			lambda := largest(t, c) / 10
			c.Train, c.Test = generated(t)
			res := fit(t, &c, task.Options{Lambda: lambda, Run: solver.Options{Tol: 1e-5}})
			var squares, sum float64
			for e, x := range y {
				squares += math.Pow(x-res.Model.Predict(int(rows[e]), int(cols[e])), 2)
			}
			if c.Normalize == task.Mean {
				squares /= float64(len(y))
			}
			for _, s := range res.Model.S {
				sum += s
			}
			cert := res.Result.State.Cert
			near(t, "the objective of the model", squares/2+lambda*sum, cert.Objective, 1e-5*cert.Objective)
			if cert.Relative > 1e-5 || res.Model.Info.Lambda != lambda || (c.Center != 0 && res.Model.Info.Center != c.Center.String()) {
				t.Errorf("%+v: gap %g, %+v", c.Weights, cert.Relative, res.Model.Info)
			}
			var e float64
			for k, x := range test.Values {
				e += math.Pow(x-res.Model.Predict(int(test.Rows[k]), int(test.Cols[k])), 2)
			}
			near(t, "the test RMSE", res.Scores.RMSE(), math.Sqrt(e/float64(len(test.Values))), 1e-9)
		}
	}
}

// largest is the smallest λ with W = 0.
func largest(t *testing.T, c task.Completion) float64 {
	t.Helper()
	f, err := prepared(t, &c).Whole()
	if err != nil {
		t.Fatal(err)
	}
	f.Problem.Penalty = gauge.Linear{Lambda: 1}
	top, err := solver.MaxLambda(context.Background(), f.Problem)
	if err != nil {
		t.Fatal(err)
	}
	return top
}

func prepared(t *testing.T, c *task.Completion) *task.PreparedCompletion {
	t.Helper()
	p, err := c.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Both storages have the same optimum, scores and training error.
func TestCompletionStoragesAgree(t *testing.T) {
	for _, held := range []bool{false, true} {
		var results []*task.CompletionResult
		for _, narrow := range []bool{false, true} {
			train, test := generated(t)
			if !held {
				test = nil
			}
			c := &task.Completion{Train: train, Test: test, Center: dataset.BothMeans,
				Weights: task.Weights{Rule: task.Empirical},
				Float32: narrow}
			results = append(results, fit(t, c, task.Options{Lambda: 30, Run: solver.Options{Tol: 1e-6}}))
		}
		wide, narrow := results[0], results[1]
		near(t, "the objective", narrow.Result.State.Cert.Objective, wide.Result.State.Cert.Objective,
			1e-5*wide.Result.State.Cert.Objective)
		near(t, "the RMSE", narrow.Scores.RMSE(), wide.Scores.RMSE(), 1e-4)
		near(t, "the error of the mean", narrow.Trivial.GlobalMean, wide.Trivial.GlobalMean, 1e-6)
		near(t, "the error of biases", narrow.Trivial.Biases, wide.Trivial.Biases, 1e-5)
		if held != wide.Trivial.Held || math.IsNaN(wide.Scores.NMAE) == held {
			t.Errorf("held %v: %+v", held, wide.Scores)
		}
	}
}

// λ is chosen, and its model beats the trivial ones; a program that lets the ratings go first gets the same problem.
func TestCompletionChoosesLambda(t *testing.T) {
	train, test := generated(t)
	plain := task.Weights{Rule: task.NoWeights}
	c := &task.Completion{Train: train, Test: test, Center: dataset.GlobalMean, Weights: plain, Ranking: []int{5}, Seed: 1}
	res := fit(t, c, task.Options{})
	if res.Choice == nil || res.Lambda != res.Choice.Lambda || res.Scores.RMSE() >= res.Trivial.Biases ||
		res.Scores.Ranking == nil {
		t.Errorf("λ %v, RMSE %v beside %+v", res.Lambda, res.Scores.RMSE(), res.Trivial)
	}
	train, test = generated(t)
	c = &task.Completion{Train: train, Test: test, Center: dataset.GlobalMean, Weights: plain, Seed: 1, Warm: res.Model}
	p := prepared(t, c)
	p.Release()
	again, err := p.Fit(context.Background(), task.Options{Lambda: res.Lambda})
	if err != nil {
		t.Fatal(err)
	}
	want := res.Result.State.Cert.Objective
	if d := again.Result.State.Cert.Objective - want; math.Abs(d) > 1e-3*want || again.Trivial != res.Trivial {
		t.Errorf("objective %v and %v", again.Result.State.Cert.Objective, res.Result.State.Cert.Objective)
	}
	if _, err := p.Validation(); err == nil {
		t.Error("λ is chosen from ratings that are gone")
	}
}

// A refit begins where the model is: with the same ratings at its gap, with other weights at its predictions.
func TestCompletionStartsFromAModel(t *testing.T) {
	train, _ := generated(t)
	first := fit(t, &task.Completion{Train: train, Weights: task.Weights{Rule: task.Empirical}},
		task.Options{Lambda: 30, Run: solver.Options{Tol: 1e-6}})
	same := fit(t, &task.Completion{Train: train, Weights: task.Weights{Rule: task.Empirical}, Warm: first.Model},
		task.Options{Lambda: 30, Run: solver.Options{Tol: 1e-5}})
	if same.Result.Iter != 0 || same.Began.Relative > 1e-5 {
		t.Errorf("the same ratings: %d iterations from a gap of %g", same.Result.Iter, same.Began.Relative)
	}
	c := &task.Completion{Train: train, Weights: task.Weights{Rule: task.Smoothed, Alpha: 0.5},
		Clip: task.Clip{Rule: task.NoClip}}
	p := prepared(t, c)
	s, err := p.Whole()
	if err != nil {
		t.Fatal(err)
	}
	first.Model.Clip = false
	s.Problem.Penalty = gauge.Linear{Lambda: 1}
	start, err := p.Start(first.Model)
	if err != nil {
		t.Fatal(err)
	}
	st, err := gcg.NewState(s.Problem, start.W)
	if err != nil {
		t.Fatal(err)
	}
	m := p.Model(s, &solver.Result{State: st})
	for i := range 60 {
		for j := range 40 {
			near(t, "a prediction under other weights", m.Predict(i, j), first.Model.Predict(i, j), 1e-9)
		}
	}
	if none, _ := p.Start(&model.Model{}); none.W != nil {
		t.Error("a model of rank 0 is somewhere")
	}
}

// Of what came in after the model, the first bound makes no dual point: the start is not so far from the optimum as it seems.
func TestCompletionBoundsWithoutWhatCameIn(t *testing.T) {
	train, more := generated(t)
	some := make([]int32, 30)
	for e := range some {
		some[e] = int32(e)
	}
	more = more.Subset(some)
	opt := task.Options{Lambda: 3, Run: solver.Options{Tol: 1e-6}}
	for _, loss := range []task.Loss{{Kind: task.Squared}, {Kind: task.Huber, Mu: 0.5}} {
		of := func(r *dataset.Ratings, m *model.Model) *task.CompletionResult {
			return fit(t, &task.Completion{Train: r, Loss: loss, Center: dataset.GlobalMean, Warm: m}, opt)
		}
		old := of(train, nil).Model
		all := train.With(more)
		after := of(all, old)
		all.Later = 0
		if blind := of(all, old); after.Began.LowerBound > blind.Result.State.Cert.Objective ||
			!(after.Began.Relative < 0.5*blind.Began.Relative) || after.Result.Status != solver.Converged {
			t.Errorf("%v: began at a gap of %v, and knowing nothing of what came in at %v", loss, after.Began.Relative,
				blind.Began.Relative)
		}
	}
}

// Folds hold out every rating once; those of rows half of each row at most; validation trains on nine tenths, with λ in
// proportion.
func TestCompletionFolds(t *testing.T) {
	for _, rows := range []bool{false, true} {
		train, _ := generated(t)
		of := &task.Completion{Train: train}
		if rows {
			of.FoldBy = task.FoldRows
		}
		c := prepared(t, of)
		held, share := 0.0, 0.0
		for k := range 4 {
			f, err := c.Fold(k, 4)
			if err != nil {
				t.Fatal(err)
			}
			_, _, n := f.Problem.Operator.Dims()
			held += float64(train.Len() - n)
			share += f.Share
			if f.Measure == nil || f.Trivial == 0 {
				t.Errorf("fold %d: %+v", k, f)
			}
		}
		want := float64(train.Len())
		if !rows && held != want || rows && !(held > 0.4*want && held < 0.6*want) {
			t.Errorf("%v of %v ratings are held out", held, want)
		}
		near(t, "the sum of the shares", share, 4-held/want, 1e-9)
		v, err := c.Validation()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "the share of validation", v.Share, 0.9, 1e-3)
	}
}

// What cannot be fitted is refused, and names what is missing.
func TestCompletionRefuses(t *testing.T) {
	few, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	twice, _ := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 1}, {User: "a", Item: "x", Value: 2}})
	far, _ := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 1e9}, {User: "a", Item: "y", Value: 1e9 + 1}})
	ctx := context.Background()
	if _, err := (&task.Completion{Train: few}).Fit(ctx, task.Options{}); !errors.Is(err, task.ErrTooFew) {
		t.Errorf("one rating: %v", err)
	}
	if _, err := (&task.Completion{Train: twice}).Fit(ctx, task.Options{}); !errors.Is(err, dataset.ErrDuplicate) {
		t.Errorf("rated twice: %v", err)
	}
	var coarse *task.TooCoarseError
	if _, err := (&task.Completion{Train: far, Float32: true}).Prepare(); !errors.As(err, &coarse) || coarse.Rounding < 0.01 {
		t.Errorf("far from 0: %v", err)
	}
	for _, c := range []*task.Completion{{}, {Train: &dataset.Ratings{}}, {Train: few, Ranking: []int{3}},
		{Train: few, Weights: task.Weights{Rule: task.Power, Alpha: 2}}, {Train: few, FoldBy: task.FoldTasks}} {
		if _, err := c.Prepare(); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	c := prepared(t, &task.Completion{Train: few, Float32: true})
	if _, err := c.Fold(0, 2); err == nil {
		t.Error("folds in float32")
	}
}

// Doubts are values: of the data before, of the model after.
func TestCompletionWarns(t *testing.T) {
	same, _ := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 4}, {User: "b", Item: "y", Value: 4},
		{User: "c", Item: "x", Value: 4}})
	strange, _ := dataset.FromSlice([]dataset.Rating{{User: "z", Item: "x", Value: 1}, {User: "y", Item: "x", Value: 5}})
	for _, narrow := range []bool{false, true} {
		train := same.Subset([]int32{0, 1, 2})
		res := fit(t, &task.Completion{Train: train, Test: strange, Float32: narrow, Clip: task.Clip{Rule: task.NoClip}},
			task.Options{Lambda: 0.5, Run: solver.Options{Tol: 1e-9}})
		var kinds []string
		for _, w := range res.Warnings {
			switch w := w.(type) {
			case warning.AsManyIDs:
				kinds = append(kinds, w.What)
			case warning.NoneKnown:
				kinds = append(kinds, "none known")
			case warning.Worse:
				kinds = append(kinds, w.Trivial.On())
			case warning.AllEqual:
				kinds = append(kinds, "equal")
			case warning.BelowFloor:
				kinds = append(kinds, "floor")
			}
			if w.String() == "" {
				t.Errorf("%T says nothing", w)
			}
		}
		want := []string{"users", "none known", "equal"} // the mean of training is what strangers get
		if narrow {
			want = slices.Insert(want, 2, "floor")
		}
		slices.Sort(kinds)
		slices.Sort(want)
		if !slices.Equal(kinds, want) {
			t.Errorf("float32 %v: %v, want %v: %v", narrow, kinds, want, res.Warnings)
		}
	}
}

// Ratings to measure on may have ids of their own, in any order.
func TestCompletionMeasuresByIDs(t *testing.T) {
	train, test := generated(t)
	var list []dataset.Rating
	for e := len(test.Values) - 1; e >= 0; e-- {
		if test.Rows[e] >= 0 && test.Cols[e] >= 0 {
			list = append(list, dataset.Rating{User: test.RowIDs.Text(int(test.Rows[e])),
				Item:  test.ColIDs.Text(int(test.Cols[e])),
				Value: test.Values[e]})
		}
	}
	own, err := dataset.FromSlice(append(list, dataset.Rating{User: "nobody", Item: "1", Value: 3}))
	if err != nil {
		t.Fatal(err)
	}
	res := fit(t, &task.Completion{Train: train, Test: own, Center: dataset.GlobalMean}, task.Options{Lambda: 5})
	again := task.PredictRatings(res.Model, own)
	near(t, "the test RMSE", res.Scores.RMSE(), again.Errors.RMSE(), 1e-12)
	if res.Scores.Unknown != 1 || again.Unknown != 1 || res.Scores.RMSE() >= res.Trivial.GlobalMean {
		t.Errorf("%d unknown, RMSE %v beside %+v", res.Scores.Unknown, res.Scores.RMSE(), res.Trivial)
	}
}
