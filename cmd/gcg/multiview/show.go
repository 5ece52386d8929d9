package multiview

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-b18ef778/gcg/model"
)

// show prints the views of a model.
func show(out io.Writer, m *model.Model) error {
	for _, v := range m.Info.Views {
		if v.Labels {
			fmt.Fprintf(out, "labels       %s: %s, %s loss\n", v.Name, strings.Join(v.Outputs, ", "), v.Loss)
			continue
		}
		fmt.Fprintf(out, "view         %s: %d features, radius %g, %s loss of weight %g\n", v.Name, v.Features, v.Radius, v.Loss,
			v.Weight)
	}
	return nil
}
