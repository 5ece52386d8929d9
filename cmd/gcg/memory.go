package main

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/task"
)

// foresee refuses, as soon as the size of the data is known, what cannot be done with it, and says what memory the run will take.
func (c *completion) foresee(name string, n, rows, cols int) error {
	f := c.f
	if err := f.checkExact(gauge.Trace{}, rows, cols); err != nil {
		return err
	}
	have := math.Inf(1)
	if bytes := memory.Available(); bytes > 0 {
		have = bytes
	}
	_, auto, _ := f.lambdaValue()
	need := task.CompletionMemory{Ratings: n, Rows: rows, Cols: cols, Float32: f.float32, Split: f.splits(), Choose: auto,
		Exact: f.exact}
	if least := need.Least(); least > have {
		mend := "take fewer, or more memory"
		if !f.float32 {
			mend += "; --float32 takes less than half"
		}
		return fmt.Errorf("%s: %d ratings take %s at least, and there are %s: %s", name, n, gigabytes(least), gigabytes(have), mend)
	}
	for _, r := range []*dataset.Ratings{c.Test, c.Valid} {
		if r != nil {
			need.Held += r.Len()
		}
	}
	text, most := forecast(need)
	if most > have {
		text += fmt.Sprintf("; there are %s", gigabytes(have))
	}
	if most > worthSaying {
		newProgress(f.cmd.ErrOrStderr(), &f.runFlags).say(fmt.Sprintf("%d ratings, %d × %d: %s", n, rows, cols, text))
	}
	return nil
}

// forecast says what a run will take at two ranks that solutions often have, and how much that is at the larger one.
func forecast(need task.CompletionMemory) (text string, most float64) {
	return fmt.Sprintf("expect at most %s at rank 32 and %s at rank 64", gigabytes(need.At(32)), gigabytes(need.At(64))), need.At(64)
}

// gigabytes is a size in memory.
func gigabytes(bytes float64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.2f GB", bytes/1e9)
	}
	return fmt.Sprintf("%.1f GB", bytes/1e9)
}

// worthSaying is memory that not every machine has to spare.
const worthSaying = 2e8

// numbersPerEntry is what the cheapest fit keeps for each entry of W; 5.3 to 7.9 were seen with 10⁶ and more features.
const numbersPerEntry = 5

// inGB is what numbers take, and what the process may have; where nothing says so, more than any machine has.
func inGB(numbers float64) (need, have float64) {
	if have = memory.Available() / 1e9; have == 0 {
		have = 1e5
	}
	return 8 * numbers / 1e9, have
}

// thrifty gives back what reading large data has taken, and lets garbage grow to that part of it, in percent, from then on:
// the large slices hold no pointers, so that the collector's cycles are cheap.
func thrifty(percent int) {
	debug.SetGCPercent(percent)
	debug.FreeOSMemory()
}
