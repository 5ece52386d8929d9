package rpca

import (
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/recovery"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task/rpca"
	"github.com/spf13/cobra"
)

// flags are the flags of rpca.
type flags struct {
	cli.RunFlags
	table                                 cli.TableFlags
	features, train, columns, shape, rows string
	outputs                               outputs
	l1                                    float64
	equal                                 bool
}

func newFlags(cmd *cobra.Command) *flags {
	f := &flags{}
	f.Init(cmd, "rpca", []cli.Method{
		{Name: "auto", About: "(splitting)",
			New: func(_ *cli.RunFlags, p *gcg.Problem) (solver.Method, solver.Improver) { return f.task().Method(p) }},
		{Name: "ialm", About: "(inexact augmented Lagrangian, for --equal)",
			New: func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) { return &lowranksparse.IALM{}, nil }},
	}, nil)
	return f
}

// Fields are where the values of flags are kept.
func (f *flags) Fields() cli.Fields {
	return f.RunFlags.Fields().And(f.table.Fields()).And(f.outputs.images.Fields()).And(cli.Fields{
		"features": &f.features, "rows": &f.rows,
		"train": &f.train, "columns": &f.columns, "shape": &f.shape, "l1": &f.l1, "equal": &f.equal,
		"low-rank": &f.outputs.lowRank, "sparse": &f.outputs.sparse, "sheet": &f.outputs.sheet})
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	_, auto, _ := f.LambdaValue()
	path := f.Cmd.HasParent() && cli.Contains("path cv", f.Cmd.Parent().Name())
	switch {
	case (f.features == "") == (f.train == ""):
		return cli.Usagef("%s needs data: --features FILE, or --train FILE of known entries", f.Cmd.CommandPath())
	case f.Loss != "squared":
		return cli.Usagef("--loss %q: rpca has squared, which the sparse part makes a Huber loss", f.Loss)
	case f.Gauge != "trace":
		return cli.Usagef("--gauge %q: rpca has trace", f.Gauge)
	case !f.equal && f.l1 == 0 && auto && f.Solver != "auto":
		return cli.Usagef("--solver %s: give --lambda, or --l1; without them L + S may have to be D, for which there is auto", f.Solver)
	case f.equal && !cli.Contains("auto ialm", f.Solver):
		return cli.Usagef("--solver %s: with --equal the loss has corners, and there are auto and ialm", f.Solver)
	case f.Solver == "ialm" && (!f.equal || f.train != "" || f.Constrain > 0):
		return cli.Usagef("--solver ialm: is for --equal of --features and λκ")
	case !f.equal && f.l1 == 0 && f.LambdaRatio > 0:
		return cli.Usagef("--lambda-ratio %v: give --l1, or --lambda, or --equal for both parts to add up to the matrix", f.LambdaRatio)
	}
	if name := f.Changed([]string{"points", "ratio"}); name != "" && !path && auto && (f.equal || f.l1 == 0) {
		return cli.Usagef("--%s: is of a path that chooses λ for an --l1; with --equal λ is 1, and without both it follows the noise",
			name)
	}
	if f.shape != "" {
		if _, err := recovery.Shape(f.shape); err != nil {
			return err
		}
	}
	if _, _, err := span(f.rows); err != nil {
		return err
	}
	if err := f.outputs.check(); err != nil {
		return err
	}
	if err := cli.CheckColumns(f.columns, true); err != nil {
		return err
	}
	if f.l1 == 0 && (path || auto && f.Cmd.HasParent() && f.Cmd.Parent().Name() != "fit") { // only fit looks for noise
		f.equal = true
	}
	if f.equal && auto && !path {
		f.Lambda = "1"
	}
	return f.RunFlags.Check()
}

// Arrays are the parts of D, and the sheet of both.
func (f *flags) Arrays() []string { return f.outputs.names() }

// span reads --rows; without it there is none.
func span(text string) (from, to int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	lo, hi, two := strings.Cut(text, "-")
	from, err1 := strconv.Atoi(lo)
	to, err2 := strconv.Atoi(hi)
	if !two || err1 != nil || err2 != nil || from < 1 || to < from {
		return 0, 0, cli.Usagef("--rows %q: FROM-TO, two whole numbers from 1 on, such as 1-64", text)
	}
	return from, to, nil
}

// task is what the flags say without reading anything.
func (f *flags) task() *rpca.Task { return &rpca.Task{L1: f.l1, Equal: f.equal, Seed: f.Seed} }
