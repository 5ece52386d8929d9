package main

import (
	"io"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/report"
)

// reportCosts draws what runs of several sizes took.
func reportCosts(names []string, output, format string, stdout io.Writer) error {
	var costs []report.Cost
	for _, name := range names {
		src, err := dataset.Open(name)
		if err != nil {
			return err
		}
		c, err := report.ReadCost(src, name)
		src.Close()
		if err != nil {
			return err
		}
		costs = append(costs, c)
	}
	return toOutput(output, stdout, func(w io.Writer) error { return report.Scaling(w, format, costs) })
}
