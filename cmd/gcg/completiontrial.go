package main

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
)

// greet says what the data is.
func (c *completion) greet(show *progress) {
	if c.builtin {
		text := "no --train: a generated dataset of MovieLens-100k's shape (rank 5 truth, noise 0.7)"
		if c.test != nil {
			text += fmt.Sprintf(", %.0f %% held out for the test", 100*float64(c.test.Len())/float64(c.train.Len()+c.test.Len()))
		}
		show.say(text)
		show.say("for your own: gcg fit completion --train FILE, lines of user, item, rating")
	}
	for _, w := range c.doubts() {
		show.say("warning: " + w)
	}
}

// doubts are those of the files themselves.
func (c *completion) doubts() []string {
	if c.scanty == "" {
		return c.strangers()
	}
	return append(c.strangers(), c.scanty)
}

// scanty doubts the columns of ratings that are as many as their users or items, as where the first column numbers the lines.
func scanty(r *dataset.Ratings) string {
	for side, what := range []string{"users", "items"} {
		if n := r.Len(); n > 1 && r.Shape[side] == n {
			return fmt.Sprintf("%s: has as many %s as ratings, %d, and no more to learn of each; if they stand in other columns, see --columns", r.Name, what, n)
		}
	}
	return ""
}

// strangers doubts files to measure on of which no rating is of a user and an item of training.
func (c *completion) strangers() (list []string) {
	for _, r := range []*dataset.Ratings{c.test, c.valid} {
		if r == nil || r.Len() == 0 || unknownOf(r) < r.Len() {
			continue
		}
		whose := "its %d ratings"
		if r == c.test && c.f.splits() { // of the same file
			whose = "the %d ratings set apart"
		}
		list = append(list, fmt.Sprintf("%s: none of "+whose+" is of a user and an item of training, so all are predicted by the centre; see --columns",
			r.Name, r.Len()))
	}
	return list
}

func (c *completion) choosing() string {
	if c.valid != nil {
		return "choosing λ by a path on the training ratings, measured on " + c.valid.Name + " (--lambda auto)"
	}
	return "choosing λ by a path on 90 % of the training ratings (--lambda auto)"
}

func (c *completion) Whole() (*selection.Fitting, error) {
	s, err := c.setUp(c.data)
	if err != nil {
		return nil, err
	}
	c.setup = s
	return c.trialOn(s, c.test, 1), nil
}

// trialOn measures solutions of s on other ratings, or on none.
func (c *completion) trialOn(s *setup, held *dataset.Ratings, share float64) *selection.Fitting {
	t := &selection.Fitting{Problem: s.problem, Share: share}
	if held != nil {
		t.Measure = func(st *gcg.State) selection.Measured { return evaluate(c.model(s, st.W), held, s.lo, s.hi) }
	}
	return t
}

// part is the problem on some of the training ratings, measured on others.
func (c *completion) part(in []int32, held *dataset.Ratings) (*selection.Fitting, error) {
	fit, err := c.train.Subset(in).Compress(c.f.duplicatesRule())
	if err != nil {
		return nil, twice(err)
	}
	s, err := c.setUp(fit)
	if err != nil {
		return nil, err
	}
	share := 1.0
	if c.f.normalize == "sum" {
		share = float64(len(fit.Values)) / float64(len(c.data.Values))
	}
	t := c.trialOn(s, held, share)
	t.Trivial = s.errorOfMean(held)
	return t, nil
}

func (c *completion) Validation() (*selection.Fitting, error) {
	if c.valid != nil {
		s, err := c.setUp(c.data)
		if err != nil {
			return nil, err
		}
		t := c.trialOn(s, c.valid, 1)
		t.Trivial = s.errorOfMean(c.valid)
		return t, nil
	}
	in, out, err := dataset.Split{Fraction: 1 - validationFraction, Seed: c.f.seed}.Parts(c.train)
	if err != nil {
		return nil, fmt.Errorf("%s: has too few ratings to choose λ by validation; give one with --lambda", c.train.Name)
	}
	return c.part(in, c.train.Subset(out))
}

// errorOfMean is the RMSE, on ratings that are held out, of the mean of those that are trained on; 0 where means were taken off.
func (s *setup) errorOfMean(held *dataset.Ratings) float64 {
	if s.f.center != "none" {
		return 0
	}
	return errorsOf(dataset.Centre(s.data, "global").At, s.data, held).RMSE()
}

// Fold is the problem on all ratings but those of part k of n.
func (c *completion) Fold(k, n int) (*selection.Fitting, error) {
	if c.folds == nil {
		var err error
		if c.folds, err = c.partition(n); err != nil {
			return nil, err
		}
	}
	var in, out []int32
	for e, at := range c.folds {
		if at == k {
			out = append(out, int32(e))
		} else {
			in = append(in, int32(e))
		}
	}
	if len(in) == 0 || !allMet(c.folds, n) {
		return nil, fmt.Errorf("%s: has too few ratings or rows for %d folds", c.train.Name, n)
	}
	return c.part(in, c.train.Subset(out))
}

// partition gives each rating the fold that holds it out. With --by row a fold holds out half of the ratings of its users: of users
// who are not trained on at all, no λ would predict anything.
func (c *completion) partition(n int) ([]int, error) {
	if c.f.by == "entry" {
		return dataset.Folds(len(c.train.Values), n, c.f.seed)
	}
	fold := make([]int, len(c.train.Values))
	for e := range fold {
		fold[e] = -1
	}
	_, held, err := dataset.Split{PerUser: 0.5, Seed: c.f.seed}.Parts(c.train)
	if err != nil {
		return fold, nil // no user has two ratings
	}
	rows, err := dataset.Folds(c.train.Shape[0], n, c.f.seed)
	if err != nil {
		return nil, err
	}
	for _, e := range held {
		fold[e] = rows[c.train.Rows[e]]
	}
	return fold, nil
}
