package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

const run = `{"iteration":0,"seconds":0,"objective":10,"relative_gap":0.5,"rank":0}

{"iteration":1,"seconds":0.1,"objective":6,"relative_gap":0.01,"rank":2,"status":""}
{"iteration":2,"seconds":0.25,"objective":5,"relative_gap":0.0001,"rank":2,"status":"converged"}
`

func trace(t *testing.T, name, text string) Trace {
	t.Helper()
	tr, err := ReadTrace(strings.NewReader(text), name)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestReadTrace(t *testing.T) {
	tr := trace(t, "r", run)
	if len(tr.Points) != 3 || tr.Name != "r" || !reflect.DeepEqual(tr.Points[1], Point{Iteration: 1, Seconds: 0.1, Objective: 6,
		RelativeGap: 0.01, Rank: 2}) {
		t.Errorf("%+v", tr)
	}
	for cut := range len(`{"iteration":3,`) {
		tr := trace(t, "r", run+`{"iteration":3,`[:cut])
		if len(tr.Points) != 3 || tr.Torn != (cut > 0) {
			t.Errorf("cut at %d: %+v", cut, tr)
		}
	}
	if tr := trace(t, "r", strings.TrimSuffix(run, "\n")); len(tr.Points) != 3 || tr.Torn {
		t.Errorf("without a newline at its end: %+v", tr)
	}
	for text, want := range map[string]string{
		"": "f: holds no iterates", "\n\n": "f: holds no iterates",
		run + "x\n": "f:5: is no trace line", "[1]": "f:1: is no trace line",
		"null": "f:1: is no trace line: it has no objective", `{"seconds":1}`: "f:1: is no trace line: it has no objective",
		`{"objective":1,"seconds":-1}`:      "its seconds are -1",
		run + `{"objective":NaN}`:           "f:5: is no trace line",
		`{"objective":1,"relative_gap":-1}`: "its relative gap is -1",
		`{"objective":1e999}`:               "f:1: is no trace line",
		`{"objective":1,"sec`:               "f:1: is no trace line", run + `{"objective":1,"sec` + "\n": "f:5: is no trace line",
		run + `{"objective":1,"seconds":-1}`: "its seconds are -1",
		strings.Repeat("9", longestLine+1):   "f: cannot be read",
	} {
		if _, err := ReadTrace(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v; want %q", text, err, want)
		}
	}
}

// The drawing is well-formed XML, has the axes' names and a legend, and one mark for each point that a logarithmic axis holds.
func TestConvergenceSVG(t *testing.T) {
	var b bytes.Buffer
	if err := Convergence(&b, "svg", Seconds, []Trace{trace(t, "r", run)}); err != nil {
		t.Fatal(err)
	}
	texts, circles := parseSVG(t, b.Bytes())
	for _, want := range []string{"Convergence", "time (s)", "relative gap", "certified gap", "objective above"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not in the drawing, which says %q", want, texts)
		}
	}
	// 3 gaps and 2 objectives above the last; each curve has one more mark in the legend
	if circles != 3+2+2 {
		t.Errorf("%d marks", circles)
	}
}

// Against counts the axis says so, and an iterate without a count is left out; an axis of another name is refused.
// What was measured on test data has a panel of its own, by a usual score before others, and points without it have no mark.
func TestConvergenceScores(t *testing.T) {
	scored := strings.NewReplacer(`"rank":0`, `"rank":0,"test":{"a_score":1,"rmse":1.25,"observations":7}`,
		`"status":"converged"`, `"test":{"rmse":0.75},"status":"converged"`).Replace(run)
	var b bytes.Buffer
	if err := Convergence(&b, "svg", Seconds, []Trace{trace(t, "one", scored), trace(t, "other", run)}); err != nil {
		t.Fatal(err)
	}
	texts, circles := parseSVG(t, b.Bytes())
	if !strings.Contains(texts, "rmse on test data") {
		t.Errorf("the drawing says %q", texts)
	}
	var without bytes.Buffer
	if err := Convergence(&without, "svg", Seconds, []Trace{trace(t, "one", run), trace(t, "other", run)}); err != nil {
		t.Fatal(err)
	}
	if texts, before := parseSVG(t, without.Bytes()); circles != before+2+1 || strings.Contains(texts, "test data") {
		t.Errorf("%d marks, without scores %d: %s", circles, before, texts)
	}
}

func TestConvergenceAgainst(t *testing.T) {
	counted := strings.ReplaceAll(run, `"iteration":0`, `"iteration":0,"gradients":1,"polars":0`)
	counted = strings.ReplaceAll(counted, `"iteration":1`, `"iteration":1,"gradients":3,"polars":9`)
	for axis, gaps := range map[Axis]int{Gradients: 2, Polars: 1} {
		var b bytes.Buffer
		if err := Convergence(&b, "svg", axis, []Trace{trace(t, "r", counted)}); err != nil {
			t.Fatal(err)
		}
		// as many objectives above the last as gaps, and a mark of each curve in the legend
		if texts, circles := parseSVG(t, b.Bytes()); !strings.Contains(texts, string(axis)) || circles != 2*gaps+2 {
			t.Errorf("%s: %d marks, %q", axis, circles, texts)
		}
	}
	if err := Convergence(io.Discard, "svg", Gradients, []Trace{trace(t, "r", run)}); err == nil ||
		!strings.Contains(err.Error(), "gradients") {
		t.Errorf("a trace without counts: %v", err)
	}
	if err := Convergence(io.Discard, "svg", "steps", []Trace{trace(t, "r", run)}); err == nil {
		t.Error("an unknown axis was drawn")
	}
}

func TestConvergenceNamesTraces(t *testing.T) {
	var b bytes.Buffer
	if err := Convergence(&b, "svg", Seconds, []Trace{trace(t, "first", run), trace(t, "second", run)}); err != nil {
		t.Fatal(err)
	}
	texts, _ := parseSVG(t, b.Bytes())
	for _, want := range []string{"first", "second", "solid: certified gap", "dashed: above"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not in %q", want, texts)
		}
	}
}

// parseSVG is the text of a drawing, and its number of marks.
func parseSVG(t *testing.T, b []byte) (texts string, glyphs int) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	root := ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if root == "" {
				root = e.Name.Local
			}
			if e.Name.Local == "circle" {
				glyphs++
			}
		case xml.CharData:
			texts += string(e)
		}
	}
	if root != "svg" {
		t.Fatalf("the root is %q", root)
	}
	return texts, glyphs
}

func TestConvergenceFormats(t *testing.T) {
	for format, magic := range map[string]string{"png": "\x89PNG", "pdf": "%PDF"} {
		var b bytes.Buffer
		if err := Convergence(&b, format, Seconds, []Trace{trace(t, "r", run)}); err != nil || !strings.HasPrefix(b.String(), magic) {
			t.Errorf("%s: %v, %.8q", format, err, b.String())
		}
	}
	if err := Convergence(io.Discard, "gif2", Seconds, []Trace{trace(t, "r", run)}); err == nil {
		t.Error("an unknown format was drawn")
	}
	if err := Convergence(fullDisk{}, "svg", Seconds, []Trace{trace(t, "r", run)}); err == nil {
		t.Error("a full disk was not noticed")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left on device") }

// A single point, a converged start and gaps beyond any axis are drawn or refused; nothing panics or loops.
func TestConvergenceEdges(t *testing.T) {
	for text, drawn := range map[string]bool{
		`{"objective":5,"relative_gap":0.5}`:                             true,
		`{"objective":5,"relative_gap":0}`:                               false,
		`{"objective":5,"relative_gap":1e308}`:                           false,
		"{\"objective\":-1e308}\n{\"objective\":1e308,\"seconds\":9e11}": false,
		"{\"objective\":1}\n{\"objective\":0}":                           false,
	} {
		err := Convergence(io.Discard, "svg", Seconds, []Trace{trace(t, "r", text)})
		if drawn != (err == nil) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := Convergence(io.Discard, "svg", Seconds, []Trace{{Name: "none"}, trace(t, "r", run)}); err != nil {
		t.Errorf("beside a trace of nothing: %v", err)
	}
}

func FuzzReadTrace(f *testing.F) {
	f.Add([]byte(run))
	f.Add([]byte(`{"objective":5,"relative_gap":1e308,"seconds":1e300}`))
	f.Add([]byte("null\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tr, err := ReadTrace(bytes.NewReader(b), "f")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		if len(tr.Points) < 50 {
			Convergence(io.Discard, "svg", Seconds, []Trace{tr})
		}
	})
}
