package dataset

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
)

// Tasks are samples of several learning problems over the same features.
type Tasks struct {
	X         *Matrix   // dense, one row a sample
	Y         []float64 // len X.Rows; nil where no target was asked for, or Labels
	Labels    []string  // likewise, of ReadTaskLabels
	Task      []int32   // of each sample, len X.Rows
	TaskNames []string  // in the order of their first appearance
}

// ReadTasks reads delimited text with a task, a target and features in every line, from a file or from stdin for "-"
// (nil means the standard input of the process). The columns of the task and the target are given by name or by number
// from 1; empty ones are called task and y. Where both are numbers, the file may do without a header. A task is any
// text, all else finite numbers. A first column without a name is row names and left out, as in ReadMatrix.
func ReadTasks(name string, stdin io.Reader, taskColumn, targetColumn string) (*Tasks, error) {
	return readTasks(name, stdin, taskColumn, targetColumn, false)
}

// readTasks is ReadTasks, whose targets are labels, any text, where that is asked for.
func readTasks(name string, stdin io.Reader, taskColumn, targetColumn string, labelled bool) (*Tasks, error) {
	lines, in, err := openLines(name, stdin, "delimited text with a header, a task, a target and features")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := newTable(lines, in.Name)
	if err != nil {
		return nil, err
	}
	if err := t.taskColumns(taskColumn, targetColumn); err != nil {
		return nil, err
	}
	out, texts := &Tasks{}, sharedTexts{}
	t.labelled = labelled
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
	out.X = t.matrix()
	if t.target >= 0 && !labelled {
		out.Y = y.join()
	}
	out.Task, out.TaskNames = task.join(), ids.Texts()
	return out, nil
}

// taskColumns finds the columns and takes the header off.
func (t *table) taskColumns(task, target string) (err error) {
	numbered := isWhole(task) && (isWhole(target) || target == noTarget)
	if t.text, err = t.column(task, "task"); err != nil {
		return err
	}
	if target != noTarget {
		if t.target, err = t.column(target, "y"); err != nil {
			return err
		}
	}
	if t.text == t.target {
		return t.errorf("column %d is asked for both as the task and as the target; name two", t.text+1)
	}
	if numbered && !t.headed() {
		t.names = nil
	} else {
		if err := t.distinctNames(); err != nil {
			return err
		}
		t.lines.Text = nil
		if t.text > 0 && t.target != 0 {
			t.skipRowNames()
		}
	}
	features := t.wide - 2
	if t.target < 0 {
		features++
	}
	if t.skip >= 0 {
		features--
	}
	if features < 1 {
		return t.errorf("has %s; none is left for a feature", counted(t.wide, "column"))
	}
	return nil
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
			return 0, t.errorf("has %s; number %d is asked for", counted(t.wide, "column"), n)
		}
		return n - 1, nil
	}
	at := slices.Index(t.names, want)
	if at < 0 {
		return 0, t.errorf("has no column %q; there are %s", want, t.listed())
	}
	if slices.Contains(t.names[at+1:], want) {
		return 0, t.errorf("has several columns %q; ask for one by number", want)
	}
	return at, nil
}

// listed are the first names.
func (t *table) listed() string {
	const most = 20
	list := make([]string, 0, most)
	for _, f := range t.names[:min(most, t.wide)] {
		list = append(list, fmt.Sprintf("%q", text.Clip([]byte(f))))
	}
	if t.wide > most {
		list = append(list, fmt.Sprintf("… (%d in all)", t.wide))
	}
	return strings.Join(list, ", ")
}
