package main

import (
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/completion"
	"github.com/seed-b18ef778/gcg/cmd/gcg/linear"
	"github.com/seed-b18ef778/gcg/cmd/gcg/multiview"
)

// kinds are the problems, in the order of the help.
func kinds() []cli.Kind {
	return slices.Concat(completion.Kinds(), linear.Kinds(), multiview.Kinds())
}
