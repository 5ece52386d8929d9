package report

import (
	"bytes"
	"strings"
	"testing"
)

// Components have three panels, the largest loadings with names, and a mark for each variance, loading and row.
func TestDrawComponents(t *testing.T) {
	c := Components{Title: "two", Explained: []Explained{{Parts: []float64{0.5, 0.25}}}, Names: []string{"PC1", "PC2"},
		Loadings: [][]Loading{{{0, "age", 0.9}, {4, "size", -0.4}, {5, "a", 0.1}, {6, "b", 0.1}, {7, "least", 0.05}},
			{{2, "price", 1}}},
		Scores: []float64{1, 2, 3, 4, -1, 0}, RowNames: []string{"ann", "bob", "eve"}}
	var b bytes.Buffer
	if err := DrawComponents(&b, "svg", c); err != nil {
		t.Fatal(err)
	}
	texts, circles := parseSVG(t, b.Bytes())
	for _, want := range []string{"part of the variance", "loading", "age", "size", "price", "PC1", "PC2", "ann", "bob", "eve"} {
		if !strings.Contains(texts, want) {
			t.Errorf("%q is not in the drawing, which says %q", want, texts)
		}
	}
	if strings.Contains(texts, "least") {
		t.Error("a small loading is named")
	}
	if want := 3 + 6 + 3 + 2; circles != want { // two in the legend
		t.Errorf("%d marks, want %d", circles, want)
	}
	alone := Components{Explained: []Explained{{Parts: []float64{0.5}}}, Names: []string{"PC1"},
		Loadings: [][]Loading{{{0, "age", 1}}},
		Scores:   []float64{1, 2, 3}}
	if err := DrawComponents(&b, "svg", alone); err != nil {
		t.Error(err)
	}
	alone.Scores = nil // of a covariance
	if err := DrawComponents(&b, "png", alone); err != nil {
		t.Error(err)
	}
	views := Components{Explained: []Explained{{"left", []float64{0.5, 0.1}}, {"right", []float64{0.2, 0.3}}},
		Names: []string{"1", "2"}, Loadings: [][]Loading{{{0, "age", 1}}}}
	b.Reset()
	if err := DrawComponents(&b, "svg", views); err != nil {
		t.Error(err)
	}
	if texts, circles := parseSVG(t, b.Bytes()); circles != 3+3+1+3 || !strings.Contains(texts, "right") {
		t.Errorf("two views have %d marks, and say %q", circles, texts)
	}
	for _, wrong := range []Components{{}, {Names: []string{"a"}},
		{Names: []string{"a", "b"}, Loadings: make([][]Loading, 2), Scores: []float64{1}}} {
		if err := DrawComponents(&b, "svg", wrong); err == nil {
			t.Errorf("%+v is drawn", wrong)
		}
	}
}

// Names that would lie on each other are written on the other side, or left out.
func TestNamesKeepApart(t *testing.T) {
	c := Components{Title: "one", Explained: []Explained{{Parts: []float64{0.5}}}, Names: []string{"PC1"},
		Loadings: [][]Loading{{{20, "first", 0.9}, {20, "second", 0.9}, {20, "third", 0.9}, {0, "other", -0.4}, {40, "last", 0}}}}
	var b bytes.Buffer
	if err := DrawComponents(&b, "svg", c); err != nil {
		t.Fatal(err)
	}
	texts, _ := parseSVG(t, b.Bytes())
	if !strings.Contains(texts, "first") || !strings.Contains(texts, "second") || strings.Contains(texts, "third") {
		t.Errorf("three names at one point: %q", texts)
	}
}
