package dataset

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// ErrNeedsTarget is in the error of delimited text whose column of answers is not named.
var ErrNeedsTarget = errors.New("name the column of the answers")

// A RowsReader says how rows of features with their answers are read; the zero value takes no feature that is missing. An answer
// that is a number may be missing, and is NaN then.
type RowsReader struct {
	// Gaps says that dense features may be missing, as [MatrixReader] has it: they are NaN.
	Gaps bool
	// Known are the names of features that are expected, and Decimal is the decimal mark of text, likewise.
	Known   []string
	Decimal byte
	// Ranks read the rows of one file together, each a part of text by lines or of Parquet by row groups: X has those of this rank,
	// until Rows.OverRanks deals them out, and answers are those of all. Other files are read by each rank as a whole.
	Ranks *cluster.Comm
}

// Features reads features alone, or beside a column of answers that is to be taken off.
func (o RowsReader) Features(name string, stdin io.Reader, answers string) (*Matrix, error) {
	return MatrixReader{Gaps: o.Gaps, Categories: true, Known: o.Known, Answers: answers, Decimal: o.Decimal,
		ranks: o.Ranks}.Read(name, stdin)
}

// Read reads LIBSVM's format, or, with a target, delimited text one of whose columns is that, by name or number from 1; several
// have commas between them.
func (o RowsReader) Read(name, target string) (*Rows, error) {
	if target == "" && looksDelimited(name) {
		return nil, fmt.Errorf("%s:1: is delimited text; %w", name, ErrNeedsTarget)
	}
	if target == "" {
		l, err := readLIBSVM(name, nil, o.Ranks)
		if err != nil {
			return nil, err
		}
		return &Rows{Name: name, XName: name, X: l.X, Labels: l.Labels, LIBSVM: true, ZeroBased: l.ZeroBased}, nil
	}
	x, err := o.Features(name, nil, target)
	if err != nil {
		return nil, err
	}
	if x.Dense == nil {
		return nil, fmt.Errorf("%s: is a sparse matrix; a target is a column of delimited text", name)
	}
	at, err := x.Columns(name, target)
	if err != nil {
		return nil, err
	}
	r := &Rows{Name: name, XName: name}
	r.X, r.Targets = x.Without(at...)
	return r, nil
}

// Weights reads a weight for each of the rows: a column of numbers.
func (o RowsReader) Weights(r *Rows, name string) error {
	w, err := o.numbers(name, nil, false)
	switch {
	case err != nil:
		return err
	case w.Cols != 1 || w.Rows != r.Len():
		return fmt.Errorf("%s: is %d × %d; the weights are one column with a number for each of the %d rows of %s", name, w.Rows,
			w.Cols, r.Len(), r.XName)
	}
	r.Weights = w.Dense
	return r.checkWeights(name)
}

// Targets reads a row of targets for each of the rows of features. Those that are missing are NaN.
func (o RowsReader) Targets(r *Rows, name string) (err error) {
	r.Name = name
	if r.Targets, err = o.numbers(name, nil, true); err != nil || r.Targets.Rows == r.Len() {
		return err
	}
	if y := r.Targets; y.Rows == r.Len()+1 && y.Cols == 1 && y.Dense[0] == 0 && y.Names == nil && y.Line(0) > 0 {
		y.Rows, y.Dense, y.lines = y.Rows-1, y.Dense[1:], nil // pandas calls a column without a name 0
		return nil
	}
	mend := "give one for each"
	if r.Targets.Cols == r.Len() {
		mend = "it has a column for each: transpose it"
	}
	return fmt.Errorf("%s: has %s of targets for the %s of features in %s; %s", name, text.Counted(r.Targets.Rows, "row"),
		text.Counted(r.Len(), "row"), r.XName, mend)
}

// ReadLabels reads a label for each row of features.
func (r *Rows) ReadLabels(name string) (err error) {
	r.Name = name
	r.Labels, err = ReadLabels(name, nil, r.Len())
	return err
}

// TaskTable reads rows with a task and a target, see tasks.
func (o RowsReader) TaskTable(name, task, target string) (*Rows, error) {
	t, err := o.tasks(name, nil, task, target, false)
	if err != nil {
		return nil, err
	}
	return &Rows{Name: name, XName: name, X: t.X, Task: t.Task, Tasks: t.TaskNames, Targets: columnOf(t.Y)}, nil
}

// TaskLabels is TaskTable whose targets are labels, any text; for several files those of one task each, called after them.
func (o RowsReader) TaskLabels(names []string, task, target string) (*Rows, error) {
	if len(names) > 1 || LooksLIBSVM(names[0]) {
		return o.taskFiles(names, target, true)
	}
	t, err := o.tasks(names[0], nil, task, target, true)
	if err != nil {
		return nil, err
	}
	return &Rows{Name: names[0], XName: names[0], X: t.X, Task: t.Task, Tasks: t.TaskNames, Labels: t.Labels}, nil
}

// columnOf is numbers as a matrix of one column.
func columnOf(y []float64) *Matrix { return &Matrix{Rows: len(y), Cols: 1, Dense: y} }

// LabelledTable reads delimited text with a column for the label, by name or number from 1; nil stdin is that of the process.
func (o RowsReader) LabelledTable(name string, stdin io.Reader, column string) (*Rows, error) {
	t, err := o.tasks(name, stdin, column, noTarget, false)
	if err != nil {
		return nil, err
	}
	r := &Rows{Name: name, XName: name, X: t.X}
	for _, label := range t.Task {
		r.Labels = append(r.Labels, t.TaskNames[label])
	}
	return r, nil
}

// TaskFiles reads one file for each task, called after it: LIBSVM's format, or delimited text with a target column ("" is y).
func (o RowsReader) TaskFiles(names []string, target string) (*Rows, error) {
	return o.taskFiles(names, target, false)
}

// taskFiles is TaskFiles, whose answers are labels, any text, where that is asked for.
func (o RowsReader) taskFiles(names []string, target string, labelled bool) (*Rows, error) {
	o.Ranks = nil
	var all *Rows
	for t, name := range names {
		one, err := o.taskFile(name, target, labelled)
		if err != nil {
			return nil, err
		}
		if err := one.CheckSizes(one.numbers(), o.Gaps, one.Feature); err != nil { // while its lines are known
			return nil, err
		}
		task := TaskName(name)
		if all == nil {
			all = one
		} else if slices.Contains(all.Tasks, task) {
			return nil, fmt.Errorf("%s: is the second file of a task %q; tasks are called after their files: rename one", name, task)
		} else if err := all.Append(one); err != nil {
			return nil, err
		}
		all.Tasks = append(all.Tasks, task)
		for range one.X.Rows {
			all.Task = append(all.Task, int32(t))
		}
	}
	return all, nil
}

func (o RowsReader) taskFile(name, target string, labelled bool) (*Rows, error) {
	if LooksLIBSVM(name) {
		target = ""
	} else if target == "" {
		target = "y"
	}
	if labelled && target != "" {
		return o.LabelledTable(name, nil, target)
	}
	r, err := o.Read(name, target)
	if err != nil || r.Targets != nil || labelled {
		return r, err
	}
	return r, r.OfTask("")
}

// numbers are the targets, nil where the answers are labels.
func (r *Rows) numbers() []float64 {
	if r.Targets == nil {
		return nil
	}
	return r.Targets.Dense
}

// SetTask makes all rows of one task.
func (r *Rows) SetTask(task string) { r.Tasks, r.Task = []string{task}, make([]int32, r.Len()) }

// OfTask takes the labels for targets. Where task is not empty, all rows are of that task.
func (r *Rows) OfTask(task string) error {
	if task != "" {
		r.SetTask(task)
	}
	y, err := r.Numbers()
	r.Targets, r.Labels = columnOf(y), nil
	return err
}

// TaskName is a file's name without folders and endings.
func TaskName(file string) string {
	name := filepath.Base(file)
	for _, ending := range []string{".gz", ".zst", ".libsvm", ".svm", ".csv", ".tsv", ".txt"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// A taskTable is samples of several learning problems over the same features.
type taskTable struct {
	X         *Matrix   // dense, one row a sample
	Y         []float64 // len X.Rows; nil where no target was asked for, or Labels
	Labels    []string  // likewise, where targets are labels
	Task      []int32   // of each sample, len X.Rows
	TaskNames []string  // in the order of their first appearance
}

// tasks reads delimited text with a task, a target and features in every line, from a file or from stdin for "-"
// (nil means the standard input of the process). The columns of the task and the target are given by name or by number
// from 1; empty ones are called task and y. Where both are numbers, the file may do without a header. A task is any
// text, all else finite numbers; a target that is missing is NaN. A first column without a name is row names
// and left out, as in ReadMatrix.
//
// An .npz holds them as arrays of those names, and the features as one array more or as those of a sparse matrix. Labelled
// targets are any text.
func (o RowsReader) tasks(name string, stdin io.Reader, taskColumn, targetColumn string, labelled bool) (*taskTable, error) {
	if t, err := taskArrays(name, taskColumn, targetColumn, labelled, o.Gaps); t != nil || err != nil {
		return t, err
	}
	lines, in, err := openLines(name, stdin, "delimited text with a header, a task, a target and features")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := newTable(lines, in.Name, tableOptions{gaps: o.Gaps, words: true, decimal: o.Decimal, path: in.path})
	if err != nil {
		return nil, err
	}
	if in.typed == nil {
		t.opt.ranks = o.Ranks
	}
	if err := t.taskColumns(taskColumn, targetColumn); err != nil {
		return nil, err
	}
	out, texts := &taskTable{}, sharedTexts{}
	if labelled && t.target() >= 0 {
		t.kinds[t.target()] = targetLabels
	}
	ids := &IDs{}
	var task chunkList[int32]
	var y chunkList[float64]
	err = t.readRows(func() error {
		id := ids.Add(t.cell)
		if id < 0 {
			return t.errorf("more than 2³¹-1 tasks")
		}
		task.push(id)
		if labelled {
			out.Labels = append(out.Labels, texts.text(t.label))
		} else {
			y.push(t.aside)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if out.X, err = t.matrix(); err != nil {
		return nil, err
	}
	if t.target() >= 0 && !labelled {
		out.Y = y.join()
	}
	out.Task = task.join()
	if t.among != nil {
		var at []int32
		if ids, at = ids.OverRanks(o.Ranks); ids == nil {
			return nil, t.errorf("more than 2³¹-1 tasks")
		}
		out.Task, out.Y = joinedCodes(o.Ranks, out.Task, at), cluster.Joined(o.Ranks, out.Y)
		out.Labels = joinedTexts(o.Ranks, out.Labels)
	}
	out.TaskNames = ids.Texts()
	return out, nil
}

// taskColumns finds the columns and takes the header off.
func (t *table) taskColumns(task, target string) error {
	numbered := isWhole(task) && (isWhole(target) || target == noTarget)
	at, err := t.column(task, "task")
	if err != nil {
		return err
	}
	t.kinds[at] = taskNames
	if target != noTarget {
		y, err := t.column(target, "y")
		if err != nil {
			return err
		}
		if y == at {
			return t.errorf("column %d is asked for both as the task and as the target; name two", at+1)
		}
		t.kinds[y] = targetNumbers
	}
	if below := t.below(); numbered && !t.headed(below) {
		t.names = nil
	} else {
		if err := t.distinctNames(); err != nil {
			return err
		}
		t.lines.Text = nil
		t.findTexts(below)
	}
	if !slices.ContainsFunc(t.kinds, func(k columnKind) bool { return k == numberColumn || k == categories || k == perhapsName }) {
		return t.errorf("has %s; none is left for a feature", text.Counted(t.wide, "column"))
	}
	return nil
}

// target is the column that is set apart, or -1.
func (t *table) target() int {
	return slices.IndexFunc(t.kinds, func(k columnKind) bool { return k == targetNumbers || k == targetLabels })
}

// noTarget asks for tasks and features alone.
const noTarget = "-"

func isWhole(s string) bool { _, err := strconv.Atoi(s); return err == nil }

// column finds one by name or by number from 1.
func (t *table) column(want, usual string) (int, error) {
	if want == "" {
		want = usual
	}
	if n, err := strconv.Atoi(want); err == nil {
		if n < 1 || n > t.wide {
			return 0, t.errorf("has %s; number %d is asked for", text.Counted(t.wide, "column"), n)
		}
		return n - 1, nil
	}
	at := slices.Index(t.names, want)
	if at < 0 {
		return 0, t.errorf("%s", Absent(want, t.names))
	}
	if slices.Contains(t.names[at+1:], want) {
		return 0, t.errorf("has several columns %q; ask for one by number", want)
	}
	return at, nil
}
