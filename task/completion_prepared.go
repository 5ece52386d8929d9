package task

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task/side"
)

// A PreparedCompletion is a completion whose ratings were checked, split, and put in order by rows. It is a [selection.Source]
// and a [Chooser]. It serves any number of fits, one after another, and none changes what another has returned. Whatever
// becomes of the task that it is made of, it stays; the numbers of the ratings may not change meanwhile.
type PreparedCompletion struct {
	task     *Completion      // a copy; its ratings are cut, their labels signs, and without offsets
	data     dataset.Observed // Train by rows
	count    int              // its entries
	later    []int32          // places in data of what came in after the others
	rounding float64          // of Float32, over the standard deviation of the ratings
	few      Warning          // of Train as it was given, or nil
	released bool
	trivial  *metric.Trivial  // measured before the ratings go
	features *side.Features   // of Side, on Train; nil without
	seen     *seen            // of AlsoSeen; nil without
	cold     *dataset.Ratings // those of Test of users or items that only features know, or nil
	unlearnt metric.Trivial   // what needs no model, on cold
	whole    *completionFitting
	taken    settings // of Choose, for what is auto
	plain    float64  // the error of the first candidate without the lists that are given, on the first validation part; or 0
	raced    []CompletionCandidate
	two      []string // the labels of -1 and 1, of a loss of signs
	constant *Constant
}

// Prepare checks a copy of the fields, splits the training ratings, and puts them in order by rows. Errors are of an entry that
// is rated twice, of features of nobody in the ratings, of fields that do not go together, and of ratings that float32 would
// make others of, a [TooCoarseError].
func (c *Completion) Prepare() (*PreparedCompletion, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	own := *c
	own.Ranking, own.Labels = slices.Clone(c.Ranking), slices.Clone(c.Labels)
	for _, r := range []**dataset.Ratings{&own.Train, &own.Test, &own.Valid, &own.AlsoSeen} {
		switch {
		case *r == nil:
		case c.Consume && r == &own.Train:
			*r = c.Train.Move()
		default:
			*r = (*r).Share()
		}
	}
	if c.Own != nil {
		own.Center = dataset.NoCentre
	}
	if c.AlsoSeen != nil && c.Rated == AutoRated {
		own.Rated = RatedBoth
	}
	if c.Side != nil {
		about := *c.Side
		own.Side = &about
	}
	p := &PreparedCompletion{task: &own, few: fewOfEach(own.Train)}
	if err := p.load(); err != nil {
		return nil, err
	}
	return p, nil
}

// load reads the ratings.
func (p *PreparedCompletion) load() (err error) {
	if p.task.Side != nil {
		if err := p.task.Side.Number(p.task.Train); err != nil {
			return err
		}
	}
	if err := p.prepare(); err != nil {
		return err
	}
	if err := p.divide(); err != nil {
		return err
	}
	p.task.Test, p.task.Valid = p.byTrain(p.task.Test), p.byTrain(p.task.Valid)
	if p.task.AlsoSeen != nil {
		var err error
		if p.seen.cells, err = p.byTrain(p.task.AlsoSeen).Compress(dataset.RefuseDuplicates); err != nil {
			return err
		}
	}
	if p.task.Float32 {
		s, err := p.task.Train.Compact(p.task.Duplicates)
		if err != nil {
			return err
		}
		if s.Rounding > tooCoarse {
			return &TooCoarseError{p.task.Train.Name, s.Rounding}
		}
		p.data, p.rounding = s, s.Rounding
	} else {
		s, err := p.task.Train.Compress(p.task.Duplicates)
		if err != nil {
			return err
		}
		p.data, p.later = s, p.task.Train.LaterIn(s)
	}
	p.count = countOf(p.data)
	if p.task.Side != nil || p.task.Rated.Listed() || p.ListsOpen() {
		rows, cols := dataset.Counts(p.data)
		about := p.task.Side
		if about == nil {
			about = &side.Information{} // the constant is a feature of all
		}
		if p.features, err = about.Learn(p.task.Train, rows, cols); err != nil {
			return err
		}
	}
	return nil
}

// countOf is the number of entries, of all ranks where these share them.
func countOf(data dataset.Observed) int {
	_, _, n := data.Dims()
	return dataset.SpreadOf(data).Comm().Count(n)
}

// divide cuts the ratings in two, where that is asked for. Duplicates are merged before, here and for folds: an entry must
// not end up in both parts.
func (p *PreparedCompletion) divide() (err error) {
	if p.task.splits() || p.task.Duplicates != dataset.RefuseDuplicates && !p.task.Float32 {
		if p.task.Train, err = p.task.Train.Merged(p.task.Duplicates); err != nil {
			return err
		}
	}
	if !p.task.splits() {
		return p.join()
	}
	train, test, err := p.task.Split.Parts(p.task.Train)
	if err != nil {
		return err
	}
	p.task.Train, p.task.Test = p.task.Train.Subset(train), p.task.Train.Subset(test)
	var rows, cols []bool
	if p.task.Side != nil {
		rows, cols = p.task.Side.Known(p.task.Train)
	}
	whole := p.task.Train
	if p.task.Side == nil {
		p.task.Train = p.task.Train.Own()
	}
	if err := p.join(); err != nil {
		return err
	}
	rows, cols = p.knownBySeen(whole, rows, cols)
	p.task.Test.HideUnseenBut(whole, rows, cols)
	return nil
}

// byTrain is ratings by the ids of the training ratings.
func (p *PreparedCompletion) byTrain(r *dataset.Ratings) *dataset.Ratings {
	if r == nil || r.RowIDs == p.task.Train.RowIDs && r.ColIDs == p.task.Train.ColIDs {
		return r
	}
	return r.By(p.task.Train.RowIDs, p.task.Train.ColIDs)
}

// Train are the ratings that are trained on, in the order of their file; none after Release, or with Float32. Nobody may write
// them.
func (p *PreparedCompletion) Train() *dataset.Ratings { return p.task.Train }

// Test are those to measure on, by the ids of Train; nil where there are none. Nobody may write them.
func (p *PreparedCompletion) Test() *dataset.Ratings { return p.task.Test }

// Len is the number of training entries.
func (p *PreparedCompletion) Len() int { return p.count }

// Features are those of Side; nil without.
func (p *PreparedCompletion) Features() *side.Features {
	if p.task.Side == nil {
		return nil
	}
	return p.features
}

// prepare makes of the ratings what the loss is of: signs of labels, and of numbers what offsets leave.
func (p *PreparedCompletion) prepare() (err error) {
	signs := p.task.loss().Signs()
	if signs {
		if p.task.Duplicates == dataset.MeanDuplicates {
			return fmt.Errorf("%s: labels have no mean; keep the last of an entry's", p.task.Train.Name)
		}
		if p.task.Train, p.two, err = signed(p.task.Train, p.task.Labels); err != nil {
			return err
		}
	}
	for _, r := range []**dataset.Ratings{&p.task.Train, &p.task.Test, &p.task.Valid} {
		switch {
		case *r == nil:
		case !signs && (*r).Labels != nil:
			return fmt.Errorf("%s: its ratings are labels, and the %s loss is of numbers", (*r).Name, p.task.loss())
		case !signs:
			*r = (*r).LessOffsets()
		case r != &p.task.Train:
			if *r, _, err = signed(*r, p.two); err != nil {
				return err
			}
		}
	}
	return nil
}

// Release drops the training ratings in the order of their file, which nothing needs once λ is known. No λ may be chosen from
// then on: Validation, Fold and Choose are errors.
func (p *PreparedCompletion) Release() {
	if !p.released {
		p.Trivial()
		p.task.Train.Move()
		p.whole, p.released = nil, true
	}
}

// Trivial is what the training ratings alone predict of Test, or of themselves; of labels see Constant.
func (p *PreparedCompletion) Trivial() metric.Trivial {
	switch {
	case p.trivial != nil:
		return *p.trivial
	case p.two != nil:
		p.trivial = &metric.Trivial{Held: p.task.Test != nil}
		p.constant = p.constantOn(p.task.Test)
	default:
		t := metric.TrivialOn(p.data, p.task.Test)
		p.trivial = &t
	}
	p.setColdApart()
	return *p.trivial
}

// Whole is the problem on all training ratings, measured on Test. Each call returns a problem of its own, whose penalty is open.
// With Float32 they share what the last run left, and only one may be solved at a time.
func (p *PreparedCompletion) Whole() (*selection.Fitting, error) {
	s, err := p.fitting()
	if err != nil {
		return nil, err
	}
	own, problem := s.Fitting, *s.Problem
	own.Problem = &problem
	return &own, nil
}

// fitting is Whole with all that it was made of. It is made once for a centre and weights; and once for all where the problem has
// taken over the ratings, after Release or with Float32.
func (p *PreparedCompletion) fitting() (*completionFitting, error) {
	over := p.task.Float32 || p.released
	if s := p.whole; s != nil && s.settings == p.settings() {
		return s, nil
	} else if s != nil && over {
		return nil, errors.New("task: the problem has taken over the ratings, and its centre and weights stay")
	}
	p.Trivial() // before the centre is taken off
	s, err := p.fittingOf(p.data, over)
	if err != nil {
		return nil, err
	}
	s.measuredOn(p.task.Test)
	p.whole = s
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

func (p *PreparedCompletion) settings() settings {
	c := p.task
	s := settings{loss: c.loss(), center: c.Center, weights: c.Weights, normalize: c.Normalize, rated: c.Rated}
	if s.rated == AutoRated {
		s.rated = p.taken.rated
	}
	switch {
	case p.task.Side != nil:
		s.features = cmp.Or(p.task.Side.Weight, p.taken.features, side.UsualWeight)
	case s.rated.Listed():
		s.features = cmp.Or(p.task.RatedShare, side.UsualRatedWeight)
	}
	if s.center == dataset.AutoCentre {
		s.center = max(p.taken.center, dataset.NoCentre)
	}
	if s.weights.Rule == AutoWeights {
		s.weights = p.taken.weights
		s.weights.Rule = max(s.weights.Rule, NoWeights)
	}
	return s
}

// Validation is the problem on nine tenths of the training ratings, measured on the rest, or on all measured on Valid.
func (p *PreparedCompletion) Validation() (*selection.Fitting, error) {
	data, held, err := p.parts(0)
	if err != nil {
		return nil, err
	}
	return p.part(data, held)
}

// parts are what λ is chosen with, and on: the ratings without validation part k, from 0, and those in it.
func (p *PreparedCompletion) parts(k int) (data dataset.Observed, held *dataset.Ratings, err error) {
	if err := p.wide("λ is chosen"); err != nil {
		return nil, nil, err
	}
	if p.task.Valid != nil {
		return p.data, p.task.Valid, nil
	}
	in, out, err := dataset.Split{Fraction: 1 - validationFraction, Seed: p.task.Seed + uint64(k)}.Parts(p.task.Train)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w ratings to choose λ by validation", p.task.Train.Name, ErrTooFew)
	}
	data, err = p.task.Train.Subset(in).Compress(p.task.Duplicates)
	return data, p.task.Train.Subset(out), err
}

// validationFraction of the training ratings chooses λ where no ratings for that are given.
const validationFraction = 0.1

// validationParts are drawn, each on its own: the second where the first cannot tell centres and weights apart. A third moved no
// choice on MovieLens, the conjoint data and generated ratings.
const validationParts = 2

// wide is an error where there are no ratings one by one, in float64.
func (p *PreparedCompletion) wide(what string) error {
	switch {
	case p.task.Float32:
		return fmt.Errorf("task: %s in float64 only", what)
	case p.released:
		return fmt.Errorf("task: %s before Release", what)
	}
	return nil
}

// part is the problem on some of the training ratings, measured on others.
func (p *PreparedCompletion) part(data dataset.Observed, held *dataset.Ratings) (*selection.Fitting, error) {
	s, err := p.fittingOf(data, false)
	if err != nil {
		return nil, err
	}
	s.measuredOn(held)
	if p.task.Normalize != Mean {
		s.Share = float64(s.Ratings) / float64(p.count)
	}
	s.Trivial, s.Held = s.errorOfMean(held), held.Total()
	if s.settings.rated.Listed() {
		s.Worth, s.Late, s.Plain = listsWorth, true, p.plain
		if p.seen != nil {
			s.Worth *= min(1, float64(p.count)/fullWorth)
		}
	}
	return &s.Fitting, nil
}

// Fold is the problem on all training ratings but part k of n, measured on that part.
func (p *PreparedCompletion) Fold(k, n int) (*selection.Fitting, error) {
	if err := p.wide("folds are made"); err != nil {
		return nil, err
	}
	folds, err := p.partition(n)
	if err != nil {
		return nil, err
	}
	in, out := dataset.HoldOut(folds, k)
	if ranks := p.task.Train.Spread.Comm(); ranks.Count(len(in)) == 0 || !everyFold(folds, n, ranks) {
		return nil, fmt.Errorf("%s: %w ratings or rows for %d folds", p.task.Train.Name, ErrTooFew, n)
	}
	data, err := p.task.Train.Subset(in).Compress(p.task.Duplicates)
	if err != nil {
		return nil, err
	}
	return p.part(data, p.task.Train.Subset(out))
}
