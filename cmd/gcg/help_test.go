package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
)

// The help of every command fits a terminal of 80 columns, and the commands of its examples are what they are without breaks.
func TestHelpFits(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		var b bytes.Buffer
		cmd.SetOut(&b)
		cmd.InitDefaultHelpFlag()
		help(cmd, nil)
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > cli.HelpColumns || strings.Contains(line, "\x00") {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		whole := strings.Join(strings.Fields(strings.ReplaceAll(b.String(), "\\\n", "")), " ")
		for _, example := range strings.Split(cmd.Example, "\n") {
			if words := strings.Join(strings.Fields(example), " "); !strings.Contains(whole, words) {
				t.Errorf("%s: the help is without %q", cmd.CommandPath(), words)
			}
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(rootCommand(nil))
}
