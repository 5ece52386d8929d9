package completion

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/task"
)

// foresee refuses, as soon as the size of the data is known, what cannot be done with it, and says what memory the run will
// take.
func (c *job) foresee(name string, n, rows, cols int) error {
	mend := "take fewer, or more memory"
	if !c.f.float32 {
		mend += "; --float32 takes less than half"
	}
	m := task.CompletionMemory{Ratings: n, Rows: rows, Cols: cols, Float32: c.f.float32, Lists: c.given.Lists(n)}
	if c.given.AlsoSeen != nil {
		m.AlsoSeen = c.given.AlsoSeen.Len()
	}
	return c.f.foresee(c.given.Train, name, m, "ratings", mend, c.given.Test, c.given.Valid)
}

// foresee is that of clicks.
func (c *clickJob) foresee() error {
	noun := "clicks"
	if c.f.feedback.positive != 0 { // which of them are clicks is not known yet
		noun = "ratings"
	}
	train := c.given.Train
	m := task.CompletionMemory{Ratings: train.Len(), Rows: train.Shape[0], Cols: train.Shape[1], Clicks: true}
	return c.f.foresee(train, train.Name, m, noun, "take fewer, or more memory", c.given.Test, c.given.Valid)
}

// foresee fills in what the flags say of the memory that a run takes, how ranks share train, and those to measure on; ratings may
// be nil.
func (f *Flags) foresee(train *dataset.Ratings, name string, m task.CompletionMemory, noun, mend string,
	held ...*dataset.Ratings) error {
	if err := f.CheckExact(gauge.Trace{}, m.Rows, m.Cols); err != nil {
		return err
	}
	if train != nil && train.Spread != nil {
		lo, hi := train.Spread.OwnRows()
		_, most := f.Comm().Extremes(0, float64(hi-lo)) // of a rank
		m.OwnRows = int(most)
	}
	_, m.Choose, _ = f.LambdaValue()
	m.Split, m.Exact = f.splits(), f.Exact
	for _, r := range held {
		if r != nil {
			m.Held += r.Len()
		}
	}
	need := needOf(m, noun, mend)
	if f.MaxRank > 0 {
		need.Sizes = []int{f.MaxRank}
	}
	return f.Foresee(name, need)
}

// needOf is the need of some ratings or clicks, at ranks that solutions often have and at one that few exceed.
func needOf(m task.CompletionMemory, noun, mend string) cli.Need {
	return cli.Need{Of: fmt.Sprintf("%d %s", m.Ratings, noun), Shape: fmt.Sprintf(", %d × %d", m.Rows, m.Cols), Least: m.Least(),
		At: m.At, Unit: "at rank %d", Sizes: []int{32, 64, 256}, Most: min(m.Rows, m.Cols), Mend: mend}
}
