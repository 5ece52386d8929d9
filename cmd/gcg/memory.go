package main

import (
	"fmt"
	"runtime/debug"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// numbersPerEntry is what the cheapest fit keeps for each entry of W; 5.3 to 7.9 were seen with 10⁶ and more features.
const numbersPerEntry = 5

// fitsMemory refuses a W that the machine cannot hold: one index of a LIBSVM file may be far from all others.
func (c *schema) fitsMemory(name string) error {
	if need, have := inGB(numbersPerEntry * float64(c.width) * float64(len(c.outputs))); need > have {
		return fmt.Errorf("%s: has features up to number %d, for which W (%d × %d) takes %.0f GB, and this machine has %.0f; number the features without gaps",
			name, c.width, c.width, len(c.outputs), need, have)
	}
	return nil
}

// inGB is what numbers take, and what the process may have; where nothing says so, more than any machine has.
func inGB(numbers float64) (need, have float64) {
	if have = memory.Available() / 1e9; have == 0 {
		have = 1e5
	}
	return 8 * numbers / 1e9, have
}

// thrifty gives back what reading large data has taken, and lets garbage grow to that part of it, in percent, from then on: the large slices hold
// no pointers, so that the collector's cycles are cheap.
func thrifty(percent int) {
	debug.SetGCPercent(percent)
	debug.FreeOSMemory()
}
