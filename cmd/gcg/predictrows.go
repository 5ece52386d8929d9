package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// predictRows predicts what belongs to rows of features, and measures where it is known.
func (f *predictFlags) predictRows(ctx context.Context, m *model.Model, out, log io.Writer) error {
	by, err := task.NewPredictor(m)
	if err != nil {
		return fmt.Errorf("%s: %w to this gcg", f.model, err)
	}
	u, err := unlessInterrupted(ctx, func() (*dataset.Rows, error) { return f.read(m) })
	if err != nil {
		return err
	}
	made, err := by.Predict(u)
	if err != nil {
		return worded(err)
	}
	p := &prediction{made, by, u}
	if err := toOutput(f.output, out, p.write); err != nil {
		return err
	}
	unknown, got := p.Measure()
	switch {
	case f.json:
		return printJSON(out, worth{Problem: m.Problem, Predictions: u.X.Rows, Unknown: unknown, Measured: got})
	case !f.quiet:
		p.print(log, unknown, got)
	}
	return nil
}

// read reads the rows, and what is known of their answers.
func (f *predictFlags) read(m *model.Model) (*dataset.Rows, error) {
	libsvm := dataset.LooksLIBSVM(f.data) || m.Info.LIBSVM && (dataset.ReadOnce(f.data) || m.Rows > 1 && dataset.LoneLabel(f.data))
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
func (f *predictFlags) readLabelled(m *model.Model, target string) (*dataset.Rows, error) {
	name, again, err := dataset.Reread(f.data)
	if err != nil {
		return nil, err
	}
	u, unlabelled := dataset.ReadLabelledTable(name, again(), target)
	_, byNumber := dataset.Number(target)
	if f.target != "" || unlabelled == nil && (u.X.Cols == m.Rows || !byNumber) { // a name is found in a header only
		return u, unlabelled
	}
	x, err := dataset.ReadMatrix(name, again())
	if err != nil {
		return nil, cmp.Or(unlabelled, err)
	}
	return f.withAnswers(m, target, x)
}

// withAnswers adds what is known of the answers for rows of features.
func (f *predictFlags) withAnswers(m *model.Model, target string, x *dataset.Matrix) (u *dataset.Rows, err error) {
	u = &dataset.Rows{Name: dataset.Called(f.data), XName: dataset.Called(f.data), X: x}
	switch {
	case f.labels != "":
		err = u.ReadLabels(f.labels)
	case f.targets != "":
		err = u.ReadTargets(f.targets)
	case f.target != "" || target != "" && x.Cols == m.Rows+1: // the column is there
		var at int
		if at, err = x.Column(dataset.Called(f.data), target); err == nil {
			u.X, u.Targets = x.Without(at)
		} else if f.target == "" {
			err = nil // it is another column that is too many
		}
	}
	return u, err
}

// readLIBSVM reads rows with labels, which the format always has; --labels and --targets take their place.
func (f *predictFlags) readLIBSVM(m *model.Model) (*dataset.Rows, error) {
	u, err := dataset.ReadRows(f.data, "")
	if err != nil {
		return nil, err
	}
	switch {
	case f.labels != "":
		err = u.ReadLabels(f.labels)
	case f.targets != "":
		u.Labels = nil
		err = u.ReadTargets(f.targets)
	case m.Problem == "multitask":
		name := f.taskOfFile(m)
		if name == "" {
			return nil, usagef("%s has no column for the task: name it with --task", dataset.Called(f.data))
		}
		err = u.OfTask(name)
	}
	return u, err
}

// taskOfFile is the task of all rows of a file that has no column for it: --task, or the one that the file is called after, as in
// training on a file for each.
func (f *predictFlags) taskOfFile(m *model.Model) string {
	if name := dataset.TaskName(f.data); f.task == "" && m.Info.Task == "" && slices.Contains(m.ColIDs, name) {
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
	if dataset.ReadOnce(file) {
		return false
	}
	fields, err := dataset.ReadFields(file)
	return err == nil && slices.Contains(fields, name) // an error is for who reads the whole
}

// readTasks reads a table whose target column may be missing, or one of a single task without a column for it.
func (f *predictFlags) readTasks(m *model.Model, target string) (*dataset.Rows, error) {
	column, one := f.taskColumn(m)
	if one != "" {
		return f.readOneTask(m, one, target)
	}
	u, err := dataset.ReadTaskTable(f.data, column, target)
	if err != nil && strings.Contains(err.Error(), fmt.Sprintf("has no column %q", cmp.Or(column, "task"))) {
		return nil, fmt.Errorf("%w; %s: %s", err, f.noTask(), strings.Join(m.ColIDs[:min(len(m.ColIDs), 20)], ", "))
	}
	if err != nil && f.target == "" && !dataset.ReadOnce(f.data) && strings.Contains(err.Error(), "has no column") {
		if v, second := dataset.ReadTaskTable(f.data, column, "-"); second == nil {
			v.Targets = nil
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
	case dataset.ReadOnce(f.data):
		return "where all rows are of one task, name it with --task"
	}
	return fmt.Sprintf("nor is %q a task of training; where all rows are of one, name it with --task", dataset.TaskName(f.data))
}

// readOneTask reads a file of one task; the target column may be missing.
func (f *predictFlags) readOneTask(m *model.Model, name, target string) (*dataset.Rows, error) {
	x, err := dataset.ReadMatrix(f.data, nil)
	if err != nil {
		return nil, err
	}
	u := &dataset.Rows{Name: f.data, XName: f.data, X: x, Tasks: []string{name}, Task: make([]int32, x.Rows)}
	switch at, err := x.Column(f.data, cmp.Or(target, "y")); {
	case f.target != "" && x.Dense == nil:
		return nil, fmt.Errorf("%s: is a sparse matrix, which has no column of targets; leave --target out", f.data)
	case f.target != "" && err != nil:
		return nil, err
	case err == nil && x.Dense != nil && (f.target != "" || x.Cols != m.Rows):
		u.X, u.Targets = x.Without(at)
	}
	return u, nil
}

// A prediction is that of rows which were read as u.
type prediction struct {
	*task.Predictions
	by *task.Predictor
	u  *dataset.Rows
}

// write writes a line for each row.
func (p *prediction) write(out io.Writer) error {
	w := newCSV(out)
	header := p.header()
	w.line(header...)
	for i := range p.u.X.Rows {
		row := p.Row(i)
		var fields []string
		switch {
		case p.by.Schema.Kind == task.Classification:
			fields = append(fields, p.Class(i))
			if p.by.Loss.Probabilities() {
				row = p.Probabilities(i)
			}
			for _, v := range row {
				fields = append(fields, number(v))
			}
		case p.Samples.Task != nil:
			fields = make([]string, len(header)) // those of an unknown task stay empty
			fields[0] = p.u.Tasks[p.u.Task[i]]
			if t := p.Samples.Task[i]; t >= 0 {
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
	if p.by.Schema.Kind == task.Classification {
		return append([]string{"label"}, p.by.Schema.Outputs...)
	}
	names := p.by.Schema.Outputs
	if len(names) == 1 || p.Samples.Task != nil {
		names = []string{"prediction"}
	}
	var all []string
	if p.Samples.Task != nil {
		all = []string{"task"}
	}
	for _, n := range names {
		all = append(all, n)
		if p.by.Loss.Signs() {
			extra := "score"
			if p.by.Loss.Probabilities() {
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
	if !p.by.Loss.Signs() {
		return []string{number(z)}
	}
	label, probability := p.by.Label(z)
	if p.by.Loss.Probabilities() {
		return []string{label, number(probability)}
	}
	return []string{label, number(z)}
}

// print says what the predictions are worth.
func (p *prediction) print(log io.Writer, unknown int, got selection.Measured) {
	switch {
	case unknown > 0 && p.Samples.Task != nil:
		fmt.Fprintf(log, "%d of %d rows are of tasks that the model does not know, and have no prediction\n", unknown, p.u.X.Rows)
	case got == nil && unknown > 0:
		fmt.Fprintln(log, "no label is among those of the model: nothing to measure")
	case unknown > 0:
		fmt.Fprintf(log, "%d of %d labels are not among those of the model, and count as wrong\n", unknown, len(p.Samples.Class))
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
