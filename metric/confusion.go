package metric

import "fmt"

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
