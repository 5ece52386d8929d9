package ranking

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// choosingUsers are those whose lists are measured to choose, at most.
const choosingUsers = 2000

// A contest is what all candidates are measured by: the ratings without those that are held out, and lists for these.
type contest struct {
	t     *Prepared
	part  *dataset.Ratings
	lists *metric.Trial
	race  selection.Race
	forms []Form // of the candidates
	now   Form   // whose path is taken
	// popular are the lists of the most popular items: paths of ratings end that have no better ones after mostBelow λ.
	popular *metric.Lists
	tries   int                      // λ of the path that is taken
	best    map[string]*metric.Lists // of each candidate, by its name
}

// mostBelow is how many λ a path of ratings takes to have better lists than the most popular items.
const mostBelow = 5

// scores is one less the NDCG.
func scores(l *metric.Lists) selection.Scores {
	return selection.Scores{{Name: "1-NDCG", Value: 1 - l.At[0].NDCG()}}
}

// A measured is what lists are worth.
type measured struct{ all selection.Scores }

func (m measured) Scores() selection.Scores { return m.all }

// contest holds ratings out.
func (t *Prepared) contest(opt selection.Options) (*contest, error) {
	c := &t.given
	r := &contest{t: t, part: c.Train}
	held := c.Valid
	if held == nil {
		in, out, err := task.HoldOutOfUsers(c.Train, c.Seed)
		if err != nil {
			return nil, err
		}
		r.part, held = c.Train.Subset(in), c.Train.Subset(out)
		held.HideUnseen(r.part)
	}
	seen, err := r.part.Compress(c.Duplicates)
	if err != nil {
		return nil, err
	}
	r.lists = &metric.Trial{Train: seen, Relevant: metric.RelevantFrom(held, t.from), Lengths: []int{t.length},
		ListsOnly: true}
	r.lists.Sample(choosingUsers)
	r.popular, r.best = r.lists.Measure(metric.Same(r.lists.Popularity())), map[string]*metric.Lists{}
	t.popular = r.popular.At[0].NDCG()
	stop := opt.Stop
	opt.Stop = func(e selection.Event) bool {
		r.tries++
		return r.cannotWin(e) || stop != nil && stop(e)
	}
	r.race.Options = opt
	return r, nil
}

// cannotWin says that a path of ratings has no better lists than the most popular items.
func (r *contest) cannotWin(e selection.Event) bool {
	return r.now.Kind == Ratings && r.tries >= mostBelow && e.Point.Scores.First() > scores(r.popular).First()
}

// Choose chooses a model with its λ, by a race on validation lists. Where ctx ends it is the best so far, beside an error that
// wraps ctx.Err(). Other errors are those of package selection, and [task.ErrTooFew] of ratings that no part can be
// held out of.
func (t *Prepared) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	r, err := t.contest(opt)
	if err != nil {
		return nil, err
	}
	if err := r.clicks(ctx); err != nil {
		return nil, err
	}
	if _, err := r.enter(ctx, Form{Kind: Ratings, Weights: task.Weights{Rule: task.Power, Alpha: 0.5}}); err != nil {
		return nil, err
	}
	choice, err := r.race.Choice(ctx)
	if choice == nil {
		return nil, err
	}
	winner := r.forms[r.race.Winner()]
	if !surelyBetter(r.best[winner.String()], r.popular) {
		return r.mostPopular(ctx, choice, err)
	}
	if failed := t.take(winner); failed != nil {
		return nil, failed
	}
	return choice, err
}

// surely is how many standard errors lists are better by than those of the most popular items where they are taken instead.
const surely = 2

// surelyBetter says that lists are better than others, user by user, by more than chance explains.
func surelyBetter(a, than *metric.Lists) bool {
	if a == nil {
		return false
	}
	var sum, squares float64
	for k, x := range a.Each {
		d := x - than.Each[k]
		sum, squares = sum+d, squares+d*d
	}
	n := float64(len(a.Each))
	return sum > surely*math.Sqrt(math.Max(squares-sum*sum/n, 0))
}

// usual are the α and the weights that candidates begin with: α is what a rating from the median on weighs beyond the background.
var usual = Form{Alpha: 5, Weights: task.Weights{Rule: task.Power, Alpha: 0.3}}

// clicks enters the candidates of clicks: both ways to take ratings, then other weights and another α for the better one.
func (r *contest) clicks(ctx context.Context) error {
	best := usual
	best.Positive = r.t.from
	if _, err := r.enter(ctx, best); err != nil {
		return err
	}
	try := func(f Form) (bool, error) {
		better, err := r.enter(ctx, f)
		if better {
			best = f
		}
		return better, err
	}
	if least := slices.Min(r.t.given.Train.Values); least >= 0 && least < slices.Max(r.t.given.Train.Values) {
		all := usual
		all.Alpha /= r.t.from
		if _, err := try(all); err != nil {
			return err
		}
	}
	for _, others := range [][]func(*Form){
		{func(f *Form) { f.Weights.Alpha = 0.5 }, func(f *Form) { f.Weights = plain }},
		{func(f *Form) { f.Alpha *= 0.4 }, func(f *Form) { f.Alpha *= 2.5 }},
	} {
		for _, change := range others {
			other := best
			change(&other)
			if better, err := try(other); better || err != nil {
				if err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// enter enters a candidate, and says whether it is the best so far.
func (r *contest) enter(ctx context.Context, f Form) (better bool, err error) {
	r.now, r.tries = f, 0
	best, err := r.race.Enter(ctx, f.String(), func(int) (*selection.Fitting, error) { return r.fitting(f) })
	if len(r.race.Candidates) > len(r.forms) { // there was time for it
		r.forms = append(r.forms, f)
	}
	return best == f.String(), err
}

// fitting is the problem of a form on the ratings that are not held out, measured on those that are.
func (r *contest) fitting(f Form) (*selection.Fitting, error) {
	t := r.t
	if f.Kind == Ratings {
		s, err := t.completionOf(f, r.part, nil).Prepare()
		if err != nil {
			return nil, err
		}
		whole, err := s.Whole()
		if err != nil {
			return nil, err
		}
		return r.judged(f.String(), whole, float64(s.Len())/float64(t.given.Train.Len()), s.Model), nil
	}
	s, err := t.feedbackOf(f, r.part, nil).Prepare()
	if err != nil {
		return nil, err
	}
	whole, err := s.Whole()
	if err != nil {
		return nil, err
	}
	judged := r.judged(f.String(), whole, r.share(f, s.Len()), s.Model)
	judged.Begin, judged.Worth = implicit.Begin, implicit.Worth
	return judged, nil
}

// share is so many clicks over those that a form makes of all training ratings.
func (r *contest) share(f Form, clicks int) float64 {
	all := 0
	for _, x := range r.t.given.Train.Values {
		if f.Positive != 0 && x >= f.Positive || f.Positive == 0 && x != 0 || r.t.given.Train.NoValues {
			all++
		}
	}
	return float64(clicks) / float64(all)
}

// judged is a fitting that is measured by its lists.
func (r *contest) judged(name string, s *selection.Fitting, share float64,
	of func(*selection.Fitting, *solver.Result) *model.Model) *selection.Fitting {
	f := *s
	f.Share = share
	f.Measure = func(st *gcg.State) selection.Measured {
		lists := r.lists.Measure(of(&f, &solver.Result{State: st}).ScoresTo)
		if best := r.best[name]; best == nil || lists.At[0].NDCG() > best.At[0].NDCG() {
			r.best[name] = lists
		}
		return measured{scores(lists)}
	}
	return &f
}

// mostPopular is the choice of the most popular items: W = 0 of clicks.
func (r *contest) mostPopular(ctx context.Context, c *selection.Choice, cut error) (*selection.Choice, error) {
	f0 := usual
	f0.Kind, f0.Positive, f0.Weights = Popular, r.t.from, plain
	if err := r.t.take(f0); err != nil {
		return nil, err
	}
	f, err := r.t.Whole()
	if err != nil {
		return nil, err
	}
	p := *f.Problem
	p.Penalty = r.race.Options.Penalty(1)
	top, err := solver.MaxLambda(ctx, &p)
	if err != nil {
		return nil, errors.Join(cut, err)
	}
	c.Lambda, c.Start, c.Fitting = above*top, selection.Start{}, f
	return c, cut
}

// above λ_max by so much W is 0, whatever rounding does.
const above = 1.001
