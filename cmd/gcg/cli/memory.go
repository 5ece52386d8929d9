package cli

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Gigabytes is a size in memory.
func Gigabytes(bytes float64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.2f GB", bytes/1e9)
	}
	return fmt.Sprintf("%.1f GB", bytes/1e9)
}

// A Need is the bytes that a fit takes.
type Need struct {
	Of    string // the data, such as 1000 ratings
	Shape string // what follows in the log, such as ", 20 × 30"
	Least float64
	At    func(size int) float64 // at most, where W ends at this rank, or with so many nonzeros
	Unit  string                 // at rank %d, or the like
	Sizes []int                  // that solutions often have, and one that few exceed
	Most  int                    // that W can have
	Mend  string                 // what takes less
}

// Forecast says what a run will take at its sizes, and how much that is at the last of them.
func (n *Need) Forecast() (text string, most float64) {
	var parts []string
	for _, size := range n.Sizes {
		size = min(size, n.Most)
		most = n.At(size)
		if at := Gigabytes(most) + fmt.Sprintf(" "+n.Unit, size); !slices.Contains(parts, at) {
			parts = append(parts, at)
		}
	}
	return "expect at most " + strings.Join(parts, ", "), most
}

// worthSaying is memory that not every machine has to spare.
const worthSaying = 2e8

// Foresee refuses what the memory that there is cannot hold, and says what the run will take where that is worth it. name is that
// of the data.
func (f *RunFlags) Foresee(name string, n Need) error {
	have := math.Inf(1)
	if bytes := memory.Available(); bytes > 0 {
		have = bytes
	}
	if n.Least > have {
		return fmt.Errorf("%s: %s take %s at least, and there are %s: %s", name, n.Of, Gigabytes(n.Least), Gigabytes(have), n.Mend)
	}
	text, most := n.Forecast()
	if most > have {
		text += fmt.Sprintf("; there are %s", Gigabytes(have))
	}
	if most > worthSaying {
		NewProgress(f.Cmd.ErrOrStderr(), f).Say(n.Of + n.Shape + ": " + text)
	}
	return nil
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
