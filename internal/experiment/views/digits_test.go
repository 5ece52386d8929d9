package views_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	experiment "github.com/seed-b18ef778/gcg/internal/experiment/views"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// digits are two views of written digits.
func digits(t *testing.T) *experiment.Labelled {
	t.Helper()
	l := &experiment.Labelled{}
	for _, name := range []string{"fou", "zer"} {
		x, err := dataset.ReadMatrix(shared(t, "mfeat/mfeat."+name+".X.csv.gz"), nil)
		if err != nil {
			t.Fatal(err)
		}
		l.Views = append(l.Views, views.View{Name: name, X: x})
	}
	var err error
	if l.Classes, err = dataset.ReadLabels(shared(t, "mfeat/mfeat.y.csv"), nil, l.Views[0].X.Rows); err != nil {
		t.Fatal(err)
	}
	return l
}

// Labels learnt as a view predict digits far better than chance, a tenth, and the gap is closed.
func TestDigits(t *testing.T) {
	l := digits(t)
	l.Divide(60, 200, 1)
	opt := task.Options{LambdaRatio: 0.1, Run: solver.Options{Tol: 0.01, MaxIter: 40}}
	if !*full {
		accuracy, r, err := l.WithLabels(context.Background(), 1, opt)
		if err != nil {
			t.Fatal(err)
		}
		if accuracy < 0.6 || r.Result.Status != solver.Converged {
			t.Errorf("accuracy %.3f, %s", accuracy, r.Result.Status)
		}
		return
	}
	l.Divide(200, 1000, 1)
	opt.Run.MaxIter, opt.Run.MaxTime = 0, 100*time.Second
	var b bytes.Buffer
	if err := l.WriteAccuracies(context.Background(), &b, 1, opt); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", b.String())
}
