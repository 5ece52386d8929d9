package cur

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	task "github.com/seed-b18ef778/gcg/task/cur"
	"github.com/spf13/cobra"
)

// flags are those of gcg fit cur.
type flags struct {
	cli.RunFlags
	features        string
	unit            bool
	rows, columns   int
	output, picture string
}

// usualRatio is the part of λ_max that is taken where nothing says which λ: that of [Cheung15] on the gene data.
const usualRatio = 0.002

func newFlags(cmd *cobra.Command) *flags {
	f := &flags{}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.features, "features", "", "the matrix D, rows are samples: CSV, Matrix Market, .npy or .npz; - is standard input")
	s.BoolVar(&f.unit, "unit-norm", false, "divide D by its Frobenius norm, as λ = 5e-4 of [Cheung15] asks")
	s.IntVar(&f.rows, "rows", 0, "select this many rows of D: takes the largest λ with as many, and writes so many (default 10 "+
		"of those selected)")
	s.IntVar(&f.columns, "columns", 0, "likewise columns of D")
	s.StringVar(&f.output, "output", "", "write `PREFIX`.C.csv, .U.csv, .R.csv and .ranking.csv: columns, rows, and D ≈ C U R")
	s.StringVar(&f.picture, "picture", "", "draw D with the selection marked to this file: .svg, .png or .pdf")
	f.Register(cmd, cli.RunDefaults{Problem: "cur", Loss: "squared", Losses: "squared", Gauge: "rows-columns",
		Gauges:    "rows-columns",
		Normalize: "sum", Improve: "auto", Observations: "entries of D", Intercept: "not of a selection", Points: 12, Ratio: 1e-3,
		Methods: methods, Also: others})
	s.Lookup("lambda").Usage = "weight λ of the largest entries of rows and columns, or auto: that of --rows and --columns, or " +
		"else " +
		"0.002 of the smallest with W = 0"
	for _, name := range []string{"loss", "gauge", "normalize", "intercept", "penalty", "constrain", "warm", "max-rank"} {
		s.Lookup(name).Hidden = true
	}
	return f
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

// Outputs are the files of C, U, R and their ranking, and the picture.
func (f *flags) Outputs() []string {
	if f.output == "" {
		return []string{f.picture}
	}
	return []string{f.output + columnsFile, f.output + coreFile, f.output + rowsFile, f.output + rankingFile, f.picture}
}

func (f *flags) FoldsBy() (usual, allowed, meaning string) {
	return "row", "row", "there are no folds of a selection, which predicts nothing"
}

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	changed := f.Cmd.Flags().Changed
	for _, name := range []string{"loss", "gauge", "normalize", "intercept", "penalty", "constrain", "warm", "max-rank"} {
		if changed(name) {
			return cli.Usagef("--%s: a selection of rows and columns has squares, largest entries and λ alone", name)
		}
	}
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	switch {
	case f.features == "":
		return cli.Usagef("%s needs --features D", f.Cmd.CommandPath())
	case f.rows < 0 || f.columns < 0:
		return cli.Usagef("--rows and --columns are not negative")
	case (changed("rows") && f.rows == 0) || (changed("columns") && f.columns == 0):
		return cli.Usagef("--rows and --columns select at least one")
	}
	if err := f.checkSolver(); err != nil {
		return err
	}
	if f.picture != "" {
		if ext := filepath.Ext(f.picture); ext != ".svg" && ext != ".png" && ext != ".pdf" {
			return cli.Usagef("--picture %s: ends in .svg, .png or .pdf", f.picture)
		}
	}
	if f.Lambda == "auto" && f.LambdaRatio == 0 && f.rows+f.columns == 0 {
		f.LambdaRatio = usualRatio
	}
	return nil
}

// checkSolver refuses flags of conditional gradient beside methods of another kind.
func (f *flags) checkSolver() error {
	if f.Solver != "working-set" && f.Solver != "apg" {
		return nil
	}
	for _, name := range []string{"step", "improve", "atoms"} {
		if given := f.Cmd.Flags().Lookup(name); given.Value.String() != given.DefValue && given.Value.String() != "none" {
			return cli.Usagef("--%s: goes with --solver gcg; %s has none", name, f.Solver)
		}
	}
	return nil
}

// A job is the selection on the user's matrix.
type job struct {
	*task.Task
	*task.Prepared
	f     *flags
	read  time.Duration
	visit func(lambda float64, rows, columns int)
}

// Load reads D.
func (f *flags) Load() (cli.Job, error) {
	began := time.Now()
	if err := cli.ForeseeReading(f.features); err != nil {
		return nil, err
	}
	d, err := dataset.ReadMatrix(f.features, nil)
	if err != nil {
		return nil, err
	}
	if err := f.ForeseeMatrices(f.features, d.Rows, d.Cols, 6, 64); err != nil {
		return nil, err
	}
	j := &job{Task: &task.Task{D: d, Name: dataset.Called(f.features), UnitNorm: f.unit, Rows: f.rows, Columns: f.columns}, f: f}
	j.Task.Visit = func(lambda float64, rows, columns int) {
		if j.visit != nil {
			j.visit(lambda, rows, columns)
		}
	}
	if j.Prepared, err = j.Prepare(); err != nil {
		return nil, err
	}
	j.read = time.Since(began)
	return j, nil
}

func (j *job) Shared() *cli.RunFlags { return &j.f.RunFlags }
func (j *job) Noun() string          { return "entries" }
func (j *job) Choosing() string      { return "looking for the largest λ with so many rows and columns" }
func (j *job) Release()              {}

// Greet warns of what the data says.
func (j *job) Greet(show *cli.Progress) {
	for _, w := range j.Warnings() {
		show.Say("warning: " + j.Name + ": " + w.String())
	}
	j.visit = func(lambda float64, rows, columns int) {
		show.Say(fmt.Sprintf("λ %.4g  %d rows  %d columns", lambda, rows, columns))
	}
}
