package main

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/memory"
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
	if least := f.leastBytes(n); least > have {
		mend := "take fewer, or more memory"
		if !f.float32 {
			mend += "; --float32 takes less than half"
		}
		return fmt.Errorf("%s: %d ratings take %s at least, and there are %s: %s", name, n, gigabytes(least), gigabytes(have), mend)
	}
	held := 0
	for _, r := range []*dataset.Ratings{c.test, c.valid} {
		if r != nil {
			held += r.Len()
		}
	}
	text, most := f.estimate(n, held, rows, cols)
	if most > have {
		text += fmt.Sprintf("; there are %s", gigabytes(have))
	}
	if most > worthSaying {
		newProgress(f.cmd.ErrOrStderr(), &f.runFlags).say(fmt.Sprintf("%d ratings, %d × %d: %s", n, rows, cols, text))
	}
	return nil
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

// estimate says what the run will take with n ratings to train on and some held in files of their own, and how much that is at the larger of two
// ranks that solutions often have.
func (f *completionFlags) estimate(n, held, rows, cols int) (text string, most float64) {
	beside := processBytes + denseBytes(rows, cols) + heldBytes*float64(held)
	if f.exact {
		beside += proofBytes(rows, cols)
	}
	at := func(rank int) float64 {
		return math.Max(f.loadBytes(n), f.ratingBytes()*float64(n)+factorBytes(rows, cols, rank)) + beside
	}
	return fmt.Sprintf("expect at most %s at rank 32 and %s at rank 64", gigabytes(at(32)), gigabytes(at(64))), at(64)
}

// leastBytes is what ratings take before any factors: 12 bytes each with their residuals in float32, and 32 where rows, columns and values are
// put in order.
func (f *completionFlags) leastBytes(n int) float64 {
	if f.narrow() {
		return 12*float64(n) + processBytes
	}
	return 32*float64(n) + processBytes
}

// loadBytes is what reading ratings takes for --float32: 20 bytes each, three times that where they are split.
func (f *completionFlags) loadBytes(n int) float64 {
	if f.narrow() {
		return 20 * float64(n)
	}
	return 60 * float64(n)
}

// heldBytes is what a rating to measure on takes: its row, its column, its value, and one of these twice while it is read.
const heldBytes = 24

// processBytes is what the program and its buffers take on any data.
const processBytes = 9e7

// proofBytes is what a proven bound takes: half of the Gram matrix of the smaller side, half of its factor, and as much for the
// factor that was tried before, which may still be garbage: 7 to 12 bytes an entry were seen.
func proofBytes(rows, cols int) float64 {
	side := float64(min(rows, cols))
	return 12 * side * side
}

// ratingBytes is what a rating takes while its problem is solved: in float32 12 and up to 2 for the offsets of tiles; without it
// the rating, its prediction and residual, and those of the steps that are tried, and while λ is chosen the same of a part of the ratings.
func (f *completionFlags) ratingBytes() float64 {
	_, auto, _ := f.lambdaValue()
	switch {
	case f.float32:
		return 14
	case auto:
		return 130
	}
	return 68
}

// denseBytes is what G takes where it is decomposed whole: as it is written, as a factor, and less the spaces of W.
func denseBytes(rows, cols int) float64 {
	if !(gauge.Trace{}).Dense(rows, cols) {
		return 0
	}
	return 24 * float64(rows) * float64(cols)
}

// factorBytes is factorVectors numbers for each row, column and direction of the solution.
func factorBytes(rows, cols, rank int) float64 {
	return 8 * float64(rank) * factorVectors * float64(rows+cols)
}

// factorVectors is how many factors a Newton step keeps at once, half of them in float32: the iterates before and after, the basis, the
// gradient, the preconditioner, four vectors and four points of the conjugate gradients, and the work space of a decomposition. From 1
// to 99 million ratings 6.5 to 9.5 were seen.
const factorVectors = 10
