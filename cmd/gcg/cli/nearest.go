package cli

import (
	"fmt"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unknownFlag names the flag that was probably meant, or where all are listed.
func unknownFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	wrong := err.GetSpecifiedName()
	nearest, least := "", 3 // more than two letters apart is another word
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		d := text.EditDistance(wrong, f.Name)
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
