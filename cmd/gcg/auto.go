package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// A pathPoint is one λ of a path.
type pathPoint struct {
	Lambda float64 `json:"lambda"`
	*Optimum
	RelativeGap *float64 `json:"relative_gap,omitempty"`
	size
	Iterations int     `json:"iterations"` // of all folds, as the seconds
	Seconds    float64 `json:"seconds"`
	Status     string  `json:"status"`
	scores
	StdErr   *float64   `json:"standard_error,omitempty"` // of the first score
	Selected []string   `json:"selected,omitempty"`       // the rules of --select that take it
	CutShort string     `json:"cut_short,omitempty"`      // on all points of a grid that was not finished: max_time or interrupted
	Fold     *foldPoint `json:"fold,omitempty"`           // of cv, which has no Optimum at its λ of the whole
}

// An Optimum is bracketed at the λ beside it.
type Optimum struct {
	Objective  float64  `json:"objective"`
	LowerBound *float64 `json:"lower_bound,omitempty"` // nil where time was over before any bound
	Gauge      float64  `json:"gauge"`
}

// A foldPoint is the fold whose gap, size and status a point of cv has.
type foldPoint struct {
	Lambda float64 `json:"lambda"` // that of the point, scaled where the loss is a sum
	Optimum
}

// gap is the relative gap, which may be infinite.
func (p pathPoint) gap() float64 {
	if p.RelativeGap == nil {
		return math.Inf(1)
	}
	return *p.RelativeGap
}

// gapText is the gap for people, where there is a bound.
func (p pathPoint) gapText() string {
	if gap := p.gap(); !math.IsInf(gap, 0) {
		return fmt.Sprintf("%.1e", gap)
	}
	return "-"
}

// solved says that time was not over at the point.
func (p pathPoint) solved() bool { return p.Status != string(solver.MaxTime) }

var errInterrupted = errors.New("interrupted before anything was found")

// A walk is a path over a trial. At every λ it takes a step, however loose the tolerance.
type walk struct {
	f       *runFlags
	trial   *trial
	lambdas []float64 // descending
	tol     float64
	inside  int     // how many λ of an impatient walk are tried until the error has risen for three of them; 0 for a patient one
	share   float64 // of the time that is left
	visit   func(pathPoint)

	points []pathPoint
	best   place // of the smallest error
	ended  bool  // before the last λ, as the error told
}

// run takes the path and measures every point.
func (w *walk) run(ctx context.Context) error {
	f, k := w.f, w.trial.problem.Gauge
	_, im := f.methodOf(k)
	opt := f.options(im)
	opt.Tol, opt.MinIter, opt.MaxTime = w.tol, 1, f.timeLeft(w.share)
	rose, fell, least, first, last := 0, false, math.Inf(1), 0.0, math.NaN()
	err := solver.Path(ctx, w.trial.problem, func() solver.Method { m, _ := f.methodOf(k); return m }, opt, w.lambdas, f.penaltyOf,
		func(lambda float64, r *solver.Result) bool {
			if r.Status == solver.Interrupted { // half a point has no bound
				return false
			}
			p := pointOf(k, lambda, r)
			if w.trial.measure != nil {
				p.scores = w.trial.measure(r.State).scores()
				if len(w.points) == 0 {
					first = math.Abs(p.first())
				}
				fell = p.first() < least-worthwhile*math.Max(math.Abs(least), first)
				switch {
				case p.first() < least-hardly*first:
					rose = 0
				case p.first() != last: // where it stays, to the last digit, it says nothing: all predictions may be clipped
					rose++
				}
				last = p.first()
				if p.first() < least && (p.solved() || len(w.points) == 0) {
					least, w.best = p.first(), place{r.State.W, r.State.Intercept}
				}
			}
			w.points = append(w.points, p)
			w.visit(p)
			w.ended = p.solved() && w.inside > 0 && !fell && (len(w.points) >= w.inside || rose >= 3)
			return !w.ended
		})
	switch {
	case len(w.points) > 0 && (errors.Is(err, context.Canceled) || w.inside > 0): // what was found is kept; the λ left may be too small to solve
		return nil
	case len(w.points) == 0 && ctx.Err() != nil:
		return errInterrupted
	}
	return err
}

func pointOf(k gcg.Gauge, lambda float64, r *solver.Result) pathPoint {
	cert := r.State.Cert
	lower, relative := boundOf(cert)
	return pathPoint{Lambda: lambda, Optimum: &Optimum{Objective: cert.Objective, LowerBound: lower, Gauge: r.State.Rho}, RelativeGap: relative,
		size: solvedSize(k, r.State.W), Iterations: r.Iter, Seconds: r.Elapsed.Seconds(), Status: string(r.Status)}
}

// errNothing is why there is no path.
var errNothing = errors.New("every λ gives W = 0: the data has nothing that a model could explain")

// grid is λ₀ = κ°(-∇ℓ(0)) downwards, by --ratio in --points.
func grid(ctx context.Context, f *runFlags, problem *gcg.Problem) ([]float64, error) {
	lambdas, err := gridTo(ctx, f, problem, f.ratio, f.points)
	if err == nil && lambdas == nil {
		err = errNothing
	}
	return lambdas, err
}

// gridTo is a grid by another ratio; nil where every λ gives W = 0.
func gridTo(ctx context.Context, f *runFlags, problem *gcg.Problem, ratio float64, points int) ([]float64, error) {
	p := *problem
	p.Penalty = f.penaltyOf(1)
	top, err := solver.MaxLambda(ctx, &p)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errInterrupted
	case err != nil || !(top > 0):
		return nil, err
	}
	if f.penalty == "square" { // λρ takes the place of λ: the grid only has to cover the range
		m, n, _ := p.Operator.Dims()
		top /= math.Max(1, math.Sqrt(float64(m)*float64(n)))
	}
	return solver.Grid(top, ratio, points)
}

// validationFraction of the training data chooses λ where no validation file is given.
const validationFraction = 0.1

// choiceTol is the relative gap to which λ is tried: the error of predictions at a gap of 0.05 is within a thousandth of that at 0.001 on
// MovieLens, letter, mfeat and school, for a quarter to a half of the time of 0.01 on MovieLens-1M. worthwhile is the part that a λ
// beyond the usual grid must lower the error by, for the next one to be tried: of the error, and of that of the largest λ, as the errors of
// classes that are told apart go to 0 for ever. What falls by hardly more than nothing of that has risen.
const (
	choiceTol  = 0.05
	worthwhile = 0.001
	hardly     = 0.0001
)

// A chosen λ has the smallest validation error, and is scaled to the full training data where the loss is a sum.
type chosen struct {
	lambda float64
	found  place         // the iterate of that error
	cut    solver.Status // max_time or interrupted, where either ended the choice
	doubt  string        // what that leaves open
}

// chooseLambda takes a path on a part of the data. Where the error still falls at the end of the usual grid, it goes on to the square of
// its ratio.
func chooseLambda(ctx context.Context, st study, say func(string)) (chosen, error) {
	t, err := st.validation()
	if err != nil {
		return chosen{}, err
	}
	say(st.choosing())
	f := st.run()
	lambdas, err := gridTo(ctx, f, t.problem, f.ratio*f.ratio, 2*f.points-1)
	if err != nil {
		return chosen{}, err
	}
	tried := 0
	w := &walk{f: f, trial: t, lambdas: lambdas, inside: f.points, tol: math.Max(f.tol, choiceTol), share: 0.5, visit: func(p pathPoint) {
		if names, _ := p.list(); p.solved() {
			say(fmt.Sprintf("λ %.4g  %s  validation %s %s", p.Lambda, p.size, names[0], decimals(p.first())))
		}
		if tried++; tried == f.points/2 && p.first() > t.mean { // those that follow take longest
			t.nameMean(say)
		}
	}}
	if err := w.run(ctx); err != nil {
		return chosen{}, err
	}
	if len(w.points) == 0 { // W = 0 whatever λ is
		return chosen{lambda: 1}, nil
	}
	points := solved(w.points)
	c := chosen{found: w.best}
	c.cut, c.doubt = w.cutShort(ctx, points)
	if len(points) == 0 {
		c.lambda = w.points[0].Lambda / t.share
		return c, nil
	}
	if tried < f.points/2 && selectPoint(points, "min").first() > t.mean {
		t.nameMean(say)
	}
	best := selectPoint(points, "min").Lambda
	if t.share != 1 {
		so := ""
		if c.cut != "" {
			so = " so far"
		}
		say(fmt.Sprintf("the smallest error%s is at λ %.4g on a part of the %s; the loss is a sum, and all of them are %.4g times as many",
			so, best, st.noun(), 1/t.share))
	}
	c.lambda = best / t.share
	return c, nil
}

// nameMean says, where the mean of the ratings was not taken off, that it predicts better than what was tried.
func (t *trial) nameMean(say func(string)) {
	if t.mean > 0 {
		say(fmt.Sprintf("the mean of the ratings alone has an RMSE of %s on the same; --center global begins there", decimals(t.mean)))
	}
}

// cutShort is what ended a choice before it was done, and what to think of a λ that is chosen from the points that were solved.
func (w *walk) cutShort(ctx context.Context, points []pathPoint) (why solver.Status, doubt string) {
	what := "at --max-time"
	switch {
	case w.ended || len(points) == len(w.lambdas):
		return "", ""
	case len(w.points) > len(points):
		why = solver.MaxTime
	case ctx.Err() != nil:
		why, what = solver.Interrupted, "by an interrupt"
	default:
		return "", ""
	}
	usual := w.inside
	if len(points) >= usual {
		usual = len(w.lambdas)
	}
	doubt = fmt.Sprintf("choosing λ ended %s, at %d of %d λ", what, len(points), usual)
	switch n := len(points); {
	case n == 0:
		return why, doubt + ": this is the largest, and says nothing of the best; give more time, or --lambda"
	case selectPoint(points, "min") == &points[n-1]:
		return why, doubt + " while the error still fell: a smaller λ may be better; give more time, or --lambda"
	}
	return why, doubt + ": a smaller λ may be better; give more time, or --lambda"
}

// selectPoint is the point of the smallest error, or the largest λ within one standard error of it.
func selectPoint(points []pathPoint, rule string) *pathPoint {
	best := &points[0]
	for i := range points {
		if points[i].first() < best.first() {
			best = &points[i]
		}
	}
	if rule == "1se" {
		for i := range points { // λ descends
			if points[i].first() <= best.first()+*best.StdErr {
				return &points[i]
			}
		}
	}
	return best
}
