package task

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task/side"
)

// A Completion is the task of filling in a matrix of ratings. It minimises
//
//	Σ ω_ij ℓ(centre_ij + offset_ij + X_ij, y_ij) + λ‖diag(√p) X diag(√q)‖   over X
//
// over the observed entries y_ij: the trace norm, weighted or not, of what a centre leaves. ℓ is ½(y - z)² unless Loss says
// another. Weights ω and offsets are those of the ratings, where these have some. Fields are the configuration, and
// only Train is needed. Load reads those of the data once; the others may change between fits. It is a [selection.Source], and
// [Completion.Fit] does all.
type Completion struct {
	Train *dataset.Ratings
	Test  *dataset.Ratings // to measure on; may be nil
	Valid *dataset.Ratings // to choose λ by; nil takes a tenth of Train
	Split dataset.Split    // cuts Train in two, which are Train and Test once they are loaded; the zero value cuts nothing

	// Choose takes a centre and weights that are auto, as their zero values are; until it has they are none.
	Loss       Loss     // of signs where the ratings are two labels, any numbers or texts; the zero value is squared
	Labels     []string // what -1 and 1 stand for; nil takes the two labels of Train
	Center     dataset.Centring
	Rated      Rated   // lists of what was rated as features of users and items; needs float64
	RatedShare float64 // η, how much lists explain beside indicators, where Side is nil; 0 takes side.UsualRatedWeight
	Weights    Weights
	Clip       Clip
	Normalize  Normalization      // usually a sum
	Duplicates dataset.Duplicates // of an entry that is rated twice
	Float32    bool               // keep ratings in 4 bytes, and no predictions: 12 bytes a rating. No path or folds then
	Ranking    []int              // measure lists of these lengths, ascending, on Test, too
	FoldBy     FoldUnit           // usually entries
	Seed       uint64             // of parts and folds
	Side       *side.Information  // features of users and items, in float64 only; nil for none
	Warm       *model.Model       // Fit starts from this model; nil starts at W = 0, or where the choice of λ ended

	data     dataset.Observed // Train by rows
	count    int              // its entries
	later    []int32          // places in data of what came in after the others
	rounding float64          // of Float32, over the standard deviation of the ratings
	few      Warning          // of Train as it was given, or nil
	released bool
	trivial  *metric.Trivial  // measured before the ratings go
	features *side.Features   // of Side, on Train; nil without
	cold     *dataset.Ratings // those of Test of users or items that only features know, or nil
	unlearnt metric.Trivial   // what needs no model, on cold
	whole    *CompletionFitting
	taken    settings // of Choose, for what is auto
	raced    []CompletionCandidate
	two      []string // the labels of -1 and 1, of a loss of signs
	constant *Constant
}

// ErrTooFew is in the error of Validation and Fold for data that cannot be divided.
var ErrTooFew = errors.New("has too few")

// Load splits the training ratings and puts them in order by rows. Whatever else is asked for does so where it was not done;
// Load lets a program free memory in between. With Float32 Train gives its ratings up. Errors are of an entry that is rated
// twice, of features of nobody in the ratings, of fields that do not go together, and of ratings that float32 would make others
// of, a [TooCoarseError].
func (c *Completion) Load() (err error) {
	if c.data != nil {
		return nil
	}
	if err := c.check(); err != nil {
		return err
	}
	c.few = fewOfEach(c.Train)
	if c.Side != nil {
		if err := c.Side.Number(c.Train); err != nil {
			return err
		}
	}
	if err := c.prepare(); err != nil {
		return err
	}
	if err := c.divide(); err != nil {
		return err
	}
	c.Test, c.Valid = c.byTrain(c.Test), c.byTrain(c.Valid)
	if c.Float32 {
		s, err := c.Train.Compact(c.Duplicates)
		if err != nil {
			return err
		}
		if s.Rounding > tooCoarse {
			return &TooCoarseError{c.Train.Name, s.Rounding}
		}
		c.data, c.rounding = s, s.Rounding
	} else {
		s, err := c.Train.Compress(c.Duplicates)
		if err != nil {
			return err
		}
		c.data, c.later = s, c.Train.LaterIn(s)
	}
	_, _, c.count = c.data.Dims()
	if c.Side != nil || c.Rated.Listed() || c.listsOpen() {
		rows, cols := dataset.Counts(c.data)
		about := c.Side
		if about == nil {
			about = &side.Information{} // the constant is a feature of all
		}
		if c.features, err = about.Learn(c.Train, rows, cols); err != nil {
			return err
		}
	}
	return nil
}

// divide cuts the ratings in two, where that is asked for. Duplicates are merged before, here and for folds: an entry must
// not end up in both parts.
func (c *Completion) divide() (err error) {
	if c.splits() || c.Duplicates != dataset.RefuseDuplicates && !c.Float32 {
		if c.Train, err = c.Train.Merged(c.Duplicates); err != nil {
			return err
		}
	}
	if !c.splits() {
		return nil
	}
	train, test, err := c.Split.Parts(c.Train)
	if err != nil {
		return err
	}
	c.Train, c.Test = c.Train.Subset(train), c.Train.Subset(test)
	if c.Side != nil {
		rows, cols := c.Side.Known(c.Train)
		c.Test.HideUnseenBut(c.Train, rows, cols)
	} else {
		c.Test.HideUnseen(c.Train)
	}
	return nil
}

// byTrain is ratings by the ids of the training ratings.
func (c *Completion) byTrain(r *dataset.Ratings) *dataset.Ratings {
	if r == nil || r.RowIDs == c.Train.RowIDs && r.ColIDs == c.Train.ColIDs {
		return r
	}
	return r.By(c.Train.RowIDs, c.Train.ColIDs)
}

// splits says that a part of the ratings is set apart.
func (c *Completion) splits() bool { return c.Split != dataset.Split{Seed: c.Split.Seed} }

// Features are those of Side, once they are loaded; nil without.
func (c *Completion) Features() *side.Features {
	if c.Side == nil {
		return nil
	}
	return c.features
}

// Len is the number of training ratings, 0 before Load.
func (c *Completion) Len() int { return c.count }

// check refuses fields that do not go together.
func (c *Completion) check() error {
	if err := c.checkSettings(); err != nil {
		return err
	}
	switch {
	case c.Train == nil:
		return errors.New("task: a completion needs Train, the ratings to learn from")
	case c.Train.Len() == 0:
		return fmt.Errorf("%s: has no ratings", c.Train.Name)
	case c.Test != nil && c.splits():
		return errors.New("task: a completion has a Test or a Split, not both")
	case c.FoldBy == FoldTasks:
		return errors.New("task: ratings have no tasks to make folds by")
	case len(c.Ranking) > 0 && (c.Float32 || c.Test == nil && !c.splits()):
		return errors.New("task: Ranking measures lists on Test, in float64")
	case c.Float32 && c.Rated != NoRated:
		return fmt.Errorf("%s: Float32 keeps no lists of what was rated", c.Train.Name)
	case c.Float32 && c.Side != nil:
		return fmt.Errorf("%s: Float32 keeps no features of users and items", c.Train.Name)
	case c.Float32 && (c.loss().Kind != Squared || c.Train.Omega != nil || c.Train.Offset != nil):
		return fmt.Errorf("%s: Float32 keeps squares of plain ratings: no other loss, no weights and no offsets", c.Train.Name)
	}
	if c.Labels != nil && len(c.Labels) != 2 {
		return fmt.Errorf("task: Labels are the two of a loss of signs, not %d", len(c.Labels))
	}
	return nil
}

// checkSettings refuses values that no constant has.
func (c *Completion) checkSettings() error {
	if _, err := c.Loss.filled(Regression); err != nil {
		return err
	}
	return cmp.Or(c.Center.Check(), c.Clip.Rule.Check(), c.Normalize.Check(), c.Duplicates.Check(), c.FoldBy.Check(),
		c.Weights.check())
}

// loss is Loss with its defaults.
func (c *Completion) loss() Loss {
	l, _ := c.Loss.filled(Regression)
	return l
}

// prepare makes of the ratings what the loss is of: signs of labels, and of numbers what offsets leave.
func (c *Completion) prepare() (err error) {
	signs := c.loss().Signs()
	if signs {
		if c.Duplicates == dataset.MeanDuplicates {
			return fmt.Errorf("%s: labels have no mean; keep the last of an entry's", c.Train.Name)
		}
		if c.Train, c.two, err = signed(c.Train, c.Labels); err != nil {
			return err
		}
	}
	for _, r := range []**dataset.Ratings{&c.Train, &c.Test, &c.Valid} {
		switch {
		case *r == nil:
		case !signs && (*r).Labels != nil:
			return fmt.Errorf("%s: its ratings are labels, and the %s loss is of numbers", (*r).Name, c.loss())
		case !signs:
			*r = (*r).LessOffsets()
		case r != &c.Train:
			if *r, _, err = signed(*r, c.two); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ratings that float32 rounds by tooCoarse of their standard deviation make another problem; by coarse, one that is told of,
// as by the relative gap that is asked for: the optimum of the ratings themselves may be outside of such a bracket.
const (
	tooCoarse = 0.01
	coarse    = 1e-4
)

// A TooCoarseError is of ratings that float32 rounds by more than a hundredth of their standard deviation.
type TooCoarseError struct {
	Name     string
	Rounding float64
}

func (e *TooCoarseError) Error() string {
	return fmt.Sprintf("%s: float32 rounds its ratings by %.2g of their standard deviation: "+
		"keep them in float64, or shift and scale them to about -10 to 10",
		e.Name, e.Rounding)
}

// Release drops the training ratings in the order of their file, which nothing needs once λ is known. Only Whole may be asked
// for from then on.
func (c *Completion) Release() error {
	if c.released {
		return nil
	}
	if _, err := c.Trivial(); err != nil {
		return err
	}
	c.Train.Rows, c.Train.Cols, c.Train.Values, c.Train.Times = nil, nil, nil, nil
	c.Train.Omega, c.Train.Offset = nil, nil
	c.whole, c.released = nil, true
	return nil
}

// Trivial is what the training ratings alone predict of Test, or of themselves; of labels see Constant. Errors are those of
// Load.
func (c *Completion) Trivial() (metric.Trivial, error) {
	if err := c.Load(); err != nil {
		return metric.Trivial{}, err
	}
	if c.trivial == nil && c.two != nil {
		c.trivial = &metric.Trivial{Held: c.Test != nil}
		c.constant = c.constantOn(c.Test)
		c.setColdApart()
	} else if c.trivial == nil {
		t := metric.TrivialOn(c.data, c.Test)
		c.trivial = &t
		c.setColdApart()
	}
	return *c.trivial, nil
}

// Whole is the problem on all training ratings, measured on Test.
func (c *Completion) Whole() (*selection.Fitting, error) {
	s, err := c.Fitting()
	if err != nil {
		return nil, err
	}
	return &s.Fitting, nil
}

// Fitting is Whole with all that it was made of. It is made once for a centre, weights and a normalization; and once for all
// where the problem has taken over the ratings, after Release or with Float32.
func (c *Completion) Fitting() (*CompletionFitting, error) {
	over := c.Float32 || c.released
	if s := c.whole; s != nil && s.settings == c.settings() {
		return s, nil
	} else if s != nil && over {
		return nil, errors.New("task: the problem has taken over the ratings, and its centre, weights and normalization stay")
	}
	if _, err := c.Trivial(); err != nil { // before the centre is taken off
		return nil, err
	}
	s, err := c.fittingOf(c.data, over)
	if err != nil {
		return nil, err
	}
	s.measuredOn(c.Test)
	c.whole = s
	return s, nil
}

// settings are what the problem is made by.
type settings struct {
	loss      Loss
	center    dataset.Centring
	weights   Weights
	normalize Normalization
	features  float64 // η, the weight of features; 0 without any
	rated     Rated   // never auto
}

func (c *Completion) settings() settings {
	s := settings{loss: c.loss(), center: c.Center, weights: c.Weights, normalize: c.Normalize, rated: c.Rated}
	if s.rated == AutoRated {
		s.rated = c.taken.rated
	}
	switch {
	case c.Side != nil:
		s.features = cmp.Or(c.Side.Weight, c.taken.features, side.UsualWeight)
	case s.rated.Listed():
		s.features = cmp.Or(c.RatedShare, side.UsualRatedWeight)
	}
	if s.center == dataset.AutoCentre {
		s.center = max(c.taken.center, dataset.NoCentre)
	}
	if s.weights.Rule == AutoWeights {
		s.weights = c.taken.weights
		s.weights.Rule = max(s.weights.Rule, NoWeights)
	}
	return s
}

// Validation is the problem on nine tenths of the training ratings, measured on the rest, or on all measured on Valid.
func (c *Completion) Validation() (*selection.Fitting, error) {
	data, held, err := c.parts(0)
	if err != nil {
		return nil, err
	}
	return c.part(data, held)
}

// parts are what λ is chosen with, and on: the ratings without validation part k, from 0, and those in it.
func (c *Completion) parts(k int) (data dataset.Observed, held *dataset.Ratings, err error) {
	if err := c.loadWide("λ is chosen"); err != nil {
		return nil, nil, err
	}
	if c.Valid != nil {
		return c.data, c.Valid, nil
	}
	in, out, err := dataset.Split{Fraction: 1 - validationFraction, Seed: c.Seed + uint64(k)}.Parts(c.Train)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w ratings to choose λ by validation", c.Train.Name, ErrTooFew)
	}
	data, err = c.Train.Subset(in).Compress(c.Duplicates)
	return data, c.Train.Subset(out), err
}

// validationFraction of the training ratings chooses λ where no ratings for that are given.
const validationFraction = 0.1

// validationParts are drawn, each on its own: the second where the first cannot tell centres and weights apart. A third moved no
// choice on MovieLens, the conjoint data and generated ratings.
const validationParts = 2

// loadWide is Load for what needs ratings one by one, in float64.
func (c *Completion) loadWide(what string) error {
	switch {
	case c.Float32:
		return fmt.Errorf("task: %s in float64 only", what)
	case c.released:
		return fmt.Errorf("task: %s before Release", what)
	}
	return c.Load()
}

// part is the problem on some of the training ratings, measured on others.
func (c *Completion) part(data dataset.Observed, held *dataset.Ratings) (*selection.Fitting, error) {
	s, err := c.fittingOf(data, false)
	if err != nil {
		return nil, err
	}
	s.measuredOn(held)
	if c.Normalize != Mean {
		s.Share = float64(s.Ratings) / float64(c.count)
	}
	s.Trivial, s.Held = s.errorOfMean(held), held.Len()
	return &s.Fitting, nil
}

// Fold is the problem on all training ratings but part k of n, measured on that part.
func (c *Completion) Fold(k, n int) (*selection.Fitting, error) {
	if err := c.loadWide("folds are made"); err != nil {
		return nil, err
	}
	folds, err := c.partition(n)
	if err != nil {
		return nil, err
	}
	in, out := dataset.HoldOut(folds, k)
	if len(in) == 0 || !everyFold(folds, n) {
		return nil, fmt.Errorf("%s: %w ratings or rows for %d folds", c.Train.Name, ErrTooFew, n)
	}
	data, err := c.Train.Subset(in).Compress(c.Duplicates)
	if err != nil {
		return nil, err
	}
	return c.part(data, c.Train.Subset(out))
}
