package rowscolumns

import "math"

// A split is |G| = A + B at a density ρ, for the rows of a sum beyond ρ; in the other rows A is |G|, and B is 0. Rows have the
// load ρ in A. Columns have the loads Σ_i B_ij. Flows move load from columns beyond ρ to columns below it, through rows:
// from column j to row i what B_ij has, and on to column k what A_ik has.
type split struct {
	rho   float64
	n     int
	index []int     // of the rows, in the graph
	a, b  []float64 // len(index)×n
	load  []float64 // of columns
	tiny  float64   // capacities below are rounding

	rowLevel, colLevel []int // of the search; -1 is not reached
	rowArc, colArc     []int // where the search for paths goes on
}

// newSplit shares each row in proportion.
func (b *bipartite) newSplit() *split {
	s := &split{rho: b.density, n: b.n, load: make([]float64, b.n), tiny: 1e-16 * b.density}
	for i, sum := range b.sums {
		if !(sum > s.rho) {
			continue
		}
		s.index = append(s.index, i)
		part := s.rho / sum
		for j, x := range b.row(i) {
			s.a, s.b = append(s.a, part*x), append(s.b, x-part*x)
			s.load[j] += x - part*x
		}
	}
	return s
}

// bound is the largest load of a row or a column: at least κ°, whatever the split.
func (s *split) bound() float64 {
	top := s.rho
	load := make([]float64, s.n)
	for r := range s.index {
		var sum float64
		for j, x := range s.a[r*s.n : (r+1)*s.n] {
			sum += x
			load[j] += s.b[r*s.n+j]
		}
		top = math.Max(top, sum)
	}
	for _, x := range load {
		top = math.Max(top, x)
	}
	return top
}

// splitBound is the bound of the split in proportion at the present density.
func (b *bipartite) splitBound() float64 {
	b.split = b.newSplit()
	return b.split.bound()
}

// flow makes the best of the split at the present density. If that leaves load beyond ρ, the columns that load can be reached
// from, with the rows that suit them, are a denser block: it is taken, and better is true. bound is that of the split that is
// left, at the new density where there is one.
func (b *bipartite) flow() (bound float64, better bool) {
	s := b.split
	for s.search() {
		s.push()
	}
	bound = s.bound()
	if bound <= s.rho*(1+closed) {
		return bound, false
	}
	var cols []int
	for j, level := range s.colLevel {
		if level >= 0 {
			cols = append(cols, j)
		}
	}
	if !b.offer(b.rowsFor(cols), cols) { // rounding
		return bound, false
	}
	return b.splitBound(), true
}

// search levels rows and columns by their distance from the columns beyond ρ, and reports whether a column below is reached.
func (s *split) search() (found bool) {
	s.rowLevel, s.colLevel = filled(len(s.index), -1), filled(s.n, -1)
	var queue []int
	for j, load := range s.load {
		if load > s.rho*(1+closed/2) {
			s.colLevel[j] = 0
			queue = append(queue, j)
		}
	}
	for level := 1; len(queue) > 0 && !found; level += 2 {
		var next []int
		for r := range s.index {
			if s.rowLevel[r] >= 0 || !s.gives(r, queue) {
				continue
			}
			s.rowLevel[r] = level
			for k, x := range s.a[r*s.n : (r+1)*s.n] {
				if s.colLevel[k] < 0 && x > s.tiny {
					s.colLevel[k] = level + 1
					next = append(next, k)
					found = found || s.load[k] < s.rho
				}
			}
		}
		queue = next
	}
	return found
}

// gives reports whether one of the columns has load that row r could take.
func (s *split) gives(r int, cols []int) bool {
	for _, j := range cols {
		if s.b[r*s.n+j] > s.tiny {
			return true
		}
	}
	return false
}

// push moves load along paths of ascending levels until none is left [Dinic 1970].
func (s *split) push() {
	s.rowArc, s.colArc = make([]int, len(s.index)), make([]int, s.n)
	for j := range s.load {
		for s.colLevel[j] == 0 && s.load[j] > s.rho {
			moved := s.fromColumn(j, s.load[j]-s.rho)
			if moved == 0 {
				break
			}
			s.load[j] -= moved
		}
	}
}

// fromColumn moves up to so much load from column j to columns below ρ, and returns how much.
func (s *split) fromColumn(j int, most float64) float64 {
	for ; s.colArc[j] < len(s.index); s.colArc[j]++ {
		r := s.colArc[j]
		if s.rowLevel[r] != s.colLevel[j]+1 || !(s.b[r*s.n+j] > s.tiny) {
			continue
		}
		if moved := s.fromRow(r, math.Min(most, s.b[r*s.n+j])); moved > 0 {
			s.b[r*s.n+j] -= moved
			s.a[r*s.n+j] += moved
			return moved
		}
	}
	return 0
}

// fromRow moves up to so much load from row r on.
func (s *split) fromRow(r int, most float64) float64 {
	for ; s.rowArc[r] < s.n; s.rowArc[r]++ {
		k := s.rowArc[r]
		x := s.a[r*s.n+k]
		if s.colLevel[k] != s.rowLevel[r]+1 || !(x > s.tiny) {
			continue
		}
		moved := math.Min(most, x)
		if s.load[k] < s.rho {
			moved = math.Min(moved, s.rho-s.load[k])
			s.load[k] += moved
		} else {
			moved = s.fromColumn(k, moved)
		}
		if moved > 0 {
			s.a[r*s.n+k] -= moved
			s.b[r*s.n+k] += moved
			return moved
		}
	}
	return 0
}

// filled are n times x.
func filled(n, x int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = x
	}
	return all
}
