package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// HelpColumns is the width that help is wrapped to, that of most terminals.
const HelpColumns = 80

// GroupedFlags is the help of a command's flags: in groups where it is a verb of a PROBLEM.
func GroupedFlags(cmd *cobra.Command) string {
	all := cmd.LocalFlags()
	if all.Lookup("lambda") == nil {
		return "Flags:\n" + all.FlagUsagesWrapped(HelpColumns)
	}
	var b strings.Builder
	for g, title := range groupTitles {
		part := pflag.NewFlagSet("", pflag.ContinueOnError)
		part.SortFlags = false
		all.VisitAll(func(f *pflag.Flag) {
			if row := flagNamed(f.Name); !f.Hidden && (row != nil && row.Group == group(g) || row == nil && group(g) == first) {
				part.AddFlag(f)
			}
		})
		if part.HasFlags() {
			b.WriteString(title + ":\n" + part.FlagUsagesWrapped(HelpColumns) + "\n")
		}
	}
	return b.String()
}
