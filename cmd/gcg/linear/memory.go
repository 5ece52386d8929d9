package linear

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/task"
)

// A fitMemory forecasts the bytes that a fit on rows of features takes.
type fitMemory struct {
	rows, features, outputs int
	observations            int // predictions: rows × outputs, or rows of tasks
	stored                  int // numbers of X
	dense                   bool
	held                    int  // numbers of the features to measure on
	sparse                  bool // the gauge makes entries of W few, not its rank
	copied                  bool // features are twice in memory: of parts without some of the rows, or while ranks deal them out
	answers                 int  // of all rows, where ranks share the features
}

const (
	// processBytes is what the program and its buffers take on any data.
	processBytes = 9e7
	// factorVectors is how many factors the steps keep at once with their garbage: 20 to 39 were seen where the features are many.
	factorVectors = 40
	// observationVectors is how many vectors of predictions they keep, and of rows times the rank.
	observationVectors = 15
	// answerVectors is how many vectors of answers and predictions of all rows a rank keeps, to measure by and for folds.
	answerVectors = 6
	// supportCopies is how many copies of the features in use they keep: for the products, the second derivatives, and as garbage;
	// 2.3 were seen, and 5.7 to 8.7 with several outputs.
	supportCopies, severalCopies = 3, 9
	// keptPart of a dense X is what operator.Features keeps by columns.
	keptPart = 0.125
	// entryVectors is how many numbers they keep for each entry of W; 5.3 to 7.9 were seen, and 17 with 20 outputs.
	entryVectors = 20
)

// data is what X takes.
func (m *fitMemory) data() float64 {
	if m.dense {
		return 8 * float64(m.stored+m.held)
	}
	return 12 * float64(m.stored+m.held)
}

// least is what any fit takes: the features, a copy of some of them, and W with its gradient.
func (m *fitMemory) least() float64 {
	return processBytes/3 + 1.5*m.data() + 8*cli.NumbersPerEntry*float64(m.features)*float64(m.outputs)
}

// at is what a fit takes, at most, whose W has this rank, or so many rows that are not 0.
func (m *fitMemory) at(size int) float64 {
	n, k := float64(m.observations), float64(size)
	beside := processBytes + m.data() + 8*observationVectors*n + 8*answerVectors*float64(m.answers)
	if m.copied {
		beside += m.data()
	}
	if !m.sparse {
		return beside + 8*factorVectors*k*float64(m.features+m.outputs) + 8*observationVectors*float64(m.rows)*k
	}
	if m.dense {
		beside += keptPart * 8 * float64(m.stored)
	} else {
		beside += 12 * float64(m.stored) // X by columns
	}
	support := m.data() * k / float64(m.features)
	if m.outputs > 1 {
		support *= severalCopies
	} else {
		support *= supportCopies
	}
	return beside + support + 8*entryVectors*float64(m.features)*float64(m.outputs)
}

// ofRank makes it the forecast of the rank that has most.
func (m *fitMemory) ofRank(c *cluster.Comm, train *task.Samples) {
	_, stored := c.Extremes(0, float64(m.stored))
	_, held := c.Extremes(0, float64(m.held))
	_, rows := c.Extremes(0, float64(train.X.Rows))
	m.answers, m.copied, m.stored, m.held = m.observations, true, int(stored), int(held)
	m.observations = m.observations / m.rows * int(rows)
	m.rows = int(rows)
}

// foresee refuses what the memory cannot hold, and says what the fit will take.
func (f *flags) foresee(c *task.Schema, train, test *task.Samples, k gcg.Gauge) error {
	m := &fitMemory{rows: train.Rows(), features: c.Width, outputs: len(c.Outputs), observations: max(len(train.Y), train.Rows()),
		stored: len(train.X.Dense) + len(train.X.Values), dense: train.X.Dense != nil, sparse: selection.Sparse(k),
		copied: f.chooses() && (f.standardize || f.missing != "error")}
	if train.Class != nil {
		m.observations *= m.outputs
	}
	if test != nil {
		m.held = len(test.X.Dense) + len(test.X.Values)
	}
	of := fmt.Sprintf("%d rows of %d features", m.rows, m.features)
	if f.Comm().Size() > 1 {
		m.ofRank(f.Comm(), train)
	}
	need := cli.Need{Of: of, Least: m.least(), At: m.at,
		Unit: "at rank %d", Sizes: []int{32, 64, math.MaxInt}, Most: min(m.features, m.outputs), Mend: "take fewer, or more memory"}
	switch {
	case m.sparse:
		need.Unit, need.Sizes, need.Most = "with %d features", []int{100, 1000, math.MaxInt}, m.features
	case f.MaxRank > 0:
		need.Sizes = []int{f.MaxRank}
	}
	return f.Foresee(train.XName, need)
}
