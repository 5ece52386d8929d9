package task

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task/side"
)

// A CompletionResult is a fitted completion.
type CompletionResult struct {
	*Solution
	Model    *model.Model   // to predict, recommend and save
	Scores   *RatingScores  // on Test, or on the training ratings
	Trivial  metric.Trivial // what needs no model, on the same; of labels Constant
	Constant *Constant      // of labels, what needs no model; nil of numbers
	// Candidates are the centres and weights that were tried, where they were auto; nil where they were given.
	Candidates []CompletionCandidate
	Warnings   []Warning
}

// Fit fits a model: it chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status.
// It reads all fields each time, and writes none of them nor of the ratings, but for what Float32 gives up. Errors are those of
// Load and Solve.
func (c *Completion) Fit(ctx context.Context, opt Options) (*CompletionResult, error) {
	return c.unprepared().fit(ctx, opt)
}

// unprepared is a task of the same fields that has loaded nothing. After Load fields have been prepared, and it goes on from
// there.
func (c *Completion) unprepared() *Completion {
	own := *c
	if own.data == nil {
		for _, r := range []**dataset.Ratings{&own.Train, &own.Test, &own.Valid} {
			if *r != nil && !c.Float32 {
				ratings := **r
				*r = &ratings
			}
		}
	}
	if !c.Float32 && !c.released { // a fit gives the problem its penalty
		own.whole = nil
	}
	return &own
}

// fit is Fit of a task that nobody else has.
func (c *Completion) fit(ctx context.Context, opt Options) (*CompletionResult, error) {
	if err := c.Load(); err != nil {
		return nil, err
	}
	c.taken, c.raced = settings{}, nil
	if c.Warm != nil {
		opt.warm = func() (selection.Start, error) {
			s, err := c.Fitting()
			if err != nil {
				return selection.Start{}, err
			}
			return s.Start(c.Warm), nil
		}
	}
	res := &CompletionResult{Warnings: c.DataWarnings()}
	var err error
	var cut error // by the end of ctx, which leaves the best so far
	if res.Solution, cut = Solve(ctx, c, opt); res.Solution == nil {
		return nil, cut
	}
	s, err := c.Fitting()
	if err != nil {
		return nil, err
	}
	res.Model, res.Candidates = s.Model(res.Result), c.raced
	res.Scores, res.Trivial, res.Constant = s.Scores(res.Model), *c.trivial, c.constant
	res.Warnings = append(res.Warnings, res.Solution.Warnings...)
	res.Warnings = append(res.Warnings, s.WarningsOf(res.Scores, cmp.Or(opt.Run.Tol, 1e-3))...)
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

// mostListed is how many ratings there may be for lists of what was rated to be tried by themselves: they take several times as
// long.
const mostListed = 300_000

// listsOpen says that lists of what was rated are to be tried: of squared losses, as others take no single passes over the
// data, and where no features are given, whose weight they would share.
func (c *Completion) listsOpen() bool {
	return c.Rated == AutoRated && c.Side == nil && !c.Float32 && c.loss().Kind == Squared && c.Train.Len() <= mostListed
}

// featuresOpen says that the weight of features is to be chosen.
func (c *Completion) featuresOpen() bool { return c.Side != nil && c.Side.Weight == 0 }

// Open says that the centre, the weights, lists or the weight of features are auto.
func (c *Completion) Open() bool {
	return c.Center == dataset.AutoCentre || c.Weights.Rule == AutoWeights || c.listsOpen() || c.featuresOpen()
}

// Settled are the centre and the weights of the problem as it is: those that were given, that Choose took, or none.
func (c *Completion) Settled() (dataset.Centring, Weights) {
	s := c.settings()
	return s.center, s.weights
}

// Lists are those of what was rated that the problem has as it is.
func (c *Completion) Lists() Rated { return c.settings().rated }

// FeatureWeight is η of the problem as it is, 0 without features.
func (c *Completion) FeatureWeight() float64 { return c.settings().features }

// Candidates are those of the last Choose, in the order in which they were tried; nil where nothing was auto.
func (c *Completion) Candidates() []CompletionCandidate { return c.raced }

// Choose chooses the centre and the weights where they are auto, with λ, by a race on the validation part. First come the
// centres, each with the weights that it usually does best with; then other weights for the one that won, away from those as
// long as the error falls. The problems of Whole and Fold have what was chosen from then on. Errors are those of Validation
// and of package selection.
func (c *Completion) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	c.taken, c.raced = settings{}, nil
	if !c.Open() {
		return selection.Choose(ctx, c, opt)
	}
	data, held, err := c.parts(0)
	if err != nil {
		return nil, err
	}
	r := &selection.Race{Options: opt, Parts: validationParts}
	if c.Valid != nil {
		r.Parts = 1
	}
	enter := func(s settings) (better bool, err error) {
		c.taken = s
		now := c.settings()
		name := "center " + now.center.String() + ", weights " + now.weights.String()
		if now.rated.Listed() {
			name += ", rated " + now.rated.String()
		}
		if now.features > 0 {
			name += fmt.Sprintf(", features %v", now.features)
		}
		best, err := r.Enter(ctx, name, c.without(s, data, held))
		if err != nil {
			return false, err
		}
		if len(r.Candidates) > len(c.raced) {
			c.raced = append(c.raced, CompletionCandidate{Center: now.center, Weights: now.weights, FeatureWeight: now.features,
				Rated: now.rated})
		}
		return best == name, nil
	}
	if err := c.try(enter); err != nil {
		return nil, err
	}
	choice, err := r.Choice(ctx) // which leaves the winner's settings taken
	if choice == nil {
		return nil, err
	}
	for i := range c.raced {
		c.raced[i].Candidate = choice.Candidates[i]
	}
	return choice, err
}

// try enters the candidates: the first centre, and lists with the centre and weights that suit them. Where these are not better
// the other centres follow, and in the end what may be better than the best.
func (c *Completion) try(enter func(settings) (bool, error)) error {
	best, listed := settings{}, false
	for at, s := range c.centres() {
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
		if at > 0 || !c.listsOpen() {
			continue
		}
		if listed, err = enter(withLists); err != nil {
			return err
		}
	}
	if listed || c.Rated.Listed() && c.Side == nil { // paths take several times as long: others gained less than half a percent
		return nil
	}
	_, err := c.nextWeights(best, enter)
	return err
}

// withLists is the candidate with lists that comes first: what they say stands for biases, too, and weaker weights will do.
var withLists = settings{center: dataset.GlobalMean, weights: Weights{Power, 0.5}, rated: RatedBoth,
	features: side.UsualRatedWeight}

// without is the problem by some settings, which it takes, without a validation part. The first part was cut before.
func (c *Completion) without(s settings, data dataset.Observed, held *dataset.Ratings) selection.Part {
	return func(k int) (*selection.Fitting, error) {
		c.taken = s
		if k == 0 {
			return c.part(data, held)
		}
		data, held, err := c.parts(k)
		if err != nil {
			return nil, err
		}
		return c.part(data, held)
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
func (c *Completion) centres() []settings {
	if c.Center != dataset.AutoCentre {
		return []settings{{center: c.Center, weights: Weights{Power, 0.5}}}
	}
	switch {
	case c.Side != nil:
		return c.sideRivals()
	case c.Rated.Listed():
		return []settings{{center: withLists.center, weights: withLists.weights}}
	}
	if c.loss().Signs() { // which have no means of rows and columns
		return rivals[1:]
	}
	return rivals
}

// sideRivals are the rivals with features, which have biases of users and items in W. Means come first that are known wherever
// predictions are asked for: those of users, say, where features are of items. Means of rows or columns with features would be 0
// where these are all that is known.
func (c *Completion) sideRivals() (all []settings) {
	usual := Weights{Power, 0.5}
	switch {
	case c.loss().Signs():
	case c.Side.Users == nil:
		all = append(all, settings{center: dataset.RowMeans, weights: usual})
	case c.Side.Items == nil:
		all = append(all, settings{center: dataset.ColumnMeans, weights: usual})
	}
	return append(all, settings{center: dataset.GlobalMean, weights: usual})
}

// nextWeights tries other weights with the best centre, and then other weights of features, and returns the best.
func (c *Completion) nextWeights(best settings, enter func(settings) (bool, error)) (settings, error) {
	if c.Weights.Rule == AutoWeights {
		var err error
		best, err = uphill(best, slices.Index(powers, best.weights), len(powers), enter,
			func(s *settings, i int) { s.weights = powers[i] })
		if err != nil {
			return best, err
		}
	}
	if !c.featuresOpen() {
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
