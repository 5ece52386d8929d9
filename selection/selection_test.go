package selection_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// rows is a source of a lasso y = Xw + noise on rows, whose folds weigh their rows by 0.
type rows struct {
	x, y []float64
	p    int
}

// sparseTruth has 3 features that matter of p.
func sparseTruth(n, p int, noise float64) *rows {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	s := &rows{p: p, x: make([]float64, n*p), y: make([]float64, n)}
	for e := range s.x {
		s.x[e] = rng.NormFloat64()
	}
	for i := range s.y {
		row := s.x[i*p:]
		s.y[i] = 2*row[0] - row[1] + 0.5*row[2] + noise*rng.NormFloat64()
	}
	return s
}

// without is the problem without the rows k, k+n, …; n = 0 leaves none out.
func (s *rows) without(k, n int) (*selection.Fitting, error) {
	features, err := operator.DenseFeatures(len(s.y), s.p, s.x)
	if err != nil {
		return nil, err
	}
	op, err := operator.NewDesign(features, 1)
	if err != nil {
		return nil, err
	}
	omega, left := make([]float64, len(s.y)), 0
	for i := range omega {
		if n == 0 || i%n != k {
			omega[i] = 1
			left++
		}
	}
	f := &selection.Fitting{Share: float64(left) / float64(len(s.y)),
		Problem: &gcg.Problem{Operator: op, Gauge: gauge.L1{}, Loss: &loss.Squared{Y: s.y, Omega: omega}}}
	if n > 0 {
		f.Measure = func(at *gcg.State) selection.Measured {
			var e metric.Errors
			for i, y := range s.y {
				if omega[i] == 0 {
					e.Add(at.Z[i], y)
				}
			}
			return rmse(e.RMSE())
		}
	}
	return f, nil
}

func (s *rows) Whole() (*selection.Fitting, error)        { return s.without(0, 0) }
func (s *rows) Validation() (*selection.Fitting, error)   { return s.without(0, 4) }
func (s *rows) Fold(k, n int) (*selection.Fitting, error) { return s.without(k, n) }

type rmse float64

func (r rmse) Scores() selection.Scores { return selection.Scores{{Name: "RMSE", Value: float64(r)}} }

// With A the identity the lasso is soft thresholding: F* = Σ over |y| > λ of λ|y| - λ²/2, and y²/2 elsewhere.
func TestPathOfAnOrthogonalLasso(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	y, largest := make([]float64, 6*5), 0.0
	for e := range y {
		y[e] = rng.NormFloat64()
		largest = math.Max(largest, math.Abs(y[e]))
	}
	op, err := operator.NewIdentity(6, 5)
	if err != nil {
		t.Fatal(err)
	}
	f := &selection.Fitting{Problem: &gcg.Problem{Operator: op, Gauge: gauge.L1{}, Loss: &loss.Squared{Y: y}}}
	c, err := selection.Path(context.Background(), f, selection.Options{Points: 12, Run: solver.Options{Tol: 1e-8}})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Points) != 12 || c.CutShort != "" || math.Abs(c.Grid[0]-largest) > 1e-3*largest ||
		math.Abs(c.Grid[11]-0.01*c.Grid[0]) > 1e-12 {
		t.Fatalf("%d points of the grid %v, cut short %q", len(c.Points), c.Grid, c.CutShort)
	}
	for i, p := range c.Points {
		optimum, nonzeros := 0.0, 0
		for _, v := range y {
			if a := math.Abs(v); a > p.Lambda {
				optimum += p.Lambda*a - p.Lambda*p.Lambda/2
				nonzeros++
			} else {
				optimum += v * v / 2
			}
		}
		if slack := 1e-12 * optimum; p.Cert.LowerBound > optimum+slack || p.Cert.Objective < optimum-slack || !(p.Gap() <= 1e-8) {
			t.Errorf("λ %v: %.15g is not in [%.15g, %.15g], gap %g", p.Lambda, optimum, p.Cert.LowerBound, p.Cert.Objective,
				p.Gap())
		}
		if p.Lambda != c.Grid[i] || p.At != p.Lambda || p.Size.Name() != "nonzeros" || p.Size.Count() != nonzeros ||
			p.Scores != nil {
			t.Errorf("%+v: want λ %v and %d nonzeros", p, c.Grid[i], nonzeros)
		}
	}
}

// Scores of a cross-validation are the means of those of paths over the folds on its grid, and their standard error is of that
// mean.
func TestCrossValidationAveragesItsFolds(t *testing.T) {
	src := sparseTruth(60, 8, 1)
	opt := selection.Options{Points: 7, Ratio: 0.02, Folds: 3, Run: solver.Options{Tol: 1e-7}}
	c, err := selection.CrossValidate(context.Background(), src, opt)
	if err != nil || len(c.Points) < 7 || len(c.Points) != len(c.Grid) || c.Folds != 3 || c.CutShort != "" {
		t.Fatalf("%+v, %v", c, err)
	}
	var errs [3][]float64
	for k := range errs {
		f, _ := src.Fold(k, 3)
		for _, lambda := range c.Grid {
			p := *f.Problem
			p.Penalty = gauge.Linear{Lambda: lambda * f.Share}
			r, err := solver.Run(context.Background(), &p, &conditional.GCG{}, solver.Options{Tol: 1e-7,
				Improver: &solver.Corrective{}})
			if err != nil {
				t.Fatal(err)
			}
			errs[k] = append(errs[k], f.Measure(r.State).Scores().First())
		}
	}
	for i, p := range c.Points {
		mean := (errs[0][i] + errs[1][i] + errs[2][i]) / 3
		var squares float64
		for k := range errs {
			squares += (errs[k][i] - mean) * (errs[k][i] - mean)
		}
		if se := math.Sqrt(squares / 2 / 3); math.Abs(p.Scores.First()-mean) > 1e-3 || math.Abs(p.StdErr-se) > 1e-3 {
			t.Errorf("λ %v: %v ± %v, want %v ± %v", p.Lambda, p.Scores.First(), p.StdErr, mean, se)
		}
		if math.Abs(p.At-p.Lambda*2/3) > 1e-12*p.Lambda {
			t.Errorf("λ %v was solved at %v in a fold of two thirds of the rows", p.Lambda, p.At)
		}
	}
	least, _ := selection.Min.Select(c.Points)
	large, _ := selection.OneStd.Select(c.Points)
	if large > least || c.Points[least].Scores.First() >= c.Points[0].Scores.First() {
		t.Errorf("min takes point %d, 1se %d", least, large)
	}
}

// The λ that is chosen on three quarters of the rows, scaled to all, predicts new rows as the best of a fine path does.
func TestChoosePredictsNewRows(t *testing.T) {
	src := sparseTruth(80, 20, 1)
	fresh := sparseTruth(2000, 20, 1)
	var events int
	choice, err := selection.Choose(context.Background(), src,
		selection.Options{Points: 20, Ratio: 0.01, Progress: func(selection.Event) { events++ }})
	if err != nil || choice.Best() == nil || choice.Start.W == nil || choice.Curve.CutShort != "" ||
		events != len(choice.Curve.Points) {
		t.Fatalf("%+v, %v after %d events", choice, err, events)
	}
	if got, want := choice.Lambda, choice.Best().Lambda/0.75; got != want {
		t.Errorf("chose λ %v, want that of the part, %v, scaled by its share", got, want)
	}
	error := func(lambda float64) float64 {
		f, _ := src.Whole()
		f.Problem.Penalty = gauge.Linear{Lambda: lambda}
		r, err := solver.Run(context.Background(), f.Problem, &conditional.GCG{}, solver.Options{Improver: &solver.Corrective{}})
		if err != nil {
			t.Fatal(err)
		}
		w := r.State.W.Dense()
		var e metric.Errors
		for i, y := range fresh.y {
			var z float64
			for j, v := range w {
				z += v * fresh.x[i*20+j]
			}
			e.Add(z, y)
		}
		return e.RMSE()
	}
	best := math.Inf(1)
	for _, lambda := range choice.Curve.Grid {
		best = math.Min(best, error(lambda))
	}
	if got := error(choice.Lambda); got > 1.05*best {
		t.Errorf("λ %v has the error %v; the best of the grid %v", choice.Lambda, got, best)
	}
}

// What an interrupt or the time cuts short keeps what was found, and says why.
func TestCutShort(t *testing.T) {
	src := sparseTruth(60, 8, 1)
	for _, search := range []string{"path", "folds", "choice"} {
		ctx, cancel := context.WithCancel(context.Background())
		events := 0
		opt := selection.Options{Points: 5, Folds: 4, Progress: func(e selection.Event) {
			if events++; search != "folds" && events == 2 || e.Fold == 2 {
				cancel()
			}
		}}
		var c *selection.Curve
		var err error
		switch search {
		case "path":
			f, _ := src.Whole()
			c, err = selection.Path(ctx, f, opt)
		case "folds":
			c, err = selection.CrossValidate(ctx, src, opt)
		default:
			var choice *selection.Choice
			if choice, err = selection.Choose(ctx, src, opt); choice != nil {
				c = &choice.Curve
				if choice.Expected != 5 || !choice.Falling() {
					t.Errorf("a choice that is interrupted while the error falls: %+v", choice)
				}
			}
		}
		cancel()
		if !errors.Is(err, context.Canceled) || c.CutShort != solver.Interrupted {
			t.Fatalf("%s: %+v, %v", search, c, err)
		}
		if search == "folds" && (c.Folds != 2 || len(c.Points) != 5) || search != "folds" && len(c.Points) != 2 {
			t.Errorf("%s: %d points, %d folds", search, len(c.Points), c.Folds)
		}
	}
	f, _ := src.Whole()
	c, err := selection.Path(context.Background(), f, selection.Options{Points: 200, Run: solver.Options{Tol: 1e-10, MaxTime: 1}})
	if err != nil || len(c.Points) != 1 || c.CutShort != solver.MaxTime || c.Points[0].Solved() || len(c.Solved()) != 0 {
		t.Errorf("a path without time: %+v, %v", c, err)
	}
	if _, err := selection.CrossValidate(context.Background(), src,
		selection.Options{Run: solver.Options{Tol: 1e-10, MaxTime: 1}}); !errors.Is(err, selection.ErrNoTime) {
		t.Errorf("a cross-validation without time: %v", err)
	}
}

// A search that is told to stop has what it found, and is not called cut short.
func TestStop(t *testing.T) {
	src := sparseTruth(60, 8, 1)
	opt := selection.Options{Points: 9, Folds: 3, Stop: func(e selection.Event) bool { return e.Point.Size.Count() >= 3 }}
	f, _ := src.Whole()
	c, err := selection.Path(context.Background(), f, opt)
	if n := len(c.Points); err != nil || n == 9 || c.CutShort != "" || c.Points[n-1].Size.Count() < 3 ||
		c.Points[n-2].Size.Count() >= 3 {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = selection.CrossValidate(context.Background(), src, opt); err != nil || c.Folds != 3 || len(c.Points) == 9 ||
		c.CutShort != "" {
		t.Errorf("%+v, %v", c, err)
	}
	choice, err := selection.Choose(context.Background(), src, opt)
	if err != nil || choice.Curve.CutShort != "" || len(choice.Curve.Points) >= 9 {
		t.Errorf("%+v, %v", choice, err)
	}
}

// Where every λ gives W = 0 there is nothing to choose, and an interrupt before the first λ finds nothing.
func TestNothing(t *testing.T) {
	src := sparseTruth(12, 3, 1)
	clear(src.y)
	if _, err := selection.CrossValidate(context.Background(), src, selection.Options{}); !errors.Is(err, selection.ErrNothing) {
		t.Errorf("cross-validation of targets that are 0: %v", err)
	}
	if c, err := selection.Choose(context.Background(), src, selection.Options{}); err != nil || c.Lambda != 1 ||
		c.Best() != nil {
		t.Errorf("a choice on targets that are 0: %+v, %v", c, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f, _ := sparseTruth(12, 3, 1).Whole()
	if _, err := selection.Path(ctx, f, selection.Options{}); !errors.Is(err, selection.ErrInterrupted) ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("a path that is interrupted at once: %v", err)
	}
}

// With the penalty λκ²/2 no λ gives W = 0, and the grid goes on above its first λ where the error is smallest there, for a path,
// a choice and folds alike.
func TestGridGoesOnAtItsTop(t *testing.T) {
	src := sparseTruth(40, 8, 60)
	opt := selection.Options{Points: 8, Ratio: 0.05, Folds: 4, Run: solver.Options{Tol: 1e-6},
		Penalty: func(lambda float64) gcg.Penalty { return gauge.Square{Lambda: lambda} }}
	f, err := src.Validation()
	if err != nil {
		t.Fatal(err)
	}
	usual, err := selection.Grid(context.Background(), f.Problem, opt.Penalty, opt.Ratio, opt.Points)
	if err != nil {
		t.Fatal(err)
	}
	path, err := selection.Path(context.Background(), f, opt)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := selection.Choose(context.Background(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	cv, err := selection.CrossValidate(context.Background(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*selection.Curve{"path": path, "choice": &choice.Curve, "folds": cv} {
		if c.Points[0].Lambda < 2*usual[0] || len(c.Points) > len(c.Grid) || c.Points[0].Lambda != c.Grid[0] {
			t.Errorf("%s: λ from %v, where the usual grid begins at %v", name, c.Points[0].Lambda, usual[0])
		}
	}
}
