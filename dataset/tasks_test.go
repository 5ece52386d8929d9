package dataset

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readTasks reads a table of tasks with numbers for targets.
func readTasks(name string, stdin io.Reader, taskColumn, targetColumn string) (*taskTable, error) {
	return RowsReader{}.tasks(name, stdin, taskColumn, targetColumn, false)
}

func TestTasks(t *testing.T) {
	for name, c := range map[string]struct{ text, task, target, features string }{
		"by name":         {"task,y,a,b\nx,1,3,4\nz,2,5,6\nx,-3,7,8\n", "", "", "a b"},
		"other names":     {"a,grade,school,b\n3,1,x,4\n5,2,z,6\n7,-3,x,8\n", "school", "grade", "a b"},
		"by number":       {"a,b,grade,school\n3,4,1,x\n5,6,2,z\n7,8,-3,x\n", "4", "3", "a b"},
		"no header":       {"x;1;3;4\nz;2;5;6\nx;-3;7;8\n", "1", "2", ""},
		"numbered names":  {"task,y,a,2\nx,1,3,4\nz,2,5,6\nx,-3,7,8\n", "task", "y", "a 2"},
		"quoted":          {"\"task\"\t\"y\"\t\"a\"\t\"b\"\n\"x\"\t1\t3\t4\nz\t2\t5\t6\nx\t-3\t\"7\"\t8\n", "", "", "a b"},
		"row names":       {",a,task,b,y\n0,3,x,4,1\n1,5,z,6,2\n2,7,x,8,-3\n", "task", "y", "a b"},
		"task is at last": {"y a b task\n1 3 4 x\n2 5 6 z\n-3 7 8 x\n", "task", "1", "a b"},
	} {
		d, err := readTasks("-", strings.NewReader(c.text), c.task, c.target)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(d.X.Dense, []float64{3, 4, 5, 6, 7, 8}) || !slices.Equal(d.Y, []float64{1, 2, -3}) ||
			!slices.Equal(d.Task, []int32{0, 1, 0}) ||
			strings.Join(d.TaskNames, " ") != "x z" || strings.Join(d.X.Names, " ") != c.features || d.X.Rows != 3 || d.X.Cols != 2 {
			t.Errorf("%s: %+v, X %+v", name, d, d.X)
		}
	}
}

// Blanks inside quotes are part of a name.
func TestQuotedTasks(t *testing.T) {
	d, err := readTasks("-", strings.NewReader("task,y,a\n\" x\",1,3\n x,2,5\n\"x\",3,7\n"), "", "")
	if err != nil || !slices.Equal(d.TaskNames, []string{" x", "x"}) || !slices.Equal(d.Task, []int32{0, 1, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestBadTasks(t *testing.T) {
	for name, c := range map[string]struct{ text, task, target, want string }{
		"empty":          {"", "", "", "standard input: is empty"},
		"only a header":  {"task,y,a\n", "", "", "has a header and no rows"},
		"no such name":   {"task,y,a\nx,1,2\n", "school", "", `:1: has no column "school"; there are "task", "y", "a"`},
		"no such number": {"task,y,a\nx,1,2\n", "4", "1", ":1: has 3 columns; number 4 is asked for"},
		"number zero":    {"task,y,a\nx,1,2\n", "0", "1", "number 0 is asked for"},
		"same":           {"task,y,a\nx,1,2\n", "y", "2", "both as the task and as the target"},
		"twice":          {"task,y,y\nx,1,2\n", "", "", `has several columns "y"`},
		"no features":    {"task,y\nx,1\n", "", "", "none is left for a feature"},
		"ragged":         {"task,y,a\nx,1,2\nx,1\n", "", "", ":3: has 2 columns where line 1 has 3"},
		"short of last":  {"a,b,y,task\n1,2,3,x\n1,2,3\n", "", "", ":3: has 3 columns where line 1 has 4"},
		"short of aside": {"task,a,y\nx,1,2\nx,1\n", "", "", ":3: has 2 columns where line 1 has 3"},
		"empty task":     {"task,y,a\n,1,2\n", "", "", `:2: column 1 ("task") is empty`},
		"blank task":     {"task,y,a\n\"  \",1,2\n", "", "", `:2: column 1 ("task") is empty`},
		"no target":      {"task,y,a\nx,inf,2\n", "", "", `:2: column 2 ("y") is "inf"`},
		"word":           {"task,y,a\nx,1,2\nx,1,3\nx,1,two\n", "", "", `:4: column 3 ("a") is "two", not a number`},
		"missing":        {"x,1,NA\nx,1,2\n", "1", "2", `:1: column 3 is "NA", a missing value`},
		"mixed header":   {"task,y,2019\nx,1,2\n", "1", "2", `:1: column 2 is "y", not a number, and a header holds no numbers`},
		"binary":         {"\x00\x01\n", "", "", "holds binary data"},
	} {
		_, err := readTasks("-", strings.NewReader(c.text), c.task, c.target)
		wantError(t, name, err, c.want)
	}
}

func FuzzTasks(f *testing.F) {
	f.Add([]byte("task,y,a,b\nx,1,3,4\nz,2,5,6\n"), "", "")
	f.Add([]byte("x;1;3\nz;2;5\n"), "1", "2")
	f.Add([]byte(",\"a\",task,y\n0,3,\"x\"\"\",1\n"), "3", "y")
	f.Add([]byte("1 2 3\n"), "3", "1")
	f.Fuzz(func(t *testing.T, b []byte, task, target string) {
		d, err := readTasks("-", bytes.NewReader(b), task, target)
		if err != nil {
			if len(task)+len(target) < 100 {
				oneLine(t, err)
			}
			return
		}
		checkMatrix(t, d.X)
		if len(d.Y) != d.X.Rows || len(d.Task) != d.X.Rows || int(slices.Max(d.Task)) != len(d.TaskNames)-1 {
			t.Errorf("%d rows, %d targets, %d tasks of %d", d.X.Rows, len(d.Y), len(d.Task), len(d.TaskNames))
		}
	})
}

// Labels of several files of a task each are placed in the files that have them.
func TestPlacesOfTaskLabels(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a.libsvm"), filepath.Join(t.TempDir(), "b.csv")
	c := filepath.Join(t.TempDir(), "c.libsvm")
	for name, text := range map[string]string{a: "# one\nno 1:2\nyes 1:3\n", c: "no 1:1\n\nmaybe 1:2\n", b: "y,x\nno,1\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := RowsReader{}.TaskLabels([]string{a, c}, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if first, last := r.AnswerAt(1), r.AnswerAt(3); first != a+":3" || last != c+":3" {
		t.Errorf("labels 2 and 4 are said to be at %s and %s", first, last)
	}
	if _, err := (RowsReader{}).TaskLabels([]string{a, b}, "", ""); err == nil {
		t.Error("files of two formats were appended")
	}
}
