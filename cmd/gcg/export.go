package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

func exportCommand() *cobra.Command {
	var file, format, output string
	cmd := &cobra.Command{
		Use:   "export --model FILE --format npz|csv --output FILE",
		Short: "Write a model as arrays of numpy or as CSV",
		Example: `  gcg export --model my.gcg --format npz --output my.npz
  gcg export --model my.gcg --format csv --output my.csv   weights of features; offsets and factors of ratings`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case file == "" || output == "":
				return cli.Usagef("gcg export needs --model and --output")
			case !cli.Contains("npz csv", format):
				return cli.Usagef("--format %q: npz or csv", format)
			case format == "csv" || output == "-":
				if err := cli.CheckOutput([]string{file}, output); err != nil {
					return err
				}
			case strings.ToLower(filepath.Ext(output)) != ".npz":
				return cli.Usagef("--output %q: a file that ends in .npz, or -", output)
			default:
				if err := atomicfile.Writable(output); err != nil {
					return err
				}
			}
			m, err := cli.UnlessInterrupted(cmd.Context(), func() (*model.Model, error) { return cli.LoadModel(file) })
			if err != nil {
				return err
			}
			var write func(io.Writer) error
			switch {
			case format == "npz":
				write = m.WriteNPZ
			case m.Problem == "completion":
				write = m.WriteFactors
			default:
				write = m.WriteWeights
			}
			return cli.ToOutput(output, cmd.OutOrStdout(), write)
		},
	}
	cli.Bind(cmd, cmd.Name(), "", cli.Fields{"model": &file, "format": &format, "output": &output})
	return cmd
}
