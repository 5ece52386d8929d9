package rpca

import (
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/recovery"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task/rpca"
	"github.com/spf13/cobra"
)

// flags are the flags of rpca.
type flags struct {
	cli.RunFlags
	features, train, columns, shape, rows string
	outputs                               outputs
	l1                                    float64
	equal                                 bool
}

func newFlags(cmd *cobra.Command) *flags {
	f := &flags{}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.features, "features", "", "the matrix D: CSV, Matrix Market, .npy or .npz; empty fields, NA and NaN are missing")
	s.StringVar(&f.rows, "rows", "", "of --features: only rows `FROM-TO`, counted from 1")
	s.StringVar(&f.train, "train", "", "instead of --features: known entries of D, lines of row, column and value")
	s.StringVar(&f.columns, "columns", "", "of --train: row, column and value columns, names or numbers from 1")
	s.StringVar(&f.shape, "shape", "", "of --train: ROWS,COLS of D, whose rows and columns are numbered from 1, or from 0")
	s.Float64Var(&f.l1, "l1", 0, "weight λ₁ of the sparse part; 0 is λ/√max(m,n)")
	s.BoolVar(&f.equal, "equal", false,
		"both parts add up to D, which needs no --lambda: it is 1 (the default without --lambda and --l1)")
	s.StringVar(&f.outputs.lowRank, "low-rank", "",
		"write the low-rank part L to this `FILE`: .csv, .tsv, .npy, and .png or .pgm with --image-size")
	s.StringVar(&f.outputs.sparse, "sparse", "",
		"write the sparse part S to this `FILE`: its entries that are not 0 as CSV of row, column, value; .npy, .png or .pgm as L")
	s.StringVar(&f.outputs.sheet, "sheet", "",
		"write a picture of D, L and S to this `FILE`.png, rows of D being images: a line of each part, of some images")
	f.outputs.images.Register(s, "D's rows as images")
	f.Register(cmd, cli.RunDefaults{Problem: "rpca", Loss: "squared", Gauge: "trace", Normalize: "sum", Improve: "auto",
		Losses: "squared; with --equal there is none", Gauges: "trace", Norm: "the trace norm of L", Observations: "known entries",
		Intercept: "not for rpca", Points: 20, Ratio: 0.01,
		Methods: []cli.Method{{Name: "auto", About: "(splitting)",
			New: func(_ *cli.RunFlags, p *gcg.Problem) (solver.Method, solver.Improver) { return f.task().Method(p) }}}})
	s.Lookup("intercept").Hidden = true
	return f
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

func (f *flags) FoldsBy() (usual, allowed, meaning string) {
	return "entry", "entry", "folds hold out entries"
}

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	changed := f.Cmd.Flags().Changed
	_, auto, _ := f.LambdaValue()
	path := f.Cmd.HasParent() && cli.Contains("path cv", f.Cmd.Parent().Name())
	switch {
	case (f.features == "") == (f.train == ""):
		return cli.Usagef("%s needs data: --features FILE, or --train FILE of known entries", f.Cmd.CommandPath())
	case f.features == "" && changed("rows"):
		return cli.Usagef("--rows is of --features")
	case f.train == "" && (changed("shape") || changed("columns")):
		return cli.Usagef("--shape and --columns are of --train")
	case !(f.l1 >= 0) || math.IsInf(f.l1, 1):
		return cli.Usagef("--l1 %v: a positive number, or 0 for λ/√max(m,n)", f.l1)
	case f.Loss != "squared":
		return cli.Usagef("--loss %q: rpca has squared, which the sparse part makes a Huber loss", f.Loss)
	case f.Gauge != "trace":
		return cli.Usagef("--gauge %q: rpca has trace", f.Gauge)
	case f.Penalty == "square" || changed("constrain"):
		return cli.Usagef("--%s: rpca has the penalty λ‖L‖_*", f.Changed([]string{"constrain", "penalty"}))
	case f.Intercept:
		return cli.Usagef("--intercept: rpca has none")
	case f.Normalize != "sum":
		return cli.Usagef("--normalize %s: rpca has sum", f.Normalize)
	case f.equal && f.Solver != "auto":
		return cli.Usagef("--solver %s: with --equal the loss has corners, and there is auto", f.Solver)
	case !f.equal && f.l1 == 0 && f.LambdaRatio > 0:
		return cli.Usagef("--lambda-ratio %v: give --l1, or --lambda, or --equal for both parts to add up to the matrix", f.LambdaRatio)
	}
	if f.shape != "" {
		if _, err := recovery.Shape(f.shape); err != nil {
			return err
		}
	}
	if _, _, err := span(f.rows); err != nil {
		return err
	}
	if err := f.outputs.check([]string{f.features, f.train}); err != nil {
		return err
	}
	if err := cli.OneOf([][3]string{{"improve", f.Improve, "auto none local"}}); err != nil {
		return err
	}
	if err := cli.CheckColumns(f.columns, true); err != nil {
		return err
	}
	if f.l1 == 0 && (auto || path) { // nothing says how much noise there is
		f.equal = true
	}
	if f.equal && auto && !path {
		f.Lambda = "1"
	}
	return f.RunFlags.Check()
}

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
