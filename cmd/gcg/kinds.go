package main

import (
	"slices"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/cmd/gcg/completion"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cur"
	"github.com/seed-b18ef778/gcg/cmd/gcg/linear"
	"github.com/seed-b18ef778/gcg/cmd/gcg/recovery"
	"github.com/seed-b18ef778/gcg/cmd/gcg/rpca"
	"github.com/seed-b18ef778/gcg/cmd/gcg/spca"
	"github.com/seed-b18ef778/gcg/cmd/gcg/views"
)

// kinds are the problems, in the order of the help.
func kinds() []cli.Kind {
	entries := completion.Predictor()
	return slices.Concat(completion.Kinds(entries), linear.Kinds(), views.Kinds(), recovery.Kinds(entries), rpca.Kinds(entries),
		spca.Kinds(), cur.Kinds())
}
