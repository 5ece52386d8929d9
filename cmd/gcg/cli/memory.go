package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Gigabytes is a size in memory.
func Gigabytes(bytes float64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.2f GB", bytes/1e9)
	}
	return fmt.Sprintf("%.1f GB", bytes/1e9)
}

// NumbersPerEntry is what the cheapest fit keeps for each entry of W; 5.3 to 7.9 were seen with 10⁶ and more features.
const NumbersPerEntry = 5

// InGB is what numbers take, and what the process may have; where nothing says so, more than any machine has.
func InGB(numbers float64) (need, have float64) {
	if have = memory.Available() / 1e9; have == 0 {
		have = 1e5
	}
	return 8 * numbers / 1e9, have
}

// Thrifty gives back what reading large data has taken, and lets garbage grow to that part of it, in percent, from then on:
// the large slices hold no pointers, so that the collector's cycles are cheap.
func Thrifty(percent int) {
	debug.SetGCPercent(percent)
	debug.FreeOSMemory()
}
