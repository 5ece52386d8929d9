package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

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
	return PrintChecks(cmd.OutOrStdout(), checks, f.JSON)
}

// checkWords are what the names of properties begin with, in plain words.
var checkWords = [][2]string{
	{"adjoint", "the transpose of the operator: takes residuals back to the shape of W"},
	{"operator", "A, from W to a prediction for each observation"},
	{"loss", "L, what predictions cost; L* is its conjugate"},
	{"gradient", "G, the derivative of the loss in W, with the other sign"},
	{"gauge", "κ, the norm of W that is penalized or bounded; W is a sum of its atoms"},
	{"polar", "κ°, the dual norm: the atom that agrees most with G; bounds rest on it"},
	{"prox", "the proximity operator of κ: the W that one penalized step leads to"},
	{"split", "W taken apart into atoms with their weights"},
}

// PrintChecks prints what was checked, and is an error where something failed.
func PrintChecks(out io.Writer, checks []conform.Check, json bool) error {
	failed := 0
	list := make([]Checked, len(checks))
	for i, k := range checks {
		list[i] = Checked{k.Name, k.Error, k.Limit, k.OK()}
		if !k.OK() {
			failed++
		}
	}
	if json {
		if err := PrintJSON(out, list); err != nil {
			return err
		}
	} else {
		for _, w := range checkWords {
			if slices.ContainsFunc(checks, func(k conform.Check) bool { return strings.HasPrefix(k.Name, w[0]) }) {
				printable.Line(out, fmt.Sprintf("%-9s %s", w[0], w[1]))
			}
		}
		printable.Line(out, "\nresult  error   of limit, relative to what it is an error of")
		for _, k := range checks {
			printable.Line(out, k.String())
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(checks))
	}
	return nil
}
