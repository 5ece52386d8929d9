package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// A value that does not parse is refused with what its flag takes, whatever the type of the flag.
func TestValuesThatDoNotParse(t *testing.T) {
	for name, c := range map[string]struct {
		field any
		value string
		want  string
	}{
		"whole":    {new(int), "x", "a whole number"},
		"seed":     {new(uint64), "-1", "not negative"},
		"number":   {new(float64), "x", "a finite number"},
		"switch":   {new(bool), "maybe", "true or false"},
		"time":     {new(time.Duration), "soon", "20s or 5m"},
		"numbers":  {new([]int), "5,x", "such as 5,10,20"},
		"words":    {new([]string), "\"a", "quotes in pairs"},
		"the mark": {new(Decimal), "x", "the decimal mark is . or ,"},
	} {
		cmd := &cobra.Command{Use: "gcg", SilenceErrors: true, SilenceUsage: true}
		cmd.RunE = func(*cobra.Command, []string) error { return nil }
		cmd.Flags().VarPF(valueOf(c.field, true), "flag", "", "")
		cmd.SetFlagErrorFunc(FlagError)
		cmd.SetArgs([]string{"--flag=" + c.value})
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--flag") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
