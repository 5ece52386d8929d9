package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unknownFlag names the flag that was probably meant, or where all are listed.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	wrong := err.GetSpecifiedName()
	nearest, least := "", 3 // more than two letters apart is another word
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		d := editDistance(wrong, f.Name)
		if strings.HasPrefix(f.Name, wrong) && len(wrong) > 2 {
			d = min(d, 2)
		}
		if d < least {
			nearest, least = f.Name, d
		}
	})
	if nearest != "" {
		return fmt.Errorf("%w; is it --%s?", err, nearest)
	}
	return fmt.Errorf("%w; see gcg help%s", err, strings.TrimPrefix(cmd.CommandPath(), "gcg"))
}

// editDistance is how many letters must be put in, taken out or changed to make one word the other [Levenshtein 1966].
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
