package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
)

// A rank whose reading fails ends the others where they wait for it, also in work that may be interrupted.
func TestReadingEndsWithItsRanks(t *testing.T) {
	failed := errors.New("cannot be read")
	err := cluster.InProcess(3, func(c *cluster.Comm) error {
		_, err := UnlessInterrupted(t.Context(), func() (int, error) {
			if c.Rank() == 1 {
				return 0, failed
			}
			return 0, c.FirstError(nil)
		})
		return err
	})
	if !errors.Is(err, failed) || strings.Contains(err.Error(), "apart") {
		t.Errorf("%v, want %v", err, failed)
	}
}
