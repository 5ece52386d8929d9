package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A linear is the task that the flags of classification, multitask or regression make of the files they name.
type linear struct {
	*task.Linear
	f    *linearFlags
	word task.GaugeWord
	read time.Duration
}

func (f *linearFlags) load() (job, error) {
	l, start := &linear{Linear: f.task(), f: f}, time.Now()
	l.word, _ = task.ParseGauge(f.gauge, false)
	var err error
	for _, part := range []struct {
		source *sourceFlags
		to     **dataset.Rows
	}{{&f.train, &l.Train}, {&f.test, &l.Test}, {&f.valid, &l.Valid}} {
		if *part.to, err = part.source.read(f); err != nil {
			return nil, err
		}
	}
	xname := l.Train.XName
	if err := l.Load(); err != nil {
		return nil, worded(err)
	}
	c := l.Schema()
	p, n := c.Width, len(c.Outputs)
	// one index of a LIBSVM file may be far from all others
	if need, have := inGB(numbersPerEntry * float64(p) * float64(n)); need > have {
		return nil, fmt.Errorf("%s: has features up to number %d, for which W (%d × %d) takes %.0f GB, and this machine has %.0f; "+
			"number the features without gaps",
			xname, p, p, n, need, have)
	}
	if train, _ := l.Samples(); len(train.X.Dense)+len(train.X.Values) > 8_000_000 {
		thrifty(max(5, 160_000_000/(len(train.X.Dense)+len(train.X.Values)))) // some 13 MB
	}
	if l.Gauge, err = l.word.On(c.Features, p, n); err != nil {
		return nil, err
	}
	if err := f.checkImprover(l.Gauge); err != nil {
		return nil, err
	}
	if err := f.checkExact(l.Gauge, p, n); err != nil {
		return nil, err
	}
	l.read = time.Since(start)
	return l, nil
}

// task is what the flags say without reading anything.
func (f *linearFlags) task() *task.Linear {
	k, _ := task.KindOf(f.problem)
	l := &task.Linear{Kind: k, Split: f.split, Intercept: f.intercept, Normalize: task.Sum, Seed: f.seed}
	l.Loss, _ = task.ParseLoss(k, f.loss)
	if f.normalize == "mean" {
		l.Normalize = task.Mean
	}
	switch f.by {
	case "task":
		l.FoldBy = task.FoldTasks
	case "entry":
		l.FoldBy = task.FoldEntries
	}
	return l
}

// read reads what the flags name, or nothing.
func (s *sourceFlags) read(f *linearFlags) (r *dataset.Rows, err error) {
	switch {
	case s.empty():
		return nil, nil
	case f.problem == "multitask" && len(s.files) == 1 && !dataset.LooksLIBSVM(s.files[0]):
		return dataset.ReadTaskTable(s.files[0], f.taskColumn, f.target)
	case f.problem == "multitask":
		r, err = dataset.ReadTaskFiles(s.files, f.target)
		return r, worded(err)
	case f.problem == "classification" && len(s.files) == 1 && f.target != "":
		return dataset.ReadLabelledTable(s.files[0], nil, f.target)
	case len(s.files) == 1:
		r, err = dataset.ReadRows(s.files[0], f.target)
		return r, worded(err)
	}
	r = &dataset.Rows{Name: s.labels, XName: s.features}
	if r.X, err = dataset.ReadMatrix(s.features, nil); err != nil {
		return nil, err
	}
	if f.problem == "classification" {
		return r, r.ReadLabels(s.labels)
	}
	return r, r.ReadTargets(s.labels)
}

// worded is an error of the data with the flag or the problem that mends it.
func worded(err error) error {
	switch {
	case errors.Is(err, dataset.ErrNeedsTarget):
		return fmt.Errorf("%w with --target", err)
	case errors.Is(err, dataset.ErrNoNumber):
		return fmt.Errorf("%w; for classes there is gcg fit classification", err)
	case errors.Is(err, task.ErrClasses):
		return fmt.Errorf("%w; for more classes there is gcg fit classification", err)
	}
	return err
}

func (l *linear) run() *runFlags { return &l.f.runFlags }
func (l *linear) noun() string   { return "rows" }
func (l *linear) release()       {}

// Validation names the flag that does without.
func (l *linear) Validation() (*selection.Fitting, error) {
	t, err := l.Linear.Validation()
	if errors.Is(err, task.ErrTooFew) {
		err = fmt.Errorf("%w; give one with --lambda", err)
	}
	return t, err
}

func (l *linear) choosing() string {
	if l.Valid != nil {
		return "choosing λ by a path on the training rows, measured on " + l.Valid.Name + " (--lambda auto)"
	}
	return "choosing λ by a path on 90 % of the training rows (--lambda auto)"
}

// greet warns of what the data says about the flags.
func (l *linear) greet(show *progress) {
	for _, w := range l.DataWarnings() {
		show.say("warning: " + l.words(w))
	}
}

// words are those of a warning, with the flags that mend what it doubts.
func (l *linear) words(w task.Warning) string {
	switch w := w.(type) {
	case task.OwnAnswers:
		return w.String() + "; numbers are predicted by gcg fit regression"
	case task.Ungrouped:
		return dataset.Called(l.word.File) + ": " + w.String()
	case task.NarrowLoss:
		name, _, _ := strings.Cut(l.f.loss, ":")
		return "--loss " + name + ": " + w.String()
	case task.WorseThanConstant:
		if l.Intercept {
			return w.String() + ": " + l.f.tryOr(nil)
		}
		return w.String() + ": " + l.f.tryOr([]string{"--intercept"})
	}
	return w.String()
}
