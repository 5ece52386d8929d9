package solver

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// parts are the second derivatives H of L on a support, by sets of entries whose columns share no observation with those of
// another set, nor a constant of the intercept: H is block diagonal in them. The outputs of a design and tasks are such parts
// where the loss couples no observations. Vectors in the order of the parts hold the entries of each together.
type parts struct {
	groups
	place []int // of an entry in the order of the parts
	hess  [][]float64
}

// newParts finds the parts of the columns; all are one where the loss couples observations.
func newParts(p *gcg.Problem, s *gcg.State, columns []gcg.Column) *parts {
	if !gcg.Separable(p.Loss) {
		return partsOf(oneGroup(len(columns)))
	}
	return partsOf(newGroups(len(columns), joined(p, s, columns)))
}

// partsOf makes each group of entries a part.
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

// unformed is one part of n entries, of which H is not formed.
func unformed(n int) *parts {
	c := &parts{groups: oneGroup(n)}
	c.place = c.at
	return c
}

// joined gives every column a representative, the same for those that observations or constants of the intercept link: union
// and find in one pass over the entries of the columns, of which those with the same observations pass once.
func joined(p *gcg.Problem, s *gcg.State, columns []gcg.Column) func(i int) int {
	type pattern struct {
		first                 *int32
		count, offset, stride int
	}
	var places gcg.Places
	if s.Intercept != nil {
		places = p.Places()
	}
	parent := make([]int, len(columns))
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	observed, constant := make([]int, len(s.Z)), make([]int, places.Count) // 1 + a column that has it
	link := func(owner *int, i int) {
		if *owner == 0 {
			*owner = i + 1
		} else if a, b := find(*owner-1), find(i); a != b {
			parent[max(a, b)] = min(a, b)
		}
	}
	seen := map[pattern]int{}
	for i := range columns {
		parent[i] = i
		c := &columns[i]
		key := pattern{nil, len(c.Values), c.Offset, c.Stride}
		if len(c.Index) > 0 {
			key.first = &c.Index[0]
		}
		if j, ok := seen[key]; ok && len(c.Values) > 0 {
			parent[i] = find(j)
			continue
		}
		seen[key] = i
		each(c, func(at int) {
			link(&observed[at], i)
			if places.Count > 0 {
				link(&constant[places.At(at)], i)
			}
		})
	}
	return find
}

// keep copies the entries before the known one from earlier parts, of which these are unions.
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

// row is that of an entry in the matrix of its part.
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

// addTo is g += by·H eᵢ, g in the order of the parts.
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

// run says that w entries from lo on follow each other in one part.
func (c *parts) run(lo, w int) bool {
	return c.of[lo] == c.of[lo+w-1] && c.at[lo+w-1]-c.at[lo] == w-1
}

// addRun is slope += H d of a run of entries from lo on, slope being of these alone.
func (c *parts) addRun(slope, d []float64, lo int) {
	at := c.at[lo]
	for i := range d {
		slope[i] += kernel.Dot(c.row(lo + i)[at:at+len(d)], d)
	}
}

// addAll is g += H d for entries from lo on, g in the order of the parts.
func (c *parts) addAll(g, d []float64, lo int) {
	for i, by := range d {
		if by != 0 {
			c.addTo(g, by, lo+i)
		}
	}
}

// complete computes the entries from the known one on: H = A_Sᵀ ∇²L A_S.
func (c *parts) complete(p *gcg.Problem, s *gcg.State, columns []gcg.Column, known int) {
	d := diagonalCurvature(p, s)
	if d == nil && len(columns) > 0 && allDense(p, columns) {
		c.byClasses(p, s, columns)
		return
	}
	var rest, fresh []int
	for q, entries := range c.members {
		first := c.before(q, known)
		if d != nil && sameRows(columns, entries) {
			c.denseProducts(q, d, columns, first)
			continue
		}
		rest = append(rest, entries...)
		fresh = append(fresh, entries[first:]...)
	}
	slices.Sort(rest)
	slices.Sort(fresh)
	c.rowProducts(p, s, d, columns, rest, fresh)
	for q, entries := range c.members {
		n := len(entries)
		for a := c.before(q, known); a < n; a++ {
			for b := range a {
				c.hess[q][b*n+a] = c.hess[q][a*n+b]
			}
		}
	}
}

// diagonalCurvature is the diagonal of ∇²L, or nil where it has more.
func diagonalCurvature(p *gcg.Problem, s *gcg.State) []float64 {
	if !gcg.Separable(p.Loss) {
		return nil
	}
	d := make([]float64, len(s.Z))
	for i := range d {
		d[i] = 1
	}
	p.HessTo(d, s.Z, s.R, d)
	return d
}

// sameRows reports whether columns are dense and of one output.
func sameRows(columns []gcg.Column, entries []int) bool {
	first := &columns[entries[0]]
	for _, i := range entries {
		if c := &columns[i]; c.Index != nil || c.Stride != first.Stride || c.Offset != first.Offset {
			return false
		}
	}
	return true
}

// denseProducts writes rows first … of part q from the matrix of its columns, 2tnt' flops.
func (c *parts) denseProducts(q int, d []float64, columns []gcg.Column, first int) {
	entries := c.members[q]
	t, n := len(entries), len(columns[entries[0]].Values)
	all, scaled := make([]float64, t*n), make([]float64, (t-first)*n)
	par.For(t, func(a int) {
		x := &columns[entries[a]]
		copy(all[a*n:(a+1)*n], x.Values)
		if a >= first {
			for e, v := range x.Values {
				scaled[(a-first)*n+e] = v * d[x.Offset+x.Stride*e]
			}
		}
	})
	blocks := par.Grain(t-first, 32, 16)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, t-first)
		kernel.GemmNT(c.hess[q][(first+lo)*t:(first+hi)*t], scaled[lo*n:hi*n], all, hi-lo, t, n)
	})
}

// columnProducts writes the rows of the fresh entries up to the diagonal: ∇²L A(e), spread over a vector of predictions, is dotted with
// the columns of the part one by one.
func (c *parts) columnProducts(p *gcg.Problem, s *gcg.State, columns []gcg.Column, fresh []int) {
	blocks := par.Grain(len(fresh), 16, 16)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, len(fresh))
		spread := make([]float64, len(s.Z))
		for _, i := range fresh[lo:hi] {
			addColumn(spread, 1, &columns[i])
			p.HessBlockTo(spread, 0, s.Z, s.R, spread)
			row := c.row(i)
			for a, j := range c.members[c.of[i]][:c.at[i]+1] {
				row[a] = dotColumn(spread, &columns[j])
			}
			clear(spread)
		}
	})
}

// profile takes off what the intercept absorbs: the model is then that of min over b of L.
func (c *parts) profile(p *gcg.Problem, s *gcg.State, columns []gcg.Column) {
	a, v := newAbsorber(p, s, columns)
	a.profile(v, len(columns), func(i int) ([]float64, []int) { return c.row(i), c.members[c.of[i]] })
}
