package dataset

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// taskArrays reads an .npz whose arrays are the task of each sample, its target, and the features: those of a sparse matrix, or
// the one array that is left. It is nil where the file is something else.
func taskArrays(name, task, target string, labelled, gaps bool) (*taskTable, error) {
	if name == "-" || ReadOnce(name) || isFolder(name) || typedTable(name) != nil {
		return nil, nil
	}
	in, err := openInput(name, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if head, _ := in.bytes.Peek(4); !isZip(head) {
		return nil, nil
	}
	f, size, done, err := in.seekable()
	if err != nil {
		return nil, err
	}
	defer done()
	a, err := zipArrays(f, size, in.Name, gaps)
	if err != nil {
		return nil, err
	}
	return a.tasks(task, target, labelled)
}

// tasks are the samples that the arrays hold.
func (a *arrays) tasks(task, target string, labelled bool) (*taskTable, error) {
	task, target = cmp.Or(task, "task"), cmp.Or(target, "y")
	out, asked := &taskTable{}, []string{task}
	if target != noTarget {
		asked = append(asked, target)
	}
	for _, member := range asked {
		if !a.has(member) {
			return nil, fmt.Errorf("%s: %s", a.name, Absent(member, a.names()))
		}
	}
	names, err := a.texts(task)
	if err != nil {
		return nil, err
	}
	ids := &IDs{}
	for _, name := range names {
		out.Task = append(out.Task, ids.Add([]byte(name)))
	}
	out.TaskNames = ids.Texts()
	switch {
	case target == noTarget:
	case labelled:
		out.Labels, err = a.texts(target)
	default:
		out.Y, err = line[float64](a, target)
	}
	if err != nil {
		return nil, err
	}
	if out.X, err = a.features(asked); err != nil {
		return nil, err
	}
	if n := len(out.Task); out.X.Rows != n || out.Y != nil && len(out.Y) != n || out.Labels != nil && len(out.Labels) != n {
		return nil, fmt.Errorf("%s: has %d rows of features, %d tasks and %d targets; give one of each for every sample", a.name,
			out.X.Rows, n, max(len(out.Y), len(out.Labels)))
	}
	return out, nil
}

// features is the sparse matrix among the arrays, or the one array beside those that are set aside.
func (a *arrays) features(aside []string) (x *Matrix, err error) {
	if a.sparse() {
		return a.matrix()
	}
	left := slices.DeleteFunc(a.names(), func(name string) bool { return slices.Contains(aside, name) })
	if len(left) != 1 {
		return nil, fmt.Errorf("%s: has the arrays %s beside those of tasks and targets; features are one array, or those of a "+
			"sparse matrix", a.name, strings.Join(left, ", "))
	}
	err = a.open(left[0], func(r io.Reader, name string, size int64) (err error) {
		x, err = readNPY(r, name, size, a.gaps)
		return err
	})
	return x, err
}

// names are those of the arrays, sorted.
func (a *arrays) names() []string {
	return slices.Sorted(maps.Keys(a.members))
}
