package spca

import (
	"context"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/spf13/cobra"
)

// check runs the properties that operator, loss and gauge must have on the user's covariance.
func check(ctx context.Context, f *flags, cmd *cobra.Command) error {
	t, err := f.load(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	lambda, _ := f.lambdaValue()
	p, err := t.Problem(lambda)
	if err != nil {
		return err
	}
	checks, err := conform.Problem(ctx, p, f.seed)
	if err != nil {
		return err
	}
	return cli.PrintChecks(cmd.OutOrStdout(), checks, f.json)
}
