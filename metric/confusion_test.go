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

// The most frequent confusions come first, without what was right, and no more than WidestTable of them.
func TestMostConfused(t *testing.T) {
	got := MostConfused([]string{"a", "b", "c"}, [][]int{{9, 1, 0}, {3, 8, 0}, {0, 2, 7}})
	want := []Confused{{"b", "a", 3}, {"c", "b", 2}, {"a", "b", 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	const k = 300
	names, table := make([]string, k), make([][]int, k)
	for i := range table {
		table[i] = make([]int, k)
		table[i][(i+1)%k] = i + 1
	}
	if got := MostConfused(names, table); len(got) != WidestTable || got[0].N != k {
		t.Errorf("%d, the first %+v", len(got), got[0])
	}
}
