package hessian

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/unionfind"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Parts are the second derivatives H of L on a support, which are block diagonal: columns of different parts have no
// observation in common, and no constant of the intercept. Where the loss couples no observations, the outputs of a design
// and the tasks are such parts. A vector in the order of the parts holds the entries of each part together.
type Parts struct {
	Groups
	Place []int // of an entry in the order of the parts
	Hess  [][]float64
}

// NewParts finds the parts of the columns, which are one where the loss couples observations.
func NewParts(p *view.Problem, s *gcg.State, columns []gcg.Column) *Parts {
	if !p.Separable {
		return PartsOf(OneGroup(len(columns)))
	}
	return PartsOf(GroupsOf(p, s, columns))
}

// GroupsOf are the columns that observations or constants of the intercept link, of all ranks that share these.
func GroupsOf(p *view.Problem, s *gcg.State, columns []gcg.Column) Groups {
	root := Joined(p, s, columns)
	if !p.IsShared() {
		return NewGroups(len(columns), root)
	}
	own := make([]int32, len(columns))
	for i := range own {
		own[i] = int32(root(i))
	}
	sets := unionfind.New(len(columns))
	for _, list := range p.Lists(own) {
		for i, r := range list {
			sets.Join(r, int32(i))
		}
	}
	return NewGroups(len(columns), func(i int) int { return int(sets.Find(int32(i))) })
}

// PartsOf makes each group of entries a part, with a matrix of zeros.
func PartsOf(g Groups) *Parts {
	c := &Parts{Groups: g, Place: make([]int, len(g.Of))}
	from := 0
	for _, entries := range c.Members {
		for a, i := range entries {
			c.Place[i] = from + a
		}
		from += len(entries)
		c.Hess = append(c.Hess, memory.Make[float64](len(entries)*len(entries)))
	}
	return c
}

// Unformed is one part of n entries whose matrix is not formed.
func Unformed(n int) *Parts {
	c := &Parts{Groups: OneGroup(n)}
	c.Place = c.At
	return c
}

// Keep copies what is known of H for the first known entries from old, parts that these are unions of.
func (c *Parts) Keep(old *Parts, known int) {
	for q, entries := range c.Members {
		n := len(entries)
		for a, i := range entries[:c.before(q, known)] {
			from := old.Row(i)
			for b, j := range entries[:a+1] {
				if old.Of[j] == old.Of[i] {
					c.Hess[q][a*n+b], c.Hess[q][b*n+a] = from[old.At[j]], from[old.At[j]]
				}
			}
		}
	}
}

// before is how many entries of part q are less than i.
func (c *Parts) before(q, i int) int {
	n := len(c.Members[q])
	for n > 0 && c.Members[q][n-1] >= i {
		n--
	}
	return n
}

// Row is the row of entry i in the matrix of its part.
func (c *Parts) Row(i int) []float64 {
	n := len(c.Members[c.Of[i]])
	return c.Hess[c.Of[i]][c.At[i]*n : (c.At[i]+1)*n]
}

// Entry is Hᵢⱼ.
func (c *Parts) Entry(i, j int) float64 {
	if c.Of[i] != c.Of[j] {
		return 0
	}
	return c.Row(i)[c.At[j]]
}

// AddTo is g += by·H eᵢ, with g in the order of the parts.
func (c *Parts) AddTo(g []float64, by float64, i int) {
	from := c.Place[i] - c.At[i]
	kernel.Axpy(by, c.Row(i), g[from:from+len(c.Members[c.Of[i]])])
}

// Whole is H as one matrix.
func (c *Parts) Whole() []float64 {
	if len(c.Members) == 1 {
		return c.Hess[0]
	}
	t := len(c.Of)
	h := make([]float64, t*t)
	for _, entries := range c.Members {
		for _, i := range entries {
			for b, x := range c.Row(i) {
				h[i*t+entries[b]] = x
			}
		}
	}
	return h
}

// Size is the number of entries of the matrices.
func (c *Parts) Size() (sum float64) {
	for _, part := range c.Members {
		sum += float64(len(part)) * float64(len(part))
	}
	return sum
}

// Run says that the w entries from lo on follow each other in one part.
func (c *Parts) Run(lo, w int) bool {
	return c.Of[lo] == c.Of[lo+w-1] && c.At[lo+w-1]-c.At[lo] == w-1
}

// AddRun is slope += H d for the entries from lo on, with slope for these alone.
func (c *Parts) AddRun(slope, d []float64, lo int) {
	at := c.At[lo]
	for i := range d {
		slope[i] += kernel.Dot(c.Row(lo + i)[at:at+len(d)], d)
	}
}

// AddAll is g += H d for the entries from lo on, with g in the order of the parts.
func (c *Parts) AddAll(g, d []float64, lo int) {
	for i, by := range d {
		if by != 0 {
			c.AddTo(g, by, lo+i)
		}
	}
}

// Joined gives every column a representative. Columns have the same one where observations or constants of the intercept link
// them. It is union-find in one pass over the entries of the columns; columns with the same observations pass once.
func Joined(p *view.Problem, s *gcg.State, columns []gcg.Column) func(i int) int {
	type pattern struct {
		first                 *int32
		count, offset, stride int
	}
	var intercept gcg.InterceptMap
	if s.Intercept != nil {
		intercept = p.InterceptMap()
	}
	sets := unionfind.New(len(columns))
	observed, constant := make([]int, len(s.Z)), make([]int, intercept.Count) // 1 + a column that has it
	link := func(owner *int, i int) {
		if *owner == 0 {
			*owner = i + 1
		} else {
			sets.Join(int32(*owner-1), int32(i))
		}
	}
	seen := map[pattern]int{}
	for i := range columns {
		c := &columns[i]
		key := pattern{nil, len(c.Values), c.Offset, c.Stride}
		if len(c.Index) > 0 {
			key.first = &c.Index[0]
		}
		if j, ok := seen[key]; ok && len(c.Values) > 0 {
			sets.Join(int32(j), int32(i))
			continue
		}
		seen[key] = i
		Each(c, func(at int) {
			link(&observed[at], i)
			if intercept.Count == 0 {
				return
			}
			if c := intercept.At(at); c >= 0 {
				link(&constant[c], i)
			}
		})
	}
	return func(i int) int { return int(sets.Find(int32(i))) }
}

// Groups divide the numbers 0 … n-1 into groups.
type Groups struct {
	Of, At  []int   // the group of a thing, and its place in it
	Members [][]int // of a group, ascending
}

// NewGroups puts those with the same root into a group. Groups are numbered by their first members.
func NewGroups(n int, root func(i int) int) Groups {
	g := Groups{Of: make([]int, n), At: make([]int, n)}
	number := map[int]int{}
	for i := range n {
		r := root(i)
		q, ok := number[r]
		if !ok {
			q = len(g.Members)
			number[r] = q
			g.Members = append(g.Members, nil)
		}
		g.Of[i], g.At[i] = q, len(g.Members[q])
		g.Members[q] = append(g.Members[q], i)
	}
	return g
}

// OneGroup has all n numbers in one group.
func OneGroup(n int) Groups { return NewGroups(n, func(int) int { return 0 }) }
