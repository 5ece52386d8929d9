package main

import (
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/conform"
	"github.com/spf13/cobra"
)

var checkVerb = verb{name: "check", short: "Adjoint, gradient and polar tests on your own data", do: checkJob,
	unused: []string{"model", "trace", "checkpoint", "checkpoint-every", "resume", "warm"}}

// A checked property is a line of the answer.
type checked struct {
	Name  string  `json:"name"`
	Error float64 `json:"error"`
	Limit float64 `json:"limit"`
	OK    bool    `json:"ok"`
}

// checkJob runs the properties that an operator, a loss and a gauge must have, at random points of the user's problem.
func checkJob(cmd *cobra.Command, st job, _ io.Writer) error {
	t, err := st.Whole()
	if err != nil {
		return err
	}
	f := st.run()
	t.Problem.Penalty = f.penaltyOf(1)
	checks, err := conform.Problem(cmd.Context(), t.Problem, f.seed)
	if err != nil {
		return err
	}
	failed := 0
	list := make([]checked, len(checks))
	for i, k := range checks {
		list[i] = checked{k.Name, k.Error, k.Limit, k.OK()}
		if !f.json {
			fmt.Fprintln(cmd.OutOrStdout(), k)
		}
		if !k.OK() {
			failed++
		}
	}
	if f.json {
		if err := printJSON(cmd.OutOrStdout(), list); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	return nil
}
