package linear

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/gaugeword"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// Identity names all that must be the same for a checkpoint to be continued.
func (l *job) Identity(lambda float64) string {
	f := l.f
	train, _ := l.Samples()
	text := fmt.Sprintf("%s data=%s λ=%.17g ζ=%.17g %s %s loss=%s gauge=%s intercept=%v",
		f.Problem, train.Checksum(), lambda, f.Constrain, f.Penalty, f.Normalize, f.Loss, f.Gauge, f.Intercept)
	if f.ridge > 0 || f.l1Ratio < 1 {
		text += fmt.Sprintf(" ridge=%.17g l1_ratio=%.17g", f.ridge, f.l1Ratio)
	}
	if l.word.File != "" {
		text += " of_gauge=" + gaugeword.Checksum(l.gauge)
	}
	return text
}

// EntryName is the feature of an entry of W, with the output where there are several.
func (l *job) EntryName(row, col int) string {
	c := l.Schema()
	name := "feature " + c.Feature(row)
	if c.Features != nil && !c.Occurring {
		name = c.Features[row]
	}
	if len(c.Outputs) > 1 {
		name += " → " + c.Outputs[col]
	}
	return name
}

// EntryUnit is that of the entries of W.
func (l *job) EntryUnit() string {
	if l.Standardized() {
		return "per standard deviation"
	}
	return "per unit of the feature"
}

// Start is where a model is on the problem.
func (l *job) Start(t *selection.Fitting, m *model.Model) (selection.Start, error) {
	at, err := l.PreparedLinear.Start(t, m)
	var other *task.OtherModelError
	if errors.As(err, &other) {
		err = fmt.Errorf("%s: %s; --warm takes a model of the same %s", l.f.Warm, other.Why, other.What)
	}
	return at, err
}

// Answer makes the model and measures it.
func (l *job) Answer(t *selection.Fitting, r *solver.Result, res *cli.Result) *model.Model {
	f, m := l.f, l.Model(t, r)
	m.Info.Version, m.Info.Solver, m.Info.Penalty = cli.Version, f.Solver, f.PenaltyName()
	m.Info.Loss, m.Info.Gauge = f.Loss, f.Gauge
	m.Info.Data, m.Info.Task, m.Info.Target = m.Info.Data+andMore(max(0, len(f.train.files)-1)), f.taskColumn, f.target
	train, _ := l.Samples()
	res.LossName, res.GaugeName, res.Intercept = f.Loss, f.Gauge, f.Intercept
	if l.given.Kind == task.Classification {
		res.N = train.Rows()
	}
	if l.second != nil {
		l.noteSecond(t.Problem.Penalty, r, res)
	}
	l.noteRidge(m, r, res)
	res.Filled = l.filled()
	res.Data, res.Normed = l.describe(), l.word.Normed(l.gauge)
	with := fmt.Sprintf("%s loss (%s), gauge %s%s", f.Loss, f.Normalize, f.Gauge, WithIntercept(f.Intercept))
	if l.Standardized() {
		with += ", standardized"
	}
	if selection.Sparse(l.gauge) {
		with += fmt.Sprintf(", %d of %d features used", usedRows(m), m.Rows)
	}
	res.Note("with", "%s", with)
	if two := m.Info.Labels; len(two) == 2 {
		res.Note("labels", "%s is the negative one (-1), %s the positive one (1)", two[0], two[1])
	}
	got, constant := l.Scores(r)
	if constant.On == "test" {
		res.Test = brief(got, f.confusion)
	} else {
		res.Training = brief(got, f.confusion)
	}
	NoteMeasured(res, constant.On, got, f.confusion)
	res.Baselines = constant
	res.Note("baselines", "%s", Trivial(constant))
	if w := constant.Worse(got); w != nil {
		res.Warn(l.words(w))
	}
	for _, w := range l.Warnings() {
		res.Warn(l.words(w))
	}
	return m
}

// brief is what --json has of scores: the table of very many classes only where it is asked for.
func brief(got selection.Measured, confusion bool) selection.Measured {
	if c, ok := got.(*task.ClassScores); ok && !confusion {
		return c.Brief()
	}
	return got
}

// noteSecond takes the second penalty out of the loss, and says what it is.
func (l *job) noteSecond(h gcg.Penalty, r *solver.Result, res *cli.Result) {
	train, _ := l.Samples()
	res.N = train.Rows()
	_, size := l.second.Size()
	z := make([]float64, size)
	l.second.BTo(z, r.State.W.Dense())
	value := l.second.Value(z)
	res.Loss = r.State.Cert.Objective - value - h.Value(r.State.Rho)
	res.Second = &value
	res.Note("second", "--penalty %s is %.6g at W, and part of the objective", l.f.Penalty, value)
}

// noteRidge takes a ridge out of the loss, and says what it is.
func (l *job) noteRidge(m *model.Model, r *solver.Result, res *cli.Result) {
	train, _ := l.Samples()
	mu, value, n := m.Info.Ridge, 0.0, len(train.Y)
	switch {
	case l.f.ridgeAlone && res.Lambda != nil:
		mu, value = *res.Lambda, res.Objective-res.Loss
	case mu == 0:
		return
	default:
		if l.given.Kind == task.Classification {
			n = train.Rows() * m.Cols
		} else {
			res.N = n
		}
		for _, x := range r.State.Z[n : n+m.Rows*m.Cols] { // the predictions of data come before W
			value += mu / 2 * x * x
		}
		res.Loss -= value
		res.Note("ridge", "%.6g/2 times the squares of weights is %.6g, and part of the objective", mu, value)
	}
	res.Ridge, res.RidgePenalty = &mu, &value
	if m.Info.L1Ratio > 0 {
		res.L1Ratio = &m.Info.L1Ratio
	}
}

// andMore says how many there are beyond the one that is named.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// WithIntercept says, behind the gauge, that there is an intercept.
func WithIntercept(yes bool) string {
	if yes {
		return ", intercept"
	}
	return ""
}

// Trivial is what constants are worth.
func Trivial(b *task.Constant) string {
	switch {
	case b.Majority != nil:
		class := ""
		if b.Class != "" {
			class = "(" + b.Class + ") "
		}
		text := fmt.Sprintf("on %s rows: the most frequent class %saccuracy %.4f", b.On, class, *b.Majority)
		if b.LogLoss != nil {
			text += fmt.Sprintf(", class frequencies log loss %.4f", *b.LogLoss)
		}
		return text
	case b.NoEvents:
		return fmt.Sprintf("none on %s rows: no event was seen there", b.On)
	case b.EqualRisks != nil:
		return fmt.Sprintf("on %s rows: equal risks partial deviance %s, concordance 0.5", b.On, cli.Decimals(*b.EqualRisks))
	case b.TaskMeans != nil:
		return fmt.Sprintf("RMSE on %s rows: mean %s, means of the tasks %s", b.On, cli.Decimals(*b.Mean), cli.Decimals(*b.TaskMeans))
	}
	text := fmt.Sprintf("RMSE on %s rows: mean %s", b.On, cli.Decimals(*b.Mean))
	if b.Deviance != nil {
		text += ", deviance " + cli.Decimals(*b.Deviance)
	}
	return text
}

func usedRows(m *model.Model) int {
	seen := map[int32]bool{}
	for _, i := range m.Entries.Rows {
		seen[i] = true
	}
	return len(seen)
}

// describe is the data for people.
func (l *job) describe() string {
	what := map[string]string{"classification": "classes", "multitask": "tasks", "regression": "targets"}[l.f.Problem]
	c := l.Schema()
	train, _ := l.Samples()
	if n := len(c.Outputs); n == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	kind := "dense"
	if train.X.Dense == nil {
		kind = fmt.Sprintf("sparse, %d nonzeros", train.Stored())
	}
	text := fmt.Sprintf("%d rows, %d features (%s), %d %s", train.Rows(), c.Width, kind, len(c.Outputs), what)
	if n := train.Unobserved(); n > 0 {
		text += fmt.Sprintf("; %d of %d values are missing, and not counted", n, len(train.Y))
	}
	if n := train.Filled; n > 0 {
		text += fmt.Sprintf("; %d of %d features were missing, and are filled by means", n, train.Stored())
	}
	return text
}

// filled counts the features that were missing, nil where none may be.
func (l *job) filled() *cli.Filled {
	if l.given.Missing == task.RefuseMissing {
		return nil
	}
	train, test := l.Samples()
	n := &cli.Filled{Training: train.Filled}
	if test != nil {
		n.Test = test.Filled
	}
	if valid := l.Validating(); valid != nil {
		n.Validation = valid.Filled
	}
	return n
}

// NoteMeasured prints what predictions are worth; confusion prints the table of classes however many they are.
func NoteMeasured(res *cli.Result, on string, got selection.Measured, confusion bool) {
	switch r := got.(type) {
	case *task.ValueScores:
		text := cli.Brief(r.Scores())
		if r.D2 != nil {
			text += fmt.Sprintf(", D² %.4f", *r.D2)
		} else if r.R2 != nil {
			text += fmt.Sprintf(", R² %.4f", *r.R2)
		}
		res.Note(on, "%s on %d observations", text, r.N)
		noteParts(res, r.Tasks, r.Outputs)
	case *task.RiskScores:
		res.Note(on, "%s on %d observations with %d events", cli.Brief(r.Scores()), r.N, r.Events)
	case *task.ClassScores:
		res.Note(on, "%s on %d observations", cli.Brief(r.Scores()), r.N)
		if r.Brier != nil {
			res.Note("calibration", "Brier score %.4f, probabilities off by %.4f in ten bins", *r.Brier, *r.CalibrationError)
		}
		noteParts(res, r.Tasks, r.Outputs)
		for _, line := range metric.ClassTable(r.EachClass) {
			res.Note("", "%s", line)
		}
		if len(r.Classes) <= mostClasses || confusion {
			for _, line := range metric.ConfusionTable(r.Classes, r.Confusion) {
				res.Note("", "%s", line)
			}
		}
	}
}

// noteParts prints the worst and the best of several tasks or targets.
func noteParts(res *cli.Result, tasks, outputs []task.PartScore) {
	name, parts := "tasks", tasks
	if len(parts) == 0 {
		name, parts = "targets", outputs
	}
	if len(parts) == 0 {
		return
	}
	best, worst := task.Extremes(parts)
	what, of := "RMSE", func(p task.PartScore) float64 { return *p.RMSE }
	if best.Accuracy != nil {
		what, of = "accuracy", func(p task.PartScore) float64 { return *p.Accuracy }
	}
	res.Note(name, "%s from %s (%s) to %s (%s); each in --json", what, cli.Decimals(of(best)), best.Name, cli.Decimals(of(worst)),
		worst.Name)
}

// mostClasses is how many a confusion table shows unless it is asked for: more are hard to read on a terminal.
const mostClasses = 12
