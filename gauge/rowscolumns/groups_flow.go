package rowscolumns

import "math"

// A groupFlow shares every |G_e| among the groups that have e, share_ge ≥ 0, so that none of the loads Σ_e share_ge is beyond
// τ w_g. Paths go from groups beyond to groups below, through entries that both have.
type groupFlow struct {
	k     *Groups
	tau   float64 // the density of best
	best  []int32 // T
	size  []float64
	share [][]float64 // beside k.index
	at    [][]int32   // where entry e stands in its groups, beside k.of
	load  []float64
	tiny  float64

	level []int // of groups, -1 for not reached
	arc   [][2]int
}

// newFlow shares every entry equally, and begins with T = all entries that are not 0.
func (k *Groups) newFlow(g []float64) *groupFlow {
	f := &groupFlow{k: k, size: make([]float64, len(g)), at: make([][]int32, len(g)), load: make([]float64, len(k.index))}
	var all []int32
	for e, x := range g {
		if f.size[e] = math.Abs(x); x != 0 {
			all = append(all, int32(e))
		}
	}
	for c, entries := range k.index {
		share := make([]float64, len(entries))
		for p, e := range entries {
			share[p] = f.size[e] / float64(len(k.of[e]))
			f.load[c] += share[p]
			f.at[e] = append(f.at[e], int32(p))
		}
		f.share = append(f.share, share)
	}
	f.take(all)
	f.tiny = 1e-16 * f.tau
	return f
}

// take makes T the best set if it is denser, and reports whether it is.
func (f *groupFlow) take(entries []int32) bool {
	if len(entries) == 0 {
		return false
	}
	var sum float64
	for _, e := range entries {
		sum += f.size[e]
	}
	density := sum / f.k.weightOf(entries)
	if !(density > f.tau*(1+rises)) {
		return false
	}
	f.tau, f.best = density, entries
	return true
}

// bound is the largest load_g / w_g, summed anew: at least κ°.
func (f *groupFlow) bound() (top float64) {
	for g, share := range f.share {
		var sum float64
		for _, x := range share {
			sum += x
		}
		top = math.Max(top, sum/f.k.weight(g))
	}
	return top
}

// most is the load that a group may have.
func (f *groupFlow) most(g int) float64 { return f.tau * f.k.weight(g) }

// search levels groups by their distance from those beyond their load, and reports whether one below is reached.
func (f *groupFlow) search() (found bool) {
	f.level = filled(len(f.share), -1)
	var queue []int
	for g, load := range f.load {
		if load > f.most(g)*(1+closed/2) {
			f.level[g] = 0
			queue = append(queue, g)
		}
	}
	seen := make([]bool, len(f.size))
	for level := 1; len(queue) > 0 && !found; level++ {
		var next []int
		for _, g := range queue {
			for p, e := range f.k.index[g] {
				if seen[e] || !(f.share[g][p] > f.tiny) {
					continue
				}
				seen[e] = true
				for _, h := range f.k.of[e] {
					if f.level[h] < 0 {
						f.level[h] = level
						next = append(next, int(h))
						found = found || f.load[h] < f.most(int(h))
					}
				}
			}
		}
		queue = next
	}
	return found
}

// push moves load along paths of ascending levels until none is left.
func (f *groupFlow) push() {
	f.arc = make([][2]int, len(f.share))
	for g := range f.load {
		for f.level[g] == 0 && f.load[g] > f.most(g) {
			moved := f.from(g, f.load[g]-f.most(g))
			if moved == 0 {
				break
			}
			f.load[g] -= moved
		}
	}
}

// from moves up to so much load from group g to groups below their most, and returns how much.
func (f *groupFlow) from(g int, most float64) float64 {
	arc := &f.arc[g]
	for ; arc[0] < len(f.share[g]); arc[0], arc[1] = arc[0]+1, 0 {
		e := f.k.index[g][arc[0]]
		for ; arc[1] < len(f.k.of[e]) && f.share[g][arc[0]] > f.tiny; arc[1]++ {
			h := int(f.k.of[e][arc[1]])
			if f.level[h] != f.level[g]+1 {
				continue
			}
			moved := math.Min(most, f.share[g][arc[0]])
			if room := f.most(h) - f.load[h]; room > 0 {
				moved = math.Min(moved, room)
				f.load[h] += moved
			} else {
				moved = f.from(h, moved)
			}
			if moved > 0 {
				f.share[g][arc[0]] -= moved
				f.share[h][f.at[e][arc[1]]] += moved
				return moved
			}
		}
	}
	return 0
}

// reached are the entries, not 0, all of whose groups the last search has reached. Where load beyond is left, they are denser.
func (f *groupFlow) reached() (entries []int32) {
	for e, own := range f.k.of {
		all := f.size[e] > 0
		for _, g := range own {
			all = all && f.level[g] >= 0
		}
		if all {
			entries = append(entries, int32(e))
		}
	}
	return entries
}
