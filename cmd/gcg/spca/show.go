package spca

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/model"
)

// gcgSpectrahedron is the gauge that sizes of X are counted by.
var gcgSpectrahedron = gauge.Spectrahedron{}

// mostListed is how many loadings of a component are listed.
const mostListed = 12

// listed are the largest loadings with their variables.
func listed(names []string, loadings []float64) string {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := math.Abs(loadings[a]), math.Abs(loadings[b]); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var words []string
	for k, i := range order {
		if k == mostListed {
			words = append(words, fmt.Sprintf("… (%d more)", len(order)-k))
			break
		}
		words = append(words, fmt.Sprintf("%s %.3f", names[i], loadings[i]))
	}
	return strings.Join(words, ", ")
}

// show prints the loadings of a model, by component.
func show(out io.Writer, m *model.Model) error {
	for j, id := range m.ColIDs {
		var names []string
		var loadings []float64
		for t, col := range m.Entries.Cols {
			if int(col) == j {
				names, loadings = append(names, m.RowIDs[m.Entries.Rows[t]]), append(loadings, m.Entries.Values[t])
			}
		}
		if _, err := fmt.Fprintf(out, "%-12s %s\n", id, listed(names, loadings)); err != nil {
			return err
		}
	}
	return nil
}
