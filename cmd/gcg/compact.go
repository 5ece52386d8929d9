package main

import (
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// A compact is a completion with --float32: the ratings are kept in 12 bytes each, and everything else is factors.
type compact struct {
	*completion
	ratings *dataset.Compact // until they belong to the problem
	squares *operator.Squares[float32]
	entries int
}

func loadCompact(f *completionFlags) (study, error) {
	c := &compact{completion: &completion{f: f}}
	start := time.Now()
	if err := c.load(); err != nil {
		return nil, err
	}
	c.entries = len(c.ratings.Values)
	c.read = time.Since(start)
	return c, nil
}

func (c *compact) greet(show *progress) {
	show.say(compactEstimate(c.entries, c.ratings.M, c.ratings.N))
}

func (c *compact) release() {}

func (c *compact) identity(lambda float64) string {
	return fmt.Sprintf("float32 %d %s", c.entries, c.completion.identity(lambda))
}

func (c *compact) validation() (*trial, error) { return nil, errCompact }
func (c *compact) fold(int) (*trial, error)    { return nil, errCompact }

var errCompact = usagef("--float32: keeps no ratings to hold out; use it without, or on a sample of them")

func (c *compact) whole() (*trial, error) {
	if err := c.setUpCompact(); err != nil {
		return nil, err
	}
	return c.trialOn(c.setup, c.test, 1), nil
}

// answer is that of completion for ratings that only the problem knows: the training error is that of predictions without
// clipping.
func (c *compact) answer(_ *trial, r *solver.Result, res *result) *model.Model {
	s, q := c.setup, c.squares
	m := c.model(s, r.State.W)
	c.complete(m, s, res.lambda(), r)
	m.Info.Observations, res.N = c.entries, c.entries
	res.Read, res.Center, res.Weights = c.read.Seconds(), c.f.center, c.f.weights
	res.data, res.normed = fmt.Sprintf("%d ratings, %d × %d, in float32", res.N, res.Rows, res.Cols), "trace norm"
	if floor := q.Floor(); c.f.tol < floor {
		res.warn(fmt.Sprintf("ratings in float32 allow no certified gap far below %.1g; --tol %v asks for it", floor, c.f.tol))
	}
	if c.test != nil {
		t := evaluate(m, c.test, s.lo, s.hi)
		res.Test = t
		t.note(res)
		return m
	}
	rr, _ := q.Sums()
	rmse := math.Sqrt(rr / q.Scale() / float64(c.entries))
	res.TrainRMSE = &rmse
	res.note("training", "RMSE %.4f", rmse)
	return m
}

// load reads or generates the ratings. What is not needed any more goes as soon as it can.
func (c *compact) load() error {
	f := c.f
	var data *dataset.Compact
	if f.generate != "" {
		g, err := f.generator()
		if err != nil {
			return err
		}
		if data, err = g.Compact(); err != nil {
			return err
		}
		c.train = &dataset.Ratings{Name: g.Title(), Checksum: g.Digest(), Shape: [2]int{g.Rows, g.Cols}, RowIDs: &dataset.IDs{}, ColIDs: &dataset.IDs{}}
	} else {
		if err := c.readTrain(); err != nil {
			return err
		}
		var err error
		if c.test, err = c.readOther(f.test); err != nil {
			return err
		}
		if err := c.split(); err != nil {
			return err
		}
		if data, err = c.train.Compact(f.duplicatesRule()); err != nil {
			return err
		}
	}
	c.data = &dataset.Sparse{M: data.M, N: data.N}
	debug.SetGCPercent(5) // the large slices hold no pointers: collections are cheap
	debug.FreeOSMemory()
	c.ratings = data
	return nil
}

// setUpCompact builds the problem; the ratings belong to it from then on.
func (c *compact) setUpCompact() error {
	data := c.ratings
	s := &setup{data: c.data, centre: data.Centre(c.f.center), f: c.f, lo: math.Inf(1), hi: math.Inf(-1)}
	for _, x := range data.Values {
		s.lo, s.hi = math.Min(s.lo, float64(x)), math.Max(s.hi, float64(x))
	}
	data.SubtractInPlace(s.centre)
	q, err := operator.NewSquares(data.M, data.N, data.Ptr, data.Cols, data.Values, c.f.normalize == "mean")
	if err != nil {
		return err
	}
	if kind, alpha, _ := c.f.weighting(); kind != "none" {
		rows, cols := q.Counts()
		s.rowScale, s.colScale = weightScales(rows, kind, alpha, q.Entries()), weightScales(cols, kind, alpha, q.Entries())
		if q, err = q.Scaled(s.rowScale, s.colScale); err != nil {
			return err
		}
	}
	s.problem = &gcg.Problem{Operator: q, Loss: q, Gauge: gauge.Trace{}}
	c.setup, c.squares = s, q
	return nil
}

// compactEstimate is a line on the memory that the run will take at most: 12 bytes for each rating, up to 2 for the offsets of
// tiles, and work space of compactVectors numbers for each row, column and direction of the solution.
func compactEstimate(n, rows, cols int) string {
	const rank = 32
	bytes := 14*float64(n) + 8*rank*compactVectors*float64(rows+cols) + 5e7
	return fmt.Sprintf("%d ratings, %d × %d: expect at most %.1f GB at rank %d", n, rows, cols, bytes/1e9, rank)
}

// compactVectors is how many factors Newton's conjugate gradients keep at once.
const compactVectors = 18
