// Package trace writes the iterates of a run as lines of JSON, for drawings.
package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Writer writes one JSON line for every iterate, the first and the last included. It is written as the run goes, so that a
// killed run leaves what it did; the line at which a run ends waits for Close or End. A nil one writes nothing.
type Writer struct {
	f    *os.File // nil where no file is written
	also io.Writer
	err  error
	run  any        // for the next line
	last *traceLine // at which the run ended, not yet written
}

type traceLine struct {
	Iteration   int      `json:"iteration"`
	Seconds     float64  `json:"seconds"`
	Objective   float64  `json:"objective"`
	Loss        float64  `json:"loss"`
	Gauge       float64  `json:"gauge"`
	LowerBound  *float64 `json:"lower_bound,omitempty"`
	RelativeGap *float64 `json:"relative_gap,omitempty"`
	Certificate string   `json:"certificate,omitempty"`
	selection.Size
	Test  selection.Measured `json:"test,omitempty"`
	Split struct {
		Polar       float64 `json:"polar"`
		LineSearch  float64 `json:"line_search"`
		Improve     float64 `json:"improve"`
		Certificate float64 `json:"certificate"`
	} `json:"split_seconds"`
	Polars    int    `json:"polars"`
	Gradients int    `json:"gradients"`
	Status    string `json:"status,omitempty"`
	Ends
}

// Ends are keys of the first and the last line of a trace.
type Ends struct {
	Run      any       `json:"run,omitempty"`      // what was solved, and how
	Spectrum []float64 `json:"spectrum,omitempty"` // the singular values of W
	Result   any       `json:"result,omitempty"`   // of the run
}

// NewWriter creates the file, which no other run may be writing; each line also goes to another writer, where there is one.
// Without either it is nil.
func NewWriter(name string, also io.Writer) (*Writer, error) {
	switch {
	case name == "" && also == nil:
		return nil, nil
	case name == "":
		return &Writer{also: also}, nil
	}
	f, err := atomicfile.CreateExclusive(name)
	if err != nil {
		return nil, fmt.Errorf("%s: the trace cannot be written: %w", name, withoutPath(err))
	}
	return &Writer{f: f, also: also}, nil
}

// Begin gives the next line the key run.
func (t *Writer) Begin(run any) {
	if t != nil {
		t.run = run
	}
}

// withoutPath is an error of a file without its name.
func withoutPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Write writes an event, with what its iterate is worth on held-out data, or nil. The first error is kept for Close.
func (t *Writer) Write(e solver.Event, size selection.Size, test selection.Measured) {
	if t == nil {
		return
	}
	t.flush()
	c := e.State.Cert
	line := traceLine{Iteration: e.Iter, Seconds: e.Elapsed.Seconds(), Objective: c.Objective, Loss: e.State.Loss,
		Gauge: e.State.Rho,
		Size:  size, Test: test, Polars: e.State.Count.Polars, Gradients: e.State.Count.Gradients, Status: string(e.Status)}
	if line.LowerBound, line.RelativeGap = c.Bracket(); line.LowerBound != nil {
		line.Certificate = c.Kind.String()
	}
	line.Split.Polar, line.Split.LineSearch = e.Split.Polar.Seconds(), e.Split.Step.Seconds()
	line.Split.Improve, line.Split.Certificate = e.Split.Improve.Seconds(), e.Split.Certificate.Seconds()
	line.Run, t.run = t.run, nil
	if e.Status != "" {
		t.last = &line
		return
	}
	t.put(&line)
}

// flush writes the line that waits.
func (t *Writer) flush() {
	if t.last != nil {
		t.put(t.last)
		t.last = nil
	}
}

// put writes a line.
func (t *Writer) put(line *traceLine) {
	b, err := json.Marshal(line)
	if err == nil && t.also != nil {
		t.also.Write(append(b, '\n')) // which is not what the trace is for: its errors are its own
	}
	if t.err != nil || t.f == nil {
		return
	}
	if err == nil {
		_, err = t.f.Write(append(b, '\n'))
	}
	t.err = err
}

// End gives the last line the keys that are known after it, and closes the file.
func (t *Writer) End(with Ends) error {
	if t != nil && t.last != nil {
		t.last.Ends = with
	}
	return t.Close()
}

// Close closes the file, and says whether all was written. Closing again does nothing.
func (t *Writer) Close() error {
	if t == nil {
		return nil
	}
	t.flush()
	if t.f == nil {
		return nil
	}
	f := t.f
	t.f = nil
	err := f.Close()
	if t.err != nil {
		err = t.err
	}
	if err != nil {
		return fmt.Errorf("%s: the trace is incomplete: %w", f.Name(), withoutPath(err))
	}
	return nil
}
