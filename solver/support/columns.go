package support

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// extract takes the columns that are missing out of the data, in one pass over it.
func (u *support) extract() {
	if first := len(u.columns); first < len(u.x) {
		u.columns = append(u.columns, u.op.Columns(u.rows[first:], u.cols[first:])...)
		for i := range u.columns[first:] {
			ascend(&u.columns[first+i])
		}
		u.share(first)
	}
}

// ascend sorts a column by observation, as an operator of the caller's own may not.
func ascend(c *gcg.Column) {
	if slices.IsSorted(c.Index) {
		return
	}
	order := make([]int, len(c.Index))
	for t := range order {
		order[t] = t
	}
	slices.SortFunc(order, func(a, b int) int { return int(c.Index[a]) - int(c.Index[b]) })
	index, values := make([]int32, len(order)), make([]float64, len(order))
	for t, from := range order {
		index[t], values[t] = c.Index[from], c.Values[from]
	}
	c.Index, c.Values = index, values
}

// share lets the dense columns from first on share their values with older columns of the same feature, by which H
// recognises features.
func (u *support) share(first int) {
	if !u.dense {
		return
	}
	values := map[int32][]float64{}
	for i := range u.columns {
		c := &u.columns[i]
		older, ok := values[u.rows[i]]
		switch {
		case c.Index != nil:
		case !ok:
			values[u.rows[i]] = c.Values
		case i >= first && slices.Equal(older, c.Values):
			c.Values = older
		}
	}
}
