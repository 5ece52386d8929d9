// Package implicit is the task of implicit feedback [Hu08]: who clicked what, from which a model of what they would click. It
// minimises
//
//	½ Σ_ij c_ij (p_ij - X_ij)² + λ‖diag(√p) X diag(√q)‖   over X
//
// over all cells, with p = 1 and c = w₀ + αr where there are r clicks, and p = 0 and c = w₀ elsewhere, under the trace norm,
// weighted or not: what the alternating least squares in use minimise at a fixed rank, solved globally, with a certificate. See
// operator/allcells for why no cell without a click costs anything.
package implicit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A Task is the task of this package. Fields are the configuration; only Train and Alpha are needed. [Task.Fit] does all, and
// reads all fields each time; none is written, nor what it points to. [Task.Prepare] is for those who want more than a fit of
// the same data. λ is chosen by the NDCG of validation lists.
type Task struct {
	Train *dataset.Ratings // clicks: values are counts r, 1 where there are none, or ratings, see Positive
	Test  *dataset.Ratings // to measure on; may be nil
	// Valid is to choose λ by; nil takes a tenth of Train: the last by time where there are times, else of each user.
	Valid *dataset.Ratings
	Split dataset.Split // cuts Train in two once it is loaded; the zero value cuts nothing

	Alpha      float64 // α > 0
	Background float64 // w₀; 0 means 1
	Positive   float64 // ratings from here on are clicks, each of count 1, and others are none; 0 takes values as counts
	Weights    task.Weights
	Lengths    []int  // of the lists measured on Test, ascending; nil measures UsualLengths
	Seed       uint64 // of parts and folds
}

// A Prepared is a task whose clicks were checked, split, and put in order. It is a [selection.Source]. It serves any number of
// fits, and none changes what another has returned. Whatever becomes of the task that it is made of, it stays.
type Prepared struct {
	task    *Task            // a copy; its ratings are clicks, and cut
	data    *dataset.Sparse  // the counts of Train, by rows
	events  *dataset.Ratings // the lines that Train sums
	dropped int              // ratings of Train below Positive, or counts of 0
	unknown int              // clicks of Test whose user or item has none in training
	whole   *fitting
}

// UsualLengths of lists, and the length of those whose NDCG chooses λ.
var UsualLengths = []int{20, 100}

const choosingLength = 100

// Prepare checks a copy of the fields, makes clicks of the data and splits them.
func (f *Task) Prepare() (*Prepared, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	own := *f
	own.Lengths = slices.Clone(f.Lengths)
	p := &Prepared{task: &own}
	if err := p.load(); err != nil {
		return nil, err
	}
	return p, nil
}

// load reads the ratings; those of the task stay as they are.
func (p *Prepared) load() (err error) {
	if p.events, p.dropped, err = p.task.clicks(p.task.Train); err != nil {
		return err
	}
	p.task.Train = summed(p.events)
	if p.task.Train.Len() == 0 {
		return fmt.Errorf("%s: has no clicks%s", p.task.Train.Name, p.task.among())
	}
	for _, held := range []**dataset.Ratings{&p.task.Test, &p.task.Valid} {
		if *held == nil {
			continue
		}
		if (*held).RowIDs != p.task.Train.RowIDs || (*held).ColIDs != p.task.Train.ColIDs {
			*held = (*held).By(p.task.Train.RowIDs, p.task.Train.ColIDs)
		}
		if *held, _, err = p.task.clicks(*held); err != nil {
			return err
		}
		*held = summed(*held)
		(*held).HideUnseen(p.task.Train)
	}
	if p.task.splits() {
		whole := p.task.Train
		if p.task.Split.Time > 0 { // of later clicks on what was clicked before, training counts none
			whole = p.events
		}
		train, test, err := p.task.Split.Parts(whole)
		if err != nil {
			return err
		}
		p.events = whole.Subset(train)
		p.task.Train, p.task.Test = summed(p.events), summed(whole.Subset(test))
		p.task.Test.HideUnseen(p.task.Train)
	}
	if p.task.Test != nil {
		p.unknown = p.task.Test.Unknown()
	}
	p.data, err = p.task.Train.Compress(dataset.RefuseDuplicates)
	return err
}

// among says of which ratings clicks were looked for.
func (f *Task) among() string {
	if f.Positive != 0 {
		return fmt.Sprintf(" among its ratings: none is at least %v", f.Positive)
	}
	return ""
}

// splits says that a part of the clicks is set apart.
func (f *Task) splits() bool { return f.Split != dataset.Split{Seed: f.Split.Seed} }

// check refuses fields out of range.
func (f *Task) check() error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case f.Train == nil:
		return errors.New("implicit: needs Train, the clicks to learn from")
	case f.Train.Len() == 0:
		return fmt.Errorf("%s: has no clicks", f.Train.Name)
	case !(f.Alpha > 0) || !finite(f.Alpha):
		return fmt.Errorf("implicit: α, what a click weighs beyond the background, is positive, not %v", f.Alpha)
	case !(f.Background >= 0) || !finite(f.Background):
		return fmt.Errorf("implicit: the background, the weight of cells without a click, is positive, not %v", f.Background)
	case !finite(f.Positive):
		return fmt.Errorf("implicit: ratings are clicks from a finite number on, not %v", f.Positive)
	case f.Weights.Check() != nil:
		return f.Weights.Check()
	case f.Test != nil && f.splits():
		return errors.New("implicit: there is a Test or a Split, not both")
	case !slices.IsSorted(f.Lengths) || len(f.Lengths) > 0 && f.Lengths[0] < 1:
		return fmt.Errorf("implicit: lengths of lists ascend from 1, not %v", f.Lengths)
	}
	return nil
}

// background is w₀ with its default.
func (f *Task) background() float64 {
	if f.Background == 0 {
		return 1
	}
	return f.Background
}

// clicks are those of a file of counts or ratings, and how many lines are none.
func (f *Task) clicks(r *dataset.Ratings) (c *dataset.Ratings, dropped int, err error) {
	var keep []int32
	for e, x := range r.Values {
		switch {
		case r.NoValues:
		case f.Positive != 0 && x >= f.Positive:
		case f.Positive != 0 && x < f.Positive, x == 0:
			dropped++
			continue
		case !(x > 0):
			return nil, 0, badCount(r, e)
		}
		keep = append(keep, int32(e))
	}
	c = r.Subset(keep)
	if r.NoValues || f.Positive != 0 {
		for e := range c.Values {
			c.Values[e] = 1
		}
	}
	return c, dropped, nil
}

// badCount is the error of a value that is no count.
func badCount(r *dataset.Ratings, e int) error {
	place := r.Place(e)
	if math.IsNaN(r.Values[e]) {
		return fmt.Errorf("%s: a click without a count, where others have one", place)
	}
	return fmt.Errorf("%s: a count of %v clicks; counts are not negative (of ratings, those from some value on are clicks)",
		place,
		r.Values[e])
}

// summed is each pair once, where it stood first, with the sum of its counts: a log may have a line for each time.
func summed(r *dataset.Ratings) *dataset.Ratings {
	at, keep := make(map[[2]int32]int, len(r.Values)), make([]int32, 0, len(r.Values))
	var sums []float64
	var times []int64
	for e, x := range r.Values {
		pair := [2]int32{r.Rows[e], r.Cols[e]}
		k, met := at[pair]
		if !met || pair[0] < 0 || pair[1] < 0 {
			at[pair] = len(keep)
			keep, sums = append(keep, int32(e)), append(sums, x)
			if len(r.Times) > 0 {
				times = append(times, r.Times[e])
			}
			continue
		}
		sums[k] += x
		if len(times) > 0 {
			times[k] = min(times[k], r.Times[e])
		}
	}
	if len(keep) == len(r.Values) {
		return r
	}
	one := r.Subset(keep)
	one.Values, one.Times = sums, times
	return one
}

// Len is the number of training clicks.
func (p *Prepared) Len() int { return len(p.data.Cols) }

// Train are the clicks that are trained on. Nobody may write them.
func (p *Prepared) Train() *dataset.Ratings { return p.task.Train }

// Test are those to measure on, by the ids of Train; nil where there are none. Nobody may write them.
func (p *Prepared) Test() *dataset.Ratings { return p.task.Test }

// Dropped is how many training ratings are no clicks.
func (p *Prepared) Dropped() int { return p.dropped }

// Whole is the problem on all training clicks, measured on Test. Each call returns a problem of its own, whose penalty is open.
func (p *Prepared) Whole() (*selection.Fitting, error) {
	s, err := p.fitting()
	if err != nil {
		return nil, err
	}
	own, problem := s.Fitting, *s.Problem
	own.Problem = &problem
	return &own, nil
}

// fitting is Whole with all that it was made of. It is made once.
func (p *Prepared) fitting() (*fitting, error) {
	if p.whole == nil {
		s, err := p.fittingOf(p.data)
		if err != nil {
			return nil, err
		}
		if p.task.Test != nil {
			s.measuredOn(p.task.Test, choosingUsers)
		}
		p.whole = s
	}
	return p.whole, nil
}

// Validation is the problem on nine tenths of the training clicks, measured on the rest, or on all measured on Valid.
func (p *Prepared) Validation() (*selection.Fitting, error) {
	if p.task.Valid != nil {
		s, err := p.fittingOf(p.data)
		if err != nil {
			return nil, err
		}
		s.measuredOn(p.task.Valid, choosingUsers)
		s.Coarse = true
		return &s.Fitting, nil
	}
	whole, in, out, err := p.validation()
	if err != nil {
		return nil, fmt.Errorf("%s: %w clicks to choose λ by validation", p.task.Train.Name, task.ErrTooFew)
	}
	s, err := p.part(whole, in, out)
	if err == nil {
		s.Coarse = true
	}
	return s, err
}

// validation cuts a tenth off the training clicks: the last by time, or of each user where there are no times, or one.
func (p *Prepared) validation() (whole *dataset.Ratings, in, out []int32, err error) {
	if len(p.task.Train.Times) > 0 {
		if in, out, err = (dataset.Split{Time: 1 - validationFraction}).Parts(p.events); err == nil {
			return p.events, in, out, nil
		}
	}
	in, out, err = dataset.Split{PerUser: 1 - validationFraction, Seed: p.task.Seed}.Parts(p.task.Train)
	return p.task.Train, in, out, err
}

// validationFraction of the training clicks chooses λ where none are given; their lists are measured for so many users at most.
const (
	validationFraction = 0.1
	choosingUsers      = 2000
)

// part is the problem on some of the training clicks, measured on others.
func (p *Prepared) part(of *dataset.Ratings, in, out []int32) (*selection.Fitting, error) {
	train, held := summed(of.Subset(in)), summed(of.Subset(out))
	held.HideUnseen(train)
	data, err := train.Compress(dataset.RefuseDuplicates)
	if err != nil {
		return nil, err
	}
	s, err := p.fittingOf(data)
	if err != nil {
		return nil, err
	}
	s.Share = float64(train.Len()) / float64(p.Len())
	s.measuredOn(held, choosingUsers)
	return &s.Fitting, nil
}

// Fold is the problem on all training clicks but part k of n, measured on that part.
func (p *Prepared) Fold(k, n int) (*selection.Fitting, error) {
	folds, err := dataset.Folds(len(p.task.Train.Values), n, p.task.Seed)
	if err != nil {
		return nil, err
	}
	in, out := dataset.HoldOut(folds, k)
	if len(in) == 0 || len(out) == 0 {
		return nil, fmt.Errorf("%s: %w clicks for %d folds", p.task.Train.Name, task.ErrTooFew, n)
	}
	return p.part(p.task.Train, in, out)
}

// against is what lists are measured against.
func (s *fitting) against(held *dataset.Ratings, lengths []int) *metric.Trial {
	return &metric.Trial{Train: s.data, Relevant: metric.RelevantFrom(held, 0), Lengths: lengths}
}
