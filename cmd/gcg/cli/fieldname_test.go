package cli

import (
	"fmt"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/param"
)

// Each field that an error of the library names has a flag in the table.
func TestFieldsAreFlags(t *testing.T) {
	for _, field := range param.Names {
		if flagNamed(flagOf(field)) == nil {
			t.Errorf("%s would be called --%s, and there is no such flag", field, flagOf(field))
		}
	}
	err := fmt.Errorf("a.csv: %w", param.Errorf("see %v or %v", param.LambdaRatio, param.Narrow))
	if got, want := ErrorText(err), "a.csv: see --lambda-ratio or --float32"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
