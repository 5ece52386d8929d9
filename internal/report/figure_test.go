package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/canvas"
)

// No text of a drawing ends beyond its sides, however long the names are: of those that are too long the middle is left out.
func TestNamesStayInside(t *testing.T) {
	long := strings.Repeat("a rather long name of a run ", 9)
	var traces []Trace
	for i := range 4 {
		traces = append(traces, trace(t, fmt.Sprint(i, " ", long), run))
	}
	coefficients := []Coefficient{{long, []float64{0, 1}}, {"short", []float64{0, 1.01}}}
	for what, draw := range map[string]func(w io.Writer) error{
		"convergence": func(w io.Writer) error { return Convergence(w, "svg", Seconds, traces) },
		"one run":     func(w io.Writer) error { return Convergence(w, "svg", Seconds, traces[:1]) },
		"path": func(w io.Writer) error {
			return Path(w, "svg", PathCurve{Title: long, Subtitle: long, Points: []PathPoint{{2, []int{1}, 1, 0.1}, {1, []int{2}, 2, 0.1}},
				Error: "RMSE", Sizes: []string{"rank"}, Coefficients: coefficients, Choices: []Choice{{Lambda: 1, Rule: "min"}}})
		},
		"matrix": func(w io.Writer) error {
			return Matrix(w, "svg", MarkedMatrix{Title: long, Rows: 2, Cols: 2, Values: make([]float64, 4),
				MarkedRows: []Line{{0, long}}, MarkedCols: []Line{{1, long}}})
		},
	} {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		inside(t, what, b.Bytes())
	}
}

// inside holds every text of an SVG to its sides.
func inside(t *testing.T, what string, b []byte) {
	t.Helper()
	d, wide, high := xml.NewDecoder(bytes.NewReader(b)), 0.0, 0.0
	for token, err := d.Token(); err == nil; token, err = d.Token() {
		e, begins := token.(xml.StartElement)
		if !begins {
			continue
		}
		get := map[string]string{}
		for _, a := range e.Attr {
			get[a.Name.Local] = a.Value
		}
		number := func(name string) float64 { x, _ := strconv.ParseFloat(get[name], 64); return x }
		if e.Name.Local == "svg" {
			box := strings.Fields(get["viewBox"])
			wide, _ = strconv.ParseFloat(box[2], 64)
			high, _ = strconv.ParseFloat(box[3], 64)
		}
		if e.Name.Local != "text" {
			continue
		}
		next, _ := d.Token()
		text, _ := next.(xml.CharData)
		length := canvas.Width(string(text), number("font-size"))
		before := map[string]float64{"": 0, "middle": 0.5, "end": 1}[get["text-anchor"]]
		from, to, end := number("x")-before*length, number("x")+(1-before)*length, wide
		if get["transform"] != "" {
			from, to, end = number("y")-(1-before)*length, number("y")+before*length, high
		}
		if from < 0 || to > end {
			t.Errorf("%s: %q stands from %.0f to %.0f of %.0f", what, text, from, to, end)
		}
	}
}

// Heights that are too near each other are moved apart, in their order and within the ends where they fit.
func TestApart(t *testing.T) {
	got := apart([]float64{10, 10, 11, 100}, 0, 100)
	for i := range got {
		if i > 0 && got[i]-got[i-1] < textSize || got[i] < 0 || got[i] > 100 {
			t.Errorf("%v", got)
		}
	}
}
