package task_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/features"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/structured"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/side"
)

// everyField fails for an exported field of a task that no change is of: a new one must be in the tables below.
func everyField[T any](t *testing.T, changes map[string]func(*T)) {
	t.Helper()
	of := reflect.TypeFor[T]()
	for i := range of.NumField() {
		if f := of.Field(i); f.IsExported() && changes[f.Name] == nil {
			t.Errorf("no fit is made after a change of %s", f.Name)
		}
	}
}

// alone is one rank.
type alone struct{}

func (alone) Rank() int                    { return 0 }
func (alone) Size() int                    { return 1 }
func (alone) Exchange(_, _ [][]byte) error { return nil }

// bytesOf is a model as it is written.
func bytesOf(t *testing.T, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rowsAgain are rows of features of different sizes with numbers.
func rowsAgain(t *testing.T, n int, seed uint64) *dataset.Rows {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 4))
	x, y := make([][]float64, n), make([]float64, n)
	for i := range x {
		x[i] = make([]float64, 6)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64() * float64(j+1)
		}
		y[i] = 3 + x[i][0] - x[i][1] + rng.NormFloat64()
	}
	return targetsOf(t, x, y...)
}

// A fit after any field was changed is that of a fresh task, and leaves the first result, and the rows, to their owner.
func TestLinearFitsAgain(t *testing.T) {
	rows, other := rowsAgain(t, 30, 3), rowsAgain(t, 30, 5)
	rows.Tasks, rows.Task = []string{"a", "b"}, make([]int32, 30)
	for i := range rows.Task {
		rows.Task[i] = int32(i % 2)
	}
	opt := task.Options{Lambda: 2, Run: solver.Options{Tol: 1e-9}}
	base := task.Linear{Kind: task.Regression, Train: rows, Test: other, FoldBy: task.FoldRows}
	first := fitLinear(t, &base, opt)
	changes := map[string]func(*task.Linear){
		"Kind":      func(l *task.Linear) { l.Kind, l.Test = task.MultiTask, nil },
		"Train":     func(l *task.Linear) { l.Train = other },
		"Test":      func(l *task.Linear) { l.Test = rows },
		"Valid":     func(l *task.Linear) { l.Valid = other },
		"Split":     func(l *task.Linear) { l.Split, l.Test = 0.5, nil },
		"Consume":   func(l *task.Linear) { l.Consume, l.Train, l.Test = true, rowsAgain(t, 30, 5), nil },
		"Loss":      func(l *task.Linear) { l.Loss = task.Loss{Kind: task.Huber, Mu: 1} },
		"Gauge":     func(l *task.Linear) { l.Gauge = gauge.Lp{P: 2} },
		"Intercept": func(l *task.Linear) { l.Intercept = true },
		"Second":    func(l *task.Linear) { l.Second = &structured.Differences{P: 6, Order: 1, Weight: 1} },
		"Smoothed": func(l *task.Linear) {
			l.Second = &structured.Differences{P: 6, Order: 1, Weight: 1}
			l.Smoothed = true
		},
		"Shape": func(l *task.Linear) {
			l.Shape = func(p *task.PreparedLinear) (gcg.Gauge, structured.Penalty, error) {
				return gauge.Lp{P: float64(p.Schema().Width)}, nil, nil
			}
		},
		"Ridge":       func(l *task.Linear) { l.Ridge = 3 },
		"L1Ratio":     func(l *task.Linear) { l.L1Ratio = 0.4 },
		"AllFeatures": func(l *task.Linear) { l.AllFeatures = true },
		"Standardize": func(l *task.Linear) { l.Standardize = true },
		"AutoStandardize": func(l *task.Linear) {
			l.AutoStandardize, l.Train = true, rowsAgain(t, 30, 5)
			for i := range 30 {
				l.Train.X.Dense[6*i] *= 100
			}
		},
		"Normalize": func(l *task.Linear) { l.Normalize = task.Mean },
		"FoldBy":    func(l *task.Linear) { l.FoldBy = task.FoldEntries },
		"Seed":      func(l *task.Linear) { l.Seed, l.Split, l.Test = 7, 0.5, nil },
		"Warm":      func(l *task.Linear) { l.Warm = first.Model },
		"Ranks":     func(l *task.Linear) { l.Ranks = cluster.NewComm(alone{}) },
		"Missing": func(l *task.Linear) {
			l.Missing, l.Train = task.FillMean, rowsAgain(t, 30, 5)
			l.Train.X.Dense[3] = math.NaN()
		},
	}
	everyField(t, changes)
	saved, z := bytesOf(t, first.Model), slices.Clone(first.Result.State.Z)
	penalty, given := first.Fitting.Problem.Penalty, slices.Clone(rows.X.Dense)
	same := map[string]bool{"Test": true, "Valid": true, "AllFeatures": true, "FoldBy": true, "Warm": true, "Ranks": true}
	for name, change := range changes {
		again, fresh := base, task.Linear{Kind: task.Regression, Train: rowsAgain(t, 30, 3), Test: rowsAgain(t, 30, 5)}
		fitLinear(t, &again, task.Options{Lambda: 5})
		fresh.Train.Tasks, fresh.Train.Task = rows.Tasks, rows.Task
		change(&again)
		change(&fresh)
		got, want := fitLinear(t, &again, opt), fitLinear(t, &fresh, opt)
		f, g, was := got.Result.State.Cert.Objective, want.Result.State.Cert.Objective, first.Result.State.Cert.Objective
		if math.Abs(f-g) > 1e-8*g || (math.Abs(f-was) < 1e-6*was) != same[name] {
			t.Errorf("%s: %v, a fresh task has %v, the first was %v", name, f, g, was)
		}
	}
	if !bytes.Equal(bytesOf(t, first.Model), saved) || !slices.Equal(first.Result.State.Z, z) ||
		first.Fitting.Problem.Penalty != penalty || !slices.Equal(rows.X.Dense, given) {
		t.Error("the first result or the rows have changed")
	}
}

// What was prepared solves the problem that it was prepared of, whatever becomes of the task, at one λ as at another; and the
// result of a fit stays.
func TestPreparedStays(t *testing.T) {
	l := &task.Linear{Kind: task.Regression, Train: rowsAgain(t, 30, 3)}
	opt := task.Options{Lambda: 2, Run: solver.Options{Tol: 1e-9}}
	want := fitLinear(t, l, opt).Result.State.Cert.Objective
	p, err := l.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	l.Gauge, l.Intercept, l.Loss, l.Train = gauge.Lp{P: 2}, true, task.Loss{Kind: task.Huber, Mu: 1}, rowsAgain(t, 10, 1)
	for _, lambda := range []float64{2, 5, 2} {
		opt.Lambda = lambda
		r, err := p.Fit(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Result.State.Cert.Objective; (math.Abs(f-want) > 1e-8*want) != (lambda == 5) ||
			r.Fitting.Problem.Penalty != (gauge.Linear{Lambda: lambda}) || r.Model.Info.Lambda != lambda {
			t.Errorf("λ = %v: %v beside %v, penalty %v", lambda, f, want, r.Fitting.Problem.Penalty)
		}
	}
}

// tableAgain are features of some users, and of one that has no rating.
func tableAgain(t *testing.T) *features.Table {
	t.Helper()
	text := "user,age\nnobody,3\n"
	for i := range 60 {
		text += "u" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + "," + string(rune('1'+i%7)) + "\n"
	}
	name := filepath.Join(t.TempDir(), "users.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := features.Reader{}.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// seenAgain are pairs without ratings of a user whom the others do not know.
func seenAgain(t *testing.T) *dataset.Ratings {
	t.Helper()
	r, err := dataset.FromSlice([]dataset.Rating{{User: "more", Item: "a"}, {User: "more", Item: "c"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ratingsAgain are ratings of users by the ids of tableAgain, of which one entry comes twice.
func ratingsAgain(t *testing.T, seed uint64, twice bool) *dataset.Ratings {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	var list []dataset.Rating
	for i := range 60 {
		for j := range 12 {
			if rng.Float64() < 0.6 || j == i%12 {
				list = append(list, dataset.Rating{User: "u" + string(rune('0'+i/10)) + string(rune('0'+i%10)), Item: string(rune('a' + j)),
					Value: 3 + math.Sin(float64(i))*math.Cos(float64(j)) + 0.3*rng.NormFloat64()})
			}
		}
	}
	if twice {
		again := list[0]
		again.Value++
		list = append(list, again)
	}
	r, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A fit after any field was changed is that of a fresh task, and leaves the first result, the ratings and their ids to their
// owner.
func TestCompletionFitsAgain(t *testing.T) {
	train, test := ratingsAgain(t, 1, false), ratingsAgain(t, 2, false)
	labels := func(c *task.Completion) {
		two := *c.Train
		two.Values = slices.Clone(two.Values)
		for e, x := range two.Values {
			two.Values[e] = 1
			if x > 3 {
				two.Values[e] = 2
			}
		}
		c.Train, c.Test, c.Loss = &two, nil, task.Loss{Kind: task.Logistic}
	}
	opt := task.Options{Lambda: 2, Run: solver.Options{Tol: 1e-9}}
	fresh := func() task.Completion {
		return task.Completion{Train: ratingsAgain(t, 1, false), Test: ratingsAgain(t, 2, false), Center: dataset.GlobalMean,
			Weights: task.Weights{Rule: task.NoWeights}}
	}
	base := fresh()
	base.Train, base.Test = train, test
	first := fit(t, &base, opt)
	changes := map[string]func(*task.Completion){
		"Train":   func(c *task.Completion) { c.Train = ratingsAgain(t, 7, false) },
		"Test":    func(c *task.Completion) { c.Test = ratingsAgain(t, 7, false) },
		"Valid":   func(c *task.Completion) { c.Valid = ratingsAgain(t, 7, false) },
		"Split":   func(c *task.Completion) { c.Split, c.Test = dataset.Split{Fraction: 0.7, Seed: 1}, nil },
		"Consume": func(c *task.Completion) { c.Consume, c.Train = true, ratingsAgain(t, 7, false) },
		"Loss":    func(c *task.Completion) { c.Loss = task.Loss{Kind: task.Huber, Mu: 0.3} },
		"Own": func(c *task.Completion) {
			c.Center = dataset.NoCentre
			c.Own = func(y, omega []float64) gcg.Loss { return &loss.Huber{Y: y, Mu: 0.3, Omega: omega} }
		},
		"Labels": func(c *task.Completion) {
			labels(c)
			c.Labels = []string{"2", "1"}
		},
		"Center":     func(c *task.Completion) { c.Center = dataset.BothMeans },
		"Rated":      func(c *task.Completion) { c.Rated = task.RatedBoth },
		"AlsoSeen":   func(c *task.Completion) { c.Rated, c.AlsoSeen = task.RatedBoth, seenAgain(t) },
		"RatedShare": func(c *task.Completion) { c.Rated, c.RatedShare = task.RatedBoth, 2 },
		"Weights":    func(c *task.Completion) { c.Weights = task.Weights{Rule: task.Power, Alpha: 0.5} },
		"Clip":       func(c *task.Completion) { c.Clip = task.Clip{Rule: task.ClipTo, Lo: 2.9, Hi: 3.1} },
		"Normalize":  func(c *task.Completion) { c.Normalize = task.Mean },
		"Duplicates": func(c *task.Completion) { c.Train, c.Duplicates = ratingsAgain(t, 1, true), dataset.MeanDuplicates },
		"Float32":    func(c *task.Completion) { c.Float32 = true },
		"Ranking":    func(c *task.Completion) { c.Ranking = []int{3} },
		"FoldBy":     func(c *task.Completion) { c.FoldBy = task.FoldRows },
		"Seed":       func(c *task.Completion) { c.Seed = 5 },
		"Side":       func(c *task.Completion) { c.Side = &side.Information{Users: tableAgain(t), Weight: 1} },
		"Warm":       func(c *task.Completion) { c.Warm = first.Model },
	}
	everyField(t, changes)
	saved, z, penalty := bytesOf(t, first.Model), slices.Clone(first.Result.State.Z), first.Fitting.Problem.Penalty
	rows, values, users := slices.Clone(train.Rows), slices.Clone(train.Values), train.RowIDs.Len()
	same := map[string]bool{"Test": true, "Valid": true, "Clip": true, "Ranking": true, "FoldBy": true, "Seed": true, "Warm": true}
	for name, change := range changes {
		again, other := base, fresh()
		fit(t, &again, task.Options{Lambda: 5})
		change(&again)
		change(&other)
		opt := opt
		if again.Float32 {
			opt.Run.Tol = 1e-5
		}
		got, want := fit(t, &again, opt), fit(t, &other, opt)
		f, g, was := got.Result.State.Cert.Objective, want.Result.State.Cert.Objective, first.Result.State.Cert.Objective
		if math.Abs(f-g) > 3*opt.Run.Tol*g || math.Abs(got.Scores.RMSE()-want.Scores.RMSE()) > 1e-3 ||
			(math.Abs(f-was) < 1e-6*was) != same[name] && name != "Float32" {
			t.Errorf("%s: %v, a fresh task has %v, the first was %v", name, f, g, was)
		}
	}
	if !bytes.Equal(bytesOf(t, first.Model), saved) || !slices.Equal(first.Result.State.Z, z) ||
		first.Fitting.Problem.Penalty != penalty {
		t.Error("the first result has changed")
	}
	if !slices.Equal(train.Rows, rows) || !slices.Equal(train.Values, values) || train.RowIDs.Len() != users ||
		train.Shape[0] != users {
		t.Error("the ratings or their ids have changed")
	}
}

// Ratings in float32, however they were made, belong to the caller unless they may be taken over.
func TestFloat32LeavesTheRatings(t *testing.T) {
	g := dataset.Shapes[0].Sized(40_000)
	for name, make := range map[string]func() (*dataset.Ratings, error){"narrow": g.Narrow, "wide": g.Ratings} {
		r, err := make()
		if err != nil {
			t.Fatal(err)
		}
		c := &task.Completion{Train: r, Float32: true, Center: dataset.GlobalMean}
		opt := task.Options{LambdaRatio: 0.3, Run: solver.Options{Tol: 1e-4}}
		a, b := fit(t, c, opt), fit(t, c, opt)
		if f, g := a.Result.State.Cert.Objective, b.Result.State.Cert.Objective; r.Len() != 40_000 || f != g {
			t.Errorf("%s: %d ratings are left of 40000; objectives %v and %v", name, r.Len(), f, g)
		}
		c.Consume = true
		if d := fit(t, c, opt).Result.State.Cert.Objective - a.Result.State.Cert.Objective; d != 0 || r.Len() != 0 {
			t.Errorf("%s: %d ratings are left of those that were taken over, and the objective is off by %v", name, r.Len(), d)
		}
	}
}
