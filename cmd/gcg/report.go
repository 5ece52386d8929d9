package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/report"
	"github.com/spf13/cobra"
)

func reportCommand() *cobra.Command {
	var output string
	var costs bool
	cmd := &cobra.Command{
		Use:   "report TRACE… --output FILE",
		Short: "Draw the convergence of traces already recorded",
		Example: `  gcg report trace.jsonl --output convergence.svg
  gcg report small.json large.json --cost --output cost.svg`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("gcg report takes traces, as fit --trace writes them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			format := strings.TrimPrefix(filepath.Ext(output), ".")
			if !contains("svg png pdf", format) {
				return usagef("--output %q: a file that ends in .svg, .png or .pdf", output)
			}
			if costs {
				return reportCosts(args, output, format, cmd.OutOrStdout())
			}
			var traces []report.Trace
			for _, name := range args {
				src, err := dataset.Open(name)
				if err != nil {
					return err
				}
				t, err := report.ReadTrace(src, name)
				src.Close()
				if err != nil {
					return err
				}
				traces = append(traces, t)
			}
			return toOutput(output, cmd.OutOrStdout(), func(w io.Writer) error { return report.Convergence(w, format, traces) })
		},
	}
	cmd.Flags().BoolVar(&costs, "cost", false, "the files are results of fit --json: draw time and memory against the number of ratings")
	cmd.Flags().StringVar(&output, "output", "", "file to write: .svg, .png or .pdf")
	return cmd
}

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
