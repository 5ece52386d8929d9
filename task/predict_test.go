package task_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// written is a file of that text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Files of rows are read as those of training, with their answers or without, and predictions are written beside them.
func TestPredictFiles(t *testing.T) {
	exact := task.Options{Lambda: 1e-9, Run: solver.Options{Tol: 1e-9}}
	targets := targetsOf(t, unit(2), 3, -5)
	tasks := targetsOf(t, [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}, 1, 2, 3, 4)
	if err := tasks.SetTasks([]string{"a", "a", "b", "b"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		train             *task.Linear
		file, want, worth string
	}{
		{&task.Linear{Kind: task.Regression, Train: targets}, "1,0\n0,1\n1,1\n", "prediction\n3\n-5\n-2\n", ""},
		{&task.Linear{Kind: task.Regression, Train: targets}, "x,z,y\n1,0,3\n0,1,-5\n", "prediction\n3\n-5\n", "RMSE"},
		{&task.Linear{Kind: task.MultiTask, Train: tasks}, "task,x,z\nb,1,0\nc,1,0\na,0,1\n", "task,prediction\nb,3\nc,\na,2\n", ""},
		{&task.Linear{Kind: task.Classification, Loss: task.Loss{Kind: task.Squared}, Train: rowsOf(t, unit(2), "no", "yes")},
			"no 1:1\nyes 2:1\n",
			"label,no,yes\nno,1,-1\nyes,-1,1\n", "error rate"},
	} {
		l := *c.train
		m := fitLinear(t, &l, exact).Model
		if strings.Contains(c.file, "y\n") {
			m.Info.Target = "y"
		}
		by, err := task.NewPredictor(m)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := (&task.RowsFile{Data: written(t, "rows", c.file)}).Read(m)
		if err != nil {
			t.Fatal(err)
		}
		p, err := by.Predict(rows)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := p.Records().WriteCSV(&out); err != nil || out.String() != c.want {
			t.Errorf("%q: wrote %q, %v; want %q", c.file, out.String(), err, c.want)
		}
		switch _, got := p.Measure(); {
		case c.worth == "" && got != nil:
			t.Errorf("%q: measured %+v", c.file, got)
		case c.worth != "" && (got == nil || got.Scores()[0].Name != c.worth || got.Scores().First() > 1e-6):
			t.Errorf("%q: measured %+v, want no %s", c.file, got, c.worth)
		}
	}
}
