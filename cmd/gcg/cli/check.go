package cli

import (
	"fmt"
	"io"

	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/spf13/cobra"
)

// CheckVerb is gcg check.
var CheckVerb = verb{name: "check", do: checkJob,
	short: "Test operator, loss and norm on your own data: adjoint, gradient, polar (dual norm)"}

// A Checked property is a line of the answer.
type Checked struct {
	Name  string  `json:"name"`
	Error float64 `json:"error"`
	Limit float64 `json:"limit"`
	OK    bool    `json:"ok"`
}

// checkJob runs the properties that an operator, a loss and a gauge must have, at random points of the user's problem.
func checkJob(cmd *cobra.Command, st Job, _ io.Writer) error {
	t, err := st.Whole()
	if err != nil {
		return err
	}
	f := st.Shared()
	t.Problem.Penalty = f.PenaltyOf(1)
	checks, err := conform.Problem(cmd.Context(), t.Problem, f.Seed)
	if err != nil {
		return err
	}
	failed := 0
	list := make([]Checked, len(checks))
	for i, k := range checks {
		list[i] = Checked{k.Name, k.Error, k.Limit, k.OK()}
		if !f.JSON {
			printable.Line(cmd.OutOrStdout(), k.String())
		}
		if !k.OK() {
			failed++
		}
	}
	if f.JSON {
		if err := PrintJSON(cmd.OutOrStdout(), list); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	return nil
}
