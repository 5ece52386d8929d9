package recovery

import (
	"math"
	"strconv"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/baseline/lowranksparse"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	sparselowrank "github.com/seed-b18ef778/gcg/solver/recovery"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
	"github.com/spf13/cobra"
)

// flags are the flags of recovery.
type flags struct {
	cli.RunFlags
	train, test, valid, graph  string
	columns, duplicates, shape string
	links                      string
	l1                         float64
	top                        int
}

func newFlags(cmd *cobra.Command) *flags {
	f := &flags{}
	f.Init(cmd, "recovery", []cli.Method{
		{Name: "auto", About: "(by blocks: the dual, or splitting)",
			New: func(_ *cli.RunFlags, p *gcg.Problem) (solver.Method, solver.Improver) { return f.usual(p) }},
		{Name: "hcgs", About: "[Argyriou14]", New: smoothing},
		{Name: "gfb", About: "(generalised forward-backward)", New: alone(func() solver.Method { return &lowranksparse.GFB{} })},
		{Name: "ipd", About: "(incremental proximal descent)", New: alone(func() solver.Method { return &lowranksparse.IPD{} })},
	}, nil)
	return f
}

// Fields are where the values of flags are kept.
func (f *flags) Fields() cli.Fields {
	return f.RunFlags.Fields().And(cli.Fields{"train": &f.train, "test": &f.test, "valid": &f.valid, "graph": &f.graph,
		"columns": &f.columns, "shape": &f.shape, "duplicates": &f.duplicates, "split": &f.Split, "l1": &f.l1, "top": &f.top,
		"links": &f.links})
}

// usual is the method of the task.
func (f *flags) usual(p *gcg.Problem) (solver.Method, solver.Improver) {
	if f.graph != "" {
		return &sparselowrank.Splitting{LowRank: true}, nil
	}
	return f.task().Method(p)
}

// smoothing is Algorithm 2 for the ℓ1 norm on all entries, whose map is the identity.
func smoothing(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) {
	return &hybrid.HCGS{Norm: 1}, nil
}

// alone is a rival, which has no improver.
func alone(m func() solver.Method) func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) {
	return func(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) { return m(), nil }
}

func (f *flags) Shared() *cli.RunFlags { return &f.RunFlags }

// Outputs is the file of links.
func (f *flags) Outputs() []string { return []string{f.links} }

// Check refuses values out of range, before anything is read.
func (f *flags) Check() error {
	changed := f.Cmd.Flags().Changed
	switch {
	case f.train == "" && f.graph == "":
		return cli.Usagef("%s needs data: --train FILE of rows, columns and values, or --graph FILE of edges",
			f.Cmd.CommandPath())
	case f.train != "" && f.graph != "":
		return cli.Usagef("--graph: instead of --train")
	case f.graph != "" && (changed("shape") || changed("gauge") || changed("loss") || changed("valid") || changed("duplicates")):
		return cli.Usagef("--%s: not with --graph, whose matrix is that of all its nodes",
			f.Changed([]string{"shape", "gauge", "loss", "valid", "duplicates"}))
	case f.Split != 0 && f.test != "":
		return cli.Usagef("--split and --test exclude each other")
	case f.Solver == "hcgs" && f.Constrain == 0 && f.l1 == 0:
		return cli.Usagef("--solver hcgs: is for --l1 above 0, or --constrain")
	case f.Solver == "hcgs" && f.graph != "":
		return cli.Usagef("--solver hcgs: not with --graph")
	case cli.Contains("gfb ipd", f.Solver) &&
		(f.l1 == 0 || f.Constrain > 0 || f.Loss != "squared" || f.Gauge != "trace" || f.graph != ""):
		return cli.Usagef("--solver %s: is for --l1 above 0, squared loss, --gauge trace and λκ, without --graph", f.Solver)
	case f.l1 > 0 && !cli.Contains("auto hcgs gfb ipd", f.Solver):
		return cli.Usagef("--solver %s: is for --l1 0; with both norms there are auto, hcgs, gfb and ipd", f.Solver)
	}
	if err := f.RunFlags.Check(); err != nil {
		return err
	}
	return f.checkWords()
}

// checkWords refuses words that there are not.
func (f *flags) checkWords() error {
	l, err := task.ParseLoss(task.Regression, f.Loss)
	if err == nil {
		err = l.OfRatings()
	}
	if err != nil {
		return cli.Usagef("--loss %q: %v", f.Loss, err)
	}
	if err := cli.CheckColumns(f.columns, f.graph == ""); err != nil {
		return err
	}
	shape, err := f.size()
	if err == nil && cli.Contains("symmetric psd", f.Gauge) && shape[0] != shape[1] {
		return cli.Usagef("--shape %s: matrices of --gauge %s are square", f.shape, f.Gauge)
	}
	return err
}

// size is --shape, or 0, 0.
func (f *flags) size() (shape [2]int, err error) {
	if f.shape == "" {
		return shape, nil
	}
	return Shape(f.shape)
}

// Shape reads ROWS,COLS.
func Shape(text string) (shape [2]int, err error) {
	rows, cols, ok := strings.Cut(text, ",")
	m, err1 := strconv.Atoi(strings.TrimSpace(rows))
	n, err2 := strconv.Atoi(strings.TrimSpace(cols))
	if !ok || err1 != nil || err2 != nil || m < 1 || n < 1 || m > math.MaxInt32 || n > math.MaxInt32 {
		return shape, cli.Usagef("--shape %q: two whole numbers ROWS,COLS from 1 on, such as 100,80", text)
	}
	return [2]int{m, n}, nil
}

// task is what the flags say without reading anything.
func (f *flags) task() *recovery.Task {
	t := &recovery.Task{L1: f.l1, Seed: f.Seed, Smoothed: f.Solver == "hcgs" && f.l1 > 0, Full: cli.Contains("gfb ipd", f.Solver)}
	t.Loss, _ = task.ParseLoss(task.Regression, f.Loss)
	t.Shape, _ = f.size()
	t.Cone = map[string]recovery.Cone{"symmetric": recovery.Symmetric, "psd": recovery.Semidefinite}[f.Gauge]
	t.Duplicates = map[string]dataset.Duplicates{"error": dataset.RefuseDuplicates, "last": dataset.LastDuplicate,
		"mean": dataset.MeanDuplicates}[f.duplicates]
	if f.Normalize == "sum" {
		t.Normalize = task.Sum
	}
	if f.Split > 0 {
		t.Split = dataset.Split{Fraction: f.Split, Seed: f.Seed}
	}
	return t
}
