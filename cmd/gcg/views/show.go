package views

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-b18ef778/gcg/model"
)

// show prints the views of a model, and the norms of what they share: those of a dictionary's column times those of its codes.
func show(out io.Writer, m *model.Model) error {
	for _, v := range m.Info.Views {
		if v.Labels {
			fmt.Fprintf(out, "labels       %s: %s, %s loss\n", v.Name, strings.Join(v.Outputs, ", "), v.Loss)
			continue
		}
		fmt.Fprintf(out, "view         %s: %d features, radius %g, %s loss of weight %g\n", v.Name, v.Features, v.Radius, v.Loss,
			v.Weight)
	}
	fmt.Fprint(out, "spectrum    ")
	for i, x := range m.S {
		if i == mostShown {
			fmt.Fprintf(out, " … %.4g", m.S[len(m.S)-1])
			break
		}
		fmt.Fprintf(out, " %.4g", x)
	}
	fmt.Fprintln(out)
	return nil
}

// mostShown is how many singular values show lists.
const mostShown = 12
