package main

import (
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// refuseEmpty refuses a text that is given and empty, as one from a variable of the shell that is not set: to go on as if it was
// left out would fit other data, or write nothing.
func refuseEmpty(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == ""
		if s, ok := f.Value.(pflag.SliceValue); ok {
			empty = slices.Contains(s.GetSlice(), "")
		}
		if empty && err == nil {
			err = cli.Usagef("--%s is empty: give it a value, or leave it out", f.Name)
		}
	})
	return err
}
