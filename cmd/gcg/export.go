package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/sql"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/spf13/cobra"
)

type exportFlags struct{ model, format, output, table string }

func exportCommand() *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export --model FILE --output FILE",
		Short: "Write a model as arrays of numpy, as CSV or Parquet, or to a table of a database",
		Example: `  gcg export --model my.gcg --format npz --output my.npz
  gcg export --model my.gcg --format csv --output my.csv   weights of features; offsets and factors of ratings
  gcg export --model my.gcg --output my.parquet
  gcg export --model my.gcg --output postgres://localhost/shop --table factors   vectors of pgvector, or arrays`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cli.Bind(cmd, cmd.Name(), "", cli.Fields{"model": &f.model, "format": &f.format, "output": &f.output, "table": &f.table})
	return cmd
}

// check refuses what does not go together, and names the format: that of --format, else that of the file's name.
func (f *exportFlags) check() (format string, err error) {
	_, table := dataset.RecordsFormatOf(f.output)
	ending := strings.ToLower(filepath.Ext(f.output))
	switch {
	case f.model == "" || f.output == "":
		return "", cli.Usagef("gcg export needs --model and --output")
	case sql.IsPostgres(f.output) != (f.table != ""):
		return "", cli.Usagef("--output postgres://… and --table go together: the factors replace the rows of that table")
	case sql.IsSQLite(f.output):
		return "", cli.Usagef("--output: models are written to files and to databases of PostgreSQL, not to one of SQLite")
	case (f.table != "" || table) && f.format != "":
		return "", cli.Usagef("--format %s: %s is a table by its name; leave --format out", f.format, sql.Called(f.output))
	case f.table != "":
		return "table", nil
	case table:
		format = "parquet"
	case f.format == "csv" || f.format == "" && ending == ".csv":
		format = "csv"
	default:
		format = "npz"
	}
	if format != "npz" || f.output == "-" {
		return format, cli.CheckOutput([]string{f.model}, f.output)
	}
	if ending != ".npz" {
		return "", cli.Usagef("--output %q: a file that ends in .npz, .csv or .parquet, or -; or say --format csv", f.output)
	}
	return format, atomicfile.Writable(f.output)
}

func (f *exportFlags) run(ctx context.Context, out, log io.Writer) error {
	format, err := f.check()
	if err != nil {
		return err
	}
	m, err := cli.UnlessInterrupted(ctx, func() (*model.Model, error) { return cli.LoadModel(f.model) })
	if err != nil {
		return err
	}
	r, needed := m.Weights(), []string{"feature", "output", "weight"}
	if m.Problem == "completion" {
		r, needed = m.Factors(), []string{"side", "id", "f"}
	}
	switch format {
	case "npz":
		return cli.ToOutput(f.output, out, m.WriteNPZ)
	case "table":
		rows, err := sql.Replace(ctx, f.output, f.table, r, needed...)
		if err == nil {
			fmt.Fprintf(log, "table %s has %d rows now\n", f.table, rows)
		}
		return err
	}
	return cli.WriteRecords(f.output, out, r)
}
