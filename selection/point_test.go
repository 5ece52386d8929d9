package selection

import (
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// Of the λ within one standard error of the smallest error, 1se takes the largest; min takes that of the smallest error.
func TestRules(t *testing.T) {
	point := func(lambda, rmse, se float64) Point {
		return Point{Lambda: lambda, Scores: Scores{{"RMSE", rmse}}, StdErr: se}
	}
	// the first is within its own standard error alone
	points := []Point{point(8, 2, 9), point(4, 1.05, 0.001), point(2, 1, 0.1), point(1, 1.01, 0.1)}
	for rule, want := range map[Rule]float64{Min: 2, OneStd: 4} {
		if at, err := rule.Select(points); err != nil || points[at].Lambda != want {
			t.Errorf("%s takes λ = %v, not %v; %v", rule, points[at].Lambda, want, err)
		}
	}
	for _, c := range []struct {
		rule   Rule
		points []Point
		want   string
	}{{"2se", points, `no rule "2se"`}, {Min, nil, "no point"}} {
		if _, err := c.rule.Select(c.points); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.rule, err)
		}
	}
}

// A fold that is not solved shows in the point, whichever it is.
func TestFoldsShowWhatIsNotSolved(t *testing.T) {
	fold := func(status solver.Status, gap, rmse float64) []Point {
		return []Point{{Lambda: 5, At: 5, Cert: gcg.Certificate{Objective: gap, Relative: gap}, Iterations: 3, Status: status,
			Scores: Scores{{"RMSE", rmse}}}}
	}
	for first, folds := range map[string][][]Point{
		"first": {fold(solver.Stalled, 0.1, 2), fold(solver.Converged, 1e-4, 4)},
		"last":  {fold(solver.Converged, 0, 2), fold(solver.Stalled, 0.1, 4)},
	} {
		a := &average{grid: []float64{7}, points: make([]Point, 1)}
		for _, points := range folds {
			if err := a.add(points); err != nil {
				t.Fatal(err)
			}
		}
		p := a.mean()[0]
		if p.Status != solver.Stalled || p.Gap() != 0.1 || p.Cert.Objective != 0.1 || p.At != 5 || p.Iterations != 6 ||
			p.Lambda != 7 || p.Scores.First() != 3 || p.StdErr != 1 {
			t.Errorf("stalled %s: %+v", first, p)
		}
	}
}
