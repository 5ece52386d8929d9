package task

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/model"
)

// A RowsFile is rows of features as a model was fitted to, for which answers may be known.
type RowsFile struct {
	Data            string        // in LIBSVM's format, delimited text, or what else dataset.ReadMatrix reads
	Labels, Targets string        // files of answers, or ""
	Target          string        // the column of the answers, by name or number from 1; "" as in training
	Task            string        // the column of the task, or the task of all rows; "" as in training, or the name of the file
	Decimal         byte          // the decimal mark of text, a point if it is 0
	Prefix          string        // of task and target in errors: what the caller calls these
	Ranks           *cluster.Comm // read the rows together, see dataset.RowsReader, or nil
}

// ErrWhichTask is in the error of rows of which nothing says of which task they are.
var ErrWhichTask = errors.New("has no column for the task")

// Read reads the rows, and what is known of their answers.
func (f *RowsFile) Read(m *model.Model) (*dataset.Rows, error) {
	libsvm := dataset.LooksLIBSVM(f.Data) || m.Info.LIBSVM && (dataset.ReadOnce(f.Data) || m.Rows > 1 && dataset.LoneLabel(f.Data))
	target := f.Target
	if target == "" {
		target = m.Info.Target
	}
	switch {
	case libsvm:
		return f.readLIBSVM(m)
	case m.Problem == MultiTask.String():
		return f.readTasks(m, target)
	case (m.Problem == Classification.String() || ofSigns(m) && !strings.Contains(target, ",")) && target != "" && f.Labels == "":
		return f.readLabelled(m, target)
	}
	x, err := f.reader(m).Features(f.Data, nil, target)
	if err != nil {
		return nil, err
	}
	return f.withAnswers(m, target, x)
}

// reader reads rows for a model, whose own names of features are known, and which may fill what is missing.
func (f *RowsFile) reader(m *model.Model) dataset.RowsReader {
	return dataset.RowsReader{Gaps: m.Fill != nil, Known: m.RowIDs, Decimal: f.Decimal, Ranks: f.Ranks}
}

// ofSigns says that a model's loss is of two labels, any text.
func ofSigns(m *model.Model) bool {
	c, l, err := schemaOf(m)
	return err == nil && c.Kind != Classification && l.Signs()
}

// readLabelled reads delimited text whose column of labels may be missing, as it is of rows to predict.
func (f *RowsFile) readLabelled(m *model.Model, target string) (*dataset.Rows, error) {
	name, again, err := dataset.Reread(f.Data)
	if err != nil {
		return nil, err
	}
	u, unlabelled := f.reader(m).LabelledTable(name, again(), target)
	_, byNumber := text.Number(target)
	if f.Target != "" || unlabelled == nil && (u.X.Cols == m.Rows || !byNumber) { // a name is found in a header only
		return u, unlabelled
	}
	x, err := f.reader(m).Features(name, again(), target)
	if err != nil {
		return nil, cmp.Or(unlabelled, err)
	}
	return f.withAnswers(m, target, x)
}

// withAnswers adds what is known of the answers for rows of features.
func (f *RowsFile) withAnswers(m *model.Model, target string, x *dataset.Matrix) (u *dataset.Rows, err error) {
	u = &dataset.Rows{Name: dataset.Called(f.Data), XName: dataset.Called(f.Data), X: x}
	switch {
	case f.Labels != "":
		err = u.ReadLabels(f.Labels)
	case f.Targets != "":
		err = f.readTargets(u, m)
	case target != "":
		var at []int
		at, err = x.Columns(dataset.Called(f.Data), target)
		if err == nil && (f.Target != "" || x.Cols == m.Rows+len(at) || beside(x, m, at)) { // the columns are there
			u.X, u.Targets = x.Without(at...)
		} else if f.Target == "" {
			err = leaveSome(u, m, target) // else it is another column that is too many
		}
	}
	return u, err
}

// leaveSome takes off the columns of some of the answers of a model of several, where others are missing: then nothing is
// measured.
func leaveSome(u *dataset.Rows, m *model.Model, target string) error {
	names, x := strings.Split(target, ","), u.X
	if len(names) < 2 || x.Dense == nil || x.Cols <= m.Rows || x.Cols >= m.Rows+len(names) {
		return nil
	}
	var at []int
	for _, name := range names {
		if j := slices.Index(x.Names, name); j >= 0 && beside(x, m, []int{j}) {
			at = append(at, j)
		} else {
			u.Lacks = append(u.Lacks, name)
		}
	}
	switch {
	case x.Cols == m.Rows+len(at):
	case len(m.RowIDs) > 0 && x.Names != nil: // a name says more
		return nil
	default:
		return fmt.Errorf("%s: has %s; the model has %s, and was fitted to the columns %s as answers: give the features alone, or "+
			"all answers", u.XName, text.Counted(x.Cols, "column"), text.Counted(m.Rows, "feature"), target)
	}
	u.X, _ = x.Without(at...)
	return nil
}

// beside says that columns of a table are no features of a model whose features have names.
func beside(x *dataset.Matrix, m *model.Model, columns []int) bool {
	return len(m.RowIDs) > 0 && x.Names != nil && !slices.ContainsFunc(columns, func(j int) bool {
		return slices.Contains(m.RowIDs, x.Names[j])
	})
}

// readLIBSVM reads rows with labels, which the format always has; files of labels or targets take their place.
func (f *RowsFile) readLIBSVM(m *model.Model) (*dataset.Rows, error) {
	u, err := f.reader(m).Read(f.Data, "")
	if err != nil {
		return nil, err
	}
	switch {
	case f.Labels != "":
		err = u.ReadLabels(f.Labels)
	case f.Targets != "":
		u.Labels = nil
		err = f.readTargets(u, m)
	case m.Problem == MultiTask.String():
		name := f.taskOfFile(m)
		if name == "" {
			return nil, fmt.Errorf("%s %w: name it with %stask", dataset.Called(f.Data), ErrWhichTask, f.Prefix)
		}
		if ofSigns(m) {
			u.SetTask(name)
			return u, nil
		}
		err = u.OfTask(name)
	}
	return u, err
}

// readTargets reads a file of numbers, or of labels where the model is of two that are no numbers.
func (f *RowsFile) readTargets(u *dataset.Rows, m *model.Model) error {
	err := f.reader(m).Targets(u, f.Targets)
	if err == nil || !ofSigns(m) || u.ReadLabels(f.Targets) != nil {
		return err
	}
	return nil
}

// taskOfFile is the task of all rows of a file that has no column for it: Task, or the one that the file is called after, as in
// training on a file for each.
func (f *RowsFile) taskOfFile(m *model.Model) string {
	if name := dataset.TaskName(f.Data); f.Task == "" && m.Info.Task == "" && slices.Contains(m.ColIDs, name) {
		return name
	}
	return f.Task
}

// taskColumn is the column of the task, the reader's default if empty, or, where all rows are of one, that task: a task's name
// is a column if the model was fitted with that one, or if the header has it.
func (f *RowsFile) taskColumn(m *model.Model) (column, one string) {
	one = f.taskOfFile(m)
	switch {
	case one == "":
		return m.Info.Task, ""
	case f.Task == "" && !hasColumn(f.Data, "task"):
		return "", one
	case f.Task != m.Info.Task && slices.Contains(m.ColIDs, f.Task) && !hasColumn(f.Data, f.Task):
		return "", one
	}
	return f.Task, ""
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
func (f *RowsFile) readTasks(m *model.Model, target string) (*dataset.Rows, error) {
	column, one := f.taskColumn(m)
	if one != "" {
		return f.readOneTask(m, one, target)
	}
	u, err := f.readTaskTable(m, column, target)
	if err != nil && strings.Contains(err.Error(), fmt.Sprintf("has no column %q", cmp.Or(column, "task"))) {
		return nil, fmt.Errorf("%w; %s: %s", err, f.noTask(), strings.Join(m.ColIDs[:min(len(m.ColIDs), 20)], ", "))
	}
	if err != nil && f.Target == "" && !dataset.ReadOnce(f.Data) && strings.Contains(err.Error(), "has no column") {
		if v, second := f.reader(m).TaskTable(f.Data, column, "-"); second == nil {
			v.Targets = nil
			return v, nil
		}
	}
	return u, err
}

// readTaskTable reads a table with tasks and numbers, or labels where the model is of two.
func (f *RowsFile) readTaskTable(m *model.Model, column, target string) (*dataset.Rows, error) {
	if ofSigns(m) {
		return f.reader(m).TaskLabels([]string{f.Data}, column, target)
	}
	return f.reader(m).TaskTable(f.Data, column, target)
}

// noTask is what to do with rows whose task nothing tells, before the tasks there are.
func (f *RowsFile) noTask() string {
	switch {
	case f.Task != "":
		return fmt.Sprintf("nor is %q a task of training; there are", f.Task)
	case dataset.ReadOnce(f.Data):
		return "where all rows are of one task, name it with " + f.Prefix + "task"
	}
	return fmt.Sprintf("nor is %q a task of training; where all rows are of one, name it with %stask", dataset.TaskName(f.Data),
		f.Prefix)
}

// readOneTask reads a file of one task; the target column may be missing.
func (f *RowsFile) readOneTask(m *model.Model, name, target string) (*dataset.Rows, error) {
	if ofSigns(m) && hasColumn(f.Data, cmp.Or(target, "y")) {
		u, err := f.reader(m).LabelledTable(f.Data, nil, cmp.Or(target, "y"))
		if err == nil && (f.Target != "" || u.X.Cols == m.Rows) {
			u.SetTask(name)
			return u, nil
		}
	}
	x, err := f.reader(m).Features(f.Data, nil, cmp.Or(target, "y"))
	if err != nil {
		return nil, err
	}
	u := &dataset.Rows{Name: f.Data, XName: f.Data, X: x}
	u.SetTask(name)
	switch at, err := x.Column(f.Data, cmp.Or(target, "y")); {
	case f.Target != "" && x.Dense == nil:
		return nil, fmt.Errorf("%s: is a sparse matrix, which has no column of targets; leave %starget out", f.Data, f.Prefix)
	case f.Target != "" && err != nil:
		return nil, err
	case err == nil && x.Dense != nil && (f.Target != "" || x.Cols != m.Rows):
		u.X, u.Targets = x.Without(at)
	}
	return u, nil
}
