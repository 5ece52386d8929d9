package spca

import (
	"context"
	"fmt"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/internal/printable"
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
	failed, list := 0, make([]cli.Checked, len(checks))
	for i, k := range checks {
		list[i] = cli.Checked{Name: k.Name, Error: k.Error, Limit: k.Limit, OK: k.OK()}
		if !k.OK() {
			failed++
		}
		if !f.json {
			printable.Line(cmd.OutOrStdout(), k.String())
		}
	}
	if f.json {
		if err := cli.PrintJSON(cmd.OutOrStdout(), list); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	return nil
}
