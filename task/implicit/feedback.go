// Package implicit is the task of implicit feedback [Hu08]: who clicked what, from which a model of what they would click. It
// minimises
//
//	½ Σ_ij c_ij (p_ij - X_ij)² + λ‖diag(√p) X diag(√q)‖   over X
//
// over all cells, with p = 1 and c = w₀ + αr where there are r clicks, and p = 0 and c = w₀ elsewhere, under the trace norm,
// weighted or not: what the alternating least squares in use minimise at a fixed rank, solved globally, with a certificate. See
// internal/allcells for why no cell without a click costs anything.
package implicit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
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

	// Relevant is from where on ratings are relevant to lists where values are taken as counts; 0 takes all clicks.
	Relevant float64
	// Choosing is the length of the lists whose NDCG chooses λ; 0 means 100.
	Choosing int
}

// A Prepared is a task whose clicks were checked, split, and put in order. It is a [task.Chooser]. It serves any number of
// fits, and none changes what another has returned. Whatever becomes of the task that it is made of, it stays.
type Prepared struct {
	task    *Task            // a copy; its ratings are clicks, and cut
	data    *dataset.Sparse  // the counts of Train, by rows
	lines   *dataset.Ratings // those of training, as counts; a rating below Positive has none, and is left out of lists, too
	total   int              // clicks of training, of all ranks
	dropped int              // ratings of training below Positive, or counts of 0
	unknown int              // clicks of Test whose user or item has none in training
	whole   *fitting
}

// UsualLengths of lists, and the length of those whose NDCG chooses λ.
var UsualLengths = []int{20, 100}

const usualChoosing = 100

// Where λ is tried.
//
// Begin is where λ are tried from, as a part of the smallest one with W = 0: above it lists are those of the most popular items,
// but for chance. Worth ends the search: the next λ has twice the rank and more, and took ten times as long on MovieLens-1M.
const (
	Begin = 0.4
	Worth = 0.01
)

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
	f := p.task
	if p.lines, err = f.counts(f.Train); err != nil {
		return err
	}
	for _, held := range []**dataset.Ratings{&f.Test, &f.Valid} {
		if *held == nil {
			continue
		}
		if (*held).RowIDs != f.Train.RowIDs || (*held).ColIDs != f.Train.ColIDs {
			*held = (*held).By(f.Train.RowIDs, f.Train.ColIDs)
		}
		if *held, err = f.counts(*held); err != nil {
			return err
		}
		(*held).Rows, (*held).Cols = slices.Clone((*held).Rows), slices.Clone((*held).Cols) // of which unknown ones are hidden
		*held = clicksOf(*held)
	}
	if f.splits() {
		if f.Split.Time == 0 { // else of later clicks on what was clicked before, training counts none
			p.lines = summed(p.lines)
		}
		train, test, err := f.Split.Parts(p.lines)
		if err != nil {
			return err
		}
		f.Test = clicksOf(p.lines.Subset(test))
		p.lines = p.lines.Subset(train).Own()
		for _, held := range []**dataset.Ratings{&f.Test, &f.Valid} {
			if *held != nil && ((*held).RowIDs != p.lines.RowIDs || (*held).ColIDs != p.lines.ColIDs) {
				*held = (*held).By(p.lines.RowIDs, p.lines.ColIDs)
			}
		}
	}
	name := f.Train.Name
	f.Train = clicksOf(p.lines)
	if p.total = f.Train.Total(); p.total == 0 {
		return fmt.Errorf("%s: has no clicks%s", name, f.among())
	}
	for _, x := range p.lines.Values {
		if x == 0 {
			p.dropped++
		}
	}
	p.dropped = p.lines.Spread.Comm().Count(p.dropped)
	for _, held := range []*dataset.Ratings{f.Test, f.Valid} {
		if held != nil {
			held.HideUnseen(f.Train)
		}
	}
	if f.Test != nil {
		p.unknown = f.Test.Unknown()
	}
	p.data, err = f.Train.Compress(dataset.RefuseDuplicates)
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
	case f.Train.Total() == 0:
		return fmt.Errorf("%s: has no clicks", f.Train.Name)
	case math.IsNaN(f.Relevant):
		return errors.New("implicit: Relevant is NaN; it is the rating from which on an item is relevant")
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
	case f.Lengths != nil && f.Test == nil && !f.splits():
		return errors.New("implicit: Lengths are of the lists measured on Test, and there is no Test and no Split")
	case f.Choosing < 0:
		return fmt.Errorf("implicit: Choosing, the length of the lists whose NDCG chooses λ, is %d; it is 1 or more, or 0 for 100",
			f.Choosing)
	}
	return f.Train.Check(f.Test, f.Valid)
}

// background is w₀ with its default.
func (f *Task) background() float64 {
	if f.Background == 0 {
		return 1
	}
	return f.Background
}

// counts are the lines of a file of counts or ratings, with how many clicks each is: 0 of a rating below Positive.
func (f *Task) counts(r *dataset.Ratings) (*dataset.Ratings, error) {
	c := *r
	c.Values = make([]float64, len(r.Values))
	for e, x := range r.Values {
		switch {
		case r.NoValues, f.Positive != 0 && x >= f.Positive:
			c.Values[e] = 1
		case f.Positive != 0 && x < f.Positive, x == 0:
		case !(x > 0):
			return nil, badCount(r, e)
		default:
			c.Values[e] = x
		}
	}
	return &c, nil
}

// clicksOf are the pairs with clicks, each once.
func clicksOf(lines *dataset.Ratings) *dataset.Ratings {
	if !slices.Contains(lines.Values, 0) {
		return summed(lines)
	}
	var keep []int32
	for e, x := range lines.Values {
		if x > 0 {
			keep = append(keep, int32(e))
		}
	}
	return summed(lines.Subset(keep))
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
	first, place := firsts(r), make([]int32, len(r.Values))
	keep := make([]int32, 0, len(r.Values))
	var sums []float64
	var times []int64
	for e, x := range r.Values {
		if int(first[e]) == e {
			place[e] = int32(len(keep))
			keep, sums = append(keep, int32(e)), append(sums, x)
			if len(r.Times) > 0 {
				times = append(times, r.Times[e])
			}
			continue
		}
		k := place[first[e]]
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

// firsts are, for each line, the number of the first one of the same pair. Lines of unknown ids are pairs of their own.
func firsts(r *dataset.Ratings) []int32 {
	first := make([]int32, len(r.Rows))
	next, begin := make([]int32, len(r.Rows)), slices.Repeat([]int32{-1}, r.Shape[0])
	for e := len(r.Rows) - 1; e >= 0; e-- { // lists of the lines of each user, in order
		first[e] = int32(e)
		if i := r.Rows[e]; i >= 0 {
			next[e], begin[i] = begin[i], int32(e)
		}
	}
	at := slices.Repeat([]int32{-1}, r.Shape[1]) // of an item the first line of the last user
	for _, lo := range begin {
		for e := lo; e >= 0; e = next[e] {
			j := r.Cols[e]
			if j < 0 {
				continue
			}
			if k := at[j]; k >= 0 && r.Rows[k] == r.Rows[e] {
				first[e] = k
			} else {
				at[j] = e
			}
		}
	}
	return first
}

// Len is the number of training clicks.
func (p *Prepared) Len() int { return p.total }

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
		s, err := p.wholeOf()
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

// wholeOf builds the problem on all training clicks.
func (p *Prepared) wholeOf() (*fitting, error) {
	s, err := p.fittingOf(p.data)
	if err == nil {
		s.seen, err = seenIn(p.lines, p.data)
	}
	return s, err
}

// Validation is the problem on nine tenths of the training clicks, measured on the rest, or on all measured on Valid.
func (p *Prepared) Validation() (*selection.Fitting, error) {
	var f *selection.Fitting
	if p.task.Valid != nil {
		s, err := p.wholeOf()
		if err != nil {
			return nil, err
		}
		s.measuredOn(p.task.Valid, choosingUsers)
		f = &s.Fitting
	} else {
		whole, in, out, err := p.validation()
		if err != nil {
			return nil, err
		}
		if f, err = p.part(whole, in, out); err != nil {
			return nil, err
		}
	}
	f.Coarse, f.Begin, f.Worth = true, Begin, Worth
	return f, nil
}

// validation cuts a tenth off the training lines: the last by time or, where there are no times, or one, of each user. Ranks know
// the times of their own clicks alone.
func (p *Prepared) validation() (whole *dataset.Ratings, in, out []int32, err error) {
	if len(p.lines.Times) > 0 && p.lines.Spread == nil {
		if in, out, err = (dataset.Split{Time: 1 - validationFraction}).Parts(p.lines); err == nil {
			return p.lines, in, out, nil
		}
	}
	whole = summed(p.lines)
	in, out, err = task.HoldOutOfUsers(whole, p.task.Seed)
	return whole, in, out, err
}

// UsualRatio is λ over the smallest one with W = 0 where there are too few clicks to choose it by.
const UsualRatio = 0.05

// Open says that there are too few clicks to choose λ by what is held out, or that all of these are of users or items without
// another.
func (p *Prepared) Open() bool {
	if p.task.Valid != nil {
		return false
	}
	whole, in, out, err := p.validation()
	if err != nil {
		return true
	}
	held := clicksOf(whole.Subset(out))
	held.HideUnseen(clicksOf(whole.Subset(in)))
	return held.Unknown() == held.Total()
}

// Choose chooses λ: by Validation, or UsualRatio where that is not possible.
func (p *Prepared) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	if !p.Open() {
		return selection.Choose(ctx, p, opt)
	}
	s, err := p.Whole()
	if err != nil {
		return nil, err
	}
	problem := *s.Problem
	problem.Penalty = gauge.Linear{Lambda: 1}
	if opt.Penalty != nil {
		problem.Penalty = opt.Penalty(1)
	}
	top, err := solver.MaxLambda(ctx, &problem)
	if err != nil {
		return nil, err
	}
	return &selection.Choice{Lambda: UsualRatio * top, Fitting: s}, nil
}

// validationFraction of the training clicks chooses λ where none are given; their lists are measured for so many users at most.
const (
	validationFraction = 0.1
	choosingUsers      = 2000
)

// part is the problem on some of the training lines, measured on others.
func (p *Prepared) part(of *dataset.Ratings, in, out []int32) (*selection.Fitting, error) {
	lines, held := of.Subset(in), clicksOf(of.Subset(out))
	train := clicksOf(lines)
	held.HideUnseen(train)
	data, err := train.Compress(dataset.RefuseDuplicates)
	if err != nil {
		return nil, err
	}
	s, err := p.fittingOf(data)
	if err != nil {
		return nil, err
	}
	s.Share = float64(train.Total()) / float64(p.Len())
	if s.seen, err = seenIn(lines, data); err != nil {
		return nil, err
	}
	s.measuredOn(held, choosingUsers)
	return &s.Fitting, nil
}

// Fold is the problem on all training clicks but part k of n, measured on that part.
func (p *Prepared) Fold(k, n int) (*selection.Fitting, error) {
	whole := summed(p.lines)
	folds, err := whole.Folds(n, p.task.Seed)
	if err != nil {
		return nil, err
	}
	in, out := dataset.HoldOut(folds, k)
	if ranks := whole.Spread.Comm(); ranks.Count(len(in)) == 0 || n > ranks.Count(len(folds)) {
		return nil, fmt.Errorf("%s: %w clicks for %d folds", p.task.Train.Name, task.ErrTooFew, n)
	}
	return p.part(whole, in, out)
}

// seenIn is what lists leave out: all lines of training, those without a click, too.
func seenIn(lines *dataset.Ratings, clicks *dataset.Sparse) (*dataset.Sparse, error) {
	zeros := 0
	if slices.Contains(lines.Values, 0) {
		zeros = 1
	}
	if lines.Spread.Comm().Count(zeros) == 0 {
		return clicks, nil
	}
	return summed(lines).Compress(dataset.RefuseDuplicates)
}

// against is what lists are measured against.
func (s *fitting) against(held *dataset.Ratings, lengths []int) *metric.Trial {
	from := 0.0
	if s.task.Positive == 0 {
		from = s.task.Relevant
	}
	return &metric.Trial{Train: s.seen, Relevant: metric.RelevantFrom(held, from), Lengths: lengths}
}
