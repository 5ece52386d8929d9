package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/report"
	"github.com/spf13/cobra"
)

func reportCommand() *cobra.Command {
	var output, against string
	var costs bool
	cmd := &cobra.Command{
		Use:   "report TRACE… --output FILE",
		Short: "Draw traces already recorded: a picture, or a page",
		Example: `  gcg report trace.jsonl --output run.html
  gcg report trace.jsonl --output convergence.svg
  gcg report one.jsonl other.jsonl --against gradients --output both.svg
  gcg report small.json large.json --cost --output cost.svg`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("gcg report takes traces, as fit --trace writes them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			format := cli.PlotFormat(output)
			if err := checkReport(cmd, output, format, costs); err != nil {
				return err
			}
			if err := cli.CheckOutput(args, output); err != nil {
				return err
			}
			var draw func(w io.Writer) error
			if costs {
				all, err := readEach(args, report.ReadCost)
				if err != nil {
					return err
				}
				draw = func(w io.Writer) error { return report.Scaling(w, format, all) }
			} else {
				all, err := readEach(args, readTrace)
				if err != nil {
					return err
				}
				for _, t := range all {
					if t.Torn {
						fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s: its last line breaks off and is left out\n", t.Name)
					}
				}
				draw = func(w io.Writer) error { return report.Convergence(w, format, report.Axis(against), all) }
				if format == "html" {
					draw = func(w io.Writer) error { return report.HTML(w, report.Axis(against), all) }
				}
			}
			return cli.ToOutput(output, cmd.OutOrStdout(), draw)
		},
	}
	cli.Bind(cmd, cmd.Name(), "", cli.Fields{"cost": &costs, "against": &against, "output": &output})
	return cmd
}

// checkReport refuses what the flags say that cannot be drawn.
func checkReport(cmd *cobra.Command, output, format string, costs bool) error {
	switch {
	case output == "":
		return cli.Usagef("gcg report needs --output: a file that ends in .html, .svg, .png or .pdf")
	case costs && format == "html":
		return cli.Usagef("--output %q: costs are drawn to .svg, .png or .pdf", output)
	case costs && cmd.Flags().Changed("against"):
		return cli.Usagef("--against: is for traces, not for --cost")
	}
	return nil
}

// readTrace reads a trace, and tells the result of a run from one.
func readTrace(r io.Reader, name string) (report.Trace, error) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(512) // the first name in it tells
	tokens := json.NewDecoder(bytes.NewReader(head))
	tokens.Token() // the brace
	if first, err := tokens.Token(); err == nil && first == "problem" {
		return report.Trace{}, fmt.Errorf("%s: is the result of fit --json, not a trace; draw the cost of such runs with --cost, "+
			"and traces of fit --trace without", name)
	}
	return report.ReadTrace(b, name)
}

// readEach reads every file.
func readEach[T any](names []string, read func(r io.Reader, name string) (T, error)) ([]T, error) {
	var all []T
	for _, name := range names {
		src, err := dataset.Open(name)
		if err != nil {
			return nil, err
		}
		one, err := read(src, src.Name)
		src.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
