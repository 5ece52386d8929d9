package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
)

// unread are samples as their files have them: answers are still text or numbers, and what they mean is for a schema.
type unread struct {
	name, xname string
	x           *dataset.Matrix
	labels      []string        // of LIBSVM and of classification
	targets     *dataset.Matrix // else
	task        []int32
	tasks       []string
	libsvm      bool
	zeroBased   bool
}

// answerAt is where the answer of row i stands.
func (u *unread) answerAt(i int) string {
	switch {
	case u.targets != nil && u.targets.Line(i) > 0:
		return rowAt(u.name, u.targets, i)
	case u.name == u.xname:
		return rowAt(u.name, u.x, i)
	}
	return rowAt(u.name, nil, i)
}

// rowAt is a file with the line of row i of x, or with its number where no line is known.
func rowAt(name string, x *dataset.Matrix, i int) string {
	if x != nil && x.Line(i) > 0 {
		return fmt.Sprintf("%s:%d", called(name), x.Line(i))
	}
	return fmt.Sprintf("%s: row %d", called(name), i+1)
}

// read reads what the flags name.
func (s *sourceFlags) read(f *linearFlags) (*unread, error) {
	switch {
	case f.problem == "multitask" && len(s.files) == 1 && !looksLIBSVM(s.files[0]):
		return readTaskTable(s.files[0], f.task, f.target)
	case f.problem == "multitask":
		return readTaskFiles(s.files, f.target)
	case f.problem == "classification" && len(s.files) == 1 && f.target != "":
		return readLabelledTable(s.files[0], nil, f.target)
	case len(s.files) == 1:
		return readRows(s.files[0], f.target)
	}
	u := &unread{name: s.labels, xname: s.features}
	var err error
	if u.x, err = dataset.ReadMatrix(s.features, nil); err != nil {
		return nil, err
	}
	if f.problem == "classification" {
		u.labels, err = dataset.ReadLabels(s.labels, nil, u.x.Rows)
		return u, err
	}
	return u, u.readTargets(s.labels)
}

// readTargets reads a row of targets for each row of features.
func (u *unread) readTargets(name string) (err error) {
	u.name = name
	if u.targets, err = dataset.ReadTargets(name, nil); err != nil || u.targets.Rows == u.x.Rows {
		return err
	}
	mend := "give one for each"
	if u.targets.Cols == u.x.Rows {
		mend = "it has a column for each: transpose it"
	}
	return fmt.Errorf("%s: has %d rows of targets for the %d rows of features in %s; %s", name, u.targets.Rows, u.x.Rows, u.xname, mend)
}

// readRows reads LIBSVM's format, or delimited text one of whose columns is the target.
func readRows(name, target string) (*unread, error) {
	if target == "" && looksDelimited(name) {
		return nil, fmt.Errorf("%s:1: is delimited text; name the column of the answers with --target", name)
	}
	if target == "" {
		l, err := dataset.ReadLIBSVM(name, nil)
		if err != nil {
			return nil, err
		}
		return &unread{name: name, xname: name, x: l.X, labels: l.Labels, libsvm: true, zeroBased: l.ZeroBased}, nil
	}
	x, err := dataset.ReadMatrix(name, nil)
	if err != nil {
		return nil, err
	}
	if x.Dense == nil {
		return nil, fmt.Errorf("%s: is a sparse matrix; --target names a column of delimited text", name)
	}
	at, err := columnOf(name, x, target)
	if err != nil {
		return nil, err
	}
	u := &unread{name: name, xname: name}
	u.x, u.targets = without(x, at)
	return u, nil
}

// columnOf finds a column by name or by number from 1.
func columnOf(name string, x *dataset.Matrix, want string) (int, error) {
	if at := slices.Index(x.Names, want); at >= 0 {
		return at, nil
	}
	if n, err := strconv.Atoi(want); err == nil && n >= 1 && n <= x.Cols {
		return n - 1, nil
	}
	if x.Names == nil {
		return 0, fmt.Errorf("%s: has no header and %d columns; --target is a number from 1 to %d, not %q", name, x.Cols, x.Cols, want)
	}
	shown := x.Names[:min(len(x.Names), 20)]
	return 0, fmt.Errorf("%s: has no column %q; there are %s", name, want, strings.Join(shown, ", "))
}

// without takes a column out of a dense matrix.
func without(x *dataset.Matrix, at int) (rest, column *dataset.Matrix) {
	a, b := *x, *x // with its lines
	rest, column = &a, &b
	rest.Cols, rest.Dense = x.Cols-1, make([]float64, 0, x.Rows*(x.Cols-1))
	column.Cols, column.Dense = 1, make([]float64, x.Rows)
	for i := range x.Rows {
		row := x.Dense[i*x.Cols : (i+1)*x.Cols]
		column.Dense[i] = row[at]
		rest.Dense = append(append(rest.Dense, row[:at]...), row[at+1:]...)
	}
	if x.Names != nil {
		rest.Names = slices.Delete(slices.Clone(x.Names), at, at+1)
		column.Names = x.Names[at : at+1]
	}
	return rest, column
}

// looksLIBSVM says whether the first line of a file is «label index:value …».
func looksLIBSVM(name string) bool {
	words := strings.Fields(firstLine(name))
	if len(words) < 2 {
		return false
	}
	for _, w := range words[1:] {
		index, value, ok := strings.Cut(w, ":")
		_, err1 := strconv.Atoi(index)
		if index != "qid" && (!ok || err1 != nil || !isNumber(value)) {
			return false
		}
	}
	return true
}

// looksDelimited says whether the first line of a file has fields, and none that LIBSVM's format would have.
func looksDelimited(name string) bool {
	line := firstLine(name)
	return strings.ContainsAny(line, ",;\t") && !strings.Contains(line, ":")
}

// readOnce says that what is read of a file is gone: of standard input, and of pipes, such as a shell's <(…).
func readOnce(name string) bool {
	st, err := os.Stat(name)
	return name == "-" || err == nil && !st.Mode().IsRegular()
}

// called is what messages call a file.
func called(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// reread gives the name of a file and, for each time that it is to be read, a standard input that goes with it: of what can be read only once all
// that it holds.
func reread(name string) (as string, again func() io.Reader, err error) {
	if !readOnce(name) {
		return name, func() io.Reader { return nil }, nil
	}
	src, err := dataset.Open(name)
	if err != nil {
		return "", nil, err
	}
	defer src.Close()
	all, err := io.ReadAll(src)
	if err != nil {
		return "", nil, fmt.Errorf("%s: cannot be read: %w", src.Name, err)
	}
	return "-", func() io.Reader { return bytes.NewReader(all) }, nil
}

// loneLabel says whether the first line of a file is a word alone: in LIBSVM's format a label with features that are all 0.
func loneLabel(name string) bool {
	line := firstLine(name)
	return line != "" && !strings.ContainsAny(line, ",; \t")
}

// firstLine is the first line of a file that says something, without its comment; none of one that can be read only once.
func firstLine(name string) string {
	if readOnce(name) {
		return ""
	}
	src, err := dataset.Open(name)
	if err != nil {
		return ""
	}
	defer src.Close()
	sc := bufio.NewScanner(src)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		text, _, _ := strings.Cut(sc.Text(), "#")
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}

// readTaskTable reads delimited text with a column for the task.
func readTaskTable(name, task, target string) (*unread, error) {
	t, err := dataset.ReadTasks(name, nil, task, target)
	if err != nil {
		return nil, err
	}
	return &unread{name: name, xname: name, x: t.X, task: t.Task, tasks: t.TaskNames, targets: &dataset.Matrix{Rows: len(t.Y), Cols: 1, Dense: t.Y}}, nil
}

// readLabelledTable reads delimited text with a column for the label; stdin is as for the readers of dataset.
func readLabelledTable(name string, stdin io.Reader, column string) (*unread, error) {
	t, err := dataset.ReadTasks(name, stdin, column, "-")
	if err != nil {
		return nil, err
	}
	u := &unread{name: name, xname: name, x: t.X}
	for _, label := range t.Task {
		u.labels = append(u.labels, t.TaskNames[label])
	}
	return u, nil
}

// readTaskFiles reads one file for each task, called after it.
func readTaskFiles(names []string, target string) (*unread, error) {
	var all *unread
	for t, name := range names {
		one, err := readTaskFile(name, target)
		if err != nil {
			return nil, err
		}
		parts := &samples{name: one.name, xname: one.xname, x: one.x, y: one.targets.Dense}
		if err := moderate(parts, &schema{features: one.x.Names, zeroBased: one.zeroBased}, one); err != nil { // while its lines are known
			return nil, err
		}
		task := taskName(name)
		if all == nil {
			all = one
		} else if slices.Contains(all.tasks, task) {
			return nil, fmt.Errorf("%s: is the second file of a task %q; tasks are called after their files: rename one", name, task)
		} else if err := all.append(one); err != nil {
			return nil, err
		}
		all.tasks = append(all.tasks, task)
		for range one.x.Rows {
			all.task = append(all.task, int32(t))
		}
	}
	return all, nil
}

func readTaskFile(name, target string) (*unread, error) {
	if looksLIBSVM(name) {
		target = ""
	} else if target == "" {
		target = "y"
	}
	u, err := readRows(name, target)
	if err != nil || u.targets != nil {
		return u, err
	}
	y, err := u.numbers()
	u.targets, u.labels = &dataset.Matrix{Rows: len(y), Cols: 1, Dense: y}, nil
	return u, err
}

// taskName is a file's name without folders and endings.
func taskName(file string) string {
	name := filepath.Base(file)
	for _, ending := range []string{".gz", ".zst", ".libsvm", ".svm", ".csv", ".tsv", ".txt"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// append adds the rows of another file with the same features.
func (u *unread) append(v *unread) error {
	if u.libsvm != v.libsvm {
		return fmt.Errorf("%s: is of another format than %s; give all tasks in one", v.name, u.name)
	}
	alignBase(u, v)
	if !u.libsvm && u.x.Cols != v.x.Cols {
		return fmt.Errorf("%s: has %d features, and %s has %d; tasks share theirs", v.name, v.x.Cols, u.name, u.x.Cols)
	}
	c := &schema{width: max(u.x.Cols, v.x.Cols), features: u.x.Names}
	for _, w := range []*unread{u, v} {
		if err := c.fits(w.name, w.x, w.libsvm); err != nil {
			return err
		}
	}
	x := u.x // lines are of one file, and left out
	u.x = &dataset.Matrix{Rows: x.Rows, Cols: x.Cols, Dense: x.Dense, Ptr: x.Ptr, Index: x.Index, Values: x.Values, Names: x.Names}
	u.targets = &dataset.Matrix{Rows: u.targets.Rows, Cols: 1, Dense: u.targets.Dense}
	x = u.x
	y := v.x
	for i := range y.Rows {
		if y.Ptr != nil {
			x.Index, x.Values = append(x.Index, y.Index[y.Ptr[i]:y.Ptr[i+1]]...), append(x.Values, y.Values[y.Ptr[i]:y.Ptr[i+1]]...)
			x.Ptr = append(x.Ptr, int64(len(x.Index)))
		}
	}
	x.Dense = append(x.Dense, y.Dense...)
	x.Rows += y.Rows
	u.targets.Dense = append(u.targets.Dense, v.targets.Dense...)
	u.targets.Rows += v.targets.Rows
	return nil
}

// alignBase makes two LIBSVM files count features alike: one that never uses feature 0 looks as if it counted from 1.
func alignBase(u, v *unread) {
	if u.zeroBased && !v.zeroBased {
		v.shift()
	} else if v.zeroBased && !u.zeroBased {
		u.shift()
	}
}

// shift counts features from 0.
func (u *unread) shift() {
	for e := range u.x.Index {
		u.x.Index[e]++
	}
	u.x.Cols++
	u.zeroBased = true
}

// numbers are the labels as targets.
func (u *unread) numbers() ([]float64, error) {
	y := make([]float64, len(u.labels))
	for i, text := range u.labels {
		v, ok := dataset.Number(text)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%s: the target %q is not a finite number; for classes there is gcg fit classification", u.answerAt(i), text)
		}
		y[i] = v
	}
	return y, nil
}
