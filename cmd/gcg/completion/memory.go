package completion

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/task"
)

// foresee refuses, as soon as the size of the data is known, what cannot be done with it, and says what memory the run will take.
func (c *job) foresee(name string, n, rows, cols int) error {
	f := c.f
	if err := f.CheckExact(gauge.Trace{}, rows, cols); err != nil {
		return err
	}
	have := math.Inf(1)
	if bytes := memory.Available(); bytes > 0 {
		have = bytes
	}
	_, auto, _ := f.LambdaValue()
	need := task.CompletionMemory{Ratings: n, Rows: rows, Cols: cols, Float32: f.float32, Split: f.splits(), Choose: auto,
		Exact: f.Exact}
	if least := need.Least(); least > have {
		mend := "take fewer, or more memory"
		if !f.float32 {
			mend += "; --float32 takes less than half"
		}
		return fmt.Errorf("%s: %d ratings take %s at least, and there are %s: %s", name, n, cli.Gigabytes(least), cli.Gigabytes(have),
			mend)
	}
	for _, r := range []*dataset.Ratings{c.Test, c.Valid} {
		if r != nil {
			need.Held += r.Len()
		}
	}
	text, most := forecast(need, f.MaxRank)
	if most > have {
		text += fmt.Sprintf("; there are %s", cli.Gigabytes(have))
	}
	if most > worthSaying {
		cli.NewProgress(f.Cmd.ErrOrStderr(), &f.RunFlags).Say(fmt.Sprintf("%d ratings, %d × %d: %s", n, rows, cols, text))
	}
	return nil
}

// forecast says what a run will take at ranks that solutions often have, and at one that few exceed, and how much that is at the
// last of them. With a largest rank it is that one alone.
func forecast(need task.CompletionMemory, maxRank int) (text string, most float64) {
	ranks := []int{32, 64, 256}
	if maxRank > 0 {
		ranks = []int{maxRank}
	}
	var parts []string
	for _, r := range ranks {
		r = min(r, need.Rows, need.Cols)
		most = need.At(r)
		if at := fmt.Sprintf("%s at rank %d", cli.Gigabytes(most), r); !slices.Contains(parts, at) {
			parts = append(parts, at)
		}
	}
	return "expect at most " + strings.Join(parts, ", "), most
}

// worthSaying is memory that not every machine has to spare.
const worthSaying = 2e8
