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
func FromSlice(list []Rating) (*Ratings, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("dataset: there are no ratings")
	}
	r := &Ratings{Name: "ratings", RowIDs: &IDs{}, ColIDs: &IDs{}}
	for e, x := range list {
		if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
			return nil, fmt.Errorf("dataset: rating %d, of user %q and item %q, is %v; ratings are finite", e+1, x.User, x.Item, x.Value)
		}
		r.Rows, r.Cols = append(r.Rows, r.RowIDs.Add([]byte(x.User))), append(r.Cols, r.ColIDs.Add([]byte(x.Item)))
		r.Values = append(r.Values, x.Value)
	}
	r.Shape = [2]int{r.RowIDs.Len(), r.ColIDs.Len()}
	return r, nil
}
