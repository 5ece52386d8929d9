package report_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/report"
)

// A matrix is drawn with a line for each marked row and column, however many entries it has; one that does not fit is refused.
func TestMatrix(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {3, 5}, {2, 1000}} {
		m := report.MarkedMatrix{Rows: size[0], Cols: size[1], Values: make([]float64, size[0]*size[1])}
		for e := range m.Values {
			m.Values[e] = float64(e%7 - 3)
		}
		lines := func() int {
			var out bytes.Buffer
			if err := report.Matrix(&out, "svg", m); err != nil {
				t.Fatal(err)
			}
			return strings.Count(out.String(), "<polyline")
		}
		before := lines()
		m.MarkedRows, m.MarkedCols = []report.Line{{Index: 0, Name: "first"}}, []report.Line{{Index: size[1] - 1, Name: "last"}}
		var named bytes.Buffer
		if err := report.Matrix(&named, "svg", m); err != nil || !strings.Contains(named.String(), ">first<") ||
			!strings.Contains(named.String(), ">last<") {
			t.Errorf("the names of lines are not drawn: %v", err)
		}
		if after := lines(); after != before+2 {
			t.Errorf("%v: %d lines with two marks, %d without", size, after, before)
		}
	}
	if err := report.Matrix(&bytes.Buffer{}, "svg", report.MarkedMatrix{Rows: 2, Cols: 2, Values: []float64{1}}); err == nil {
		t.Error("a matrix without its entries is drawn")
	}
}

// Marked rows are blue and marked columns red, in a PNG too.
func TestMatrixColours(t *testing.T) {
	var b bytes.Buffer
	m := report.MarkedMatrix{Rows: 4, Cols: 6, Values: make([]float64, 24),
		MarkedRows: []report.Line{{Index: 1}}, MarkedCols: []report.Line{{Index: 2}}}
	if err := report.Matrix(&b, "png", m); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	red, blue := 0, 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			switch r, g, bl, _ := picture.At(x, y).RGBA(); {
			case 2*r > 3*g && r > 2*bl:
				red++
			case bl > g && 3*bl > 4*r:
				blue++
			}
		}
	}
	if red < 100 || blue < 100 {
		t.Errorf("%d red and %d blue points", red, blue)
	}
}
