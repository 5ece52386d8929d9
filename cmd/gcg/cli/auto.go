package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// search is what the flags say of a path.
func (f *RunFlags) search(visit func(selection.Event)) selection.Options {
	run := f.Options(nil)
	return selection.Options{Points: f.Points, Ratio: f.Ratio, Folds: f.Folds, Penalty: f.PenaltyOf, Run: run, Progress: visit,
		Method: func(p *gcg.Problem) (solver.Method, solver.Improver) { return f.MethodOf(p) }}
}

// said is a job that says how λ is chosen once there is data to choose with.
type said struct {
	Job
	ctx context.Context
	say func(string)
}

func (s said) Validation() (*selection.Fitting, error) {
	t, err := beforeSolving(s.ctx, s.Shared(), s.Job.Validation)
	switch {
	case err == nil && t.Folds > 0:
		s.say(fmt.Sprintf("choosing λ by %d folds of the training %s (--lambda auto)", t.Folds, s.Noun()))
	case err == nil:
		s.say(s.Choosing())
	}
	return t, err
}

// chooseLambda takes a path on a part of the data, and says what it finds.
func chooseLambda(ctx context.Context, st Job, show *Progress) (*selection.Choice, error) {
	f, say, tried := st.Shared(), show.Say, 0
	src := selection.Source(said{st, ctx, say})
	if c, more := st.(task.Chooser); more && c.Open() {
		src = c
		say(st.Choosing())
	}
	var part *selection.Event // of a cross-validation: the last λ of a fold so far
	c, err := task.ChooseFrom(ctx, src, f.search(func(e selection.Event) {
		p := e.Point
		switch {
		case e.Folds > 0:
			if part != nil && part.Fold != e.Fold {
				sayFold(part, show.Step)
			}
			part = &e
			return
		case p.Solved():
			of := ""
			if e.Candidate != "" {
				of = e.Candidate + ":  "
			}
			if e.Fold > 0 {
				of += fmt.Sprintf("part %d  ", e.Fold+1)
			}
			show.Step(fmt.Sprintf(of+"λ %.4g  %s  validation %s %s", p.Lambda, p.Size, p.Scores[0].Name, Decimals(p.Scores.First())))
		}
		if tried++; tried == f.Points/2 && p.Scores.First() > e.Fitting.Trivial { // those that follow take longest
			nameMean(e.Fitting, p.Scores[0].Name, e.Candidate != "", say)
		}
	}))
	if err = Kept(c != nil, err); err != nil {
		return nil, err
	}
	if part != nil {
		sayFold(part, show.Step)
	}
	best := c.Best()
	switch {
	case best == nil:
		return c, nil
	case c.Curve.Folds > 0:
		say(foldsText(&c.Curve, best))
		return c, nil
	}
	if tried < f.Points/2 && best.Scores.First() > c.Fitting.Trivial {
		nameMean(c.Fitting, best.Scores[0].Name, c.Candidates != nil, say)
	}
	if c.Lambda != best.Lambda {
		so := ""
		if c.Curve.CutShort != "" {
			so = " so far"
		}
		say(fmt.Sprintf("the smallest error%s is at λ %.4g on a part of the %s; "+
			"the loss is a sum, and all of them are %.4g times as many",
			so, c.Lambda*c.Fitting.Share, st.Noun(), 1/c.Fitting.Share))
	}
	return c, nil
}

// foldsText is what folds chose.
func foldsText(c *selection.Curve, best *selection.Point) string {
	return fmt.Sprintf("%d λ from %.4g to %.4g by %d folds: the smallest mean %s, %s ± %s, is at λ %.4g", len(c.Points),
		c.Points[0].Lambda, c.Points[len(c.Points)-1].Lambda, c.Folds, best.Scores[0].Name,
		Decimals(best.Scores.First()), Decimals(best.StdErr), best.Lambda)
}

// sayFold says how far a fold has come.
func sayFold(e *selection.Event, say func(string)) {
	p := e.Point
	say(fmt.Sprintf("fold %d of %d  to λ %.4g  %s  %s %s", e.Fold+1, e.Folds, p.Lambda/e.Fitting.Share, p.Size, p.Scores[0].Name,
		Decimals(p.Scores.First())))
}

// nameMean says, where the mean of the ratings was not taken off, that it predicts better than what was tried, by its first
// score.
func nameMean(t *selection.Fitting, score string, racing bool, say func(string)) {
	what := "the mean of the ratings alone has an " + score
	if score == "log loss" || score == "error rate" {
		what = "the frequency of the labels alone has a " + score
	}
	if t.Trivial > 0 && !racing {
		say(fmt.Sprintf("%s of %s on the same; --center global begins there", what, Decimals(t.Trivial)))
	}
}

// cutShortWarning is what to think of a λ whose choice was cut short, or nothing.
func cutShortWarning(c *selection.Choice) string {
	w := task.CutShort(c)
	if w == nil {
		return ""
	}
	text := strings.Replace(w.String(), " at MaxTime", " at --max-time", 1) + "; give more time, or "
	if len(c.Candidates) > 0 {
		return text + "--center, --weights and --lambda"
	}
	return text + "--lambda"
}

// OrLambda adds, to the error of data that are too few to choose λ by, the flag that does without.
func OrLambda(err error) error {
	if errors.Is(err, task.ErrTooFew) {
		return fmt.Errorf("%w; give one with --lambda", err)
	}
	return err
}
