package task_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/trace"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A trace has a line for every iterate, which bracket the same optimum, and none is needed.
func TestTrace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.jsonl")
	w, err := trace.NewWriter(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &task.Linear{Kind: task.Regression, Gauge: gauge.L1{}, Train: targetsOf(t, unit(3), 3, -5, 1)}
	events := 0
	r := fitLinear(t, l, task.Options{Lambda: 0.5, Run: solver.Options{Tol: 1e-9, Event: func(e solver.Event) {
		events++
		w.Write(e, selection.SizeOf(l.Gauge, e.State.W), nil)
	}}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for _, line := range lines {
		var p struct {
			Objective  float64
			LowerBound *float64 `json:"lower_bound"`
			Nonzeros   *int
		}
		if err := json.Unmarshal(line, &p); err != nil || p.Nonzeros == nil || p.LowerBound != nil &&
			*p.LowerBound > r.Result.State.Cert.Objective+1e-12 {
			t.Errorf("%s: %v", line, err)
		}
	}
	if len(lines) != events || events < 2 {
		t.Errorf("%d lines of %d events", len(lines), events)
	}
	if none, err := trace.NewWriter("", nil); none != nil || err != nil || none.Close() != nil {
		t.Errorf("no trace is %v, %v", none, err)
	}
	if _, err := trace.NewWriter(filepath.Join(name, "below"), nil); err == nil {
		t.Error("a trace below a file was created")
	}
}

// The first line says what was solved and the last one what came of it, whatever is known only after the run.
func TestTraceEnds(t *testing.T) {
	name := filepath.Join(t.TempDir(), "trace.jsonl")
	var also bytes.Buffer
	w, err := trace.NewWriter(name, &also)
	if err != nil {
		t.Fatal(err)
	}
	w.Begin(map[string]string{"problem": "regression"})
	l := &task.Linear{Kind: task.Regression, Train: targetsOf(t, unit(3), 3, -5, 1)}
	fitLinear(t, l, task.Options{Lambda: 0.5, Run: solver.Options{Tol: 1e-9, Event: func(e solver.Event) {
		w.Write(e, selection.SizeOf(l.Gauge, e.State.W), nil)
	}}})
	if err := w.End(trace.Ends{Spectrum: []float64{2, 1}, Result: map[string]int{"rank": 2}}); err != nil {
		t.Fatal(err)
	}
	if w.Close() != nil {
		t.Error("closing again is an error")
	}
	text, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(text, also.Bytes()) {
		t.Fatalf("the other writer got %q of %q, %v", also.Bytes(), text, err)
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	for i, line := range lines {
		begins := bytes.Contains(line, []byte(`"run":{"problem":"regression"}`))
		ends := bytes.Contains(line, []byte(`"spectrum":[2,1],"result":{"rank":2}`))
		if begins != (i == 0) || ends != (i == len(lines)-1) {
			t.Errorf("line %d of %d: %s", i, len(lines), line)
		}
	}
}
