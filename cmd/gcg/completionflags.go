package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/spf13/cobra"
)

// completionFlags are the flags of completion.
type completionFlags struct {
	runFlags
	train, test, valid, columns, duplicates string
	splitPerUser                            float64
	splitLast, ranking                      int
	center, weights, clip, generate         string
	float32                                 bool
}

func newCompletionFlags(cmd *cobra.Command) *completionFlags {
	f := &completionFlags{}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.train, "train", "", "ratings to train on; - is standard input (default: a generated dataset)")
	s.StringVar(&f.test, "test", "", "ratings to measure on")
	s.StringVar(&f.valid, "valid", "", "ratings to choose λ by")
	s.StringVar(&f.columns, "columns", "", "user, item and rating columns, and perhaps one of times: names, or numbers from 1")
	s.StringVar(&f.duplicates, "duplicates", "error", "for an entry given twice: error, last or mean")
	s.Float64Var(&f.split, "split", 0, "train on this fraction of the ratings, test on the rest")
	s.Float64Var(&f.splitPerUser, "split-per-user", 0, "train on this fraction of each user's ratings")
	s.IntVar(&f.splitLast, "split-last", 0, "test on each user's last N ratings")
	s.StringVar(&f.center, "center", "none", "subtract none, global, rows, cols or both means")
	s.StringVar(&f.weights, "weights", "none", "weighted trace norm: none, empirical, power:α or smoothed:α")
	s.StringVar(&f.clip, "clip", "auto", "clip predictions: auto (the range of the training ratings), none or LO,HI")
	s.IntVar(&f.ranking, "ranking", 0, "report recall and NDCG at N on the test ratings")
	f.register(cmd, runDefaults{problem: "completion", loss: "squared", gauge: "trace", normalize: "sum", improve: "local",
		losses: "squared", gauges: "trace", observations: "ratings", intercept: "not for completion: see --center", points: 20,
		ratio: 0.01})
	s.Lookup("intercept").Hidden = true
	f.registerScale()
	return f
}

func (f *completionFlags) run() *runFlags { return &f.runFlags }

func (f *completionFlags) foldsBy() (usual, allowed, meaning string) {
	return "entry", "entry row", "folds hold out entries, or half of the entries of some rows"
}

// check refuses values out of range.
func (f *completionFlags) check() error {
	switch {
	case f.loss != "squared":
		return usagef("--loss %q: completion has squared", f.loss)
	case f.gauge != "trace":
		return usagef("--gauge %q: completion has trace", f.gauge)
	case f.intercept:
		return usagef("--intercept: use --center global, which completion folds into its predictions")
	case f.ranking < 0:
		return usagef("--ranking is not negative")
	}
	if err := f.checkSplit(f.cmd.Flags().Changed); err != nil {
		return err
	}
	if err := checkColumns(f.columns, true); err != nil {
		return err
	}
	if err := oneOf([]choice{{"duplicates", f.duplicates, "error last mean"}, {"center", f.center, "none global rows cols both"},
		{"improve", f.improve, "none corrective local"}}); err != nil {
		return err
	}
	if err := f.runFlags.check(); err != nil {
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

// checkColumns wants three names or numbers, or four with a time; two may do where ratings are not needed.
func checkColumns(columns string, ratings bool) error {
	if err := dataset.CheckColumns(columns, ratings); err != nil {
		return usagef("--columns %q: %v", columns, err)
	}
	return nil
}

func (f *completionFlags) checkSplit(changed func(string) bool) error {
	count := 0
	for _, name := range []string{"split", "split-per-user", "split-last", "test"} {
		if changed(name) {
			count++
		}
	}
	switch {
	case count > 1:
		return usagef("--test, --split, --split-per-user and --split-last exclude each other")
	case changed("split-per-user") && !(f.splitPerUser > 0 && f.splitPerUser < 1):
		return usagef("--split-per-user %v: a fraction between 0 and 1", f.splitPerUser)
	case changed("split-last") && f.splitLast < 1:
		return usagef("--split-last %d: at least 1", f.splitLast)
	}
	return f.checkFraction()
}

// weighting is the weighted trace norm.
func (f *completionFlags) weighting() (task.Weights, error) {
	w, err := task.ParseWeights(f.weights)
	if err != nil {
		return w, usagef("--weights %q: none, empirical, power:α or smoothed:α with α from 0 to 1", f.weights)
	}
	return w, nil
}

func (f *completionFlags) clipping() (task.Clip, error) {
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
		return task.Clip{}, usagef("--clip %q: auto, none, or two ascending numbers LO,HI", f.clip)
	}
	return task.Clip{Rule: task.ClipTo, Lo: lo, Hi: hi}, nil
}

// task is what the flags, which are checked, say of the task.
func (f *completionFlags) task() *task.Completion {
	c := &task.Completion{Float32: f.float32, Ranking: f.ranking, Seed: f.seed}
	if f.by == "row" {
		c.FoldBy = task.FoldRows
	}
	if f.normalize == "mean" {
		c.Normalize = task.Mean
	}
	c.Center, _ = dataset.ParseCentring(f.center)
	c.Weights, _ = f.weighting()
	c.Clip, _ = f.clipping()
	c.Duplicates = map[string]dataset.Duplicates{"error": dataset.RefuseDuplicates, "last": dataset.LastDuplicate,
		"mean": dataset.MeanDuplicates}[f.duplicates]
	return c
}

// registerScale adds the flags of data of any size.
func (f *completionFlags) registerScale() {
	s := f.cmd.Flags()
	s.StringVar(&f.generate, "generate", "",
		"train on generated ratings of this shape (gcg data list), or SHAPE:N for N ratings with rows and columns in proportion")
	s.BoolVar(&f.float32, "float32", false, "keep ratings in float32 and no predictions: 12 bytes a rating")
}

// checkScale refuses values out of range, and what --float32 cannot do.
func (f *completionFlags) checkScale() error {
	_, auto, err := f.lambdaValue()
	switch {
	case err != nil:
		return err
	case f.generate != "" && f.train != "":
		return usagef("--generate: instead of --train")
	case f.float32 && (f.solver != "gcg" || f.improve == "corrective" || f.step != "line-search"):
		return usagef("--float32: keeps no predictions; it has --solver gcg, --step line-search, and --improve local or none")
	case f.float32 && auto && f.resume == "":
		return usagef("--float32: give --lambda, --lambda-ratio (try 0.1) or --constrain; " +
			"λ is chosen by validation without --float32 only")
	case f.float32 && f.ranking > 0:
		return usagef("--ranking: not with --float32")
	}
	if f.generate != "" {
		_, err = f.generator()
	}
	return err
}

// generator is the dataset that --generate names.
func (f *completionFlags) generator() (dataset.Generator, error) {
	name, size, sized := strings.Cut(f.generate, ":")
	g, err := shapeNamed(name)
	if err != nil {
		return g, err
	}
	g.Seed = f.seed
	if sized {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 {
			return g, usagef("--generate %q: SHAPE:N with N ratings, such as netflix:1000000", f.generate)
		}
		small := g.Sized(n)
		if least := g.LeastSized(); n < least && small.Check() != nil {
			return g, usagef("--generate %q: %v; %s takes N from %d on", f.generate, small.Check(), name, least)
		}
		g = small
	}
	if err := g.Check(); err != nil {
		return g, usageError{err}
	}
	return g, nil
}

func shapeNamed(name string) (dataset.Generator, error) {
	for _, g := range dataset.Shapes {
		if g.Name == name {
			return g, nil
		}
	}
	return dataset.Generator{}, usagef("unknown shape %q; see gcg data list", name)
}
