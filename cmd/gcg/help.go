package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/printable"
	"github.com/spf13/cobra"
)

// help prints what a command says of itself, the examples first, which is what most people look for. It is no template: one
// of these keeps every method of every type in the binary, because it could call any.
func help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	if about := cmp.Or(cmd.Long, cmd.Short); about != "" {
		fmt.Fprintf(&b, "%s\n\n", filled(strings.TrimRight(about, " \n")))
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "Examples:\n%s\n\n", examples(cmd.Example))
	}
	if !cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "Usage:\n%s\n\n%s\n", printable.Wrap("  "+cmd.UseLine(), cli.HelpColumns, 4),
			strings.TrimRight(cli.GroupedFlags(cmd), " \n"))
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
			line := fmt.Sprintf("  %-*s %s", child.NamePadding(), child.Name(), child.Short)
			b.WriteString("\n" + printable.Wrap(line, cli.HelpColumns, child.NamePadding()+3))
		}
	}
	fmt.Fprintf(&b, "\n\n%s %s --help says more.\n", cmd.CommandPath(), word)
	io.WriteString(cmd.OutOrStdout(), b.String())
}

// filled breaks the lines of a text that are too wide, and puts what is over before the line below.
func filled(text string) string {
	var all []string
	over := ""
	for _, line := range strings.Split(text, "\n") {
		if over != "" && (line == "" || line[0] == ' ') {
			all = append(all, over)
		} else if over != "" {
			line = over + " " + line
		}
		parts := strings.Split(printable.Wrap(line, cli.HelpColumns, 0), "\n")
		over = ""
		if last := len(parts) - 1; last > 0 {
			over, parts = parts[last], parts[:last]
		}
		all = append(all, parts...)
	}
	if over != "" {
		all = append(all, over)
	}
	return strings.Join(all, "\n")
}

// examples breaks the commands that are too wide as a shell takes them, and puts what is said of them below.
func examples(text string) string {
	const below = 6
	var all []string
	for _, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) <= cli.HelpColumns {
			all = append(all, line)
			continue
		}
		command, remark, _ := strings.Cut(strings.TrimLeft(line, " "), "   ")
		const glued = "\x00" // a flag stays with its value
		command = strings.ReplaceAll(strings.ReplaceAll(command, " ", glued), glued+"--", " --")
		command = strings.ReplaceAll(printable.Wrap("  "+command, cli.HelpColumns-2, below), glued, " ")
		all = append(all, strings.ReplaceAll(command, "\n", " \\\n"))
		if remark = strings.TrimLeft(remark, " "); remark != "" {
			all = append(all, printable.Wrap(strings.Repeat(" ", below)+remark, cli.HelpColumns, below))
		}
	}
	return strings.Join(all, "\n")
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
