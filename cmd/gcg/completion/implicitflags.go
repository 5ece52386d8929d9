package completion

import (
	"math"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task/implicit"
)

// feedbackFlags are those of implicit feedback.
type feedbackFlags struct{ alpha, background, positive float64 }

// implicit says that ratings are clicks.
func (f *Flags) implicit() bool {
	return f.Cmd.Flags().Changed("implicit") || f.update != nil && f.update.Info.Background > 0
}

// checkFeedback refuses values out of range, and flags of ratings.
func (f *Flags) checkFeedback() error {
	changed, b := f.Cmd.Flags().Changed, &f.feedback
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case !f.implicit() && changed("positive"):
		return cli.Usagef("--positive: goes with --implicit α")
	case !f.implicit():
		return nil
	case !finite(b.positive) || changed("positive") && b.positive == 0:
		return cli.Usagef("--positive %v: a number that ratings are clicks from, not 0", b.positive)
	case dataset.WeighsColumns(f.Columns):
		return cli.Usagef("--columns: clicks have no weights or offsets; a cell weighs w₀ + αr by its count r")
	case f.Train == "" && f.update == nil:
		return cli.Usagef("--implicit: needs --train FILE, of clicks")
	case f.Solver != "gcg" || f.Improve == "corrective" || f.Step != "line-search":
		return cli.Usagef("--implicit: keeps no predictions; " +
			"it has --solver gcg, --step line-search, and --improve local or none")
	}
	for _, name := range []string{"center", "rated", "loss", "clip", "duplicates", "float32", "generate", "normalize",
		"exact-certificate"} {
		if changed(name) {
			return cli.Usagef("--%s: not with --implicit, whose loss is of all cells, clicks and others", name)
		}
	}
	return nil
}

// clicks is what the flags, which are checked, say of the task.
func (f *Flags) clicks() *implicit.Task {
	c := &implicit.Task{Alpha: f.feedback.alpha, Background: f.feedback.background, Positive: f.feedback.positive,
		Lengths: f.ranking,
		Seed:    f.Seed}
	c.Weights, _ = f.weighting()
	return c
}
