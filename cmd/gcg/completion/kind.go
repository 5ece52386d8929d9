// Package completion is the problem completion of the command: its flags, files, words and answer.
package completion

import (
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// Kinds is the problem of completion, whose models entries predict by.
func Kinds(entries cli.Predictor) []cli.Kind {
	return []cli.Kind{{
		Name:      "completion",
		About:     "fill in a matrix of ratings: sampled entries, squared loss, trace norm",
		Data:      "--train ratings.csv",
		Flags:     func(c *cobra.Command) cli.Loader { return NewFlags(c) },
		Example:   map[string]string{"fit": "--weights smoothed:0.1 --center global", "check": "--weights smoothed:0.1"},
		Predictor: entries,
	}}
}
