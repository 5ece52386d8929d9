package linear_test

import (
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/linear"
	"github.com/seed-b18ef778/gcg/task"
)

// Test rows without an event leave nothing to say of equal risks.
func TestTrivialWithoutEvents(t *testing.T) {
	if text := linear.Trivial(&task.Constant{On: "test", NoEvents: true}); !strings.Contains(text, "no event was seen") {
		t.Error(text)
	}
}
