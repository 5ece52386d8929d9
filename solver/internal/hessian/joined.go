package hessian

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/unionfind"
	"github.com/seed-b18ef778/gcg/internal/view"
)

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
