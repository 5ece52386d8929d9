package completion

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/task"
)

// foresee refuses, as soon as the size of the data is known, what cannot be done with it, and says what memory the run will take.
func (c *job) foresee(name string, n, rows, cols int) error {
	f := c.f
	if err := f.CheckExact(gauge.Trace{}, rows, cols); err != nil {
		return err
	}
	need := c.need(n, rows, cols)
	if f.MaxRank > 0 {
		need.Sizes = []int{f.MaxRank}
	}
	return f.Foresee(name, need)
}

// need is the memory that so many ratings take.
func (c *job) need(n, rows, cols int) cli.Need {
	f := c.f
	_, auto, _ := f.LambdaValue()
	m := task.CompletionMemory{Ratings: n, Rows: rows, Cols: cols, Float32: f.float32, Split: f.splits(), Choose: auto,
		Exact: f.Exact}
	for _, r := range []*dataset.Ratings{c.Test, c.Valid} {
		if r != nil {
			m.Held += r.Len()
		}
	}
	mend := "take fewer, or more memory"
	if !f.float32 {
		mend += "; --float32 takes less than half"
	}
	return needOf(m, mend)
}

// needOf is the need of some ratings, at ranks that solutions often have and at one that few exceed.
func needOf(m task.CompletionMemory, mend string) cli.Need {
	return cli.Need{Of: fmt.Sprintf("%d ratings", m.Ratings), Shape: fmt.Sprintf(", %d × %d", m.Rows, m.Cols), Least: m.Least(),
		At: m.At, Unit: "at rank %d", Sizes: []int{32, 64, 256}, Most: min(m.Rows, m.Cols), Mend: mend}
}
