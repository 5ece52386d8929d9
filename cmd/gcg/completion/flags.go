package completion

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/spf13/cobra"
)

// completionFlags are the flags of completion.
type Flags struct {
	cli.RunFlags
	Train, test, valid, Columns, duplicates, query string
	SplitPerUser, SplitTime                        float64
	SplitLast                                      int
	ranking                                        []int
	feedback                                       feedbackFlags
	side                                           sideFlags
	seen                                           SeenFile
	center, weights, clip, generate, rated         string
	purpose                                        string // of --for
	float32                                        bool
	Decimal                                        cli.Decimal
	data                                           string       // of an update
	update                                         *model.Model // that is refitted, or nil
}

// NewFlags are the flags of completion, for a command.
func NewFlags(cmd *cobra.Command) *Flags {
	f := &Flags{}
	f.Init(cmd, "completion", nil, cli.Rivals())
	return f
}

// Fields are where the values of flags are kept.
func (f *Flags) Fields() cli.Fields {
	return f.RunFlags.Fields().And(f.side.Fields()).And(f.seen.Fields()).And(cli.Fields{
		"train": &f.Train, "test": &f.test, "valid": &f.valid,
		"columns": &f.Columns, "decimal": &f.Decimal, "duplicates": &f.duplicates, "split": &f.Split,
		"split-per-user": &f.SplitPerUser, "split-last": &f.SplitLast, "split-time": &f.SplitTime, "center": &f.center,
		"rated":   &f.rated,
		"weights": &f.weights, "clip": &f.clip, "ranking": &f.ranking, "implicit": &f.feedback.alpha,
		"background": &f.feedback.background, "positive": &f.feedback.positive, "categories": &f.side.categories,
		"feature-weight": &f.side.text, "generate": &f.generate, "float32": &f.float32, "data": &f.data,
		"query": &f.query, "for": &f.purpose})
}

func (f *Flags) Shared() *cli.RunFlags { return &f.RunFlags }

// Check refuses values out of range.
func (f *Flags) Check() error {
	if f.Gauge != "trace" {
		return cli.Usagef("--gauge %q: completion has trace", f.Gauge)
	}
	if err := f.checkRanking(); err != nil {
		return err
	}
	if err := f.checkFeedback(); err != nil {
		return err
	}
	if err := f.checkPurpose(); err != nil {
		return err
	}
	if err := f.checkSide(); err != nil {
		return err
	}
	if err := cmp.Or(f.checkSeen(), f.checkLoss()); err != nil {
		return err
	}
	if err := f.CheckSplit(f.Cmd.Flags().Changed); err != nil {
		return err
	}
	if err := cli.CheckColumns(f.Columns, true); err != nil {
		return err
	}
	if err := cli.CheckQuery(f.query, f.Train, f.data, f.test, f.valid, f.seen.Name); err != nil {
		return err
	}
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	if err := f.checkScale(); err != nil {
		return err
	}
	if err := f.checkRanks(); err != nil {
		return err
	}
	if _, err := f.weighting(); err != nil {
		return err
	}
	_, err := f.clipping()
	return err
}

// checkRanks refuses what ranks do not share.
func (f *Flags) checkRanks() error {
	if f.Comm() == nil {
		return nil
	}
	if err := f.CheckRanks("for", "user-features", "item-features", "categories",
		"also-seen", "feature-weight", "split-time", "query"); err != nil {
		return err
	}
	if f.rated != "auto" && f.rated != "none" {
		return cli.Usagef("--rated %s: is for one process", f.rated)
	}
	return nil
}

// CheckSplit refuses splits that exclude each other.
func (f *Flags) CheckSplit(changed func(string) bool) error {
	count := 0
	for _, name := range []string{"split", "split-per-user", "split-last", "split-time", "test"} {
		if changed(name) {
			count++
		}
	}
	if count > 1 {
		return cli.Usagef("--test, --split, --split-per-user, --split-last and --split-time exclude each other")
	}
	return nil
}

// checkLoss refuses a loss that does not go with the other flags.
func (f *Flags) checkLoss() error {
	l, err := f.loss()
	switch {
	case err != nil:
		return err
	case f.float32 && (l.Kind != task.Squared || dataset.WeighsColumns(f.Columns)):
		return cli.Usagef("--float32: keeps squares of plain ratings; other losses, weights and offsets are in float64, without it")
	case !l.Signs():
		return nil
	case !cli.Contains("auto none global", f.center):
		return cli.Usagef("--center %s: means are of numbers; --loss %s takes none or global, the log odds of the labels", f.center,
			f.Loss)
	case f.duplicates == "mean":
		return cli.Usagef("--duplicates mean: labels have no mean; say last")
	case f.clip != "auto" && f.clip != "none":
		return cli.Usagef("--clip %s: is of numbers; --loss %s predicts labels", f.clip, f.Loss)
	}
	return nil
}

// loss is --loss.
func (f *Flags) loss() (task.Loss, error) {
	l, err := task.ParseLoss(task.Regression, f.Loss)
	if err == nil {
		err = l.OfRatings()
	}
	if err != nil {
		return l, cli.Usagef("--loss %q: %s", f.Loss, strings.Replace(err.Error(), "regression has", "completion has", 1))
	}
	return l, nil
}

// weighting is the weighted trace norm.
func (f *Flags) weighting() (task.Weights, error) {
	w, err := task.ParseWeights(f.weights)
	if err != nil {
		return w, cli.Usagef("--weights %q: auto, none, empirical, power:α or smoothed:α with α from 0 to 1", f.weights)
	}
	return w, nil
}

func (f *Flags) clipping() (task.Clip, error) {
	switch f.clip {
	case "auto":
		return task.Clip{Rule: task.ClipToRatings}, nil
	case "none":
		return task.Clip{Rule: task.NoClip}, nil
	}
	a, b, ok := strings.Cut(f.clip, ",")
	lo, err1 := strconv.ParseFloat(a, 64)
	hi, err2 := strconv.ParseFloat(b, 64)
	if !ok || err1 != nil || err2 != nil || !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return task.Clip{}, cli.Usagef("--clip %q: auto, none, or two ascending numbers LO,HI", f.clip)
	}
	return task.Clip{Rule: task.ClipTo, Lo: lo, Hi: hi}, nil
}

// task is what the flags, which are checked, say of the task.
func (f *Flags) task() *task.Completion {
	c := &task.Completion{Float32: f.float32, Ranking: f.ranking, Seed: f.Seed, Consume: true}
	if f.By == "row" {
		c.FoldBy = task.FoldRows
	}
	if f.Normalize == "mean" {
		c.Normalize = task.Mean
	}
	c.Loss, _ = f.loss()
	c.Center, _ = dataset.ParseCentring(f.center)
	c.Rated, c.RatedShare = f.listsGiven(), f.side.weight
	c.Weights, _ = f.weighting()
	c.Clip, _ = f.clipping()
	c.Duplicates = map[string]dataset.Duplicates{"error": dataset.RefuseDuplicates, "last": dataset.LastDuplicate,
		"mean": dataset.MeanDuplicates}[f.duplicates]
	return c
}

// triesLists says that lists of what was rated take part in the choice where --rated is not given. Of generated ratings nobody
// rates what he likes, folds would take as many paths with lists, and a centre or weights that are given stay as they were.
func (f *Flags) triesLists() bool {
	generated := f.generate != "" || f.Train == "" && f.update == nil
	return f.Cmd.Name() == "completion" && f.Cmd.Parent().Name() == "fit" && !generated && !f.float32 && f.center == "auto" &&
		f.weights == "auto"
}

// checkScale refuses values out of range, and what --float32 cannot do.
func (f *Flags) checkScale() error {
	_, auto, err := f.LambdaValue()
	switch {
	case err != nil:
		return err
	case f.generate != "" && f.Train != "":
		return cli.Usagef("--generate: instead of --train")
	case f.float32 && (f.Solver != "gcg" || f.Improve == "corrective" || f.Step != "line-search"):
		return cli.Usagef("--float32: keeps no predictions; it has --solver gcg, --step line-search, and --improve local or none")
	case f.float32 && auto && f.Resume == "":
		return cli.Usagef("--float32: give --lambda, --lambda-ratio (try 0.1) or --constrain; " +
			"λ is chosen by validation without --float32 only")
	case f.float32 && len(f.ranking) > 0:
		return cli.Usagef("--ranking: not with --float32")
	}
	if f.generate != "" {
		_, err = f.generator()
	}
	return err
}

// generator is the dataset that --generate names.
func (f *Flags) generator() (dataset.Generator, error) {
	name, size, sized := strings.Cut(f.generate, ":")
	g, err := ShapeNamed(name)
	if err != nil {
		return g, err
	}
	g.Seed = f.Seed
	if sized {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 {
			return g, cli.Usagef("--generate %q: SHAPE:N with N ratings, such as netflix:1000000", f.generate)
		}
		small := g.Sized(n)
		if least := g.LeastSized(); n < least && small.Check() != nil {
			return g, cli.Usagef("--generate %q: %v; %s takes N from %d on", f.generate, small.Check(), name, least)
		}
		g = small
	}
	if err := g.Check(); err != nil {
		return g, cli.Usage(err)
	}
	return g, nil
}

// ShapeNamed is the generator of a shape of gcg data list.
func ShapeNamed(name string) (dataset.Generator, error) {
	for _, g := range dataset.Shapes {
		if g.Name == name {
			return g, nil
		}
	}
	return dataset.Generator{}, cli.Usagef("unknown shape %q; see gcg data list", name)
}
