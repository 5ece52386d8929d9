// Package views is the problem multiview of the command: its flags, files, words and answer.
package views

import (
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// Kinds is the problem of views.
func Kinds() []cli.Kind {
	return []cli.Kind{{
		Name:      "multiview",
		About:     "what views of the same samples share: squared or Huber loss, two-view gauge",
		Data:      "--view a.csv --view b.csv",
		Flags:     func(c *cobra.Command) cli.Loader { return newFlags(c) },
		Example:   map[string]string{"fit": "--loss huber:0.01 --denoised clean.csv"},
		Predictor: &predictor{},
		Show:      show,
	}}
}
