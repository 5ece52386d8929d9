package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// A completion is the data of a completion problem and all that its flags make of it.
type completion struct {
	f        *completionFlags
	train    *dataset.Ratings
	test     *dataset.Ratings // or nil
	valid    *dataset.Ratings // or nil
	data     *dataset.Sparse  // the training ratings by rows
	read     time.Duration
	builtin  bool
	released bool       // the training ratings are only needed for the problem
	base     *baselines // measured before they go
	folds    []int      // of each training rating
	scanty   string     // why the columns are doubted, or nothing
	setup    *setup     // of whole
}

// load reads or generates the ratings, splits them, and keeps them by rows: in float32 or in float64.
func (f *completionFlags) load() (study, error) {
	c, start := &completion{f: f}, time.Now()
	if err := c.readParts(); err != nil {
		return nil, err
	}
	if f.splits() {
		forget(c.test.Rows, c.train.Rows, c.train.Shape[0])
		forget(c.test.Cols, c.train.Cols, c.train.Shape[1])
	}
	keep := c.compress
	if f.float32 {
		keep = c.compact
	}
	st, err := keep()
	c.read = time.Since(start)
	return st, twice(err)
}

func (c *completion) run() *runFlags { return &c.f.runFlags }
func (c *completion) noun() string   { return "ratings" }

// readParts reads what to train, to test and to choose λ on.
func (c *completion) readParts() error {
	f := c.f
	if err := c.readTrain(); err != nil {
		return err
	}
	var err error
	if c.test, err = c.readOther(f.test); err != nil {
		return err
	}
	if c.valid, err = c.readOther(f.valid); err != nil {
		return err
	}
	if f.generate == "" { // otherwise before anything was generated
		if err := c.foresee(c.train.Name, c.train.Len(), c.train.Shape[0], c.train.Shape[1]); err != nil {
			return err
		}
		c.scanty = scanty(c.train)
	}
	if f.duplicates != "error" && !f.narrow() { // before any split: an entry must not end up in both parts
		if c.train, err = merged(c.train, f.duplicatesRule()); err != nil {
			return err
		}
	}
	if err := c.split(); err != nil {
		return err
	}
	if f.ranking > 0 && c.test == nil {
		return usagef("--ranking %d: needs ratings to test on; add --test FILE, or --split 0.9", f.ranking)
	}
	return nil
}

func (c *completion) compress() (study, error) {
	var err error
	if c.data, err = c.train.Compress(c.f.duplicatesRule()); err != nil {
		return nil, err
	}
	c.tidy()
	return c, nil
}

// twice is the error of an entry that is given twice, with the flag that allows it; others stay as they are.
func twice(err error) error {
	if !errors.Is(err, dataset.ErrDuplicate) {
		return err
	}
	return fmt.Errorf("%w, or say --duplicates last or mean", err)
}

// splits says that a part of the ratings is set apart.
func (f *completionFlags) splits() bool {
	return f.split != 0 || f.splitPerUser != 0 || f.splitLast != 0
}

// narrow says that the ratings are read or generated in float32 at once: a split needs them one by one.
func (f *completionFlags) narrow() bool { return f.float32 && !f.splits() }

func (c *completion) readTrain() (err error) {
	f := c.f
	if f.generate != "" {
		g, err := f.generator()
		if err != nil {
			return err
		}
		if err := c.foresee(g.Title(), g.N, g.Rows, g.Cols); err != nil {
			return err
		}
		if f.narrow() {
			c.train, err = g.Narrow()
		} else {
			c.train, err = g.Ratings()
		}
		return err
	}
	if f.train == "" {
		c.builtin = true
		g := dataset.Shapes[0]
		g.Seed = 1
		c.train, err = g.Ratings()
		if !f.splits() && !f.cv() {
			f.split = 0.9
		}
		return err
	}
	r := dataset.RatingsReader{Columns: f.columns, Times: f.splitLast > 0, Narrow: f.narrow()}
	c.train, err = r.ReadRatings(f.train)
	return err
}

// readOther reads ratings against the ids of the training file.
func (c *completion) readOther(name string) (*dataset.Ratings, error) {
	if name == "" {
		return nil, nil
	}
	return dataset.RatingsReader{Columns: c.f.columns, RowIDs: c.train.RowIDs, ColIDs: c.train.ColIDs}.ReadRatings(name)
}

func (c *completion) split() error {
	f := c.f
	if !f.splits() {
		return nil
	}
	s := dataset.Split{Fraction: f.split, PerUser: f.splitPerUser, Last: f.splitLast, Seed: f.seed}
	if _, err := c.train.Compress(dataset.RefuseDuplicates); err != nil {
		return twice(err)
	}
	train, test, err := s.Parts(c.train)
	if err != nil {
		return err
	}
	c.test = c.train.Subset(test)
	c.train = c.train.Subset(train)
	return nil
}

// forget makes unknown (-1) the users or items of a test, of n, that have no rating in training: a test in a file of its own would not know them either.
func forget(test, train []int32, n int) {
	met := make([]bool, n)
	for _, i := range train {
		if i >= 0 {
			met[i] = true
		}
	}
	for e, i := range test {
		if i >= 0 && !met[i] {
			test[e] = -1
		}
	}
}

// release drops the ratings in the order of their file, which nothing needs once λ is known.
func (c *completion) release() {
	c.base = baselinesOn(c.data, c.test)
	c.train.Rows, c.train.Cols, c.train.Values, c.train.Times = nil, nil, nil, nil
	c.released = true
	c.tidy()
}

// tidy gives back what is left of reading, or of choosing λ, and lets some 13 MB of garbage grow from then on.
func (c *completion) tidy() {
	n := len(c.data.Values)
	percent := max(5, min(20_000_000/n, 100))
	if n > 1_000_000 {
		thrifty(percent)
		return
	}
	runtime.GC() // what is left is used again, before memory that the system has yet to find
	debug.SetGCPercent(percent)
}

// thrifty gives back what reading large data has taken, and lets garbage grow to that part of it, in percent, from then on: the large slices hold
// no pointers, so that the collector's cycles are cheap.
func thrifty(percent int) {
	debug.SetGCPercent(percent)
	debug.FreeOSMemory()
}

// A setup is a Problem on some of the ratings, with what predictions need to undo its changes of variable.
type setup struct {
	problem            *gcg.Problem
	data               *dataset.Sparse
	centre             *dataset.Offsets
	rowScale, colScale []float64
	lo, hi             float64
	f                  *completionFlags
}

// count is the number of ratings.
func (s *setup) count() int {
	if q, ok := s.problem.Operator.(interface{ Entries() int }); ok {
		return q.Entries()
	}
	return len(s.data.Values)
}

// setUp builds the problem on the given ratings; the penalty is left open.
func (c *completion) setUp(data *dataset.Sparse) (*setup, error) {
	s := &setup{data: data, centre: dataset.Centre(data, c.f.center), f: c.f}
	s.lo, s.hi = data.Range()
	op, err := operator.NewSampling(data.M, data.N, data.Ptr, data.Cols)
	if err != nil {
		return nil, err
	}
	if kind, alpha, _ := c.f.weighting(); kind != "none" {
		s.rowScale, s.colScale = weights(data, kind, alpha)
		if op, err = op.Scaled(s.rowScale, s.colScale); err != nil {
			return nil, err
		}
	}
	y := data.Values
	if data == c.data && c.released { // nobody else needs the ratings themselves
		data.SubtractInPlace(s.centre)
	} else {
		y = data.Subtract(s.centre)
	}
	s.problem = &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y, Mean: c.f.normalize == "mean"}, Gauge: gauge.Trace{}}
	return s, nil
}

// weights are the scales 1/√p and 1/√q of the weighted trace norm, for p and q the fractions n/N of the ratings in each row
// and column: themselves (empirical), to a power α, or smoothed to (1-α)n/N + α/m. A row without ratings is 0 in any
// solution; it gets the weight of a row with one.
func weights(data *dataset.Sparse, kind string, alpha float64) (row, col []float64) {
	rows, cols := make([]float64, data.M), make([]float64, data.N)
	data.Entries(func(i, j int, _ float64) {
		rows[i]++
		cols[j]++
	})
	return weightScales(rows, kind, alpha, len(data.Values)), weightScales(cols, kind, alpha, len(data.Values))
}

// weightScales turns the numbers of ratings of one side into its scales.
func weightScales(counts []float64, kind string, alpha float64, total int) []float64 {
	factor, power, floor := weightRule(kind, alpha, total, len(counts))
	for i, n := range counts {
		counts[i] = 1 / math.Sqrt(math.Pow(math.Max(n, 1)*factor, power)+floor)
	}
	return counts
}

// weightRule is p = (n·factor)^power + floor.
func weightRule(kind string, alpha float64, total, places int) (factor, power, floor float64) {
	switch kind {
	case "power":
		return 1 / float64(total), alpha, 0
	case "smoothed":
		return (1 - alpha) / float64(total), 1, alpha / float64(places)
	}
	return 1 / float64(total), 1, 0
}
