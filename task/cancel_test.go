package task_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/cur"
	"github.com/seed-b18ef778/gcg/task/implicit"
	"github.com/seed-b18ef778/gcg/task/recovery"
	"github.com/seed-b18ef778/gcg/task/rpca"
	"github.com/seed-b18ef778/gcg/task/spca"
	"github.com/seed-b18ef778/gcg/task/views"
)

// fits are the tasks of this package, as one function each.
func fits(t *testing.T) map[string]func(context.Context, task.Options) (*task.Solution, []task.Warning, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []dataset.Rating
	var x [][]float64
	var y []float64
	for i := range 60 {
		row := make([]float64, 30)
		for j := range row {
			row[j] = rng.NormFloat64()
			if rng.Float64() < 0.6 {
				list = append(list, dataset.Rating{User: string(rune('A' + i)), Item: string(rune('a' + j)), Value: rng.NormFloat64()})
			}
		}
		x, y = append(x, row), append(y, rng.NormFloat64())
	}
	ratings, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	linear := task.Linear{Kind: task.Regression, Train: targetsOf(t, x, y...)}
	completion := task.Completion{Train: ratings, Center: dataset.GlobalMean, Weights: task.Weights{Rule: task.NoWeights}}
	return map[string]func(context.Context, task.Options) (*task.Solution, []task.Warning, error){
		"linear": func(ctx context.Context, opt task.Options) (*task.Solution, []task.Warning, error) {
			r, err := linear.Fit(ctx, opt)
			if r == nil {
				return nil, nil, err
			}
			return r.Solution, r.Warnings, err
		},
		"completion": func(ctx context.Context, opt task.Options) (*task.Solution, []task.Warning, error) {
			r, err := completion.Fit(ctx, opt)
			if r == nil {
				return nil, nil, err
			}
			return r.Solution, r.Warnings, err
		},
	}
}

// Where ctx has ended before anything was found there is no result, and the error wraps that of ctx; MaxTime is a limit.
func TestCancelledAtOnce(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	for name, fit := range fits(t) {
		for _, opt := range []task.Options{{Lambda: 0.5}, {}, {Folds: 3}, {LambdaRatio: 0.1}, {Zeta: 1}} {
			for _, ctx := range []context.Context{cancelled, late} {
				if s, _, err := fit(ctx, opt); s != nil || !errors.Is(err, ctx.Err()) {
					t.Errorf("%s, %+v: %v, %v", name, opt, s, err)
				}
			}
		}
		s, _, err := fit(context.Background(), task.Options{Lambda: 0.5, Run: solver.Options{MaxTime: 1}})
		if err != nil || s.Result.Status != solver.MaxTime {
			t.Errorf("%s without time: %v, %v", name, s, err)
		}
	}
}

// The tasks in the packages below follow the same rule.
func TestEveryTaskCancelledAtOnce(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	rng := rand.New(rand.NewPCG(3, 4))
	x := &dataset.Matrix{Rows: 12, Cols: 8}
	var clicks []dataset.Rating
	for i := range x.Rows {
		for j := range x.Cols {
			x.Dense = append(x.Dense, rng.NormFloat64())
			if rng.Float64() < 0.6 {
				clicks = append(clicks, dataset.Rating{User: strconv.Itoa(i), Item: strconv.Itoa(j), Value: 1})
			}
		}
	}
	known, err := dataset.FromSlice(clicks)
	if err != nil {
		t.Fatal(err)
	}
	for name, fit := range map[string]func(context.Context, task.Options) (nothing bool, err error){
		"clicks": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&implicit.Task{Train: known, Alpha: 10}).Fit(ctx, opt)
			return r == nil, err
		},
		"views": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&views.Task{Views: []views.View{{Name: "x", X: x}, {Name: "y", X: x}}}).Fit(ctx, opt)
			return r == nil, err
		},
		"rpca": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&rpca.Task{Rows: x.Rows, Cols: x.Cols, Values: x.Dense, L1: 0.3}).Fit(ctx, opt)
			return r == nil, err
		},
		"recovery": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&recovery.Task{Train: known, L1: 0.01}).Fit(ctx, opt)
			return r == nil, err
		},
		"graph": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&recovery.Graph{Edges: known}).Fit(ctx, opt, 3)
			return r == nil, err
		},
		"cur": func(ctx context.Context, opt task.Options) (bool, error) {
			if opt.Lambda == 0 && opt.LambdaRatio == 0 {
				opt.LambdaRatio = 0.01 // nothing can be held out to choose it by
			}
			r, err := (&cur.Task{D: x, Name: "x"}).Fit(ctx, opt)
			return r == nil, err
		},
		"cur by number": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&cur.Task{D: x, Name: "x", Rows: 2, Columns: 2}).Fit(ctx, task.Options{})
			return r == nil, err
		},
		"spca": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&spca.Task{Features: x}).Fit(ctx, opt)
			return r == nil, err
		},
		"spca by number": func(ctx context.Context, opt task.Options) (bool, error) {
			r, err := (&spca.Task{Features: x, Nonzeros: 2}).Fit(ctx, task.Options{})
			return r == nil, err
		},
	} {
		for _, opt := range []task.Options{{Lambda: 0.01}, {}, {LambdaRatio: 0.1}} {
			for _, ctx := range []context.Context{cancelled, late} {
				if nothing, err := fit(ctx, opt); !nothing || !errors.Is(err, ctx.Err()) {
					t.Errorf("%s, λ = %v, ratio %v: nothing %v, %v", name, opt.Lambda, opt.LambdaRatio, nothing, err)
				}
			}
		}
	}
}

// Where ctx ends in a run or in the choice of λ there are the best so far, the status, a warning and the error.
func TestCancelledOnTheWay(t *testing.T) {
	for name, fit := range fits(t) {
		for how, of := range map[string]func(cancel func()) (task.Options, string){
			"in the run": func(cancel func()) (task.Options, string) {
				return task.Options{Lambda: 0.5, Run: solver.Options{Tol: 1e-14, Event: func(e solver.Event) {
					if e.Iter == 1 {
						cancel()
					}
				}}}, "interrupted at iteration"
			},
			"while λ is chosen": func(cancel func()) (task.Options, string) {
				tried := 0
				return task.Options{Progress: func(selection.Event) {
					if tried++; tried == 2 {
						cancel()
					}
				}}, "choosing λ ended by an interrupt"
			},
		} {
			ctx, cancel := context.WithCancel(context.Background())
			opt, want := of(cancel)
			s, warnings, err := fit(ctx, opt)
			cancel()
			if how == "while λ is chosen" && name == "linear" && s == nil && errors.Is(err, context.Canceled) {
				continue // of few rows λ is chosen by folds, of which none was done
			}
			if s == nil || !errors.Is(err, context.Canceled) || s.Result.Status != solver.Interrupted {
				t.Errorf("%s, %s: %+v, %v", name, how, s, err)
				continue
			}
			if !slices.ContainsFunc(warnings, func(w task.Warning) bool { return strings.Contains(w.String(), want) }) {
				t.Errorf("%s, %s: %v", name, how, warnings)
			}
		}
	}
}

// A rule that does not exist is no other one.
func TestUnknownRule(t *testing.T) {
	for name, fit := range fits(t) {
		if _, _, err := fit(context.Background(), task.Options{Folds: 3, Rule: "1sd"}); err == nil ||
			!strings.Contains(err.Error(), `"1sd"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What chooses λ is refused where λ is given, and a rule without folds.
func TestNothingToChoose(t *testing.T) {
	for name, fit := range fits(t) {
		for want, opt := range map[string]task.Options{"leaves nothing to choose": {Lambda: 1, Points: 5},
			"or Zeta leaves nothing to choose": {Zeta: 1, Folds: 3}, "LambdaRatio or Zeta leaves": {LambdaRatio: 0.1, Ratio: 0.1},
			"give Folds": {Rule: selection.OneStd}} {
			if _, _, err := fit(context.Background(), opt); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %+v: %v", name, opt, err)
			}
		}
	}
}

// Numbers that no search can have are refused, by the field, before anything is run.
func TestSearchesThatCannotBe(t *testing.T) {
	for name, fit := range fits(t) {
		for field, opt := range map[string]task.Options{"Folds is -3": {Folds: -3}, "Folds is 1": {Folds: 1},
			"Points is -1": {Points: -1}, "Ratio is -1": {Ratio: -1}, "Ratio is 3": {Ratio: 3}, "Ratio is NaN": {Ratio: math.NaN()}} {
			if _, _, err := fit(context.Background(), opt); err == nil || !strings.Contains(err.Error(), field) {
				t.Errorf("%s, %s: %v", name, field, err)
			}
		}
	}
}

// More folds than there is to hold out are refused at the first, not when the others have been solved.
func TestTooManyFolds(t *testing.T) {
	ratings, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "b", Value: 1}, {User: "b", Item: "c", Value: 1},
		{User: "c", Item: "d", Value: 1}})
	if err != nil {
		t.Fatal(err)
	}
	x := &dataset.Matrix{Rows: 2, Cols: 2, Dense: []float64{1, 2, 3, 4}}
	prepare := map[string]func() (selection.Source, error){
		"graph":    func() (selection.Source, error) { return (&recovery.Graph{Edges: ratings}).Prepare() },
		"recovery": func() (selection.Source, error) { return (&recovery.Task{Train: ratings}).Prepare() },
		"implicit": func() (selection.Source, error) { return (&implicit.Task{Train: ratings, Alpha: 1}).Prepare() },
		"views":    func() (selection.Source, error) { return (&views.Task{Views: []views.View{{X: x}, {X: x}}}).Prepare() },
	}
	for name, of := range prepare {
		p, err := of()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Fold(0, 50); !errors.Is(err, task.ErrTooFew) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
