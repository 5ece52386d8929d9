package metric

import (
	"slices"
	"testing"
)

// Columns are as wide as the longest name, up to twelve letters.
func TestConfusionTable(t *testing.T) {
	got := ConfusionTable([]string{"a", "exceedingly long"}, [][]int{{3, 1}, {0, 12}})
	want := []string{
		"true                     a exceedingly…   (predicted)",
		"a                        3            1",
		"exceedingly…             0           12",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
