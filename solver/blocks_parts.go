package solver

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// parts are the second derivatives H of L on a support, which are block diagonal: columns of different parts have no
// observation in common, and no constant of the intercept. Where the loss couples no observations, the outputs of a design
// and the tasks are such parts. A vector in the order of the parts holds the entries of each part together.
type parts struct {
	groups
	place []int // of an entry in the order of the parts
	hess  [][]float64
}

// newParts finds the parts of the columns, which are one where the loss couples observations.
func newParts(p *view.Problem, s *gcg.State, columns []gcg.Column) *parts {
	if !p.Separable {
		return partsOf(oneGroup(len(columns)))
	}
	return partsOf(newGroups(len(columns), joined(p, s, columns)))
}

// partsOf makes each group of entries a part, with a matrix of zeros.
func partsOf(g groups) *parts {
	c := &parts{groups: g, place: make([]int, len(g.of))}
	from := 0
	for _, entries := range c.members {
		for a, i := range entries {
			c.place[i] = from + a
		}
		from += len(entries)
		c.hess = append(c.hess, memory.Make[float64](len(entries)*len(entries)))
	}
	return c
}

// unformed is one part of n entries whose matrix is not formed.
func unformed(n int) *parts {
	c := &parts{groups: oneGroup(n)}
	c.place = c.at
	return c
}

// keep copies what is known of H for the first known entries from old, parts that these are unions of.
func (c *parts) keep(old *parts, known int) {
	for q, entries := range c.members {
		n := len(entries)
		for a, i := range entries[:c.before(q, known)] {
			from := old.row(i)
			for b, j := range entries[:a+1] {
				if old.of[j] == old.of[i] {
					c.hess[q][a*n+b], c.hess[q][b*n+a] = from[old.at[j]], from[old.at[j]]
				}
			}
		}
	}
}

// before is how many entries of part q are less than i.
func (c *parts) before(q, i int) int {
	n := len(c.members[q])
	for n > 0 && c.members[q][n-1] >= i {
		n--
	}
	return n
}

// row is the row of entry i in the matrix of its part.
func (c *parts) row(i int) []float64 {
	n := len(c.members[c.of[i]])
	return c.hess[c.of[i]][c.at[i]*n : (c.at[i]+1)*n]
}

// entry is Hᵢⱼ.
func (c *parts) entry(i, j int) float64 {
	if c.of[i] != c.of[j] {
		return 0
	}
	return c.row(i)[c.at[j]]
}

// addTo is g += by·H eᵢ, with g in the order of the parts.
func (c *parts) addTo(g []float64, by float64, i int) {
	from := c.place[i] - c.at[i]
	kernel.Axpy(by, c.row(i), g[from:from+len(c.members[c.of[i]])])
}

// whole is H as one matrix.
func (c *parts) whole() []float64 {
	if len(c.members) == 1 {
		return c.hess[0]
	}
	t := len(c.of)
	h := make([]float64, t*t)
	for _, entries := range c.members {
		for _, i := range entries {
			for b, x := range c.row(i) {
				h[i*t+entries[b]] = x
			}
		}
	}
	return h
}

// size is the number of entries of the matrices.
func (c *parts) size() (sum float64) {
	for _, part := range c.members {
		sum += float64(len(part)) * float64(len(part))
	}
	return sum
}

// run says that the w entries from lo on follow each other in one part.
func (c *parts) run(lo, w int) bool {
	return c.of[lo] == c.of[lo+w-1] && c.at[lo+w-1]-c.at[lo] == w-1
}

// addRun is slope += H d for such entries, with slope of these alone.
func (c *parts) addRun(slope, d []float64, lo int) {
	at := c.at[lo]
	for i := range d {
		slope[i] += kernel.Dot(c.row(lo + i)[at:at+len(d)], d)
	}
}

// addAll is g += H d for the entries from lo on, with g in the order of the parts.
func (c *parts) addAll(g, d []float64, lo int) {
	for i, by := range d {
		if by != 0 {
			c.addTo(g, by, lo+i)
		}
	}
}
