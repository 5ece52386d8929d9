package cli

import (
	"slices"
	"strings"
)

// registerGrid adds the flags of the λ that are tried before one is chosen.
func (f *RunFlags) registerGrid() {
	s := f.Cmd.Flags()
	s.IntVar(&f.Points, "points", f.Points, "values of λ that --lambda auto tries, and more where the last is best")
	s.Float64Var(&f.Ratio, "ratio", f.Ratio, "the last of them over the first")
}

func (f *RunFlags) registerPath() {
	s := f.Cmd.Flags()
	s.Lookup("tol").Usage = "relative certified gap to reach at every λ"
	s.Lookup("max-time").Usage = "stop after this time, such as 90s or 5m; reading is not counted"
	s.IntVar(&f.Points, "points", 20, "values of λ")
	s.Float64Var(&f.Ratio, "ratio", 0.01, "the last λ over the first")
	s.StringVar(&f.Plot, "plot", "", "draw the curve to this file: .svg, .png or .pdf")
}

func (f *RunFlags) registerCV(by, meaning string) {
	s := f.Cmd.Flags()
	s.Lookup("tol").Usage += ", in every fold"
	s.Lookup("seed").Usage = "seed of folds and random starts"
	s.IntVar(&f.Folds, "folds", 5, "parts of the cross-validation")
	s.StringVar(&f.By, "by", by, meaning)
	s.Lookup("model").Usage = "fit with the λ that is selected, and write the model to this file"
	s.StringVar(&f.choose, "select", "min", "the λ of the smallest error (min), or the largest within one standard error (1se)")
}

// ofOneFit are the flags that need a single λ.
var ofOneFit = []string{"model", "trace", "live", "checkpoint", "checkpoint-every", "resume", "warm", "ranking", "lambda-ratio",
	"float32",
	"valid", "valid-features", "valid-labels", "valid-targets"}

// ofChoice are the flags of data to choose λ by.
var ofChoice = []string{"valid", "valid-features", "valid-labels", "valid-targets"}

// ofTests are the flags of data to measure on, of which cross-validation takes its own.
var ofTests = []string{"test", "test-features", "test-labels", "test-targets", "split", "split-per-user", "split-last",
	"split-time"}

// whyOfOneFit is what a path has no use for a flag for.
func whyOfOneFit(name, verb string, cv bool) string {
	switch {
	case slices.Contains(ofChoice, name) && cv:
		return "is to choose λ by in gcg fit; " + verb + " chooses by its folds"
	case slices.Contains(ofChoice, name):
		return "is to choose λ by in gcg fit; " + verb + " chooses none, and measures every λ on --test"
	case name == "float32":
		return "is for gcg fit alone; " + verb + " keeps ratings and predictions in float64"
	case name == "lambda-ratio":
		return "is of one λ, for gcg fit; " + verb + " takes --points and --ratio"
	}
	return "belongs to gcg fit, with one λ; " + verb + " prints what it found"
}

// cv says that the verb is cross-validation, which alone has folds.
func (f *RunFlags) CV() bool { return f.Folds > 0 }

// checkGrid refuses grids without a λ, or of the same one.
func (f *RunFlags) checkGrid() error {
	switch {
	case f.Points < 1:
		return Usagef("--points %d: at least 1", f.Points)
	case !(f.Ratio > 0 && f.Ratio < 1):
		return Usagef("--ratio %v: a number between 0 and 1", f.Ratio)
	}
	return nil
}

// checkChoice refuses a grid where there is nothing to choose.
func (f *RunFlags) checkChoice() error {
	name := f.Changed([]string{"points", "ratio"})
	by := f.Changed([]string{"lambda", "lambda-ratio", "constrain", "resume"})
	if name != "" && by != "" && f.Lambda != "auto" || name != "" && by != "" && by != "lambda" {
		return Usagef("--%s: is of the λ that --lambda auto tries, and --%s leaves nothing to choose", name, by)
	}
	return f.checkGrid()
}

// checkPath refuses what a path cannot use; cv says that it is one of cross-validation, with folds as in byAllowed.
func (f *RunFlags) checkPath(cv bool, byAllowed string) error {
	if name := f.Changed(ofOneFit); name != "" && !(cv && name == "model") {
		return Usagef("--%s: %s", name, whyOfOneFit(name, f.Cmd.CommandPath(), cv))
	}
	if err := f.checkGrid(); err != nil {
		return err
	}
	switch name := f.Changed(ofTests); {
	case cv && name != "":
		return Usagef("--%s: %s measures on its folds; fit with the λ that it selects", name, f.Cmd.CommandPath())
	case f.Constrain != 0:
		return Usagef("--constrain: a path is over λ")
	case f.Gauge == "simplex":
		return Usagef("--gauge simplex: is held at a --constrain, and a path is over λ; take positive-l1")
	case f.Lambda != "auto":
		return Usagef("--lambda: a path chooses its own; see --points and --ratio")
	case f.Plot != "" && !Contains("svg png pdf", PlotFormat(f.Plot)):
		return Usagef("--plot %q: a file that ends in .svg, .png or .pdf", f.Plot)
	case !cv:
		return nil
	case f.Folds < 2:
		return Usagef("--folds %d: at least 2", f.Folds)
	case !Contains(byAllowed, f.By):
		return Usagef("--by %q: %s has %s", f.By, f.Problem, strings.ReplaceAll(byAllowed, " ", " and "))
	case f.choose != "min" && f.choose != "1se":
		return Usagef("--select %q: min or 1se", f.choose)
	}
	return nil
}
