package main

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/conform"
	"github.com/spf13/cobra"
)

func checkCommand() *cobra.Command {
	f := &completionFlags{}
	cmd := &cobra.Command{
		Use:     "check completion [flags]",
		Short:   "Adjoint, gradient and polar tests on your own data",
		Example: `  gcg check completion --train ratings.csv --weights smoothed:0.1`,
		Args:    problemArg,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			c, err := loadCompletion(f)
			if err != nil {
				return err
			}
			s, err := c.setup(c.data)
			if err != nil {
				return err
			}
			s.problem.Penalty = f.penaltyOf(1)
			checks, err := conform.Problem(cmd.Context(), s.problem, f.seed)
			if err != nil {
				return err
			}
			failed := 0
			for _, k := range checks {
				fmt.Fprintln(cmd.OutOrStdout(), k)
				if !k.OK() {
					failed++
				}
			}
			if failed > 0 {
				return fmt.Errorf("%d of %d checks failed", failed, len(checks))
			}
			return nil
		},
	}
	f.register(cmd)
	return cmd
}
