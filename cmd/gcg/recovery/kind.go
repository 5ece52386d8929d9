// Package recovery is the recovery of sparse and low-rank matrices, and of the missing links of graphs.
package recovery

import (
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// Kinds is the recovery.
func Kinds(entries cli.Predictor) []cli.Kind {
	return []cli.Kind{{
		Name:      "recovery",
		About:     "a sparse and low-rank matrix from some entries, or a graph's missing links: squared loss, ℓ1 norm and trace norm",
		Data:      "--train entries.csv --l1 0.001",
		Flags:     func(c *cobra.Command) cli.Loader { return newFlags(c) },
		Example:   map[string]string{"fit": "--shape 100,80 --lambda 0.01", "check": "--shape 100,80"},
		Predictor: entries,
	}}
}
