package memory

import (
	"math"
	"runtime"
	"strings"
	"testing"
)

// What no machine has is refused in a line, and a small matrix is granted.
func TestGrant(t *testing.T) {
	err := GrantMatrix("wide.mtx", 1, math.MaxInt32, math.MaxInt32)
	if err == nil || !strings.HasPrefix(err.Error(), "wide.mtx: is 2147483647 × 2147483647; its entries, all written out, take ") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
	if err := GrantMatrix("x", 4, 100, 100); err != nil {
		t.Error(err)
	}
	if err := Grant("x", math.Inf(1)); err == nil {
		t.Error("infinitely many bytes are granted")
	}
	if runtime.GOOS == "linux" && Grant("x", Available()+1) == nil {
		t.Error("more than there is was granted")
	}
}
