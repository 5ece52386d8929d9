package metric_test

import (
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/metric"
)

// Precision, recall and F1 by hand, of a class that is never predicted and of one that never occurs too.
func TestEachClass(t *testing.T) {
	got := metric.EachClass([]string{"a", "b", "c", "d"}, [][]int{{3, 1, 0, 0}, {1, 2, 0, 1}, {2, 0, 0, 0}, {0, 0, 0, 0}})
	want := []metric.ClassScore{{"a", 0.5, 0.75, 0.6, 4}, {"b", 2. / 3, 0.5, 4. / 7, 4}, {"c", 0, 0, 0, 2}, {"d", 0, 0, 0, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	lines := metric.ClassTable(got[:2])
	if !slices.Equal(lines, []string{"class  precision  recall      F1    rows", "a         0.5000  0.7500  0.6000       4",
		"b         0.6667  0.5000  0.5714       4"}) {
		t.Errorf("%q", lines)
	}
}
