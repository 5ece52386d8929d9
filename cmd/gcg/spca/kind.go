// Package spca is the problem of sparse principal components.
package spca

import (
	"context"
	"runtime"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// Kinds is sparse principal components, whose λ is the weight of ‖X‖₁ and not of a gauge.
func Kinds() []cli.Kind {
	return []cli.Kind{{
		Name:      "spca",
		About:     "sparse principal components of a covariance or of features",
		Data:      "--features X.csv",
		Own:       command,
		Predictor: &projections{},
		Show:      show,
	}}
}

// command is a verb.
func command(verb, short string) *cobra.Command {
	f := &flags{verb: verb}
	about := "sparse principal components of a covariance or of features"
	cmd := &cobra.Command{Use: "spca [flags]", Short: about, Args: cli.NoArgs,
		Long: short + ".\n\nspca: " + about + `. A component is a direction of few variables that much of the variance is along.
With the covariance C it comes from the X ⪰ 0 of trace 1 that minimises λ‖X‖₁ - ⟨C, X⟩, the larger λ, the fewer variables.`}
	line := "  gcg " + verb + " spca "
	do := map[string]func(context.Context, *flags, *cobra.Command) error{"fit": fit, "path": path, "cv": cv,
		"check": check}[verb]
	switch verb {
	case "fit":
		cmd.Example = line + "--features X.csv --nonzeros 10 --components 2 --model my.gcg\n" + line + "--covariance C.csv --lambda 0.5"
	case "path":
		cmd.Example = line + "--features X.csv --points 10"
	case "cv":
		cmd.Example = line + "--features X.csv --components 2"
	default:
		cmd.Example = line + "--features X.csv"
	}
	if !f.single() {
		f.lambda = "auto"
	}
	cli.Bind(cmd, verb, "spca", f.fields())
	cmd.Flags().Lookup("solver").Usage = solverUsage()
	cli.SolverWords(cmd.Flags(), strings.Fields(solverWords()))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		if f.threads > 0 {
			runtime.GOMAXPROCS(f.threads)
		}
		return do(cmd.Context(), f, cmd)
	}
	return cmd
}
