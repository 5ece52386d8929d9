// Package ranking is the task of recommending from ratings: of several models it takes the one whose lists are best for ratings
// that were held out. What somebody rates is most of what says what comes next, and a model of ratings leaves it out, so that its
// lists are often worse than those of the most popular items. The candidates are
//
//   - clicks: implicit feedback [task/implicit] of the ratings from their median on, or of all of them weighed by what they are,
//     with and without the weighted trace norm, for some α;
//   - ratings: their completion [task.Completion] less shrunk means, whose largest λ leaves the shrunk means of items alone;
//   - popular: the most popular items, W = 0 of clicks.
//
// Each takes a path of λ on nine tenths of each user's ratings. The measure is the NDCG of lists for the others: relevant are
// ratings from the median of the training ratings on, and what was rated in training is left out.
package ranking

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// A Task is what to learn from and to measure on. Only Ratings is needed, with its Train; of its other fields the task has Test,
// Valid, Split, Duplicates, Clip, Seed and Ranking.
type Task struct {
	Ratings *task.Completion
	Length  int // of the lists whose NDCG chooses; 0 means UsualLength
}

// A Prepared is a task whose ratings were read and split. It is a [task.Chooser]: the problem of Whole is known once Choose has
// chosen.
type Prepared struct {
	given   task.Completion // with the ratings as they were split
	length  int
	form    Form
	from    float64 // ratings from here on are relevant
	popular float64 // NDCG of the most popular items
	clicks  *implicit.Prepared
	ratings *task.PreparedCompletion
}

// UsualLength of the lists whose NDCG chooses.
const UsualLength = 10

// A Kind is what the lists of a candidate are made of.
type Kind int

// Implicit feedback, the completion of ratings, or the most popular items.
const (
	Clicks Kind = iota
	Ratings
	Popular
)

// A Form is a candidate.
type Form struct {
	Kind     Kind
	Alpha    float64 // of clicks
	Positive float64 // ratings from here on are clicks; 0 takes all, which weigh what they are
	Weights  task.Weights
}

func (f Form) String() string {
	switch f.Kind {
	case Popular:
		return "popular"
	case Ratings:
		return "ratings less shrunk means, weights " + f.Weights.String()
	}
	text := "clicks"
	if f.Positive != 0 {
		text += fmt.Sprintf(" from %v", f.Positive)
	}
	return text + fmt.Sprintf(", α %v, weights %s", f.Alpha, f.Weights)
}

// Prepare splits the training ratings, and finds which are relevant. Errors are those of [task.Completion.Prepare].
func (t *Task) Prepare() (*Prepared, error) {
	switch {
	case t.Length < 0:
		return nil, fmt.Errorf("ranking: lists have at least 1 item, not %d", t.Length)
	case t.Ratings == nil:
		return nil, errors.New("ranking: needs Ratings, the task of what was rated")
	}
	if err := t.checkChosen(); err != nil {
		return nil, err
	}
	p := &Prepared{given: *t.Ratings, length: cmp.Or(t.Length, UsualLength)}
	c := &p.given
	c.Loss, c.Weights, c.Center, c.Rated = task.Loss{}, plain, dataset.GlobalMean, task.NoRated
	read, err := c.Prepare()
	if err != nil {
		return nil, err
	}
	c.Train, c.Test, c.Split = read.Train(), read.Test(), dataset.Split{}
	if p.from = metric.UsualThreshold(c.Train); p.from == 0 && !c.Train.NoValues { // 0 would take ratings as counts
		p.from = math.Inf(1)
		for _, x := range c.Train.Values {
			if x > 0 {
				p.from = math.Min(p.from, x)
			}
		}
		if math.IsInf(p.from, 1) {
			return nil, fmt.Errorf("%s: no rating is above 0, from where on one says that an item was liked", c.Train.Name)
		}
	}
	return p, nil
}

// checkChosen refuses fields of Ratings that say what the lists choose, or that no model of lists has.
func (t *Task) checkChosen() error {
	c := t.Ratings
	for _, field := range []struct {
		name string
		set  bool
	}{{"Loss", c.Loss.Kind > task.Squared}, {"Own", c.Own != nil}, {"Labels", c.Labels != nil},
		{"Center", c.Center != dataset.AutoCentre}, {"Weights", c.Weights.Rule > task.NoWeights},
		{"Rated", c.Rated.Listed()}, {"RatedShare", c.RatedShare != 0}, {"AlsoSeen", c.AlsoSeen != nil}, {"Side", c.Side != nil},
		{"Normalize", c.Normalize == task.Mean}, {"Float32", c.Float32}, {"FoldBy", c.FoldBy == task.FoldRows},
		{"Warm", c.Warm != nil}} {
		if field.set {
			return fmt.Errorf("ranking: Ratings.%s is set, and the task has no use for it: its lists choose the model", field.name)
		}
	}
	return nil
}

// plain is no weights.
var plain = task.Weights{Rule: task.NoWeights}

// Relevant is from where on ratings are relevant.
func (p *Prepared) Relevant() float64 { return p.from }

// Popular is the NDCG of the most popular items, on what Choose chose by.
func (p *Prepared) Popular() float64 { return p.popular }

// Open says that a model is to be chosen: it always is.
func (p *Prepared) Open() bool { return true }

// Form is what Choose chose.
func (p *Prepared) Form() Form { return p.form }

// ErrOpen is the error of asking for a problem before Choose.
var ErrOpen = errors.New("ranking: no model was chosen yet: Choose comes first")

// Feedback is the task that was chosen, where it is of clicks or popularity, else nil.
func (p *Prepared) Feedback() *implicit.Prepared { return p.clicks }

// Completion is the task that was chosen where it is of ratings, else nil.
func (p *Prepared) Completion() *task.PreparedCompletion { return p.ratings }

// source is the task that was chosen.
func (p *Prepared) source() (selection.Source, error) {
	switch {
	case p.clicks != nil:
		return p.clicks, nil
	case p.ratings != nil:
		return p.ratings, nil
	}
	return nil, ErrOpen
}

// Whole is the problem of the model that was chosen.
func (p *Prepared) Whole() (*selection.Fitting, error) {
	s, err := p.source()
	if err != nil {
		return nil, err
	}
	return s.Whole()
}

// Validation is that to choose another λ for it by.
func (p *Prepared) Validation() (*selection.Fitting, error) {
	s, err := p.source()
	if err != nil {
		return nil, err
	}
	return s.Validation()
}

// Fold is a fold of it.
func (p *Prepared) Fold(k, n int) (*selection.Fitting, error) {
	s, err := p.source()
	if err != nil {
		return nil, err
	}
	return s.Fold(k, n)
}

// take makes a form the one that was chosen.
func (p *Prepared) take(f Form) (err error) {
	p.form, p.clicks, p.ratings = f, nil, nil
	if f.Kind == Ratings {
		c := p.completionOf(f, p.given.Train, p.given.Test)
		c.Ranking = p.given.Ranking
		p.ratings, err = c.Prepare()
		return err
	}
	p.clicks, err = p.feedbackOf(f, p.given.Train, p.given.Test).Prepare()
	return err
}

// completionOf is the completion of a form on some of the ratings.
func (p *Prepared) completionOf(f Form, train, test *dataset.Ratings) *task.Completion {
	return &task.Completion{Train: train, Test: test, Center: dataset.ShrunkMeans, Weights: f.Weights, Clip: p.given.Clip,
		Duplicates: p.given.Duplicates, Seed: p.given.Seed, Rated: task.NoRated}
}

// feedbackOf is the implicit feedback of a form on some of the ratings.
func (p *Prepared) feedbackOf(f Form, train, test *dataset.Ratings) *implicit.Task {
	c := &implicit.Task{Train: train, Test: test, Alpha: f.Alpha, Background: 1, Positive: f.Positive, Weights: f.Weights,
		Seed: p.given.Seed, Relevant: p.from}
	if test != nil {
		c.Lengths = p.given.Ranking
	}
	return c
}
