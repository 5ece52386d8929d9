package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// A Trace is what one run recorded, a point for each iterate. Run is what the first line says of the run, Result what gcg fit
// --json prints of it and Spectrum the singular values of its W, both from the last line; nil where the trace has none.
type Trace struct {
	Name     string
	Points   []Point
	Torn     bool // the last line breaks off, as a killed run leaves it, and is no point
	Run      *Run
	Result   json.RawMessage
	Spectrum []float64
}

// A Point is one iterate. RelativeGap is 0 where nothing was certified.
type Point struct {
	Iteration   int            `json:"iteration"`
	Seconds     float64        `json:"seconds"`
	Objective   float64        `json:"objective"`
	Loss        float64        `json:"loss"`
	LowerBound  *float64       `json:"lower_bound,omitempty"`
	RelativeGap float64        `json:"relative_gap,omitempty"`
	Rank        int            `json:"rank,omitempty"`
	Nonzeros    *int           `json:"nonzeros,omitempty"`
	Gradients   float64        `json:"gradients"`
	Polars      float64        `json:"polars"`
	Test        map[string]any `json:"test,omitempty"` // scores by their names
	Split       Split          `json:"split_seconds"`
	Status      string         `json:"status,omitempty"`
}

// A Split is the time spent so far in each part of a run, in seconds.
type Split struct {
	Polar       float64 `json:"polar"`
	LineSearch  float64 `json:"line_search"`
	Improve     float64 `json:"improve"`
	Certificate float64 `json:"certificate"`
}

// A Run is what was to be solved, and how. Parameters are the flags that were given.
type Run struct {
	Version      string      `json:"version,omitempty"`
	Began        string      `json:"began,omitempty"`
	Problem      string      `json:"problem,omitempty"`
	Data         string      `json:"data,omitempty"`
	Checksum     string      `json:"checksum,omitempty"` // of the data
	Rows         int         `json:"rows,omitempty"`
	Cols         int         `json:"cols,omitempty"`
	Observations int         `json:"observations,omitempty"`
	Solver       string      `json:"solver,omitempty"`
	Loss         string      `json:"loss,omitempty"`
	Gauge        string      `json:"gauge,omitempty"`
	Penalty      string      `json:"penalty,omitempty"`
	Normalize    string      `json:"normalize,omitempty"`
	Lambda       *float64    `json:"lambda,omitempty"`
	Constrain    *float64    `json:"constrain,omitempty"`
	Tolerance    float64     `json:"tol,omitempty"`
	Seed         uint64      `json:"seed,omitempty"`
	Parameters   [][2]string `json:"parameters,omitempty"`
}

// String is the data, without folders, and the weight, for the title of a drawing.
func (r *Run) String() string {
	if r == nil {
		return ""
	}
	var parts []string
	var files []string
	for _, name := range strings.Split(r.Data, ", ") {
		if name != "" {
			files = append(files, filepath.Base(name))
		}
	}
	for _, word := range []string{r.Problem, strings.Join(files, ", ")} {
		if word != "" {
			parts = append(parts, word)
		}
	}
	switch {
	case r.Lambda != nil:
		parts = append(parts, fmt.Sprintf("λ = %.4g", *r.Lambda))
	case r.Constrain != nil:
		parts = append(parts, fmt.Sprintf("ζ = %.4g", *r.Constrain))
	}
	return strings.Join(parts, ", ")
}

// common is what all runs say of themselves; "" where they differ.
func common(traces []Trace) string {
	text := traces[0].Run.String()
	for _, t := range traces[1:] {
		if t.Run.String() != text {
			return ""
		}
	}
	return text
}

// ReadTrace reads the JSON lines of a run. A last line that breaks off is left out where there are others.
func ReadTrace(r io.Reader, name string) (Trace, error) {
	t := Trace{Name: name}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, longestLine)
	ended := true // the line, by a newline
	sc.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		ended = bytes.IndexByte(data, '\n') >= 0
		return bufio.ScanLines(data, atEOF)
	})
	for line := 1; sc.Scan(); line++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		p, err := t.parse(sc.Bytes())
		if err != nil && !ended && len(t.Points) > 0 && breaksOff(sc.Bytes()) {
			t.Torn = true
			break
		}
		if err != nil {
			return t, fmt.Errorf("%s:%d: is no trace line: %v", name, line, err)
		}
		t.Points = append(t.Points, p)
	}
	if err := sc.Err(); err != nil {
		return t, fmt.Errorf("%s: cannot be read: %w", name, err)
	}
	if len(t.Points) == 0 {
		return t, fmt.Errorf("%s: holds no iterates", name)
	}
	return t, nil
}

// longestLine holds the result of a run with its table of confusion or its coefficients.
const longestLine = 64 << 20

// breaksOff tells the beginning of some JSON from what is none.
func breaksOff(line []byte) bool {
	var x any
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&x), io.ErrUnexpectedEOF)
}

// parse reads a line, and refuses what no run records and no axis holds.
func (t *Trace) parse(line []byte) (Point, error) {
	var p struct {
		Point
		Objective *float64        `json:"objective"`
		Run       *Run            `json:"run"`
		Result    json.RawMessage `json:"result"`
		Spectrum  []float64       `json:"spectrum"`
	}
	if t.Run != nil { // which a later line completes
		known := *t.Run
		p.Run = &known
	}
	if err := json.Unmarshal(line, &p); err != nil {
		return Point{}, err
	}
	switch {
	case p.Objective == nil:
		return Point{}, fmt.Errorf("it has no objective")
	case !(p.Seconds >= 0 && p.Seconds < 1e12):
		return Point{}, fmt.Errorf("its seconds are %v", p.Seconds)
	case p.RelativeGap < 0:
		return Point{}, fmt.Errorf("its relative gap is %v", p.RelativeGap)
	}
	p.Point.Objective = *p.Objective
	if p.Run != nil {
		t.Run = p.Run
	}
	if p.Result != nil {
		t.Result = p.Result
	}
	if p.Spectrum != nil {
		t.Spectrum = p.Spectrum
	}
	return p.Point, nil
}
