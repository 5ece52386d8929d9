package cli

import (
	"runtime/debug"
)

// NumbersPerEntry is what the cheapest fit keeps for each entry of W; 5.3 to 7.9 were seen with 10⁶ and more features.
const NumbersPerEntry = 5

// Thrifty gives back what reading large data has taken, and lets garbage grow to that part of it, in percent, from then on:
// the large slices hold no pointers, so that the collector's cycles are cheap.
func Thrifty(percent int) {
	debug.SetGCPercent(percent)
	debug.FreeOSMemory()
}
