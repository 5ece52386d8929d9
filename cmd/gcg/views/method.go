package views

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/baseline/bcd"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/views"
)

// splitting is the solver of several views.
func splitting(*cli.RunFlags, *gcg.Problem) (solver.Method, solver.Improver) {
	return &views.Splitting{}, nil
}

// descent is block coordinate descent at the rank of --max-rank.
func descent(f *cli.RunFlags, _ *gcg.Problem) (solver.Method, solver.Improver) {
	return &bcd.Method{Size: f.MaxRank}, nil
}

// chooseSolver takes gcg where nothing else was asked for and splitting cannot, and refuses what cannot be.
func (f *flags) chooseSolver() error {
	splits := f.Gauge != "trace" && f.labels == ""
	descends := splits && f.Penalty == "linear" && f.Constrain == 0
	switch {
	case f.Solver == "bcd" && !descends:
		return cli.Usagef("--solver bcd: is for λκ of views without labels; take splitting or gcg")
	case splits:
	case !f.Cmd.Flags().Changed("solver"):
		f.Solver = "gcg"
	case f.Solver == "splitting":
		return cli.Usagef("--solver splitting: is for the gauges of views without labels; take gcg")
	}
	return nil
}
