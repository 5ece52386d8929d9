package main

import (
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// identity names all that must be the same for a checkpoint to be continued.
func (l *linear) identity(lambda float64) string {
	f := l.f
	text := fmt.Sprintf("%s data=%s λ=%.17g ζ=%.17g %s %s loss=%s gauge=%s intercept=%v",
		f.problem, l.train.checksum(), lambda, f.constrain, f.penalty, f.normalize, f.loss, f.gauge, f.intercept)
	if l.word.file != "" {
		text += " of_gauge=" + fileChecksum(l.gauge)
	}
	return text
}

// result of a problem with features.
func (l *linear) answer(t *selection.Fitting, r *solver.Result, res *result) *model.Model {
	f := l.f
	m := l.model(t, r, res.lambda())
	res.Read, res.LossName, res.GaugeName, res.Intercept = l.read.Seconds(), f.loss, f.gauge, f.intercept
	if f.problem == "classification" {
		res.N = l.train.rows()
	}
	res.data, res.normed = l.describe(), l.word.normed(l.gauge)
	if l.word.norm == "trace norm" || !selection.Sparse(l.gauge) {
		res.note("with", "%s loss (%s), gauge %s%s", f.loss, f.normalize, f.gauge, withIntercept(f.intercept))
	} else {
		res.note("with", "%s loss (%s), gauge %s%s, %d of %d features used", f.loss, f.normalize, f.gauge, withIntercept(f.intercept), usedRows(m), m.Rows)
	}
	held, on, z := l.train, "training", r.State.Z
	if l.test != nil {
		held, on = l.test, "test"
		op, err := l.operator(held)
		if err != nil { // it was made before, for the trial
			panic(err)
		}
		z = l.predictions(op, r.State)
	}
	got := l.measure(held, nil, z, true)
	if l.test != nil {
		res.Test = got
	} else {
		res.Training = got
	}
	noteMeasured(res, on, got)
	b := l.baselines(held, on)
	res.Baselines = b
	res.note("baselines", "%s", b)
	res.warn(b.warnWorse(got, l.f))
	for _, w := range l.doubts() {
		res.warn(w)
	}
	return m
}

func withIntercept(yes bool) string {
	if yes {
		return ", intercept"
	}
	return ""
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
	if n := len(l.schema.outputs); n == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	kind := "dense"
	if l.train.x.Dense == nil {
		kind = fmt.Sprintf("sparse, %d nonzeros", len(l.train.x.Values))
	}
	return fmt.Sprintf("%d rows, %d features (%s), %d %s", l.train.rows(), l.schema.width, kind, len(l.schema.outputs), what)
}

// noteMeasured prints what predictions are worth.
func noteMeasured(res *result, on string, got selection.Measured) {
	switch r := got.(type) {
	case *valueResult:
		text := fmt.Sprintf("RMSE %s, MAE %s", decimals(r.RMSE), decimals(r.MAE))
		if r.R2 != nil {
			text += fmt.Sprintf(", R² %.4f", *r.R2)
		}
		res.note(on, "%s on %d observations", text, r.N)
		noteParts(res, r.Tasks, r.Outputs)
	case *classResult:
		res.note(on, "%s on %d observations", brief(r.Scores()), r.N)
		noteParts(res, r.Tasks, r.Outputs)
		for _, line := range confusionLines(r.Classes, r.Confusion) {
			res.note("", "%s", line)
		}
	}
}

// noteParts prints the worst and the best of several tasks or targets.
func noteParts(res *result, tasks, outputs []partResult) {
	name, parts := "tasks", tasks
	if len(parts) == 0 {
		name, parts = "targets", outputs
	}
	if len(parts) == 0 {
		return
	}
	value := func(p partResult) float64 {
		if p.RMSE != nil {
			return *p.RMSE
		}
		return -*p.Accuracy
	}
	what, sign := "RMSE", 1.0
	if parts[0].Accuracy != nil {
		what, sign = "accuracy", -1
	}
	best, worst := parts[0], parts[0]
	for _, p := range parts {
		if value(p) < value(best) {
			best = p
		}
		if value(p) > value(worst) {
			worst = p
		}
	}
	res.note(name, "%s from %s (%s) to %s (%s); each in --json", what, decimals(sign*value(best)), best.Name, decimals(sign*value(worst)), worst.Name)
}

// mostClasses is how many a confusion table has room for on a terminal.
const mostClasses = 30

// confusionLines is the table of true classes (rows) and predicted ones (columns).
func confusionLines(names []string, table [][]int) []string {
	if len(names) > mostClasses {
		return nil
	}
	wide := 5
	for _, n := range names {
		wide = max(wide, min(len([]rune(n)), 12)+1)
	}
	head := fmt.Sprintf("%-*s", wide, "true")
	for _, n := range names {
		head += fmt.Sprintf("%*s", wide, short(n))
	}
	lines := []string{head + "   (predicted)"}
	for c, row := range table {
		line := fmt.Sprintf("%-*s", wide, short(names[c]))
		for _, n := range row {
			line += fmt.Sprintf("%*d", wide, n)
		}
		lines = append(lines, line)
	}
	return lines
}

// short is a name that fits in a column.
func short(name string) string {
	if r := []rune(name); len(r) > 12 {
		return string(r[:11]) + "…"
	}
	return name
}
