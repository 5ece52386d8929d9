package task

import (
	"math"

	"github.com/seed-b18ef778/gcg/gauge"
)

// CompletionMemory forecasts the bytes that fitting a completion takes, of a process that does nothing else.
type CompletionMemory struct {
	Ratings, Rows, Cols int
	Held                int  // ratings to measure on
	Float32             bool // Completion.Float32
	Split               bool // the ratings are cut in parts after they are read
	Choose              bool // λ is chosen by validation
	Exact               bool // solver.Options.Exact
	Clicks              bool // the fit is over all cells, see task/implicit
	Lists               bool // see Completion.Lists
	AlsoSeen            int  // pairs of Completion.AlsoSeen
	OwnRows             int  // of a rank, the rows that it has of all Rows, and Ratings are its own; 0 is one process
}

// Least is what the ratings take before any factors: 12 bytes each with their residuals in float32, and 32 where rows,
// columns and values are put in order.
func (c CompletionMemory) Least() float64 {
	if c.Float32 && !c.Split {
		return 12*float64(c.Ratings) + processBytes
	}
	return 32*float64(c.Ratings) + processBytes
}

// At is what a run takes, at most, that ends at a rank.
func (c CompletionMemory) At(rank int) float64 {
	beside := processBytes + c.dense() + heldBytes*float64(c.Held)
	if c.Exact {
		beside += c.proof()
	}
	rows := c.Rows
	if c.OwnRows > 0 {
		rows = c.OwnRows
		beside += idBytes * float64(c.Rows+c.Cols)
	}
	factors := 8 * float64(rank) * c.vectors() * float64(rows+c.Cols)
	if c.Lists {
		beside += listBytes*float64(c.Ratings) + seenBytes*float64(c.AlsoSeen)
	}
	return math.Max(c.load(), c.rating()*float64(c.Ratings)+factors) + beside
}

// load is what reading ratings takes for float32: 20 bytes each, three times that where they are split.
func (c CompletionMemory) load() float64 {
	if c.Float32 && !c.Split {
		return 20 * float64(c.Ratings)
	}
	return 60 * float64(c.Ratings)
}

// rating is what a rating takes while its problem is solved: in float32 12 bytes and up to 2 for the offsets of tiles;
// without it the rating, its prediction and residual, and those of the steps that are tried. While λ is chosen the same of a
// part of the ratings, and of the fold before, which may still be garbage on a machine that has much else to do.
func (c CompletionMemory) rating() float64 {
	switch {
	case c.Float32:
		return 14
	case c.Choose:
		return 180
	}
	return 68
}

// vectors is how many factors the steps keep at once.
func (c CompletionMemory) vectors() float64 {
	switch {
	case c.Clicks:
		return clickVectors
	case c.Lists:
		return listVectors
	}
	return factorVectors
}

// dense is what G takes where it is decomposed whole: as it is written, as a factor, and less the spaces of W.
func (c CompletionMemory) dense() float64 {
	if !(gauge.Trace{}).Dense(c.Rows, c.Cols) {
		return 0
	}
	return 24 * float64(c.Rows) * float64(c.Cols)
}

// proof is what a proven bound takes: half of the Gram matrix of the smaller side, half of its factor, and as much for the
// factor that was tried before, which may still be garbage: 7 to 12 bytes an entry were seen.
func (c CompletionMemory) proof() float64 {
	side := float64(min(c.Rows, c.Cols))
	return 12 * side * side
}

const (
	// heldBytes is what a rating to measure on takes: its row, its column, its value, and one of these twice while it is read.
	heldBytes = 24
	// processBytes is what the program and its buffers take on any data.
	processBytes = 9e7
	// factorVectors is how many factors a Newton step keeps at once, half of them in float32: the iterates before and after, the
	// basis, the gradient, the preconditioner, four vectors and four points of the conjugate gradients, and the work space of a
	// decomposition. From 1 to 99 million ratings 6.5 to 9.5 were seen.
	factorVectors = 10
	// clickVectors is the same over all cells, whose steps are all in float64, with their garbage: 7 to 31 were seen.
	clickVectors = 32
	// idBytes is what a rank takes for each user and item of all ranks: its id and a few numbers.
	idBytes = 100
	// listBytes is what a rating takes in the lists of its user and its item, by rows and by columns.
	listBytes = 24
	// seenBytes is what a pair without a rating takes: as it is read, in a map while those with ratings are taken out, and in the
	// lists of all ratings and of a part of them.
	seenBytes = 120
	// listVectors is the same with lists, whose factors have a row for each user and item on both sides, all in float64, and
	// which keep the products with lists beside them: 19 to 47 were seen.
	listVectors = 54
)
