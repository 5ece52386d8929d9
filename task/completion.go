package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task/side"
)

// A Completion is the task of filling in a matrix of ratings. It minimises
//
//	Σ ω_ij ℓ(centre_ij + offset_ij + X_ij, y_ij) + λ‖diag(√p) X diag(√q)‖   over X
//
// over the observed entries y_ij: the trace norm, weighted or not, of what a centre leaves. ℓ is ½(y - z)² unless Loss says
// another. Weights ω and offsets are those of the ratings, where these have some. Fields are the configuration, and
// only Train is needed. [Completion.Fit] does all, and reads all fields each time; none is written, nor what it points to, but
// with Consume. [Completion.Prepare] is for those who want more than a fit of the same data.
type Completion struct {
	Train *dataset.Ratings
	Test  *dataset.Ratings // to measure on; may be nil
	Valid *dataset.Ratings // to choose λ by; nil takes a tenth of Train
	Split dataset.Split    // cuts Train in two, which are Train and Test once they are prepared; the zero value cuts nothing
	// Consume lets Prepare and Fit take over the memory of Train, which has no ratings afterwards: with Float32 at once, else
	// once they are released. It is for ratings that just fit in memory.
	Consume bool

	Loss Loss // of signs where the ratings are two labels, any numbers or texts; the zero value is squared
	// Own makes a loss of one's own in place of Loss: of ratings y by their weights, nil for 1, with the scores z = X_ij. It has no
	// centre and no offsets, and predictions are z, not clipped. Scores are the mean of the loss where it is measured. A
	// certificate needs its Infimum or its conjugate, see the root package.
	Own    func(y, omega []float64) gcg.Loss
	Labels []string // what -1 and 1 stand for; nil takes the two labels of Train
	// Center and Weights are chosen with λ where they are auto, as their zero values are, and none where λ is given.
	Center  dataset.Centring
	Weights Weights
	Rated   Rated // lists of what was rated as features of users and items; needs float64
	// AlsoSeen are pairs without ratings, such as clicks, that join the lists of what was rated: users and items that only they
	// have are known, too. Lists never have a pair that is held out, in Test, in Valid, in a part or in a fold. Values are not
	// used. AutoRated is RatedBoth with it, and NoRated an error.
	AlsoSeen   *dataset.Ratings
	RatedShare float64 // η, how much lists explain beside indicators, where Side is nil; 0 takes side.UsualRatedWeight
	Clip       Clip
	Normalize  Normalization      // usually a sum
	Duplicates dataset.Duplicates // of an entry that is rated twice
	Float32    bool               // keep ratings in 4 bytes, and no predictions: 12 bytes a rating. No path or folds then
	Ranking    []int              // measure lists of these lengths, ascending, on Test, too
	FoldBy     FoldUnit           // usually entries
	Seed       uint64             // of parts and folds
	Side       *side.Information  // features of users and items, in float64 only; nil for none
	Warm       *model.Model       // Fit starts from this model; nil starts at W = 0, or where the choice of λ ended
}

// ErrTooFew is in the error of Validation and Fold for data that cannot be divided.
var ErrTooFew = errors.New("has too few")

// Fit fits a model: it chooses λ where none is given, solves, and measures. Not to converge is no error, see Result.Status.
// Errors are those of Prepare and [Solve].
func (c *Completion) Fit(ctx context.Context, opt Options) (*CompletionResult, error) {
	p, err := c.Prepare()
	if err != nil {
		return nil, err
	}
	return p.Fit(ctx, opt)
}

// check refuses fields that do not go together.
func (c *Completion) check() error {
	if err := c.checkSettings(); err != nil {
		return err
	}
	switch {
	case c.Train == nil:
		return errors.New("task: a completion needs Train, the ratings to learn from")
	case c.Train.Total() == 0:
		return fmt.Errorf("%s: has no ratings", c.Train.Name)
	case c.Test != nil && c.splits():
		return errors.New("task: a completion has a Test or a Split, not both")
	case c.FoldBy == FoldTasks:
		return errors.New("task: ratings have no tasks to make folds by")
	case len(c.Ranking) > 0 && (c.Float32 || c.Test == nil && !c.splits()):
		return errors.New("task: Ranking measures lists on Test, in float64")
	case c.AlsoSeen != nil && c.Rated == NoRated:
		return fmt.Errorf("%s: joins lists of what was rated, of which Rated has none: take RatedBoth", c.AlsoSeen.Name)
	case c.Float32 && c.Rated != NoRated:
		return fmt.Errorf("%s: Float32 keeps no lists of what was rated", c.Train.Name)
	case c.Float32 && c.Side != nil:
		return fmt.Errorf("%s: Float32 keeps no features of users and items", c.Train.Name)
	case c.Float32 && (c.loss().Kind != Squared || c.Train.Omega != nil || c.Train.Offset != nil):
		return fmt.Errorf("%s: Float32 keeps squares of plain ratings: no other loss, no weights and no offsets", c.Train.Name)
	case !slices.IsSorted(c.Ranking) || len(c.Ranking) > 0 && c.Ranking[0] < 1:
		return fmt.Errorf("task: Ranking has lengths of lists, which ascend from 1, not %v", c.Ranking)
	case !(c.RatedShare >= 0) || math.IsInf(c.RatedShare, 1):
		return fmt.Errorf("task: RatedShare is %v; it is a finite number, 0 for the usual one", c.RatedShare)
	case c.RatedShare != 0 && (c.Side != nil || c.Rated == NoRated):
		return errors.New("task: RatedShare is of the lists of Rated, where Side is nil: leave it 0 without Rated, and with Side " +
			"set its Weight")
	}
	seen := c.AlsoSeen
	if seen != nil && seen.Len() == 0 { // which says nothing, and is none
		seen = nil
	}
	if err := cmp.Or(c.checkSpread(), c.Train.Check(c.Test, c.Valid, seen)); err != nil {
		return err
	}
	if c.Own != nil {
		return c.checkOwn()
	}
	return c.checkLabels()
}

// checkLabels refuses labels that are not the two of a loss of signs.
func (c *Completion) checkLabels() error {
	switch {
	case c.Labels == nil:
		return nil
	case !c.loss().Signs():
		return fmt.Errorf("task: Labels are the two of a loss of signs, and the %s loss is of numbers", c.loss())
	case len(c.Labels) != 2:
		return fmt.Errorf("task: Labels are the two of a loss of signs, not %d", len(c.Labels))
	}
	return nil
}

// checkSpread refuses what ranks that share the ratings do not do together.
func (c *Completion) checkSpread() error {
	for _, r := range []*dataset.Ratings{c.Test, c.Valid} {
		if r != nil && r.Spread != c.Train.Spread {
			return fmt.Errorf("%s: is shared by other ranks or rows than %s", r.Name, c.Train.Name)
		}
	}
	switch {
	case c.Train.Spread == nil:
	case c.Own != nil:
		return fmt.Errorf("%s: ranks share no loss of one's own", c.Train.Name)
	case c.Side != nil || c.Rated.Listed() || c.AlsoSeen != nil:
		return fmt.Errorf("%s: ranks share no features of users and items, and no lists of what was rated", c.Train.Name)
	}
	return nil
}

// checkOwn refuses what a loss of one's own does not go with.
func (c *Completion) checkOwn() error {
	switch {
	case c.Loss != Loss{}:
		return errors.New("task: a completion has a Loss or its Own, not both")
	case c.Center > dataset.NoCentre:
		return errors.New("task: Center is of means; a loss of one's Own has NoCentre")
	case c.Clip.Rule == ClipTo || c.Labels != nil:
		return errors.New("task: predictions of a loss of one's Own are its scores: no ClipTo and no Labels")
	case c.Float32 || c.Train.Offset != nil || c.Normalize == Mean:
		return errors.New("task: a loss of one's Own is a sum in float64 of ratings without offsets: no Float32, and Normalize is Sum")
	}
	return nil
}

// checkSettings refuses values that no constant has.
func (c *Completion) checkSettings() error {
	l, err := c.Loss.filled(Regression)
	if err != nil {
		return err
	}
	if err := l.OfRatings(); err != nil {
		return fmt.Errorf("task: %w", err)
	}
	return cmp.Or(c.Center.Check(), c.Clip.check(), c.Normalize.Check(), c.Duplicates.Check(), c.FoldBy.Check(),
		c.Rated.check(), c.Weights.Check())
}

// loss is Loss with its defaults.
func (c *Completion) loss() Loss {
	l, _ := c.Loss.filled(Regression)
	return l
}

// splits says that a part of the ratings is set apart.
func (c *Completion) splits() bool { return c.Split != dataset.Split{Seed: c.Split.Seed} }

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
