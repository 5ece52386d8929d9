package metric

import (
	"cmp"
	"fmt"
	"slices"
)

// A Confused is how many rows of a true class were predicted to be of another one.
type Confused struct {
	True      string `json:"true"`
	Predicted string `json:"predicted"`
	N         int    `json:"observations"`
}

// WidestTable is up to how many classes a confusion table is worth keeping whole: beyond, most of its squared number of counts
// are 0.
const WidestTable = 100

// MostConfused are up to WidestTable pairs of classes, the most frequent confusions first, of a table as counted in
// Classes.Table.
func MostConfused(names []string, table [][]int) []Confused {
	var all []Confused
	for c, row := range table {
		for d, n := range row {
			if n > 0 && c != d {
				all = append(all, Confused{names[c], names[d], n})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Confused) int { return cmp.Compare(b.N, a.N) })
	return all[:min(len(all), WidestTable)]
}

// ConfusionTable is lines of true classes and columns of predicted ones, as counted in Classes.Table, under a header.
func ConfusionTable(names []string, table [][]int) []string {
	wide := 5
	for _, n := range names {
		wide = max(wide, min(len([]rune(n)), 12)+1)
	}
	head := fmt.Sprintf("%-*s", wide, "true")
	for _, n := range names {
		head += fmt.Sprintf("%*s", wide, short(n))
	}
	lines := []string{head + "   (predicted)"}
	for c, row := range table {
		line := fmt.Sprintf("%-*s", wide, short(names[c]))
		for _, n := range row {
			line += fmt.Sprintf("%*d", wide, n)
		}
		lines = append(lines, line)
	}
	return lines
}

// short is a name that fits in a column.
func short(name string) string {
	if r := []rune(name); len(r) > 12 {
		return string(r[:11]) + "…"
	}
	return name
}
