package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
)

// A TraceWriter writes one JSON line for every iterate, the first and the last included. It is written as the run goes, so that a
// killed run leaves what it did. A nil one writes nothing.
type TraceWriter struct {
	f   *os.File
	err error
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
}

// NewTraceWriter creates the file, which no other run may be writing; "" gives nil.
func NewTraceWriter(name string) (*TraceWriter, error) {
	if name == "" {
		return nil, nil
	}
	f, err := atomicfile.CreateExclusive(name)
	if err != nil {
		return nil, fmt.Errorf("%s: the trace cannot be written: %w", name, withoutPath(err))
	}
	return &TraceWriter{f: f}, nil
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
func (t *TraceWriter) Write(e solver.Event, size selection.Size, test selection.Measured) {
	if t == nil || t.err != nil {
		return
	}
	c := e.State.Cert
	line := traceLine{Iteration: e.Iter, Seconds: e.Elapsed.Seconds(), Objective: c.Objective, Loss: e.State.Loss,
		Gauge: e.State.Rho,
		Size:  size, Test: test, Polars: e.State.Count.Polars, Gradients: e.State.Count.Gradients, Status: string(e.Status)}
	if line.LowerBound, line.RelativeGap = c.Bracket(); line.LowerBound != nil {
		line.Certificate = c.Kind.String()
	}
	line.Split.Polar, line.Split.LineSearch = e.Split.Polar.Seconds(), e.Split.Step.Seconds()
	line.Split.Improve, line.Split.Certificate = e.Split.Improve.Seconds(), e.Split.Certificate.Seconds()
	b, err := json.Marshal(line)
	if err == nil {
		_, err = t.f.Write(append(b, '\n'))
	}
	t.err = err
}

// Close closes the file, and says whether all was written.
func (t *TraceWriter) Close() error {
	if t == nil {
		return nil
	}
	err := t.f.Close()
	if t.err != nil {
		err = t.err
	}
	if err != nil {
		return fmt.Errorf("%s: the trace is incomplete: %w", t.f.Name(), withoutPath(err))
	}
	return nil
}
