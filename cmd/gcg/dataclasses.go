package main

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/synthetic"
	"github.com/spf13/cobra"
)

// classFlags are those of gcg data generate for shapes of classes.
type classFlags struct {
	g    synthetic.Gaussians
	test string
}

var (
	classNames  = []string{"features", "classes", "per-class", "correlation", "test-output"}
	ratingNames = []string{"rows", "cols", "ratings", "rank", "noise", "user-features", "item-features"}
)

// fields are where the values of flags are kept.
func (c *classFlags) fields() cli.Fields {
	return cli.Fields{"features": &c.g.Features, "classes": &c.g.Classes, "per-class": &c.g.PerClass,
		"correlation": &c.g.Correlation, "test-output": &c.test}
}

// mixtureNamed is the shape of classes of a name.
func mixtureNamed(args []string) (g synthetic.Gaussians, ok bool) {
	for _, m := range synthetic.Mixtures {
		if len(args) == 1 && args[0] == m.Name {
			return m, true
		}
	}
	return g, false
}

// generate writes the rows of classes, in LIBSVM's format.
func (c *classFlags) generate(cmd *cobra.Command, g synthetic.Gaussians, output string) error {
	changed := cmd.Flags().Changed
	if err := noneOf(changed, append(viewNames, ratingNames...), g.Name); err != nil {
		return err
	}
	if changed("features") {
		g.Features, g.Signal = c.g.Features, max(1, c.g.Features/5)
	}
	if changed("classes") {
		g.Classes = c.g.Classes
	}
	if changed("per-class") {
		g.PerClass = c.g.PerClass
	}
	if changed("correlation") {
		g.Correlation = c.g.Correlation
	}
	if err := g.Check(); err != nil {
		return cli.Usage(err)
	}
	if err := cli.CheckLIBSVM(output, c.test); err != nil {
		return err
	}
	for sample, name := range []string{output, c.test} {
		if name == "" {
			continue
		}
		if err := g.Write(cmd.Context(), name, uint64(sample)); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %d rows of %d features, %d classes, seed %d\n", name, g.Rows(), g.Features, g.Classes,
			g.Seed)
	}
	return nil
}

// noneOf refuses the flags of the other kind of shapes.
func noneOf(changed func(string) bool, names []string, shape string) error {
	for _, name := range names {
		if changed(name) {
			return cli.Usagef("--%s: not for shape %s", name, shape)
		}
	}
	return nil
}
