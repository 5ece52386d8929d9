package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/selection"
)

// A path that has no bound yet prints no gap.
func TestPathWithoutABound(t *testing.T) {
	var out bytes.Buffer
	gap, rank := 0.5, selection.Size{Rank: new(int)}
	if err := printPath(&out, []PathPoint{{Lambda: 5, Optimum: &Optimum{}, RelativeGap: &gap, Size: rank},
		{Lambda: 4, Optimum: &Optimum{}, Size: rank}}, false); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); !strings.HasSuffix(lines[1], "   5.0e-01") ||
		!strings.HasSuffix(lines[2], "         -") {
		t.Errorf("%s", out.String())
	}
}

// The smallest error is marked where there are errors, and that of a standard error where there are folds.
func TestMarks(t *testing.T) {
	score := func(x, err float64) selection.Point {
		return selection.Point{Scores: selection.Scores{{Name: "RMSE", Value: x}}, StdErr: err}
	}
	points := []selection.Point{score(3, 1), score(1.5, 1), score(1, 1), score(2, 1)}
	for folds, want := range []string{"[[] [] [min] []]", "[[] [1se] [min] []]"} {
		if got := fmt.Sprint(marks(points, folds)); got != want {
			t.Errorf("%d folds: %v, want %v", folds, got, want)
		}
	}
	if got := marks([]selection.Point{{}, {}}, 0); got[0] != nil || got[1] != nil {
		t.Errorf("marked %v without errors", got)
	}
}

// Errors of any size stay in their columns.
func TestScoresFitTheirColumn(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00000", 0.12345678: "0.12346", 9999.123456: "9999.12346",
		45231.123456: "45231.1235", 123456789.5: "123456790", 1.5e300: "1.5e+300", 1e-7: "1e-07"} {
		if got := tabled(x); got != want || len(got) > 10 {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}
