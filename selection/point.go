package selection

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Point is one λ of a search.
type Point struct {
	Lambda float64
	// Cert brackets the optimum at the λ At, where W has the gauge Rho and that size. On a path At is Lambda. Of
	// cross-validation these are of one fold, the one that is furthest from being solved, and At is Lambda times its share.
	At     float64
	Cert   gcg.Certificate
	Rho    float64
	Size   Size
	Status solver.Status
	// Iterations and Time are those of all folds.
	Iterations int
	Time       time.Duration
	Scores     Scores // means over the folds; nil where nothing is held out
	// Largest are the entries of a sparse W of the largest |value|, the largest first: Options.Largest of them at most.
	Largest []Coefficient
	// Lines is how many rows and columns of a sparse W have an entry, counted where entries are kept.
	Lines  [2]int
	StdErr float64 // the standard error of the first score; 0 without folds
}

// Gap is the relative gap, +Inf before there is a bound.
func (p *Point) Gap() float64 {
	if math.IsInf(p.Cert.LowerBound, 0) || math.IsNaN(p.Cert.LowerBound) {
		return math.Inf(1)
	}
	return p.Cert.Relative
}

// Solved says that time was not over at the point.
func (p *Point) Solved() bool { return p.Status != solver.MaxTime }

// pointOf is the point of a result.
func pointOf(k gcg.Gauge, lambda float64, r *solver.Result) Point {
	return Point{Lambda: lambda, At: lambda, Cert: r.State.Cert, Rho: r.State.Rho, Size: SolvedSize(k, r.State.W),
		Status: r.Status, Iterations: r.Iter, Time: r.Elapsed}
}

// A Curve is what was found on a grid of λ.
type Curve struct {
	Grid   []float64 // λ that were to be tried, descending
	Points []Point   // of its first λ, in this order; at the last one of a path time may have been over
	Folds  int       // whose means the scores are; 0 of a path
	// CutShort is why the search ended before its time: MaxTime, Interrupted, or "" where it did not.
	CutShort solver.Status
}

// Solved are the points before the one at which time was over.
func (c *Curve) Solved() []Point {
	if n := len(c.Points); n > 0 && !c.Points[n-1].Solved() {
		return c.Points[:n-1]
	}
	return c.Points
}

// AtEnd says that the smallest error is at the last λ, and by more than hardly anything smaller than at the one before: a
// smaller λ may have a smaller one.
func (c *Curve) AtEnd() bool {
	points := c.Solved()
	n := len(points)
	if n == 0 || points[0].Scores == nil || smallest(points) != n-1 {
		return false
	}
	return n == 1 || points[n-2].Scores.First()-points[n-1].Scores.First() > hardly*math.Abs(points[0].Scores.First())
}

// AtTop says that the smallest error is at the first λ, where W is not 0: a larger λ may have a smaller one.
func (c *Curve) AtTop() bool {
	points := c.Solved()
	n := len(points)
	if n < 2 || points[0].Scores == nil || points[0].Rho == 0 || smallest(points) != 0 {
		return false
	}
	return points[1].Scores.First()-points[0].Scores.First() > hardly*math.Abs(points[0].Scores.First())
}

// A Rule takes a point of a curve.
type Rule string

const (
	Min    Rule = "min" // the smallest error
	OneStd Rule = "1se" // the largest λ whose error is within one standard error of the smallest one
)

// Check refuses a rule that is none: "" is Min.
func (r Rule) Check() error {
	if r != "" && r != Min && r != OneStd {
		return fmt.Errorf("there is no rule %q to take a point of a curve; there are %q and %q", string(r), Min, OneStd)
	}
	return nil
}

// Select is the place of the point that the rule takes among points of descending λ, of which there must be one, with scores.
// Errors are those of Check, and of no points.
func (r Rule) Select(points []Point) (int, error) {
	if err := r.Check(); err != nil {
		return 0, err
	}
	if len(points) == 0 {
		return 0, errors.New("selection: there is no point to select")
	}
	best := smallest(points)
	if r == OneStd {
		for i := range points {
			if points[i].Scores.First() <= points[best].Scores.First()+points[best].StdErr {
				return i, nil
			}
		}
	}
	return best, nil
}

// smallest is the place of the first of the points with the smallest error, of which there must be one.
func smallest(points []Point) int {
	best := 0
	for i := range points {
		if points[i].Scores.First() < points[best].Scores.First() {
			best = i
		}
	}
	return best
}
