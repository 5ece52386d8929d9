package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/spf13/cobra"
)

// help prints what a command says of itself, the examples first, which is what most people look for. It is no template: one
// of these keeps every method of every type in the binary, because it could call any.
func help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	if about := cmp.Or(cmd.Long, cmd.Short); about != "" {
		fmt.Fprintf(&b, "%s\n\n", strings.TrimRight(about, " \n"))
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "Examples:\n%s\n\n", cmd.Example)
	}
	if !cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "Usage:\n  %s\n\n%s\n", cmd.UseLine(), strings.TrimRight(cli.GroupedFlags(cmd), " \n"))
		io.WriteString(cmd.OutOrStdout(), b.String())
		return
	}
	use, title, word := "[verb]", "Verbs", "VERB"
	if cmd.Annotations["children"] != "" {
		use, title, word = "PROBLEM [flags]", "Problems", "PROBLEM"
	}
	fmt.Fprintf(&b, "Usage:\n  %s %s\n\n%s:", cmd.CommandPath(), use, title)
	for _, child := range cmd.Commands() {
		if child.IsAvailableCommand() {
			fmt.Fprintf(&b, "\n  %-*s %s", child.NamePadding(), child.Name(), child.Short)
		}
	}
	fmt.Fprintf(&b, "\n\n%s %s --help says more.\n", cmd.CommandPath(), word)
	io.WriteString(cmd.OutOrStdout(), b.String())
}

// helpCommand is cobra's, but a word that it does not know is wrong usage.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{Use: "help [verb]", Short: "Help about a verb, examples first",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 && (cmd == root || cmd.HasSubCommands()) {
				return unknownVerb(strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			cmd.SetErr(io.Discard) // a failed write is reported once, by execute
			return cmd.Help()
		}}
}
