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

// A Feedback is the task. Train and Alpha are needed; Load reads the data once, and the other fields may change between fits.
// It is a [selection.Source], and [Feedback.Fit] does all. λ is chosen by the NDCG of validation lists.
type Feedback struct {
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

	data    *dataset.Sparse  // the counts of Train, by rows
	events  *dataset.Ratings // the lines that Train sums
	dropped int              // ratings of Train below Positive, or counts of 0
	unknown int              // clicks of Test whose user or item has none in training
	whole   *Fitting
}

// UsualLengths of lists, and the length of those whose NDCG chooses λ.
var UsualLengths = []int{20, 100}

const choosingLength = 100

// Load makes clicks of the data and splits them. Whatever else is asked for does so where it was not done.
func (f *Feedback) Load() (err error) {
	if f.data != nil {
		return nil
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.events, f.dropped, err = f.clicks(f.Train); err != nil {
		return err
	}
	f.Train = summed(f.events)
	if f.Train.Len() == 0 {
		return fmt.Errorf("%s: has no clicks%s", f.Train.Name, f.among())
	}
	for _, held := range []**dataset.Ratings{&f.Test, &f.Valid} {
		if *held == nil {
			continue
		}
		if (*held).RowIDs != f.Train.RowIDs || (*held).ColIDs != f.Train.ColIDs {
			*held = (*held).By(f.Train.RowIDs, f.Train.ColIDs)
		}
		if *held, _, err = f.clicks(*held); err != nil {
			return err
		}
		*held = summed(*held)
		(*held).HideUnseen(f.Train)
	}
	if f.splits() {
		whole := f.Train
		if f.Split.Time > 0 { // of later clicks on what was clicked before, training counts none
			whole = f.events
		}
		train, test, err := f.Split.Parts(whole)
		if err != nil {
			return err
		}
		f.events = whole.Subset(train)
		f.Train, f.Test = summed(f.events), summed(whole.Subset(test))
		f.Test.HideUnseen(f.Train)
	}
	if f.Test != nil {
		f.unknown = f.Test.Unknown()
	}
	f.data, err = f.Train.Compress(dataset.RefuseDuplicates)
	return err
}

// among says of which ratings clicks were looked for.
func (f *Feedback) among() string {
	if f.Positive != 0 {
		return fmt.Sprintf(" among its ratings: none is at least %v", f.Positive)
	}
	return ""
}

// splits says that a part of the clicks is set apart.
func (f *Feedback) splits() bool { return f.Split != dataset.Split{Seed: f.Split.Seed} }

// check refuses fields out of range.
func (f *Feedback) check() error {
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
	case f.Test != nil && f.splits():
		return errors.New("implicit: there is a Test or a Split, not both")
	case !slices.IsSorted(f.Lengths) || len(f.Lengths) > 0 && f.Lengths[0] < 1:
		return fmt.Errorf("implicit: lengths of lists ascend from 1, not %v", f.Lengths)
	}
	return nil
}

// background is w₀ with its default.
func (f *Feedback) background() float64 {
	if f.Background == 0 {
		return 1
	}
	return f.Background
}

// clicks are those of a file of counts or ratings, and how many lines are none.
func (f *Feedback) clicks(r *dataset.Ratings) (c *dataset.Ratings, dropped int, err error) {
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

// Len is the number of training clicks, 0 before Load.
func (f *Feedback) Len() int {
	if f.data == nil {
		return 0
	}
	return len(f.data.Cols)
}

// Dropped is how many training ratings are no clicks.
func (f *Feedback) Dropped() int { return f.dropped }

// Whole is the problem on all training clicks, measured on Test.
func (f *Feedback) Whole() (*selection.Fitting, error) {
	s, err := f.Fitting()
	if err != nil {
		return nil, err
	}
	return &s.Fitting, nil
}

// Fitting is Whole with all that it was made of. It is made once.
func (f *Feedback) Fitting() (*Fitting, error) {
	if err := f.Load(); err != nil {
		return nil, err
	}
	if f.whole == nil || f.whole.settings != f.settings() {
		s, err := f.fittingOf(f.data)
		if err != nil {
			return nil, err
		}
		if f.Test != nil {
			s.measuredOn(f.Test, choosingUsers)
		}
		f.whole = s
	}
	return f.whole, nil
}

// Validation is the problem on nine tenths of the training clicks, measured on the rest, or on all measured on Valid.
func (f *Feedback) Validation() (*selection.Fitting, error) {
	if err := f.Load(); err != nil {
		return nil, err
	}
	if f.Valid != nil {
		s, err := f.fittingOf(f.data)
		if err != nil {
			return nil, err
		}
		s.measuredOn(f.Valid, choosingUsers)
		s.Coarse = true
		return &s.Fitting, nil
	}
	whole, in, out, err := f.validation()
	if err != nil {
		return nil, fmt.Errorf("%s: %w clicks to choose λ by validation", f.Train.Name, task.ErrTooFew)
	}
	s, err := f.part(whole, in, out)
	if err == nil {
		s.Coarse = true
	}
	return s, err
}

// validation cuts a tenth off the training clicks: the last by time, or of each user where there are no times, or one.
func (f *Feedback) validation() (whole *dataset.Ratings, in, out []int32, err error) {
	if len(f.Train.Times) > 0 {
		if in, out, err = (dataset.Split{Time: 1 - validationFraction}).Parts(f.events); err == nil {
			return f.events, in, out, nil
		}
	}
	in, out, err = dataset.Split{PerUser: 1 - validationFraction, Seed: f.Seed}.Parts(f.Train)
	return f.Train, in, out, err
}

// validationFraction of the training clicks chooses λ where none are given; their lists are measured for so many users at most.
const (
	validationFraction = 0.1
	choosingUsers      = 2000
)

// part is the problem on some of the training clicks, measured on others.
func (f *Feedback) part(of *dataset.Ratings, in, out []int32) (*selection.Fitting, error) {
	train, held := summed(of.Subset(in)), summed(of.Subset(out))
	held.HideUnseen(train)
	data, err := train.Compress(dataset.RefuseDuplicates)
	if err != nil {
		return nil, err
	}
	s, err := f.fittingOf(data)
	if err != nil {
		return nil, err
	}
	s.Share = float64(train.Len()) / float64(f.Len())
	s.measuredOn(held, choosingUsers)
	return &s.Fitting, nil
}

// Fold is the problem on all training clicks but part k of n, measured on that part.
func (f *Feedback) Fold(k, n int) (*selection.Fitting, error) {
	if err := f.Load(); err != nil {
		return nil, err
	}
	folds, err := dataset.Folds(len(f.Train.Values), n, f.Seed)
	if err != nil {
		return nil, err
	}
	in, out := dataset.HoldOut(folds, k)
	if len(in) == 0 || len(out) == 0 {
		return nil, fmt.Errorf("%s: %w clicks for %d folds", f.Train.Name, task.ErrTooFew, n)
	}
	return f.part(f.Train, in, out)
}

// against is what lists are measured against.
func (s *Fitting) against(held *dataset.Ratings, lengths []int) *metric.Trial {
	return &metric.Trial{Train: s.data, Relevant: metric.RelevantFrom(held, 0), Lengths: lengths}
}
