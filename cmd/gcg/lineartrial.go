package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/selection"
	"gonum.org/v1/gonum/stat"
)

func (l *linear) run() *runFlags { return &l.f.runFlags }
func (l *linear) noun() string   { return "rows" }
func (l *linear) release()       {}

func (l *linear) choosing() string {
	if l.valid != nil {
		return "choosing λ by a path on the training rows, measured on " + l.valid.name + " (--lambda auto)"
	}
	return "choosing λ by a path on 90 % of the training rows (--lambda auto)"
}

// greet warns of what the data says about the flags.
func (l *linear) greet(show *progress) {
	for _, w := range l.doubts() {
		show.say("warning: " + w)
	}
}

// numbered says that the first row counts the columns from 0, as the header of a table without names does.
func numbered(x *dataset.Matrix) bool {
	if x.Dense == nil || x.Cols < 3 || x.Names != nil {
		return false
	}
	for j, v := range x.Dense[:x.Cols] {
		if v != float64(j) {
			return false
		}
	}
	return true
}

// doubts are what the data and the flags together make questionable.
func (l *linear) doubts() []string {
	var list []string
	if l.from0 != "" {
		list = append(list, fmt.Sprintf("%s: has no feature 0 but %s has, so both are taken to count features from 0; if this one counts from 1, give both alike",
			l.train.xname, l.from0))
	}
	if numbered(l.train.x) {
		list = append(list, fmt.Sprintf("%s: begins with a row 0, 1, … %d, which was read as data; if it is a header of numbers, remove it, here and in the answers",
			l.train.xname, l.train.x.Cols-1))
	}
	switch zero := zeroRows(l.train.x); {
	case len(zero) == l.train.x.Rows:
		list = append(list, fmt.Sprintf("%s: all features are 0; nothing can be learnt from them", l.train.xname))
	case len(zero) > 0:
		list = append(list, fmt.Sprintf("%s: row %d has no feature but 0%s; no weight can explain its answer", l.train.xname, zero[0]+1, andMore(len(zero)-1)))
	}
	if constant := constantColumns(l.train.x); l.f.intercept && len(constant) > 0 {
		list = append(list, fmt.Sprintf("%s: feature %s is constant, which the intercept makes redundant%s",
			l.train.xname, l.schema.feature(constant[0]), andMore(len(constant)-1)))
	}
	if l.train.task != nil {
		seen := make([]bool, len(l.schema.outputs))
		for _, t := range l.train.task {
			seen[t] = true
		}
		for t, ok := range seen {
			if !ok {
				list = append(list, fmt.Sprintf("%s: task %q has no rows to train on", l.train.name, l.schema.outputs[t]))
			}
		}
	}
	if lone := l.loneLabels(); l.f.intercept && len(lone) > 0 {
		list = append(list, fmt.Sprintf("%s: task %q has rows of one label only, which its constant explains alone%s",
			l.train.name, lone[0], andMore(len(lone)-1)))
	}
	if l.f.intercept {
		if far := farColumns(l.train.x); len(far) > 0 {
			list = append(list, fmt.Sprintf("%s: feature %s lies over a million standard deviations from 0%s, where differences drown in rounding; subtract its mean",
				l.train.xname, l.schema.feature(far[0]), andMore(len(far)-1)))
		}
	}
	list = append(list, l.oddAnswers()...)
	if left := l.groupless(); len(left) > 0 {
		list = append(list, fmt.Sprintf("%s: feature %s is in no group and stays 0%s", called(l.word.file), l.schema.feature(left[0]), andMore(len(left)-1)))
	}
	if w := l.narrowLoss(); w != "" {
		list = append(list, w)
	}
	return list
}

// oddAnswers doubts labels and tasks that are missing, numbers to predict, or several for a row.
func (l *linear) oddAnswers() (list []string) {
	what := "class"
	switch {
	case l.train.task != nil:
		what = "task"
	case l.train.class == nil:
		return nil
	}
	doubt := func(suspect func(string) bool, format string) {
		if at := slices.IndexFunc(l.schema.outputs, suspect); at >= 0 {
			list = append(list, fmt.Sprintf("%s: the %s %q "+format, l.train.name, what, l.schema.outputs[at]))
		}
	}
	doubt(dataset.Missing, "is taken for one like the others; if it stands for a missing value, leave its rows out")
	if l.schema.libsvm && what == "class" {
		doubt(func(label string) bool { return strings.Contains(label, ",") }, "looks like several; a row has one, so each combination is taken for one")
	}
	if len(l.schema.outputs) == l.train.rows() {
		list = append(list, fmt.Sprintf("%s: every row has a %s of its own, such as %q, of which one row teaches nothing; numbers are predicted by gcg fit regression",
			l.train.name, what, l.schema.outputs[0]))
	}
	return list
}

// groupless are the features that a file of groups leaves out.
func (l *linear) groupless() (list []int) {
	k, ok := l.gauge.(gauge.Group)
	if !ok || k.Index == nil {
		return nil
	}
	in := make([]bool, l.schema.width)
	for _, group := range k.Index {
		for _, e := range group {
			in[int(e)/len(l.schema.outputs)] = true
		}
	}
	for j, ok := range in {
		if !ok {
			list = append(list, j)
		}
	}
	return list
}

// narrowWidth is the width of a smoothed loss, as a part of the targets' spread, below which runs take thousands of steps.
const narrowWidth = 1e-4

// narrowLoss doubts a width that was chosen for targets of another size.
func (l *linear) narrowLoss() string {
	if !l.loss.kind.width || l.loss.kind.signs {
		return ""
	}
	spread := stat.PopStdDev(l.train.y, nil)
	if l.loss.mu >= narrowWidth*spread {
		return ""
	}
	return fmt.Sprintf("--loss %s: its width %g is %.1g of the standard deviation of the targets, %.4g, which may take long; try %s:%.1g",
		l.loss.name, l.loss.mu, l.loss.mu/spread, spread, l.loss.name, spread/100)
}

// loneLabels are the tasks all of whose labels are the same.
func (l *linear) loneLabels() []string {
	if l.train.task == nil || !l.loss.kind.signs {
		return nil
	}
	seen := make([][2]bool, len(l.schema.outputs))
	for i, t := range l.train.task {
		seen[t][indexOfSign(l.train.y[i])] = true
	}
	var lone []string
	for t, both := range seen {
		if both[0] != both[1] {
			lone = append(lone, l.schema.outputs[t])
		}
	}
	return lone
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

func (l *linear) Whole() (*selection.Fitting, error) { return l.trialOn(l.test) }

// trialOn is the whole problem, measured on other samples.
func (l *linear) trialOn(held *samples) (*selection.Fitting, error) {
	p, err := l.problem(nil)
	if err != nil {
		return nil, err
	}
	t := &selection.Fitting{Problem: p, Share: 1}
	if held == nil {
		return t, nil
	}
	op, err := l.operator(held)
	if err != nil {
		return nil, err
	}
	t.Measure = func(s *gcg.State) selection.Measured { return l.measure(held, nil, l.predictions(op, s), false) }
	return t, nil
}

func (l *linear) Validation() (*selection.Fitting, error) {
	if l.valid != nil {
		return l.trialOn(l.valid)
	}
	t, err := l.without(folds(l.train.rows(), l.train.strata(), 1/validationFraction, l.f.seed), 0)
	if err != nil {
		return nil, fmt.Errorf("%s: has too few %s to choose λ by validation; give one with --lambda", l.train.name, l.train.scarce(2))
	}
	return t, nil
}

// Fold is the problem without part k of the rows, or of the entries of the targets.
func (l *linear) Fold(k, n int) (*selection.Fitting, error) {
	if l.parts == nil {
		observations, strata := l.train.rows(), l.train.strata()
		if l.f.by == "entry" {
			observations = len(l.train.y)
		}
		if l.f.problem == "multitask" && l.f.by == "row" {
			strata = nil
		}
		l.parts = folds(observations, strata, n, l.f.seed)
	}
	t, err := l.without(l.parts, k)
	if err != nil || !allMet(l.parts, n) {
		return nil, fmt.Errorf("%s: has too few %s for %d folds", l.train.name, l.train.scarce(n), n)
	}
	return t, nil
}

// without weighs the observations of a part by 0: nothing is copied, and their predictions come with the others.
func (l *linear) without(part []int, k int) (*selection.Fitting, error) {
	wide := 1
	if l.train.y != nil {
		wide = len(l.train.y) / len(part)
	}
	out, held := make([]bool, len(part)*wide), 0
	for e := range out {
		if part[e/wide] == k {
			out[e] = true
			held++
		}
	}
	if held == 0 || held == len(out) {
		return nil, fmt.Errorf("part %d of the data is empty, or all of it", k+1)
	}
	rest := float64(len(out)-held) / float64(len(out))
	t := &selection.Fitting{Share: rest}
	weight := 1.0
	if l.f.normalize == "mean" { // the loss divides by all observations
		t.Share, weight = 1, 1/rest
	}
	omega := make([]float64, len(out))
	for e := range omega {
		if !out[e] {
			omega[e] = weight
		}
	}
	var err error
	if t.Problem, err = l.problem(omega); err != nil {
		return nil, err
	}
	t.Measure = func(s *gcg.State) selection.Measured { return l.measure(l.train, out, s.Z, false) }
	return t, nil
}
