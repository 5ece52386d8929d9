package linear

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/gaugeword"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver/structured"
	"github.com/seed-b18ef778/gcg/task"
)

// A linear is the task that the flags of classification, multitask or regression make of the files they name.
type job struct {
	*task.PreparedLinear
	given  *task.Linear // what it is made of
	f      *flags
	gauge  gcg.Gauge
	second structured.Penalty // or nil
	word   gaugeword.Word
}

func (f *flags) Load() (cli.Job, error) {
	l := &job{given: f.task(), f: f}
	l.word, _ = gaugeword.Parse(f.Gauge, false)
	l.given.AllFeatures = l.word.File != "" || f.Second || f.Gauge == "simplex"
	var err error
	for _, part := range []struct {
		source *sourceFlags
		to     **dataset.Rows
	}{{&f.train, &l.given.Train}, {&f.test, &l.given.Test}, {&f.valid, &l.given.Valid}} {
		if err = cli.RanksOf(f.Cmd.Context()).ForeseeReading(append(part.source.files, part.source.features)...); err != nil {
			return nil, err
		}
		if *part.to, err = part.source.read(f); err != nil {
			return nil, f.filled(err)
		}
	}
	if f.sampleWeights != "" {
		if err = f.reader().Weights(l.given.Train, f.sampleWeights); err != nil {
			return nil, err
		}
	}
	l.given.Smoothed, l.given.Shape = f.Solver == "hcgs", l.shape
	if l.PreparedLinear, err = l.given.Prepare(); err != nil {
		return nil, f.filled(Worded(err))
	}
	return l, nil
}

// shape makes the gauge and the second penalty for the features of the rows, once it is known that W fits in memory.
func (l *job) shape(rows *task.PreparedLinear) (k gcg.Gauge, second structured.Penalty, err error) {
	f, c := l.f, rows.Schema()
	p, n := c.Width, len(c.Outputs)
	// one index of a LIBSVM file may be far from all others
	if err := memory.Grant(fmt.Sprintf("%s: has features up to number %d, for which W and its gradient", l.given.Train.XName, p),
		8*cli.NumbersPerEntry*float64(p)*float64(n)); err != nil {
		return nil, nil, fmt.Errorf("%w; number the features without gaps", err)
	}
	train, test := rows.Samples()
	if stored := len(train.X.Dense) + len(train.X.Values); stored > 8_000_000 {
		cli.Thrifty(max(5, 160_000_000/stored)) // some 13 MB
	}
	if k, err = l.word.On(c.Features, p, n); err != nil {
		return nil, nil, err
	}
	if err := f.foresee(c, train, test, k); err != nil {
		return nil, nil, err
	}
	if f.Second {
		if second, err = f.second.On(c.Features, p); err != nil {
			return nil, nil, fmt.Errorf("--penalty %s: %w", f.Penalty, err)
		}
		if n != 1 {
			return nil, nil, fmt.Errorf("--penalty %s: is for one target, and there are %d", f.Penalty, n)
		}
	}
	if err := f.CheckImprover(k); err != nil {
		return nil, nil, err
	}
	if err := f.CheckExact(k, p, n); err != nil {
		return nil, nil, err
	}
	l.gauge, l.second = k, second
	return k, second, nil
}

// task is what the flags say without reading anything.
func (f *flags) task() *task.Linear {
	k, _ := task.KindOf(f.Problem)
	l := &task.Linear{Kind: k, Split: f.Split, Intercept: f.Intercept, Normalize: task.Sum, Seed: f.Seed,
		Standardize: f.standardize, AutoStandardize: f.autoStandardize(), Consume: true, Ridge: f.ridge, Ranks: f.Comm()}
	if f.missing == "mean" {
		l.Missing = task.FillMean
	}
	if f.l1Ratio < 1 {
		l.L1Ratio = f.l1Ratio
	}
	l.Loss, _ = task.ParseLoss(k, f.Loss)
	if f.Normalize == "mean" {
		l.Normalize = task.Mean
	}
	switch f.By {
	case "task":
		l.FoldBy = task.FoldTasks
	case "entry":
		l.FoldBy = task.FoldEntries
	}
	return l
}

// reader reads as the flags say.
func (f *flags) reader() dataset.RowsReader {
	return dataset.RowsReader{Gaps: f.missing != "error", Decimal: byte(f.decimal), Ranks: f.Comm()}
}

// read reads what the flags name, or nothing.
func (s *sourceFlags) read(f *flags) (r *dataset.Rows, err error) {
	labels, by := f.labels(), f.reader()
	switch {
	case s.empty():
		return nil, nil
	case f.Problem == "multitask" && labels:
		r, err = by.TaskLabels(s.files, f.taskColumn, f.target)
		return r, Worded(err)
	case f.Problem == "multitask" && len(s.files) == 1 && !dataset.LooksLIBSVM(s.files[0]):
		return by.TaskTable(s.files[0], f.taskColumn, f.target)
	case f.Problem == "multitask":
		r, err = by.TaskFiles(s.files, f.target)
		return r, Worded(err)
	case f.Problem == "classification" && len(s.files) == 1 && f.target != "", labels && len(s.files) == 1 && f.oneTarget():
		return by.LabelledTable(s.files[0], nil, f.target)
	case len(s.files) == 1:
		r, err = by.Read(s.files[0], f.target)
		return r, Worded(err)
	}
	r = &dataset.Rows{Name: s.labels, XName: s.features}
	if r.X, err = by.Features(s.features, nil, ""); err != nil {
		return nil, err
	}
	if f.Problem == "classification" {
		return r, r.ReadLabels(s.labels)
	}
	if err = by.Targets(r, s.labels); err != nil && labels && r.ReadLabels(s.labels) == nil {
		return r, nil // text
	}
	return r, err
}

// oneTarget says that --target names one column: of several the labels are numbers.
func (f *flags) oneTarget() bool { return f.target != "" && !strings.Contains(f.target, ",") }

// labels says that the answers are two labels, any text.
func (f *flags) labels() bool {
	k, _ := task.KindOf(f.Problem)
	l, err := task.ParseLoss(k, f.Loss)
	return err == nil && k != task.Classification && l.Signs()
}

// filled is an error of the data with the flag that fills what is missing.
func (f *flags) filled(err error) error {
	if errors.Is(err, dataset.ErrMissing) {
		return fmt.Errorf("%w; --missing mean fills features by the means of the training rows", err)
	}
	return err
}

// Worded is an error of the data with the flag or the problem that mends it.
func Worded(err error) error {
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

func (l *job) Shared() *cli.RunFlags { return &l.f.RunFlags }

func (l *job) Noun() string { return "rows" }

func (l *job) Release() {}

// Validation names the flag that does without.
func (l *job) Validation() (*selection.Fitting, error) {
	t, err := l.PreparedLinear.Validation()
	return t, cli.OrLambda(err)
}

func (l *job) Choosing() string {
	if l.given.Valid != nil {
		return "choosing λ by a path on the training rows, measured on " + l.given.Valid.Name + " (--lambda auto)"
	}
	return "choosing λ by a path on 90 % of the training rows (--lambda auto)"
}

// Greet warns of what the data says about the flags.
func (l *job) Greet(show *cli.Progress) {
	switch {
	case l.Standardized() && !l.f.standardize:
		show.Say("standard deviations of features differ more than 30-fold: each feature is divided by its own " +
			"(--standardize=false leaves them as they are)")
	case l.Uneven() && !l.f.Cmd.Flags().Changed("standardize"):
		show.Say("warning: standard deviations of features differ more than 30-fold, and the penalty is of their weights: " +
			"see --standardize")
	}
	l.sayFilled(show)
	for _, w := range l.Warnings() {
		show.Say("warning: " + l.words(w))
	}
}

// sayFilled says which features are missing, of each part of the data.
func (l *job) sayFilled(show *cli.Progress) {
	train, test := l.Samples()
	if n := train.Filled; n > 0 {
		columns, names := l.Gaps(), []string{}
		for _, j := range columns[:min(len(columns), mostFilled)] {
			names = append(names, l.Schema().Feature(j))
		}
		if len(columns) > mostFilled {
			names = append(names, "…")
		}
		show.Say(fmt.Sprintf("%d of %d features are missing, in %d of %d columns (%s): filled by the means of their columns "+
			"over the training rows (--missing mean)", n, train.Stored(), len(columns), train.X.Cols, strings.Join(names, ", ")))
	}
	for _, s := range []*task.Samples{test, l.Validating()} {
		if s != nil && s.Filled > 0 {
			show.Say(filledBy(s))
		}
	}
}

// filledBy says how many features of rows beside the training rows are missing.
func filledBy(s *task.Samples) string {
	return fmt.Sprintf("%s: %d of %d features are missing: filled by the means of the training rows", dataset.Called(s.XName),
		s.Filled, s.Stored())
}

// mostFilled is how many columns are named whose gaps are filled.
const mostFilled = 6

// words are those of a warning, with the flags that mend what it doubts.
func (l *job) words(w task.Warning) string {
	switch w := w.(type) {
	case warning.OwnAnswers:
		return w.String() + "; numbers are predicted by gcg fit regression"
	case warning.Ungrouped:
		return dataset.Called(l.word.File) + ": " + w.String()
	case warning.NarrowLoss:
		name, _, _ := strings.Cut(l.f.Loss, ":")
		return "--loss " + name + ": " + w.String()
	case warning.WorseThanConstant:
		if l.given.Intercept {
			return w.String() + ": " + l.f.TryOr(nil)
		}
		return w.String() + ": " + l.f.TryOr([]string{"--intercept"})
	}
	return w.String()
}

// For is the same rows for other flags of a solver, unless that states the second penalty in another way.
func (l *job) For(of cli.Loader) (cli.Job, error) {
	f, same := of.(*flags)
	if !same || (f.Solver == "hcgs") != (l.f.Solver == "hcgs") {
		return nil, nil
	}
	other := *l
	other.f = f
	return &other, f.CheckImprover(l.gauge)
}
