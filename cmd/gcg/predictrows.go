package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// predictRows predicts what belongs to rows of features, and measures where it is known.
func (f *predictFlags) predictRows(ctx context.Context, m *model.Model, out, log io.Writer) error {
	c, l, err := schemaOf(f.model, m)
	if err != nil {
		return err
	}
	u, err := unlessInterrupted(ctx, func() (*unread, error) { return f.read(m) })
	if err != nil {
		return err
	}
	s, err := c.read(l, u, false)
	if err != nil {
		return err
	}
	p := &prediction{meter{c, l}, s, u, scoresOf(m, s.x)}
	if err := toOutput(f.output, out, p.write); err != nil {
		return err
	}
	unknown, got := p.measure()
	switch {
	case f.json:
		return printJSON(out, worth{Problem: m.Problem, Predictions: s.rows(), Unknown: unknown, Measured: got})
	case !f.quiet:
		p.print(log, unknown, got)
	}
	return nil
}

// schemaOf is the schema that a model was fitted with.
func schemaOf(name string, m *model.Model) (*schema, lossWord, error) {
	c := &schema{problem: m.Problem, width: m.Rows, outputs: named(m.ColIDs, m.Cols),
		libsvm: m.Info.LIBSVM, zeroBased: m.Info.ZeroBased, zeroOne: m.Info.ZeroOne}
	if len(m.RowIDs) > 0 {
		c.features = m.RowIDs
	}
	l, err := parseLoss(m.Problem, m.Info.Loss)
	if err != nil {
		return nil, l, fmt.Errorf("%s: is a model of problem %q with loss %q, which this gcg does not know", name, m.Problem, m.Info.Loss)
	}
	return c, l, nil
}

// read reads the rows, and what is known of their answers.
func (f *predictFlags) read(m *model.Model) (*unread, error) {
	libsvm := looksLIBSVM(f.data) || m.Info.LIBSVM && (readOnce(f.data) || m.Rows > 1 && loneLabel(f.data))
	target := f.target
	if target == "" {
		target = m.Info.Target
	}
	switch {
	case libsvm:
		return f.readLIBSVM(m)
	case m.Problem == "multitask":
		return f.readTasks(m, target)
	case m.Problem == "classification" && target != "" && f.labels == "":
		return f.readLabelled(m, target)
	}
	x, err := dataset.ReadMatrix(f.data, nil)
	if err != nil {
		return nil, err
	}
	return f.withAnswers(m, target, x)
}

// readLabelled reads delimited text whose column of labels may be missing, as it is of rows to predict.
func (f *predictFlags) readLabelled(m *model.Model, target string) (*unread, error) {
	name, again, err := reread(f.data)
	if err != nil {
		return nil, err
	}
	u, unlabelled := readLabelledTable(name, again(), target)
	if f.target != "" || unlabelled == nil && (u.x.Cols == m.Rows || !isNumber(target)) { // a name is found in a header only
		return u, unlabelled
	}
	x, err := dataset.ReadMatrix(name, again())
	if err != nil {
		return nil, cmp.Or(unlabelled, err)
	}
	return f.withAnswers(m, target, x)
}

// withAnswers adds what is known of the answers for rows of features.
func (f *predictFlags) withAnswers(m *model.Model, target string, x *dataset.Matrix) (u *unread, err error) {
	u = &unread{name: called(f.data), xname: called(f.data), x: x}
	switch {
	case f.labels != "":
		u.name = f.labels
		u.labels, err = dataset.ReadLabels(f.labels, nil, x.Rows)
	case f.targets != "":
		err = u.readTargets(f.targets)
	case f.target != "" || target != "" && x.Cols == m.Rows+1: // the column is there
		var at int
		if at, err = columnOf(called(f.data), x, target); err == nil {
			u.x, u.targets = without(x, at)
		} else if f.target == "" {
			err = nil // it is another column that is too many
		}
	}
	return u, err
}

// readLIBSVM reads rows with labels, which the format always has; --labels and --targets take their place.
func (f *predictFlags) readLIBSVM(m *model.Model) (*unread, error) {
	u, err := readRows(f.data, "")
	if err != nil {
		return nil, err
	}
	switch {
	case f.labels != "":
		u.name = f.labels
		u.labels, err = dataset.ReadLabels(f.labels, nil, u.x.Rows)
	case f.targets != "":
		u.labels = nil
		err = u.readTargets(f.targets)
	case m.Problem == "multitask":
		task := f.taskOfFile(m)
		if task == "" {
			return nil, usagef("%s has no column for the task: name it with --task", called(f.data))
		}
		u.tasks, u.task = []string{task}, make([]int32, u.x.Rows)
		var y []float64
		y, err = u.numbers()
		u.targets, u.labels = &dataset.Matrix{Rows: len(y), Cols: 1, Dense: y}, nil
	}
	return u, err
}

// taskOfFile is the task of all rows of a file that has no column for it: --task, or the one that the file is called after, as in
// training on a file for each.
func (f *predictFlags) taskOfFile(m *model.Model) string {
	if name := taskName(f.data); f.task == "" && m.Info.Task == "" && slices.Contains(m.ColIDs, name) {
		return name
	}
	return f.task
}

// taskColumn is the column of the task, the reader's default if empty, or, where all rows are of one, that task: a task's name is a column if the
// model was fitted with that one, or if the header has it.
func (f *predictFlags) taskColumn(m *model.Model) (column, one string) {
	one = f.taskOfFile(m)
	switch {
	case one == "":
		return m.Info.Task, ""
	case f.task == "" && !hasColumn(f.data, "task"):
		return "", one
	case f.task != m.Info.Task && slices.Contains(m.ColIDs, f.task) && !hasColumn(f.data, f.task):
		return "", one
	}
	return f.task, ""
}

// hasColumn says that the first line of a file has such a field. Of one that can be read only once nothing is known.
func hasColumn(file, name string) bool {
	if readOnce(file) {
		return false
	}
	fields, err := dataset.ReadFields(file)
	return err == nil && slices.Contains(fields, name) // an error is for who reads the whole
}

// readTasks reads a table whose target column may be missing, or one of a single task without a column for it.
func (f *predictFlags) readTasks(m *model.Model, target string) (*unread, error) {
	column, one := f.taskColumn(m)
	if one != "" {
		return f.readOneTask(m, one, target)
	}
	u, err := readTaskTable(f.data, column, target)
	if err != nil && strings.Contains(err.Error(), fmt.Sprintf("has no column %q", cmp.Or(column, "task"))) {
		return nil, fmt.Errorf("%w; %s: %s", err, f.noTask(), strings.Join(m.ColIDs[:min(len(m.ColIDs), 20)], ", "))
	}
	if err != nil && f.target == "" && !readOnce(f.data) && strings.Contains(err.Error(), "has no column") {
		if v, second := readTaskTable(f.data, column, "-"); second == nil {
			v.targets = nil
			return v, nil
		}
	}
	return u, err
}

// noTask is what to do with rows whose task nothing tells, before the tasks there are.
func (f *predictFlags) noTask() string {
	switch {
	case f.task != "":
		return fmt.Sprintf("nor is %q a task of training; there are", f.task)
	case readOnce(f.data):
		return "where all rows are of one task, name it with --task"
	}
	return fmt.Sprintf("nor is %q a task of training; where all rows are of one, name it with --task", taskName(f.data))
}

// readOneTask reads a file of one task; the target column may be missing.
func (f *predictFlags) readOneTask(m *model.Model, task, target string) (*unread, error) {
	x, err := dataset.ReadMatrix(f.data, nil)
	if err != nil {
		return nil, err
	}
	u := &unread{name: f.data, xname: f.data, x: x, tasks: []string{task}, task: make([]int32, x.Rows)}
	switch at, err := columnOf(f.data, x, cmp.Or(target, "y")); {
	case f.target != "" && x.Dense == nil:
		return nil, fmt.Errorf("%s: is a sparse matrix, which has no column of targets; leave --target out", f.data)
	case f.target != "" && err != nil:
		return nil, err
	case err == nil && x.Dense != nil && (f.target != "" || x.Cols != m.Rows):
		u.x, u.targets = without(x, at)
	}
	return u, nil
}

// scoresOf is Wᵀx + offset for each row.
func scoresOf(m *model.Model, x *dataset.Matrix) []float64 {
	l := m.Linear()
	z := make([]float64, x.Rows*m.Cols)
	for i := range x.Rows {
		dst := z[i*m.Cols : (i+1)*m.Cols]
		if x.Dense != nil {
			l.ScoresTo(dst, nil, x.Dense[i*x.Cols:(i+1)*x.Cols])
		} else {
			l.ScoresTo(dst, x.Index[x.Ptr[i]:x.Ptr[i+1]], x.Values[x.Ptr[i]:x.Ptr[i+1]])
		}
	}
	return z
}

// A prediction is scores z (rows × outputs) of samples, which were read as u.
type prediction struct {
	meter
	s *samples
	u *unread
	z []float64
}

// write writes a line for each row.
func (p *prediction) write(out io.Writer) error {
	w := newCSV(out)
	k := len(p.schema.outputs)
	header := p.header()
	w.line(header...)
	for i := range p.s.rows() {
		row := p.z[i*k : (i+1)*k]
		var fields []string
		switch {
		case p.schema.problem == "classification":
			fields = append(fields, p.schema.outputs[largest(row)])
			if p.loss.kind.probabilities {
				row = softmax(row)
			}
			for _, v := range row {
				fields = append(fields, number(v))
			}
		case p.s.task != nil:
			fields = make([]string, len(header)) // those of an unknown task stay empty
			fields[0] = p.u.tasks[p.u.task[i]]
			if t := p.s.task[i]; t >= 0 {
				copy(fields[1:], p.sign(row[t]))
			}
		default:
			for _, v := range row {
				fields = append(fields, p.sign(v)...)
			}
		}
		w.line(fields...)
	}
	return w.flush()
}

func (p *prediction) header() []string {
	if p.schema.problem == "classification" {
		return append([]string{"label"}, p.schema.outputs...)
	}
	names := p.schema.outputs
	if len(names) == 1 || p.s.task != nil {
		names = []string{"prediction"}
	}
	var all []string
	if p.s.task != nil {
		all = []string{"task"}
	}
	for _, n := range names {
		all = append(all, n)
		if p.loss.kind.signs {
			extra := "score"
			if p.loss.kind.probabilities {
				extra = "probability"
			}
			if len(names) > 1 {
				extra = n + "_" + extra
			}
			all = append(all, extra)
		}
	}
	return all
}

// sign is a number; or a label with the probability of 1, or its score.
func (p *prediction) sign(z float64) []string {
	if !p.loss.kind.signs {
		return []string{number(z)}
	}
	label := p.schema.signNames()[indexOfSign(z)]
	if p.loss.kind.probabilities {
		return []string{label, number(1 / (1 + math.Exp(-z)))}
	}
	return []string{label, number(z)}
}

func softmax(z []float64) []float64 {
	sum := logSumExp(z)
	p := make([]float64, len(z))
	for j, v := range z {
		p[j] = math.Exp(v - sum)
	}
	return p
}

// measure is what the predictions are worth, nil where no answer is known, and the number of rows whose label or task the model does not know.
func (p *prediction) measure() (unknown int, got selection.Measured) {
	s := p.s
	for _, ids := range [][]int32{s.class, s.task} {
		for _, id := range ids {
			if id < 0 {
				unknown++
			}
		}
	}
	if s.y == nil && unknown >= len(s.class) {
		return unknown, nil
	}
	if s.task == nil {
		return unknown, p.meter.measure(s, nil, p.z, true)
	}
	z, known := make([]float64, s.rows()), make([]bool, s.rows())
	for i, t := range s.task {
		if known[i] = t >= 0; known[i] {
			z[i] = p.z[i*len(p.schema.outputs)+int(t)]
		}
	}
	return unknown, p.meter.measure(s, known, z, true)
}

// print says what the predictions are worth.
func (p *prediction) print(log io.Writer, unknown int, got selection.Measured) {
	switch {
	case unknown > 0 && p.s.task != nil:
		fmt.Fprintf(log, "%d of %d rows are of tasks that the model does not know, and have no prediction\n", unknown, p.s.rows())
	case got == nil && unknown > 0:
		fmt.Fprintln(log, "no label is among those of the model: nothing to measure")
	case unknown > 0:
		fmt.Fprintf(log, "%d of %d labels are not among those of the model, and count as wrong\n", unknown, len(p.s.class))
	}
	if got == nil {
		return
	}
	res := &result{}
	noteMeasured(res, "measured", got)
	for _, n := range res.notes {
		fmt.Fprintf(log, "%-12s %s\n", n.name, n.text)
	}
}
