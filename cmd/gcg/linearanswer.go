package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// identity names all that must be the same for a checkpoint to be continued.
func (l *linear) identity(lambda float64) string {
	f := l.f
	train, _ := l.Samples()
	text := fmt.Sprintf("%s data=%s λ=%.17g ζ=%.17g %s %s loss=%s gauge=%s intercept=%v",
		f.problem, train.Checksum(), lambda, f.constrain, f.penalty, f.normalize, f.loss, f.gauge, f.intercept)
	if l.word.File != "" {
		text += " of_gauge=" + task.GaugeChecksum(l.Gauge)
	}
	return text
}

// fitting is that of Whole, which was made before.
func (l *linear) fitting() *task.LinearFitting {
	t, err := l.Fitting()
	if err != nil {
		panic(err)
	}
	return t
}

// start is where a model is on the problem.
func (l *linear) start(_ *selection.Fitting, m *model.Model) (selection.Start, error) {
	at, err := l.fitting().Start(m)
	var other *task.OtherModelError
	if errors.As(err, &other) {
		err = fmt.Errorf("%s: %s; --warm takes a model of the same %s", l.f.warm, other.Why, other.What)
	}
	return at, err
}

// answer makes the model and measures it.
func (l *linear) answer(_ *selection.Fitting, r *solver.Result, res *result) *model.Model {
	f, t := l.f, l.fitting()
	m := t.Model(r)
	m.Info.Version, m.Info.Solver, m.Info.Penalty, m.Info.Loss, m.Info.Gauge = version, f.solver, f.penaltyName(), f.loss, f.gauge
	m.Info.Data, m.Info.Task, m.Info.Target = m.Info.Data+andMore(max(0, len(f.train.files)-1)), f.taskColumn, f.target
	train, _ := l.Samples()
	res.Read, res.LossName, res.GaugeName, res.Intercept = l.read.Seconds(), f.loss, f.gauge, f.intercept
	if l.Kind == task.Classification {
		res.N = train.Rows()
	}
	res.data, res.normed = l.describe(), l.word.Normed(l.Gauge)
	with := fmt.Sprintf("%s loss (%s), gauge %s%s", f.loss, f.normalize, f.gauge, withIntercept(f.intercept))
	if selection.Sparse(l.Gauge) {
		with += fmt.Sprintf(", %d of %d features used", usedRows(m), m.Rows)
	}
	res.note("with", "%s", with)
	got, constant := t.Scores(r)
	if constant.On == "test" {
		res.Test = got
	} else {
		res.Training = got
	}
	noteMeasured(res, constant.On, got)
	res.Baselines = constant
	res.note("baselines", "%s", trivial(constant))
	if w := constant.Worse(got); w != nil {
		res.warn(l.words(*w))
	}
	for _, w := range l.DataWarnings() {
		res.warn(l.words(w))
	}
	return m
}

// andMore says how many there are beyond the one that is named.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

func withIntercept(yes bool) string {
	if yes {
		return ", intercept"
	}
	return ""
}

// trivial is what constants are worth.
func trivial(b *task.Constant) string {
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
	case b.TaskMeans != nil:
		return fmt.Sprintf("RMSE on %s rows: mean %s, means of the tasks %s", b.On, decimals(*b.Mean), decimals(*b.TaskMeans))
	}
	return fmt.Sprintf("RMSE on %s rows: mean %s", b.On, decimals(*b.Mean))
}

func usedRows(m *model.Model) int {
	seen := map[int32]bool{}
	for _, i := range m.Entries.Rows {
		seen[i] = true
	}
	return len(seen)
}

// describe is the data for people.
func (l *linear) describe() string {
	what := map[string]string{"classification": "classes", "multitask": "tasks", "regression": "targets"}[l.f.problem]
	c := l.Schema()
	train, _ := l.Samples()
	if n := len(c.Outputs); n == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	kind := "dense"
	if train.X.Dense == nil {
		kind = fmt.Sprintf("sparse, %d nonzeros", len(train.X.Values))
	}
	return fmt.Sprintf("%d rows, %d features (%s), %d %s", train.Rows(), c.Width, kind, len(c.Outputs), what)
}

// noteMeasured prints what predictions are worth.
func noteMeasured(res *result, on string, got selection.Measured) {
	switch r := got.(type) {
	case *task.ValueScores:
		text := fmt.Sprintf("RMSE %s, MAE %s", decimals(r.RMSE), decimals(r.MAE))
		if r.R2 != nil {
			text += fmt.Sprintf(", R² %.4f", *r.R2)
		}
		res.note(on, "%s on %d observations", text, r.N)
		noteParts(res, r.Tasks, r.Outputs)
	case *task.ClassScores:
		res.note(on, "%s on %d observations", brief(r.Scores()), r.N)
		noteParts(res, r.Tasks, r.Outputs)
		if len(r.Classes) <= mostClasses {
			for _, line := range metric.ConfusionTable(r.Classes, r.Confusion) {
				res.note("", "%s", line)
			}
		}
	}
}

// noteParts prints the worst and the best of several tasks or targets.
func noteParts(res *result, tasks, outputs []task.PartScore) {
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
	res.note(name, "%s from %s (%s) to %s (%s); each in --json", what, decimals(of(best)), best.Name, decimals(of(worst)),
		worst.Name)
}

// mostClasses is how many a confusion table has room for on a terminal.
const mostClasses = 30
