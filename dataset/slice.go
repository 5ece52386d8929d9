package dataset

import (
	"fmt"
	"math"
)

// A Rating is one observed entry.
type Rating struct {
	User, Item string
	Value      float64
}

// FromSlice is ratings from a slice, with ids in the order of their first appearance. A value that is not finite is an error,
// and so is an empty slice; what is rated twice is left to Compress.
func FromSlice(list []Rating) (*Ratings, error) { return fromSlice(list, &IDs{}, &IDs{}, true) }

// Against is other ratings by the ids of r: users and items that r does not have are unknown (-1).
func (r *Ratings) Against(list []Rating) (*Ratings, error) {
	return fromSlice(list, r.RowIDs, r.ColIDs, false)
}

func fromSlice(list []Rating, rows, cols *IDs, grow bool) (*Ratings, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("dataset: there are no ratings")
	}
	r := &Ratings{Name: "ratings", RowIDs: rows, ColIDs: cols}
	find := (*IDs).Find
	if grow {
		find = (*IDs).Add
	}
	for e, x := range list {
		if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
			return nil, fmt.Errorf("dataset: rating %d, of user %q and item %q, is %v; ratings are finite", e+1, x.User, x.Item, x.Value)
		}
		r.Rows, r.Cols = append(r.Rows, find(rows, []byte(x.User))), append(r.Cols, find(cols, []byte(x.Item)))
		r.Values = append(r.Values, x.Value)
	}
	r.Shape = [2]int{rows.Len(), cols.Len()}
	return r, nil
}
