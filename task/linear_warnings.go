package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/selection"
	"gonum.org/v1/gonum/stat"
)

// Worse is how the scores of a model are worse than those of the constant, not by rounding only, or nil.
func (b *Constant) Worse(got selection.Measured) Warning {
	switch r := got.(type) {
	case *ValueScores:
		if r.Deviance != nil && b.Deviance != nil { // larger errors of large means may be right
			if *r.Deviance > *b.Deviance*(1+1e-9) {
				return warning.WorseThanConstant{On: b.On, Score: "deviance", Model: *r.Deviance, Constant: *b.Deviance}
			}
			return nil
		}
		if r.Pinball == nil && r.RMSE > *b.Mean*(1+1e-9) { // a quantile is not the mean
			return warning.WorseThanConstant{On: b.On, Score: "RMSE", Model: r.RMSE, Constant: *b.Mean}
		}
	case *RiskScores:
		if r.Deviance != nil && *r.Deviance > *b.EqualRisks*(1+1e-9) {
			return warning.WorseThanConstant{On: b.On, Score: "partial deviance", Model: *r.Deviance, Constant: *b.EqualRisks}
		}
	case *ClassScores:
		if r.Accuracy < *b.Majority {
			return warning.WorseThanConstant{On: b.On, Score: "accuracy", Model: r.Accuracy, Constant: *b.Majority}
		}
	}
	return nil
}

// Warnings are what the data and the task together make questionable.
func (l *PreparedLinear) Warnings() []Warning {
	if l.task.Ranks != nil {
		return slices.Clone(l.warned)
	}
	return l.warnings()
}

// warnings makes the list. All ranks do it together.
func (l *PreparedLinear) warnings() (list []Warning) {
	x, answers := l.train.XName, l.train.Name
	warn := func(name, format string, args ...any) {
		list = append(list, warning.DataWarning{Name: name, Why: fmt.Sprintf(format, args...)})
	}
	if l.from0 != "" {
		warn(x, "has no feature 0 but %s has, so both are taken to count features from 0; "+
			"if this one counts from 1, give both alike", l.from0)
	}
	if l.train.numbered() {
		warn(x, "begins with a row 0, 1, … %d, which was read as data; "+
			"if it is a header of numbers, remove it, here and in the answers", l.train.X.Cols-1)
	}
	switch zero, first := l.train.zeroRows(); {
	case zero == l.train.Rows():
		warn(x, "all features are 0; nothing can be learnt from them")
	case zero > 0:
		warn(x, "row %d has no feature but 0%s; no weight can explain its answer", first+1, warning.AndMore(zero-1))
	}
	if l.task.Intercept {
		if constant := l.train.constantColumns(); len(constant) > 0 {
			warn(x, "feature %s is constant, which the intercept makes redundant%s", l.schema.Feature(constant[0]),
				warning.AndMore(len(constant)-1))
		}
	}
	for _, t := range l.emptyTasks() {
		warn(answers, "task %q has no rows to train on", t)
	}
	if lone := l.loneLabels(); l.task.Intercept && len(lone) > 0 {
		warn(answers, "task %q has rows of one label only, which its constant explains alone%s", lone[0], warning.AndMore(len(lone)-1))
	}
	if l.task.Intercept {
		if far := l.train.farColumns(); len(far) > 0 {
			warn(x, "feature %s lies over a million standard deviations from 0%s, where differences drown in rounding; "+
				"subtract its mean", l.schema.Feature(far[0]), warning.AndMore(len(far)-1))
		}
	}
	list = append(list, l.oddAnswers()...)
	if left := l.ungrouped(); len(left) > 0 {
		list = append(list, warning.Ungrouped{Feature: l.schema.Feature(left[0]), N: len(left)})
	}
	if l.task.Kind == Regression && l.task.Loss.Signs() { // of tasks see loneLabels
		list = append(list, loneLabel(answers, l.train.Y, l.schema.Two, nil)...)
	}
	if l.task.Kind != Classification {
		var y []float64
		l.train.each(nil, func(_ int, v, _ float64) { y = append(y, v) })
		list = append(list, narrowLoss(l.task.Loss, func() float64 { return stat.PopStdDev(y, nil) })...)
	}
	return list
}

// narrowWidth is the width of a smoothed loss, as a part of the targets' spread, below which runs take thousands of steps.
const narrowWidth = 1e-4

// narrowLoss warns of a width that is small for the targets.
func narrowLoss(l Loss, deviation func() float64) []Warning {
	if !lossKinds[l.Kind].width || l.Signs() {
		return nil
	}
	if spread := deviation(); l.Mu < narrowWidth*spread {
		return []Warning{warning.NarrowLoss{Mu: l.Mu, Spread: spread, Word: l.beforeWidth()}}
	}
	return nil
}

// emptyTasks have no rows.
func (l *PreparedLinear) emptyTasks() (list []string) {
	if l.train.Task == nil {
		return nil
	}
	seen := make([]bool, len(l.schema.Outputs))
	for _, t := range l.train.Task {
		seen[t] = true
	}
	for t, ok := range seen {
		if !ok {
			list = append(list, l.schema.Outputs[t])
		}
	}
	return list
}

// oddAnswers warns of labels and tasks that are missing, numbers to predict, or several for a row.
func (l *PreparedLinear) oddAnswers() (list []Warning) {
	what := "class"
	switch {
	case l.train.Task != nil:
		what = "task"
	case l.train.Class == nil:
		return nil
	}
	warn := func(suspect func(string) bool, why string) {
		if at := slices.IndexFunc(l.schema.Outputs, suspect); at >= 0 {
			list = append(list, warning.DataWarning{Name: l.train.Name, Why: fmt.Sprintf("the %s %q %s", what, l.schema.Outputs[at], why)})
		}
	}
	warn(dataset.Missing, "is taken for one like the others; if it stands for a missing value, leave its rows out")
	if l.schema.LIBSVM && what == "class" {
		warn(func(label string) bool { return strings.Contains(label, ",") },
			"looks like several; a row has one, so each combination is taken for one")
	}
	if len(l.schema.Outputs) == l.train.Rows() {
		list = append(list, warning.OwnAnswers{Name: l.train.Name, What: what, Example: l.schema.Outputs[0]})
	}
	return list
}

// loneLabel is the one of two labels that occurs once among signs, of all ranks that share these, or nil.
func loneLabel(name string, y []float64, two []string, ranks *cluster.Comm) []Warning {
	count := [2]int{}
	for _, v := range y {
		count[metric.SignClass(v)]++
	}
	count[0], count[1] = ranks.Count(count[0]), ranks.Count(count[1])
	for k, n := range count {
		if n == 1 && count[0]+count[1] > 2 {
			return []Warning{warning.LoneLabel{Name: name, Label: two[k]}}
		}
	}
	return nil
}

// ungrouped are the features that groups of entries leave out.
func (l *PreparedLinear) ungrouped() (list []int) {
	k, ok := l.task.Gauge.(gauge.Group)
	if !ok || k.Index == nil {
		return nil
	}
	in := make([]bool, l.schema.Width)
	for _, group := range k.Index {
		for _, e := range group {
			in[int(e)/len(l.schema.Outputs)] = true
		}
	}
	for j, ok := range in {
		if !ok {
			list = append(list, j)
		}
	}
	return list
}

// loneLabels are the tasks all of whose labels are the same.
func (l *PreparedLinear) loneLabels() (lone []string) {
	if l.train.Task == nil || !l.task.Loss.Signs() {
		return nil
	}
	seen := make([][2]bool, len(l.schema.Outputs))
	for i, t := range l.train.Task {
		seen[t][metric.SignClass(l.train.Y[i])] = true
	}
	for t, both := range seen {
		if both[0] != both[1] {
			lone = append(lone, l.schema.Outputs[t])
		}
	}
	return lone
}
