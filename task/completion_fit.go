package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task/side"
)

// A CompletionResult is a fitted completion.
type CompletionResult struct {
	*Solution
	Model    *model.Model   // to predict, recommend and save; of ratings that ranks share see model.Model.Whole
	Scores   *RatingScores  // on Test, or on the training ratings
	Trivial  metric.Trivial // what needs no model, on the same; of labels Constant
	Constant *Constant      // of labels, what needs no model; nil of numbers
	// Candidates are the centres and weights that were tried, where they were auto; nil where they were given.
	Candidates []CompletionCandidate
	Warnings   []Warning
}

// Fit is that of the task. What is auto is chosen anew each time, but after Release.
func (p *PreparedCompletion) Fit(ctx context.Context, opt Options) (*CompletionResult, error) {
	if ranks := p.task.Train.Spread.Comm(); opt.Run.MaxTime > 0 && ranks.Size() > 1 && !clock.Shared(ctx) {
		return nil, errors.New("task: MaxTime of ranks goes by one clock, which the context of cluster.Comm.Within has")
	}
	if !p.released {
		p.taken, p.raced = settings{}, nil
	}
	if p.task.Warm != nil {
		opt.warm = func(*selection.Fitting) (selection.Start, error) { return p.Start(p.task.Warm) }
	}
	res := &CompletionResult{Warnings: p.Warnings()}
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = Solve(ctx, p, opt); res.Solution == nil {
		return nil, cut
	}
	res.Model, res.Candidates = p.Model(res.Fitting, res.Result), p.raced
	res.Scores, res.Trivial, res.Constant = p.Scores(res.Model), p.Trivial(), p.constant
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	res.Warnings = append(res.Warnings, p.WarningsOf(res.Scores, cmp.Or(opt.Run.Tol, 1e-3))...)
	res.Warnings = append(res.Warnings, RankingWarnings(res.Scores.Ranking)...)
	return res, cut
}

// A CompletionCandidate is a centre with weights that was tried.
type CompletionCandidate struct {
	Center        dataset.Centring
	Weights       Weights
	FeatureWeight float64 // of features; 0 without any
	Rated         Rated   // lists of what was rated
	selection.Candidate
}

// The numbers of ratings for which lists of what was rated are tried by themselves. A validation part of fewer hardly tells what
// lists gain, and with more ratings they take long.
var leastListed, mostListed = 20_000, 1_000_000

// listsWorth ends a path with lists where the error fell by less than this part of it: the next λ takes several times as long. On
// MovieLens-1M the fall is 0.4 % at the best λ of the coarse path, and the error rises after it; it is level before.
const listsWorth = 0.005

// fullWorth is from how many ratings on listsWorth holds with Completion.AlsoSeen. Of fewer it is less in proportion: a λ takes
// less time, and lists that are longer than ratings are let the error fall later. With three of ten ratings of MovieLens-100k ua
// the test RMSE is 0.9686, and 0.9797 where listsWorth ends the path; where lists have the ratings alone nothing is gained.
const fullWorth = 500_000

// ListsOpen says that lists of what was rated are auto and are to be tried: of squared losses, as others take no single passes
// over the data, where no features are given, whose weight they would share, and of 20,000 to 1,000,000 ratings.
func (p *PreparedCompletion) ListsOpen() bool { return p.task.listsOpen(p.count) }

// ListsLeft says that lists would be tried in one process, and are not as ranks share the ratings.
func (p *PreparedCompletion) ListsLeft() bool {
	return p.task.Train.Spread != nil && p.task.mayList(p.count)
}

func (c *Completion) listsOpen(ratings int) bool {
	spread := c.Train != nil && c.Train.Spread != nil // before anything is read there is none
	return !spread && c.mayList(ratings)
}

// mayList says that lists are auto, and that it is worth while to try them on so many ratings.
func (c *Completion) mayList(ratings int) bool {
	plain := c.Side == nil && c.Own == nil && !c.Float32 && c.loss().Kind == Squared
	return c.Rated == AutoRated && plain && ratings >= leastListed && ratings <= mostListed
}

// Lists says that a fit of so many ratings has lists of what was rated, or tries them.
func (c *Completion) Lists(ratings int) bool { return c.Rated.Listed() || c.listsOpen(ratings) }

// featuresOpen says that the weight of features is to be chosen.
func (p *PreparedCompletion) featuresOpen() bool {
	return p.task.Side != nil && p.task.Side.Weight == 0
}

// Open says that the centre, the weights, lists or the weight of features are auto.
func (p *PreparedCompletion) Open() bool {
	return p.task.Center == dataset.AutoCentre || p.task.Weights.Rule == AutoWeights || p.ListsOpen() || p.featuresOpen()
}

// Settled are the centre and the weights of the problem as it is: those that were given, that Choose took, or none.
func (p *PreparedCompletion) Settled() (dataset.Centring, Weights) {
	s := p.settings()
	return s.center, s.weights
}

// Lists are those of what was rated that the problem has as it is.
func (p *PreparedCompletion) Lists() Rated { return p.settings().rated }

// FeatureWeight is η of the problem as it is, 0 without features.
func (p *PreparedCompletion) FeatureWeight() float64 { return p.settings().features }

// Candidates are those of the last Choose, in the order in which they were tried; nil where nothing was auto.
func (p *PreparedCompletion) Candidates() []CompletionCandidate { return p.raced }

// Choose chooses the centre and the weights where they are auto, with λ, by a race on the validation part. First come the
// centres, each with the weights that it usually does best with; then other weights for the one that won, away from those as
// long as the error falls. The problems of Whole and Fold have what was chosen from then on. Errors are those of Validation
// and of package selection.
func (p *PreparedCompletion) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	p.taken, p.raced = settings{}, nil
	if !p.Open() {
		return selection.Choose(ctx, p, opt)
	}
	data, held, err := p.parts(0)
	if err != nil {
		return nil, err
	}
	r := &selection.Race{Options: opt, Parts: validationParts}
	if p.task.Valid != nil {
		r.Parts = 1
	}
	p.plain = p.withoutLists(ctx, opt, data, held)
	enter := func(s settings) (better bool, err error) {
		p.taken = s
		now := p.settings()
		name := "center " + now.center.String() + ", weights " + now.weights.String()
		if now.rated.Listed() {
			name += ", rated " + now.rated.String()
		}
		if now.features > 0 {
			name += fmt.Sprintf(", features %v", now.features)
		}
		best, err := r.Enter(ctx, name, p.without(s, data, held))
		if err != nil {
			return false, err
		}
		if len(r.Candidates) > len(p.raced) {
			p.raced = append(p.raced, CompletionCandidate{Center: now.center, Weights: now.weights, FeatureWeight: now.features,
				Rated: now.rated})
		}
		return best == name, nil
	}
	if err := p.try(enter); err != nil {
		return nil, err
	}
	choice, err := r.Choice(ctx) // which leaves the winner's settings taken
	if choice == nil {
		return nil, err
	}
	for i := range p.raced {
		p.raced[i].Candidate = choice.Candidates[i]
	}
	return choice, err
}

// plainTime is the part of the time that the path without lists may take, as a divisor.
const plainTime = 8

// withoutLists is the error of the first rival on a validation part, where lists are given and no candidate is without: what
// their path is to be better than before it ends, see selection.Fitting. It takes a twentieth of their time. Where it is not
// known it is 0, and their path ends where the error rises.
func (p *PreparedCompletion) withoutLists(ctx context.Context, opt selection.Options, data dataset.Observed,
	held *dataset.Ratings) float64 {
	if !p.task.Rated.Listed() || p.task.Side != nil || p.task.Own != nil || p.task.loss().Kind != Squared {
		return 0
	}
	bare, own := *p, *p.task
	own.Rated, own.Center, own.Weights = NoRated, dataset.AutoCentre, Weights{}
	bare.task, bare.whole = &own, nil
	r := &selection.Race{Options: opt}
	r.Options.Progress = nil
	r.Options.Run.MaxTime /= plainTime
	if _, err := r.Enter(ctx, "", bare.without(rivals[0], data, held)); err != nil { // lists have the same, and say so
		return 0
	}
	return r.Candidates[0].Scores.First()
}

// try enters the candidates: the first centre, and lists with the centre and weights that suit them. Where these are not better
// the other centres follow, and in the end what may be better than the best.
func (p *PreparedCompletion) try(enter func(settings) (bool, error)) error {
	best, listed := settings{}, false
	for at, s := range p.centres() {
		if listed {
			break
		}
		better, err := enter(s)
		if err != nil {
			return err
		}
		if better {
			best = s
		}
		if at > 0 || !p.ListsOpen() {
			continue
		}
		if listed, err = enter(withLists); err != nil {
			return err
		}
	}
	if listed || p.task.Rated.Listed() && p.task.Side == nil { // paths take long: others gained less than half a percent
		return nil
	}
	_, err := p.nextWeights(best, enter)
	return err
}

// withLists is the candidate with lists that comes first: what they say stands for biases, too, and weaker weights will do.
var withLists = settings{center: dataset.GlobalMean, weights: Weights{Power, 0.5}, rated: RatedBoth,
	features: side.UsualRatedWeight}

// without is the problem by some settings, which it takes, without a validation part. The first part was cut before.
func (p *PreparedCompletion) without(s settings, data dataset.Observed, held *dataset.Ratings) selection.Part {
	return func(k int) (*selection.Fitting, error) {
		p.taken = s
		if k == 0 {
			return p.part(data, held)
		}
		data, held, err := p.parts(k)
		if err != nil {
			return nil, err
		}
		return p.part(data, held)
	}
}

// rivals are the candidates that a race begins with. Ridge biases leave little that depends on how often a row or a column was
// rated, and weaker weights will do. Before them biases are a part of W, that weights make as free where ratings are many, and
// shrink where they are few.
var rivals = []settings{
	{center: dataset.ShrunkMeans, weights: Weights{Power, 0.5}},
	{center: dataset.NoCentre, weights: Weights{Power, 0.8}},
	{center: dataset.GlobalMean, weights: Weights{Power, 0.8}},
}

// powers are the weights that are tried, by how strong they are.
var powers = []Weights{{Rule: NoWeights}, {Power, 0.5}, {Power, 0.8}}

// centres are the rivals, or only one where the centre is given.
func (p *PreparedCompletion) centres() []settings {
	if p.task.Center != dataset.AutoCentre {
		return []settings{{center: p.task.Center, weights: Weights{Power, 0.5}}}
	}
	switch {
	case p.task.Side != nil:
		return p.sideRivals()
	case p.task.Rated.Listed():
		return []settings{{center: withLists.center, weights: withLists.weights}}
	}
	if p.task.loss().Signs() { // which have no means of rows and columns
		return rivals[1:]
	}
	return rivals
}

// sideRivals are the rivals with features, which have biases of users and items in W. Means come first that are known wherever
// predictions are asked for: those of users, say, where features are of items. Means of rows or columns with features would be 0
// where these are all that is known.
func (p *PreparedCompletion) sideRivals() (all []settings) {
	usual := Weights{Power, 0.5}
	switch {
	case p.task.loss().Signs():
	case p.task.Side.Users == nil:
		all = append(all, settings{center: dataset.RowMeans, weights: usual})
	case p.task.Side.Items == nil:
		all = append(all, settings{center: dataset.ColumnMeans, weights: usual})
	}
	return append(all, settings{center: dataset.GlobalMean, weights: usual})
}

// nextWeights tries other weights with the best centre, and then other weights of features, and returns the best.
func (p *PreparedCompletion) nextWeights(best settings, enter func(settings) (bool, error)) (settings, error) {
	if p.task.Weights.Rule == AutoWeights {
		var err error
		best, err = uphill(best, slices.Index(powers, best.weights), len(powers), enter,
			func(s *settings, i int) { s.weights = powers[i] })
		if err != nil {
			return best, err
		}
	}
	if !p.featuresOpen() {
		return best, nil
	}
	of := side.Weights
	return uphill(best, slices.Index(of, side.UsualWeight), len(of), enter,
		func(s *settings, i int) { s.features = of[i] })
}

// uphill tries the places above one of n as long as they are better, and those below where the first above is not.
func uphill(best settings, from, n int, enter func(settings) (bool, error), set func(*settings, int)) (settings, error) {
	for _, by := range []int{1, -1} {
		moved := false
		for i := from + by; i >= 0 && i < n; i += by {
			s := best
			set(&s, i)
			better, err := enter(s)
			if err != nil {
				return best, err
			}
			if !better {
				break
			}
			best, moved = s, true
		}
		if moved {
			break
		}
	}
	return best, nil
}
