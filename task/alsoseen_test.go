package task_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/operator/inductive"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// pairsOf are the pairs of some ratings, by ids of their own.
func pairsOf(r *dataset.Ratings, keep func(e int) bool) *dataset.Ratings {
	p := &dataset.Ratings{Name: "clicks", RowIDs: &dataset.IDs{}, ColIDs: &dataset.IDs{}, NoValues: true}
	for e := len(r.Rows) - 1; e >= 0; e-- { // in another order
		if keep(e) {
			p.Rows = append(p.Rows, p.RowIDs.Add([]byte(r.RowIDs.Text(int(r.Rows[e])))))
			p.Cols = append(p.Cols, p.ColIDs.Add([]byte(r.ColIDs.Text(int(r.Cols[e])))))
		}
	}
	p.Values = make([]float64, len(p.Rows))
	p.Shape = [2]int{p.RowIDs.Len(), p.ColIDs.Len()}
	return p
}

// seenFit is a fit with lists of both sides, and with what was seen besides.
func seenFit(t *testing.T, train, also *dataset.Ratings, split float64) (*task.PreparedCompletion, *task.CompletionResult) {
	t.Helper()
	c := &task.Completion{Train: train, AlsoSeen: also, Rated: task.RatedBoth, Center: dataset.GlobalMean,
		Weights: task.Weights{Rule: task.NoWeights}, Clip: task.Clip{Rule: task.NoClip},
		Split: dataset.Split{Fraction: split, Seed: 4}}
	p, err := c.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Fit(context.Background(), task.Options{Lambda: 6, Run: solver.Options{Tol: 1e-8}})
	if err != nil || res.Result.Status != solver.Converged {
		t.Fatal(err)
	}
	return p, res
}

// Pairs that have ratings change nothing, those that are held out included: lists have the former anyway, and never the latter.
func TestSeenOfRatingsChangesNothing(t *testing.T) {
	train := tasteful(120, 40, 10)
	for _, split := range []float64{0, 0.7} {
		_, plain := seenFit(t, train, nil, split)
		p, also := seenFit(t, train, pairsOf(train, func(int) bool { return true }), split)
		told := p.AlsoSeen()
		same := slices.Equal(plain.Model.U, also.Model.U) && slices.Equal(plain.Model.RowIDs, also.Model.RowIDs)
		if !same || plain.Scores.RMSE() != also.Scores.RMSE() || told.Joined != 0 || told.Rated != p.Len() ||
			told.Held != len(train.Rows)-p.Len() {
			t.Errorf("split %v: RMSE %v without pairs, with them %v; %+v", split, plain.Scores.RMSE(), also.Scores.RMSE(), told)
		}
	}
}

// hidden are ratings whose every third has become a pair without one, among them a user and an item of pairs alone.
func hidden() (train, also *dataset.Ratings) {
	all := tasteful(60, 24, 8)
	hide := func(e int) bool { return e%3 == 0 || all.Rows[e] == 7 || all.Cols[e] == 5 }
	train = &dataset.Ratings{Name: "rated", RowIDs: &dataset.IDs{}, ColIDs: &dataset.IDs{}}
	for e, y := range all.Values {
		if !hide(e) {
			train.Rows = append(train.Rows, train.RowIDs.Add([]byte(all.RowIDs.Text(int(all.Rows[e])))))
			train.Cols = append(train.Cols, train.ColIDs.Add([]byte(all.ColIDs.Text(int(all.Cols[e])))))
			train.Values = append(train.Values, y)
		}
	}
	train.Shape = [2]int{train.RowIDs.Len(), train.ColIDs.Len()}
	return train, pairsOf(all, hide)
}

// The problem is that of lists of ratings and pairs together, written out as features: a constant, and a list of length 1.
func TestSeenJoinsTheLists(t *testing.T) {
	train, also := hidden()
	_, res := seenFit(t, train, also, 0)
	if len(res.Model.RowIDs) != 60 || len(res.Model.ColIDs) != 24 || res.Model.Info.AlsoSeen != len(also.Rows) {
		t.Fatalf("%d users, %d items, %d pairs", len(res.Model.RowIDs), len(res.Model.ColIDs), res.Model.Info.AlsoSeen)
	}
	users, items := dataset.NewIDs(res.Model.RowIDs), dataset.NewIDs(res.Model.ColIDs)
	rows, cols := make([][]int, users.Len()), make([][]int, items.Len())
	for _, r := range []*dataset.Ratings{train, also} {
		r = r.By(users, items)
		for e, i := range r.Rows {
			rows[i], cols[r.Cols[e]] = append(rows[i], int(r.Cols[e])), append(cols[r.Cols[e]], int(i))
		}
	}
	s, err := train.By(users, items).Compress(dataset.RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	at, err := operator.NewSampling(s.M, s.N, s.Ptr, s.Cols)
	if err != nil {
		t.Fatal(err)
	}
	problem := *res.Fitting.Problem
	problem.Penalty = gauge.Linear{Lambda: 6}
	if problem.Operator, err = inductive.New(at, writtenOut(rows, s.N), writtenOut(cols, s.M)); err != nil {
		t.Fatal(err)
	}
	method, improver, _ := solver.For(&problem)
	want, err := solver.Run(context.Background(), &problem, method, solver.Options{Improver: improver, Tol: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := res.Result.State.Cert.Objective, want.State.Cert.Objective; math.Abs(a-b) > 1e-6*b {
		t.Errorf("the optimum is %v, with lists written out %v", a, b)
	}
}

// A saved model makes a user and an item known by their lists, as if they had been there, and a fit goes on from it.
func TestSeenInModels(t *testing.T) {
	train, also := hidden()
	_, res := seenFit(t, train, also, 0)
	var file bytes.Buffer
	if err := res.Model.Write(&file); err != nil {
		t.Fatal(err)
	}
	m, err := model.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	twins := &dataset.Ratings{Name: "later", RowIDs: &dataset.IDs{}, ColIDs: &dataset.IDs{}}
	pair := func(user, item string) {
		twins.Rows = append(twins.Rows, twins.RowIDs.Add([]byte(user)))
		twins.Cols = append(twins.Cols, twins.ColIDs.Add([]byte(item)))
	}
	for e, i := range also.Rows {
		user, item := also.RowIDs.Text(int(i)), also.ColIDs.Text(int(also.Cols[e]))
		if user == "7" {
			pair("twin", item)
		}
		if item == "5" {
			pair(user, "like it")
		}
	}
	users, items, err := m.AddSeen(twins)
	if err != nil || users != 1 || items != 1 {
		t.Fatalf("%d users, %d items, %v", users, items, err)
	}
	at := func(ids []string, id string) int { return slices.Index(ids, id) }
	u, v := at(m.RowIDs, "7"), at(m.ColIDs, "5")
	for k := range 5 {
		if a, b := m.Predict(u, k), m.Predict(at(m.RowIDs, "twin"), k); math.Abs(a-b) > 1e-12 {
			t.Errorf("a user of training has %v, one with its list %v", a, b)
		}
		if a, b := m.Predict(k, v), m.Predict(k, at(m.ColIDs, "like it")); math.Abs(a-b) > 1e-12 {
			t.Errorf("an item of training has %v, one with its list %v", a, b)
		}
	}
	again := &task.Completion{Train: train, AlsoSeen: also, Rated: task.AutoRated, Center: dataset.GlobalMean,
		Weights: task.Weights{Rule: task.NoWeights}, Warm: res.Model}
	warm, err := again.Fit(context.Background(), task.Options{Lambda: 6, Run: solver.Options{Tol: 1e-8}})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := warm.Began.Objective, res.Result.State.Cert.Objective; math.Abs(a-b) > 1e-6*b {
		t.Errorf("the start has the objective %v, and the model %v", a, b)
	}
	_, plain := seenFit(t, train, nil, 0)
	plain.Model.RowRated, plain.Model.ColRated = nil, nil
	if _, _, err := plain.Model.AddSeen(twins); err == nil {
		t.Error("a model without lists takes some")
	}
}

// writtenOut is a side of a constant and lists, at the usual weight: its features have η² of the squared length of indicators.
func writtenOut(lists [][]int, others int) *inductive.Side {
	scale := 0.6 / math.Sqrt2 // a constant and a list of length 1 beside an indicator
	s := &inductive.Side{N: len(lists), P: 1 + others, Ptr: make([]int64, 1)}
	for _, list := range lists {
		s.Index, s.Values = append(s.Index, 0), append(s.Values, scale)
		for _, j := range list {
			s.Index, s.Values = append(s.Index, int32(1+j)), append(s.Values, scale/math.Sqrt(float64(len(list))))
		}
		s.Ptr = append(s.Ptr, int64(len(s.Values)))
	}
	return s
}

// The problem on a validation part is the same whether or not its pairs were seen as well.
func TestValidationListsAreOfTheirPart(t *testing.T) {
	train, also := hidden()
	c := func(also *dataset.Ratings) *gcg.Problem {
		p, err := (&task.Completion{Train: train, AlsoSeen: also, Rated: task.RatedBoth, Center: dataset.GlobalMean}).Prepare()
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Validation()
		if err != nil {
			t.Fatal(err)
		}
		return f.Problem
	}
	more := pairsOf(train, func(int) bool { return true })
	more = also.With(more)
	a, b := c(also), c(more)
	m, n, nobs := a.Operator.Dims()
	u, v := gcg.NewFactor(m, 1), gcg.NewFactor(n, 1)
	for i := range m {
		u.Row(i)[0] = math.Sin(float64(i + 1))
	}
	for j := range n {
		v.Row(j)[0] = math.Cos(float64(3 * j))
	}
	x, y := make([]float64, nobs), make([]float64, nobs)
	a.Operator.FactoredTo(x, 0, u, v)
	b.Operator.FactoredTo(y, 0, u, v)
	if !slices.Equal(x, y) {
		t.Error("lists know pairs that are held out")
	}
}

func TestSeenThatIsRefused(t *testing.T) {
	train, also := hidden()
	others := *also
	others.RowIDs, others.ColIDs = dataset.NewIDs([]string{"x"}), dataset.NewIDs([]string{"y"})
	others.Rows, others.Cols, others.Values, others.Shape = []int32{0}, []int32{0}, []float64{1}, [2]int{1, 1}
	for _, c := range []struct {
		fit  task.Completion
		want string
	}{
		{task.Completion{Train: train, AlsoSeen: also}, "RatedBoth"},
		{task.Completion{Train: train, AlsoSeen: &others, Rated: task.RatedBoth}, `"x"`},
		{task.Completion{Train: train, AlsoSeen: also, Rated: task.RatedBoth, Float32: true}, "Float32"},
	} {
		if _, err := c.fit.Prepare(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not of %s", err, c.want)
		}
	}
}
