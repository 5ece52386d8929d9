package completion

import (
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
	center, weights, clip, generate                string
	float32                                        bool
	Decimal                                        cli.Decimal
	data                                           string       // of an update
	update                                         *model.Model // that is refitted, or nil
}

// NewFlags adds the flags of completion to a command.
func NewFlags(cmd *cobra.Command) *Flags {
	f := &Flags{}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.Train, "train", "", "ratings to train on; - is standard input (default: a generated dataset)")
	s.StringVar(&f.test, "test", "", "ratings to measure on")
	s.StringVar(&f.valid, "valid", "", "ratings to choose λ by")
	s.StringVar(&f.Columns, "columns", "",
		"user, item and rating columns, and perhaps times, weight=NAME and offset=NAME: names, or numbers from 1")
	f.Decimal.Register(s)
	s.StringVar(&f.query, "query", "", "the rows of a database: a select, where one of the files is postgres://… or sqlite:FILE")
	s.StringVar(&f.duplicates, "duplicates", "error", "for an entry given twice: error, last or mean")
	s.Float64Var(&f.Split, "split", 0, "train fraction: train on this part of the ratings, test on the rest")
	s.Float64Var(&f.SplitPerUser, "split-per-user", 0, "train on this fraction of each user's ratings")
	s.IntVar(&f.SplitLast, "split-last", 0, "test on each user's last N ratings")
	s.Float64Var(&f.SplitTime, "split-time", 0,
		"train on this fraction of the ratings, the first ones by time, test on those after")
	s.StringVar(&f.center, "center", "auto",
		"subtract none, global, rows, cols, both or shrunk means; auto chooses with λ, and none where that is given")
	s.StringVar(&f.weights, "weights", "auto", "weighted trace norm: none, empirical, power:α or smoothed:α; auto as --center")
	s.StringVar(&f.clip, "clip", "auto", "clip predictions: auto (the range of the training ratings), none or LO,HI")
	s.IntSliceVar(&f.ranking, "ranking", nil, "measure lists of so many items on the test ratings: N, or several as 5,10,20")
	f.feedback.register(cmd)
	f.side.register(cmd)
	f.Register(cmd, cli.RunDefaults{Problem: "completion", Loss: "squared", Gauge: "trace", Normalize: "sum", Improve: "local",
		Losses: strings.Join(task.LossWords(task.Regression), ", "), Gauges: "trace", Norm: "the trace norm", Observations: "ratings",
		Intercept: "not for completion: see --center", Points: 20,
		Ratio: 0.01})
	s.Lookup("intercept").Hidden = true
	f.registerScale()
	return f
}

func (f *Flags) Shared() *cli.RunFlags { return &f.RunFlags }

func (f *Flags) FoldsBy() (usual, allowed, meaning string) {
	return "entry", "entry row", "folds hold out entries, or half of the entries of some rows"
}

// Check refuses values out of range.
func (f *Flags) Check() error {
	switch {
	case f.Gauge != "trace":
		return cli.Usagef("--gauge %q: completion has trace", f.Gauge)
	case f.Intercept:
		return cli.Usagef("--intercept: use --center global, which completion folds into its predictions")
	}
	if err := f.checkRanking(); err != nil {
		return err
	}
	if err := f.checkFeedback(); err != nil {
		return err
	}
	if err := f.checkSide(); err != nil {
		return err
	}
	if err := f.checkLoss(); err != nil {
		return err
	}
	if err := f.CheckSplit(f.Cmd.Flags().Changed); err != nil {
		return err
	}
	if err := cli.CheckColumns(f.Columns, true); err != nil {
		return err
	}
	if err := cli.CheckQuery(f.query, f.Train, f.data, f.test, f.valid); err != nil {
		return err
	}
	if err := cli.OneOf([][3]string{{"duplicates", f.duplicates, "error last mean"},
		{"center", f.center, "auto none global rows cols both shrunk"},
		{"improve", f.Improve, "none corrective local"}}); err != nil {
		return err
	}
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	if err := f.checkScale(); err != nil {
		return err
	}
	if _, err := f.weighting(); err != nil {
		return err
	}
	_, err := f.clipping()
	return err
}

// CheckSplit refuses splits that exclude each other, or are out of range.
func (f *Flags) CheckSplit(changed func(string) bool) error {
	count := 0
	for _, name := range []string{"split", "split-per-user", "split-last", "split-time", "test"} {
		if changed(name) {
			count++
		}
	}
	switch {
	case count > 1:
		return cli.Usagef("--test, --split, --split-per-user, --split-last and --split-time exclude each other")
	case changed("split-per-user") && !(f.SplitPerUser > 0 && f.SplitPerUser < 1):
		return cli.Usagef("--split-per-user %v: a fraction between 0 and 1", f.SplitPerUser)
	case changed("split-time") && !(f.SplitTime > 0 && f.SplitTime < 1):
		return cli.Usagef("--split-time %v: a fraction between 0 and 1", f.SplitTime)
	case changed("split-last") && f.SplitLast < 1:
		return cli.Usagef("--split-last %d: at least 1", f.SplitLast)
	}
	return f.CheckFraction()
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
	c := &task.Completion{Float32: f.float32, Ranking: f.ranking, Seed: f.Seed}
	if f.By == "row" {
		c.FoldBy = task.FoldRows
	}
	if f.Normalize == "mean" {
		c.Normalize = task.Mean
	}
	c.Loss, _ = f.loss()
	c.Center, _ = dataset.ParseCentring(f.center)
	c.Weights, _ = f.weighting()
	c.Clip, _ = f.clipping()
	c.Duplicates = map[string]dataset.Duplicates{"error": dataset.RefuseDuplicates, "last": dataset.LastDuplicate,
		"mean": dataset.MeanDuplicates}[f.duplicates]
	return c
}

// registerScale adds the flags of data of any size.
func (f *Flags) registerScale() {
	s := f.Cmd.Flags()
	s.StringVar(&f.generate, "generate", "",
		"train on generated ratings of this shape (gcg data list), or SHAPE:N for N ratings with rows and columns in proportion")
	s.BoolVar(&f.float32, "float32", false, "keep ratings in float32 and no predictions: 12 bytes a rating")
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
