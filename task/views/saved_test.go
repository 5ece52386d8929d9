package views_test

import (
	"bytes"
	"testing"

	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// A saved model gives the codes and predictions of the one that was fitted, with names of features or without; one that is cut
// short, or whose views do not fit, is refused.
func TestSaved(t *testing.T) {
	for _, named := range []bool{false, true} {
		x1, x2, _ := twoViews(20, 4, 3, 0.1, 21)
		if named {
			x2.Names = []string{"p", "q", "r"}
		}
		huber := task.Loss{Kind: task.Huber, Mu: 0.1}
		v := &views.Task{Views: []views.View{{Name: "a", X: x1, Loss: huber}, {Name: "b", X: x2}}, Scale: views.Centred}
		r := fit(t, v, 1, 1e-3)
		var b bytes.Buffer
		if err := r.Model.Write(&b); err != nil {
			t.Fatal(err)
		}
		m, err := model.Read(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		given := []views.Given{{View: 1, Name: "new", X: x2}}
		want, got := predicted(t, r.Model, given), predicted(t, m, given)
		if rms(got, want) != 0 || len(got) != 20*4 {
			t.Errorf("%d predictions differ by %g", len(got), rms(got, want))
		}
		for _, cut := range []int{3, 100, b.Len() / 2, b.Len() - 1} {
			if _, err := model.Read(bytes.NewReader(b.Bytes()[:cut])); err == nil {
				t.Errorf("%d of %d bytes are read", cut, b.Len())
			}
		}
		m.Info.Views[0].Features++
		if err := m.Write(&bytes.Buffer{}); err == nil {
			t.Error("views of more features than there are rows are written")
		}
	}
}

// predicted is the first view, predicted from others.
func predicted(t *testing.T, m *model.Model, given []views.Given) []float64 {
	t.Helper()
	e, err := views.NewEncoder(m)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := e.Codes(given)
	if err != nil {
		t.Fatal(err)
	}
	return e.Predict(0, codes).Dense
}
