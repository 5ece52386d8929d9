package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// helpTemplate puts the examples first, which is what most people look for.
const helpTemplate = `{{with or .Long .Short}}{{trimTrailingWhitespaces .}}

{{end}}{{if .HasExample}}Examples:
{{.Example}}

{{end}}Usage:
  {{if .HasAvailableSubCommands}}{{.CommandPath}} {{if .Annotations.children}}PROBLEM [flags]{{else}}[verb]{{end}}{{else}}{{.UseLine}}{{end}}
{{if .HasAvailableSubCommands}}
{{if .Annotations.children}}Problems:{{else}}Verbs:{{end}}{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}

{{.CommandPath}} {{if .Annotations.children}}PROBLEM{{else}}VERB{{end}} --help says more.
{{else}}
{{groupedFlags . | trimTrailingWhitespaces}}
{{end}}`

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
