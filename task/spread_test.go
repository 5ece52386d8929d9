package task_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// sharedList is noisy ratings of a matrix of rank 2 with biases.
func sharedList(m, n int, share float64, seed uint64) (list []dataset.Rating) {
	rng := rand.New(rand.NewPCG(seed, 11))
	of := rand.New(rand.NewPCG(1, 11)) // the matrix is the same for every seed
	u, v := make([]float64, 3*m), make([]float64, 3*n)
	for _, x := range [][]float64{u, v} {
		for i := range x {
			x[i] = of.NormFloat64()
		}
	}
	for i := range m {
		for j := range n {
			if rng.Float64() < share {
				list = append(list, dataset.Rating{User: fmt.Sprint("u", i), Item: fmt.Sprint("i", j),
					Value: 3 + u[3*i]*v[3*j] + u[3*i+1]*v[3*j+1] + 0.5*(u[3*i+2]+v[3*j+2]) + 0.3*rng.NormFloat64()})
			}
		}
	}
	return list
}

// shared is the ratings of a list, of which the ranks have those of their rows: by the ids of train where there is one.
func shared(c *cluster.Comm, list []dataset.Rating, train *dataset.Ratings) (*dataset.Ratings, error) {
	own, rows := &dataset.Ratings{RowIDs: &dataset.IDs{}, ColIDs: &dataset.IDs{}}, (*cluster.Rows)(nil)
	if c.Rank() == 0 {
		var err error
		if own, err = dataset.FromSlice(list); err != nil {
			return nil, err
		}
	}
	if train != nil {
		own, rows = own.By(train.RowIDs, train.ColIDs), train.Spread
	}
	return own.OverRanks(c, rows)
}

// weighed gives ratings of one rank weights, some of them 0, and offsets.
func weighed(r *dataset.Ratings) {
	for e, x := range r.Values {
		r.Omega = append(r.Omega, float64((int(r.Rows[e])+2*int(r.Cols[e]))%4)/2)
		r.Offset = append(r.Offset, 0.1*float64(int(r.Cols[e])%3))
		r.Values[e] = x + r.Offset[e]
	}
}

// A completion over ranks fits the same model, to the last bit, on any number of them: with λ given, and with λ, centre and
// weights chosen on a part that is held out; in float64 and in float32.
func TestCompletionOverRanks(t *testing.T) {
	train, test := sharedList(150, 60, 0.25, 1), sharedList(150, 60, 0.02, 2)
	for _, c := range []struct {
		name string
		of   task.Completion
		opt  task.Options
	}{
		{"given", task.Completion{Center: dataset.BothMeans, Weights: task.Weights{Rule: task.Power, Alpha: 0.5}},
			task.Options{LambdaRatio: 0.1, Run: solver.Options{Tol: 1e-6}}},
		{"float32", task.Completion{Center: dataset.ShrunkMeans, Float32: true, Normalize: task.Mean, Consume: true},
			task.Options{LambdaRatio: 0.1}},
		{"chosen", task.Completion{Seed: 5}, task.Options{}},
		{"weights", task.Completion{Center: dataset.BothMeans, Normalize: task.Mean}, task.Options{LambdaRatio: 0.1}},
		{"huber", task.Completion{Loss: task.Loss{Kind: task.Huber, Mu: 0.5}, Center: dataset.GlobalMean, Seed: 2,
			Weights: task.Weights{Rule: task.Power, Alpha: 0.5}}, task.Options{LambdaRatio: 0.1, Run: solver.Options{Tol: 0.01}}},
		{"quantile", task.Completion{Loss: task.Loss{Kind: task.Quantile, Mu: 0.3, Tau: 0.7}, Center: dataset.NoCentre},
			task.Options{LambdaRatio: 0.2, Run: solver.Options{Tol: 0.01}}},
		{"split", task.Completion{Split: dataset.Split{Fraction: 0.8}, Center: dataset.BothMeans,
			Weights: task.Weights{Rule: task.NoWeights}}, task.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := ""
			var mutex sync.Mutex
			for _, ranks := range []int{1, 2, 4} {
				err := cluster.InProcess(ranks, func(comm *cluster.Comm) error {
					of, err := c.of, error(nil)
					if of.Train, err = shared(comm, train, nil); err != nil {
						return err
					}
					if c.name == "weights" || c.name == "huber" {
						weighed(of.Train)
					}
					if c.name != "split" {
						if of.Test, err = shared(comm, test, of.Train); err != nil {
							return err
						}
					}
					r, err := of.Fit(t.Context(), c.opt)
					if err != nil {
						return err
					}
					var file bytes.Buffer
					if err := r.Model.Whole().Write(&file); err != nil {
						return err
					}
					text := fmt.Sprint(r.Result.Status, r.Lambda, r.Result.State.Cert, r.Scores.Errors, r.Trivial, r.Candidates != nil,
						r.Warnings, file.String())
					mutex.Lock()
					defer mutex.Unlock()
					if want == "" {
						want = text
						if r.Result.Status != solver.Converged || !(r.Scores.RMSE() < r.Trivial.Biases) {
							return fmt.Errorf("%v, RMSE %v, biases %v", r.Result.Status, r.Scores.RMSE(), r.Trivial.Biases)
						}
					}
					if text != want {
						return errors.New("another model")
					}
					return nil
				})
				if err != nil {
					t.Errorf("%d ranks: %v", ranks, err)
				}
			}
		})
	}
}

// Lists of what was rated are left to one process, and ranks say so where that one would try them.
func TestListsAreLeftToOneProcess(t *testing.T) {
	for _, of := range []struct {
		n    int
		left bool
	}{{150, true}, {20, false}} {
		list := sharedList(150, of.n, 1, 1)
		err := cluster.InProcess(2, func(c *cluster.Comm) (err error) {
			fit := task.Completion{Rated: task.AutoRated}
			if fit.Train, err = shared(c, list, nil); err != nil {
				return err
			}
			p, err := fit.Prepare()
			if err == nil && (p.ListsLeft() != of.left || p.ListsOpen()) {
				err = fmt.Errorf("of %d ratings: left %v, open %v", p.Len(), p.ListsLeft(), p.ListsOpen())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Ranks without a rating take part: there are fewer users than shards.
func TestCompletionOverRanksOfFewUsers(t *testing.T) {
	list := sharedList(3, 30, 0.7, 1)
	for _, l := range []task.Loss{{}, {Kind: task.Huber, Mu: 1}} {
		var want string
		for _, ranks := range []int{1, 8} {
			err := cluster.InProcess(ranks, func(c *cluster.Comm) (err error) {
				of := task.Completion{Loss: l, Center: dataset.GlobalMean, Weights: task.Weights{Rule: task.NoWeights}}
				if of.Train, err = shared(c, list, nil); err != nil {
					return err
				}
				if weighed(of.Train); of.Train.Omega == nil {
					of.Train.Omega, of.Train.Offset = []float64{}, []float64{}
				}
				r, err := of.Fit(t.Context(), task.Options{Lambda: 1})
				if err != nil || c.Rank() > 0 {
					return err
				}
				if got := fmt.Sprint(r.Result.State.Cert, r.Scores.Errors); want == "" {
					want = got
				} else if got != want {
					return fmt.Errorf("%s, not %s", got, want)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%v on %d ranks: %v", l, ranks, err)
			}
		}
	}
}

// Ranks come to the optimum that one process proves, and to its scores.
func TestCompletionOverRanksIsThatOfOneProcess(t *testing.T) {
	train, test := sharedList(150, 60, 0.25, 1), sharedList(150, 60, 0.02, 2)
	for _, l := range []task.Loss{{}, {Kind: task.Squared}, {Kind: task.Huber, Mu: 0.5}} {
		t.Run(l.String(), func(t *testing.T) { ofOneProcess(t, train, test, l) })
	}
}

// ofOneProcess is TestCompletionOverRanksIsThatOfOneProcess of one loss, of weighed ratings but for the usual one.
func ofOneProcess(t *testing.T, train, test []dataset.Rating, l task.Loss) {
	t.Helper()
	of := func() task.Completion {
		return task.Completion{Loss: l, Center: dataset.GlobalMean, Weights: task.Weights{Rule: task.Power, Alpha: 0.5}}
	}
	opt := task.Options{Lambda: 30, Run: solver.Options{Tol: 1e-6}}
	alone := of()
	var err error
	if alone.Train, err = dataset.FromSlice(train); err != nil {
		t.Fatal(err)
	}
	if l.Kind != task.UsualLoss {
		weighed(alone.Train)
	}
	if alone.Test, err = dataset.FromSlice(test); err != nil {
		t.Fatal(err)
	}
	want, err := alone.Fit(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	err = cluster.InProcess(3, func(c *cluster.Comm) error {
		together := of()
		if together.Train, err = shared(c, train, nil); err != nil {
			return err
		}
		if l.Kind != task.UsualLoss {
			weighed(together.Train)
		}
		if together.Test, err = shared(c, test, together.Train); err != nil {
			return err
		}
		got, err := together.Fit(t.Context(), opt)
		if err != nil {
			return err
		}
		a, b := got.Result.State.Cert, want.Result.State.Cert
		if apart(a, b) || math.Abs(got.Scores.RMSE()-want.Scores.RMSE()) > 1e-4 || got.Scores.N() != want.Scores.N() ||
			math.Abs(got.Trivial.Biases-want.Trivial.Biases) > 1e-6 || got.Scores.Unknown != want.Scores.Unknown {
			return fmt.Errorf("%+v %v, of one process %+v %v", a, got.Scores, b, want.Scores)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// apart says that two brackets of one optimum have nothing in common.
func apart(a, b gcg.Certificate) bool {
	return math.Max(a.LowerBound, b.LowerBound) > math.Min(a.Objective, b.Objective)*(1+1e-12)
}

// What ranks do not do together they refuse, and say what it is.
func TestCompletionOverRanksRefuses(t *testing.T) {
	list := sharedList(20, 10, 0.5, 1)
	for _, c := range []struct {
		of   task.Completion
		opt  task.Options
		want string
	}{
		{task.Completion{Loss: task.Loss{Kind: task.Logistic}}, task.Options{}, "is a third one"},
		{task.Completion{Rated: task.RatedBoth}, task.Options{}, "lists of what was rated"},
		{task.Completion{}, task.Options{Lambda: 1, Run: solver.Options{MaxTime: 1}}, "MaxTime of ranks goes by one clock"},
	} {
		err := cluster.InProcess(2, func(comm *cluster.Comm) (err error) {
			of := c.of
			if of.Train, err = shared(comm, list, nil); err != nil {
				return err
			}
			_, err = of.Fit(t.Context(), c.opt)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, not %q", err, c.want)
		}
	}
}
