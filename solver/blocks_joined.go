package solver

import "github.com/seed-b18ef778/gcg"

// joined gives every column a representative, which columns share that observations or constants of the intercept link. It
// is union-find in one pass over the entries of the columns; columns with the same observations pass once.
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
