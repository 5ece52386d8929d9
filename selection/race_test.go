package selection_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// blurred is the source with so much noise on its features: a worse problem of the same targets.
func (s *rows) blurred(by float64) *rows {
	t := *s
	t.x = slices.Clone(s.x)
	noise := sparseTruth(len(s.y)+1, s.p, 0).x
	for e := range t.x {
		t.x[e] += by * noise[e]
	}
	return &t
}

// part is the validation part, whichever is asked for.
func (s *rows) part(int) (*selection.Fitting, error) { return s.Validation() }

// A race takes the problem and the λ that full searches find best, ends what is far behind early, and gives the first the
// benefit of a tie.
func TestRaceTakesTheBest(t *testing.T) {
	truth := sparseTruth(400, 20, 0.3)
	sources := map[string]*rows{"true": truth, "again": truth, "blurred": truth.blurred(0.5), "noise": truth.blurred(100)}
	full := map[string]float64{}
	for name, src := range sources {
		c, err := selection.Choose(context.Background(), src, selection.Options{Run: solver.Options{Tol: 1e-6}})
		if err != nil {
			t.Fatal(err)
		}
		full[name] = c.Best().Scores.First()
	}
	for _, order := range [][]string{{"blurred", "noise", "true", "again"}, {"true", "again", "noise", "blurred"}} {
		events := 0
		race := &selection.Race{Options: selection.Options{Progress: func(e selection.Event) {
			if e.Candidate == "" {
				t.Errorf("a point of nobody: %+v", e.Point)
			}
			events++
		}}}
		best := ""
		for _, name := range order {
			var err error
			if best, err = race.Enter(context.Background(), name, sources[name].part); err != nil {
				t.Fatal(err)
			}
		}
		c, err := race.Choice(context.Background())
		if err != nil || best != "true" || len(c.Candidates) != 4 || c.Start.W == nil {
			t.Fatalf("%v: %q wins, %+v, %v", order, best, c, err)
		}
		tried := 0
		for _, x := range c.Candidates {
			tried += len(x.Curve.Points)
			if x.Name == "noise" && order[0] == "true" && !x.Beaten {
				t.Errorf("noise ran to its end: %+v", x)
			}
			if x.Name == "true" && (math.Abs(x.Scores.First()-full["true"]) > 0.003*full["true"] || x.Lambda != c.Lambda) {
				t.Errorf("λ %v with the error %v, in full %v", x.Lambda, x.Scores, full["true"])
			}
		}
		if tried != events || !slices.IsSortedFunc(c.Curve.Points, func(a, b selection.Point) int {
			if a.Lambda > b.Lambda {
				return -1
			}
			return 1
		}) {
			t.Errorf("%d λ tried, %d told of; %+v", tried, events, c.Curve.Points)
		}
	}
}

// What one validation part cannot tell apart the next one does; what is far behind is not measured on it.
func TestRaceTellsNearCandidatesApart(t *testing.T) {
	src := sparseTruth(60, 8, 1)
	// the first part of 100 observations prefers a, by less than chance; the second b, by more
	least := map[string][]float64{"a": {1, 1.05}, "b": {1.02, 1}, "c": {1.4, 0.1}}
	asked := map[string]int{}
	race := &selection.Race{Parts: 2, Options: selection.Options{Points: 9}}
	for _, name := range []string{"a", "b", "c"} {
		_, err := race.Enter(context.Background(), name, func(k int) (*selection.Fitting, error) {
			f, err := src.Validation()
			asked[name] = max(asked[name], k+1)
			lambda0 := 0.0
			f.Held, f.Measure = 100, func(at *gcg.State) selection.Measured {
				if lambda0 == 0 {
					lambda0 = at.Loss
				}
				return rmse(least[name][k] + math.Abs(at.Loss/lambda0-0.5))
			}
			return f, err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c, err := race.Choice(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if b := c.Candidates[1]; c.Lambda != b.Lambda || b.Parts != 2 || c.Candidates[0].Parts != 2 || c.Candidates[2].Parts != 1 ||
		asked["c"] != 1 || c.Start.W == nil {
		t.Errorf("λ %v of %+v", c.Lambda, c.Candidates)
	}
	if a, b := c.Candidates[0].Scores.First(), c.Candidates[1].Scores.First(); b >= a {
		t.Errorf("means %v and %v", a, b)
	}
}

// Where W = 0 is the solution whatever λ is, it is measured as a candidate like others.
func TestRaceOfNothing(t *testing.T) {
	src := sparseTruth(40, 3, 1)
	clear(src.y)
	race := &selection.Race{}
	if best, err := race.Enter(context.Background(), "nothing", src.part); best != "nothing" || err != nil {
		t.Fatalf("%q, %v", best, err)
	}
	c, err := race.Choice(context.Background())
	if err != nil || math.Abs(c.Lambda-1) > 1e-12 || c.Candidates[0].Scores.First() != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

// An interrupt or the time ends a race with what was found, or with an error where that is nothing.
func TestRaceIsCutShort(t *testing.T) {
	src := sparseTruth(60, 8, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	race := &selection.Race{}
	if _, err := race.Enter(ctx, "a", src.part); !errors.Is(err, selection.ErrInterrupted) {
		t.Errorf("interrupted at once: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	race = &selection.Race{}
	race.Options.Progress = func(e selection.Event) {
		if e.Candidate == "b" {
			cancel()
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		if best, err := race.Enter(ctx, name, src.part); err != nil || best != "a" {
			t.Fatalf("%s: %q wins, %v", name, best, err)
		}
	}
	c, err := race.Choice(ctx)
	if !errors.Is(err, context.Canceled) || c.Curve.CutShort != solver.Interrupted || len(c.Candidates) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	race = &selection.Race{Options: selection.Options{Run: solver.Options{MaxTime: time.Nanosecond}}}
	for _, name := range []string{"a", "b"} {
		if _, err := race.Enter(context.Background(), name, src.part); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := race.Choice(context.Background()); err != nil || c.Curve.CutShort != solver.MaxTime || len(c.Candidates) != 1 ||
		!(c.Lambda > 0) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A scripted source has the errors of a list, whatever is solved.
type scripted struct {
	*rows
	errors []float64
}

func (s *scripted) Validation() (*selection.Fitting, error) {
	f, err := s.rows.Validation()
	at := 0
	f.Measure = func(*gcg.State) selection.Measured {
		at++
		return rmse(s.errors[min(at, len(s.errors))-1])
	}
	return f, err
}

// A flat start is no minimum: the error of the first λ that only noise explains rises by hardly anything, and falls by a sixth
// where the training loss falls.
func TestChooseGoesOnAfterAFlatStart(t *testing.T) {
	school := []float64{12.3028, 12.2987, 12.2964, 12.2969, 12.2998, 12.2994, 12.29, 11.9, 11.3, 10.9, 10.6, 10.5, 10.43, 10.4298,
		10.4441,
		10.4668, 10.5, 10.6}
	c, err := selection.Choose(context.Background(), &scripted{sparseTruth(60, 8, 1), school},
		selection.Options{Points: 40, Ratio: 1e-3})
	if err != nil || c.Best().Scores.First() != 10.4298 {
		t.Errorf("chose %v of %d λ, %v", c.Best().Scores, len(c.Curve.Points), err)
	}
}

// While the smallest error is at the end of the grid, cross-validation and the choice go on, at most to the square of the ratio,
// and say whether it still is there.
func TestGridsGrowWhileTheirEndIsBest(t *testing.T) {
	src := sparseTruth(200, 8, 0.3)
	for _, c := range []struct {
		ratio float64
		more  bool
	}{{0.5, true}, {0.06, false}} {
		opt := selection.Options{Points: 8, Ratio: c.ratio, Folds: 3, Run: solver.Options{Tol: 1e-6}}
		curve, err := selection.CrossValidate(context.Background(), src, opt)
		if err != nil {
			t.Fatal(err)
		}
		n := len(curve.Points)
		if n <= 8 || n > 15 || n != len(curve.Grid) || curve.AtEnd() != c.more {
			t.Errorf("ratio %v: %d λ down to %v of the first, and still falling %v", c.ratio, n, curve.Grid[n-1]/curve.Grid[0],
				curve.AtEnd())
		}
		step := math.Pow(c.ratio, 1.0/7)
		for i := 1; i < n; i++ {
			if math.Abs(curve.Grid[i]/curve.Grid[i-1]-step) > 1e-9 {
				t.Errorf("ratio %v: a step by %v in place of %v", c.ratio, curve.Grid[i]/curve.Grid[i-1], step)
			}
		}
		choice, err := selection.Choose(context.Background(), src, opt)
		if err != nil || len(choice.Curve.Points) <= 8 || choice.Curve.AtEnd() != c.more {
			t.Errorf("ratio %v: %d λ were tried, and still falling %v; %v", c.ratio, len(choice.Curve.Points), choice.Curve.AtEnd(), err)
		}
	}
}

// A candidate whose error falls late, after steps that become smaller far above the best, is followed to its end, and wins.
func TestRaceFollowsWhatStillFalls(t *testing.T) {
	scripted := func(errors ...float64) selection.Part {
		return func(int) (*selection.Fitting, error) {
			f, err := sparseTruth(200, 10, 0.3).Validation()
			at := -1
			f.Measure = func(*gcg.State) selection.Measured {
				at = min(at+1, len(errors)-1)
				return rmse(errors[at])
			}
			return f, err
		}
	}
	race := &selection.Race{}
	if _, err := race.Enter(context.Background(), "early", scripted(1, 0.9, 0.85, 0.84, 0.9, 0.95)); err != nil {
		t.Fatal(err)
	}
	best, err := race.Enter(context.Background(), "late", scripted(1, 0.99, 0.984, 0.981, 0.979, 0.978, 0.9, 0.7, 0.6))
	if err != nil || best != "late" {
		t.Errorf("%q wins, %v: %+v", best, err, race.Candidates)
	}
}

// Where the next λ is to be worth its time, none below the best one of a path is tried once the one above it is better.
func TestRefiningEndsWhereTheLargerIsBetter(t *testing.T) {
	for _, c := range []struct{ worth, above, best float64 }{{0.005, 0.83, 0.83}, {0.005, 0.85, 0.5}, {0, 0.83, 0.5}} {
		paths := [][]float64{{1, 0.9, 0.86, 0.84, 0.9, 0.95}, {c.above, 0.5}}
		race, calls := &selection.Race{}, 0
		_, err := race.Enter(context.Background(), "", func(int) (*selection.Fitting, error) {
			f, err := sparseTruth(200, 10, 0.3).Validation()
			at, errors := -1, paths[min(calls, 1)]
			calls++
			f.Worth, f.Measure = c.worth, func(*gcg.State) selection.Measured {
				at = min(at+1, len(errors)-1)
				return rmse(errors[at])
			}
			return f, err
		})
		if err != nil {
			t.Fatal(err)
		}
		if choice, err := race.Choice(context.Background()); err != nil || choice.Best().Scores.First() != c.best {
			t.Errorf("%+v: %+v, %v", c, choice, err)
		}
	}
}

// A path whose error may stay level and fall again ends where a fall is worth too little only once it is the best so far, and a
// smaller λ is not tried afterwards.
func TestRaceEndsLatePathsAhead(t *testing.T) {
	tried := map[string]int{}
	plain := 0.0
	late := func(worth float64, errors ...float64) selection.Part {
		return func(int) (*selection.Fitting, error) {
			f, err := sparseTruth(200, 10, 0.3).Validation()
			f.Worth, f.Late, f.Plain = worth, worth > 0, plain
			at := -1
			f.Measure = func(*gcg.State) selection.Measured {
				at = min(at+1, len(errors)-1)
				return rmse(errors[at])
			}
			return f, err
		}
	}
	race := &selection.Race{Options: selection.Options{Progress: func(e selection.Event) { tried[e.Candidate]++ }}}
	if _, err := race.Enter(context.Background(), "early", late(0, 1, 0.9, 0.86, 0.9, 0.95)); err != nil {
		t.Fatal(err)
	}
	best, err := race.Enter(context.Background(), "late", late(0.005, 1, 0.91, 0.909, 0.907, 0.85, 0.83, 0.829, 0.828, 0.827))
	if err != nil || best != "late" || tried["late"] != 7 {
		t.Errorf("%q wins after %d λ, %v", best, tried["late"], err)
	}
	c, err := race.Choice(context.Background())
	if err != nil || tried["late"] != 8 || c.Curve.Points[len(c.Curve.Points)-1].Lambda < c.Curve.Grid[12]*(1-1e-9) {
		t.Errorf("%d λ were tried, %v: %+v", tried["late"], err, c)
	}
	for _, usual := range []float64{0, 0.86} { // of a model that is known, where nothing else is entered
		alone := &selection.Race{Options: race.Options}
		plain = usual
		tried = map[string]int{}
		_, err := alone.Enter(context.Background(), "late", late(0.005, 1, 0.91, 0.909, 0.907, 0.85, 0.83, 0.829, 0.828, 0.827, 0.826))
		if err != nil || (tried["late"] == 7) != (usual > 0) {
			t.Errorf("%d λ were tried beside a model of error %v, %v", tried["late"], usual, err)
		}
	}
}
