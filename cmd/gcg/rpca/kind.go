// Package rpca is robust principal component analysis: a matrix as one of low rank and one of few entries.
package rpca

import (
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// Kinds is robust principal component analysis.
func Kinds(entries cli.Predictor) []cli.Kind {
	return []cli.Kind{{
		Name:      "rpca",
		About:     "a matrix as one of low rank plus one of few entries: robust principal components",
		Data:      "--features X.csv",
		Flags:     func(c *cobra.Command) cli.Loader { return newFlags(c) },
		Example:   map[string]string{"fit": "--equal --low-rank L.csv --sparse S.csv"},
		Predictor: entries,
	}}
}
