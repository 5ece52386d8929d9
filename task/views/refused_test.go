package views_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

func matrix(cols int, x ...float64) *dataset.Matrix {
	return &dataset.Matrix{Rows: len(x) / cols, Cols: cols, Dense: x}
}

// Each mistake is one line that names the file, the place and the mend.
func TestRefused(t *testing.T) {
	nan := math.NaN()
	a := func() views.View { return views.View{Name: "a.csv", X: matrix(2, 1, 2, 3, 4, 5, 7)} }
	for want, v := range map[string]*views.Task{
		"task: 1 views have nothing to share":   {Views: []views.View{a()}},
		"b.csv: has 2 samples, and a.csv has 3": {Views: []views.View{a(), {Name: "b.csv", X: matrix(1, 1, 2)}}},
		"b.csv: its radius is -1": {Views: []views.View{a(),
			{Name: "b.csv", X: matrix(1, 1, 2, 4), Radius: -1}}},
		"b.csv: its weight is NaN": {Views: []views.View{a(),
			{Name: "b.csv", X: matrix(1, 1, 2, 4), Weight: nan}}},
		"b.csv: column 2 is missing in every sample": {Views: []views.View{a(),
			{Name: "b.csv", X: matrix(2, 1, nan, 2, nan, 3, nan)}}},
		"b.csv: row 2, column 1: is 2, and the logistic loss": {Views: []views.View{a(),
			{Name: "b.csv", X: matrix(1, 1, 2, 0), Loss: task.Loss{Kind: task.Logistic}}}},
		"b.csv: row 1, column 1: is 1e+200; beyond": {Views: []views.View{a(), {Name: "b.csv", X: matrix(1, 1e200, 2, 0)}}},
		"b.csv: a view has the loss squared, huber:μ or logistic": {Views: []views.View{a(),
			{Name: "b.csv", X: matrix(1, 1, 2, 0), Loss: task.Loss{Kind: task.Hinge, Mu: 1}}}},
		"y.csv: has labels for 2 samples, and the views have 3": {Views: []views.View{a(), a()},
			Labels: &views.Labels{Name: "y.csv", Outputs: []string{"l"}, Y: []float64{1, -1}}},
		`y.csv: label "l" is the same in every sample`: {Views: []views.View{a(), a()},
			Labels: &views.Labels{Name: "y.csv", Outputs: []string{"l"}, Y: []float64{1, 1, nan}}},
		"y.csv: labels go with two views, not with 3": {Views: []views.View{a(), a(), a()},
			Labels: &views.Labels{Name: "y.csv", Outputs: []string{"l"}, Y: []float64{1, 1, -1}}},
	} {
		if _, err := v.Prepare(); err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Columns that are constant, and views beside which others do not count, are told of.
func TestWarned(t *testing.T) {
	v := &views.Task{Views: []views.View{{Name: "a.csv", X: matrix(2, 1, 1e6, 1, 2e6, 1, 3e6)},
		{Name: "b.csv", X: matrix(1, 1, 2, 4)}}}
	p, err := v.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, w := range p.Warnings() {
		said = append(said, w.String())
	}
	if len(said) != 2 || !strings.HasPrefix(said[0], "a.csv: column 1 is constant") ||
		!strings.HasPrefix(said[1], "a.csv weighs 6.7e+11 times") {
		t.Errorf("%q", said)
	}
}

// Labels are classes in one column, or signs in several, some of them not known.
func TestReadLabels(t *testing.T) {
	nan := math.NaN()
	for text, want := range map[string]struct {
		outputs string
		y       []float64
		classes bool
	}{
		"cat\ndog\nNA\ncat\n":        {"cat dog", []float64{-1, 1, nan, -1}, true},
		"class\n3\n1\n2\n1\n":        {"1 2 3", []float64{-1, -1, 1, 1, -1, -1, -1, 1, -1, 1, -1, -1}, true},
		"p,q\n1,0\n0,0\n,1\n1,NaN\n": {"p q", []float64{1, -1, -1, -1, nan, 1, 1, nan}, false},
		"1,-1\n-1,1\n1,1\n-1,-1\n":   {"label1 label2", []float64{1, -1, -1, 1, 1, 1, -1, -1}, false},
	} {
		l, err := views.ReadLabels(file(t, "y.csv", text), 4)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		same := len(l.Y) == len(want.y)
		for i := range want.y {
			same = same && (l.Y[i] == want.y[i] || math.IsNaN(l.Y[i]) && math.IsNaN(want.y[i]))
		}
		if !same || strings.Join(l.Outputs, " ") != want.outputs || l.Classes != want.classes {
			t.Errorf("%q: %+v", text, l)
		}
	}
	for text, want := range map[string]string{
		"cat\ndog\n":           "has 2 labels for 4 rows",
		"1\n1\n1\n1\n":         "there is nothing to learn",
		"1,0\n0,2\n1,1\n0,0\n": ":2: column 2: is 2; labels in several columns are 0 and 1",
		"1,0\n0,x\n1,1\n0,0\n": ":2: column 2 is \"x\"",
	} {
		name := file(t, "y.csv", text)
		if _, err := views.ReadLabels(name, 4); err == nil || !strings.HasPrefix(err.Error(), name) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}
