package completion

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A candidate is a centre with weights that was tried, for scripts.
type candidate struct {
	Center  string           `json:"center"`
	Weights string           `json:"weights"`
	Rated   string           `json:"rated,omitempty"` // lists of what was rated, where there are some
	Feature float64          `json:"feature_weight,omitempty"`
	Lambda  float64          `json:"lambda"`
	RMSE    float64          `json:"rmse"`  // on what λ was chosen by
	Parts   int              `json:"parts"` // of which it is the mean
	Seconds float64          `json:"seconds"`
	Beaten  bool             `json:"beaten,omitempty"` // its path was ended early
	Tried   []cli.TriedPoint `json:"tried"`
}

// Choose names the flag that does without.
func (c *job) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	choice, err := c.PreparedCompletion.Choose(ctx, opt)
	if choice != nil {
		for i := range c.Candidates() {
			x := &c.Candidates()[i]
			c.tried = append(c.tried, candidate{x.Center.String(), x.Weights.String(), listsWord(x.Rated), x.FeatureWeight,
				x.Lambda, x.Scores.First(), x.Parts, x.Time.Seconds(), x.Beaten, cli.TriedOf(&x.Curve, choice.Fitting.Share)})
		}
	}
	return choice, c.orClicks(cli.OrLambda(err))
}

// orClicks says of too few ratings, which are all alike, what else they may be.
func (c *job) orClicks(err error) error {
	if !errors.Is(err, task.ErrTooFew) || !c.alike {
		return err
	}
	return fmt.Errorf("%w; they are all the same: for clicks there is --implicit 10", err)
}

// listsWord names lists of what was rated; empty for none.
func listsWord(r task.Rated) string {
	if !r.Listed() {
		return ""
	}
	return r.String()
}

// choosingMore is how centre, weights and λ are chosen, for the log.
func (c *job) choosingMore() string {
	on, what, by := "90 % of the training ratings", []string{}, []string{}
	for _, open := range []struct {
		is         bool
		what, flag string
	}{{c.given.Center == dataset.AutoCentre, "centre", "--center auto"},
		{c.given.Weights.Rule == task.AutoWeights, "weights", "--weights auto"},
		{c.ListsOpen(), "lists of what was rated", "--rated auto"},
		{c.given.Side != nil && c.given.Side.Weight == 0, "weight of features", "--feature-weight auto"}} {
		if open.is {
			what, by = append(what, open.what), append(by, open.flag)
		}
	}
	if c.given.Valid != nil {
		on = "the training ratings, measured on " + c.given.Valid.Name
	}
	return fmt.Sprintf("choosing %s and λ by paths on %s (%s)", strings.Join(what, ", "), on, strings.Join(by, ", "))
}

// Chosen names the centre and the weights that were chosen; empty where they were given.
func (c *job) Chosen() string {
	if c.tried == nil {
		return ""
	}
	center, weights := c.Settled()
	text := fmt.Sprintf("center %s, weights %s", center, weights)
	if lists := listsWord(c.Lists()); lists != "" {
		text += ", rated " + lists
	}
	if x := c.FeatureWeight(); x > 0 {
		text += fmt.Sprintf(", features %v", x)
	}
	return text
}

// noteCandidates adds what was chosen to the result, and how good the others were.
func (c *job) noteCandidates(res *cli.Result) {
	if c.tried == nil {
		return
	}
	var others []string
	for _, x := range c.tried {
		text := x.Center + " " + x.Weights
		if x.Rated != "" {
			text += " rated " + x.Rated
		}
		if x.Feature > 0 {
			text += fmt.Sprintf(" %v", x.Feature)
		}
		text += " " + cli.Decimals(x.RMSE)
		if x.Parts > 1 { // beside which those of one part do not compare
			text += fmt.Sprintf(" on %d parts", x.Parts)
		}
		others = append(others, text)
	}
	res.Candidates = c.tried
	res.Note("chosen", "%s", c.Chosen())
	res.Note("candidates", "validation %s of %s", c.Candidates()[0].Scores[0].Name, strings.Join(others, ", "))
}

// asChecked takes from a checkpoint what was chosen before it, and is not given again.
func (c *job) asChecked() error {
	open := c.given.Center == dataset.AutoCentre || c.given.Weights.Rule == task.AutoWeights || c.given.Rated == task.AutoRated
	if c.f.Resume == "" || !open && !c.f.side.given() {
		return nil
	}
	before, err := model.LoadProgress(c.f.Resume)
	if err != nil {
		return err
	}
	for _, word := range strings.Fields(before.Problem) {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case name == "center" && c.given.Center == dataset.AutoCentre:
			c.given.Center, err = dataset.ParseCentring(value)
		case name == "weights" && c.given.Weights.Rule == task.AutoWeights:
			c.given.Weights, err = task.ParseWeights(value)
		case name == "rated" && c.given.Rated == task.AutoRated:
			c.given.Rated, err = task.ParseRated(value)
		case name == "feature-weight" && c.f.side.weight == 0 && (c.f.side.given() || c.given.Rated.Listed()):
			c.f.side.weight, err = strconv.ParseFloat(value, 64)
			c.given.RatedShare = c.f.side.weight
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.f.Resume, err)
		}
	}
	return nil
}
