package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/report"
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
			return strings.Count(out.String(), "<path")
		}
		before := lines()
		m.MarkedRows, m.MarkedCols = []int{0}, []int{size[1] - 1}
		if after := lines(); after != before+2 {
			t.Errorf("%v: %d paths with two marks, %d without", size, after, before)
		}
	}
	if err := report.Matrix(&bytes.Buffer{}, "svg", report.MarkedMatrix{Rows: 2, Cols: 2, Values: []float64{1}}); err == nil {
		t.Error("a matrix without its entries is drawn")
	}
}
