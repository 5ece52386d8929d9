package completion

import (
	"context"
	"fmt"
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
	Lambda  float64          `json:"lambda"`
	RMSE    float64          `json:"rmse"` // on what λ was chosen by
	Seconds float64          `json:"seconds"`
	Beaten  bool             `json:"beaten,omitempty"` // its path was ended early
	Tried   []cli.TriedPoint `json:"tried"`
}

// Choose names the flag that does without.
func (c *job) Choose(ctx context.Context, opt selection.Options) (*selection.Choice, error) {
	choice, err := c.Completion.Choose(ctx, opt)
	if err == nil {
		for i := range c.Candidates() {
			x := &c.Candidates()[i]
			c.tried = append(c.tried, candidate{x.Center.String(), x.Weights.String(), x.Lambda, x.Scores.First(), x.Time.Seconds(),
				x.Beaten, cli.TriedOf(&x.Curve, choice.Fitting.Share)})
		}
	}
	return choice, cli.OrLambda(err)
}

// choosingMore is how centre, weights and λ are chosen, for the log.
func (c *job) choosingMore() string {
	what, on := "centre, weights and λ", "90 % of the training ratings"
	switch {
	case c.Center != dataset.AutoCentre:
		what = "weights and λ"
	case c.Weights.Rule != task.AutoWeights:
		what = "centre and λ"
	}
	if c.Valid != nil {
		on = "the training ratings, measured on " + c.Valid.Name
	}
	return "choosing " + what + " by paths on " + on + " (--center auto, --weights auto)"
}

// Chosen names the centre and the weights that were chosen; empty where they were given.
func (c *job) Chosen() string {
	if c.tried == nil {
		return ""
	}
	center, weights := c.Settled()
	return fmt.Sprintf("center %s, weights %s", center, weights)
}

// noteCandidates adds what was chosen to the result, and how good the others were.
func (c *job) noteCandidates(res *cli.Result) {
	if c.tried == nil {
		return
	}
	var others []string
	for _, x := range c.tried {
		others = append(others, fmt.Sprintf("%s %s %s", x.Center, x.Weights, cli.Decimals(x.RMSE)))
	}
	res.Candidates = c.tried
	res.Note("chosen", "%s", c.Chosen())
	res.Note("candidates", "validation RMSE of %s", strings.Join(others, ", "))
}

// asChecked takes from a checkpoint what was chosen before it, and is not given again.
func (c *job) asChecked() error {
	if c.f.Resume == "" || !c.Open() {
		return nil
	}
	ck, err := model.LoadCheckpoint(c.f.Resume)
	if err != nil {
		return err
	}
	for _, word := range strings.Fields(ck.Progress.Problem) {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case name == "center" && c.Center == dataset.AutoCentre:
			c.Center, err = dataset.ParseCentring(value)
		case name == "weights" && c.Weights.Rule == task.AutoWeights:
			c.Weights, err = task.ParseWeights(value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.f.Resume, err)
		}
	}
	return nil
}
