package model

import (
	"strconv"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Name calls rows and columns that have no ids 1, 2, 3, …
func (m *Model) Name() {
	m.RowIDs, m.ColIDs = named(m.RowIDs, m.Rows), named(m.ColIDs, m.Cols)
}

func named(ids []string, n int) []string {
	for i := len(ids); i < n; i++ {
		ids = append(ids, strconv.Itoa(i+1))
	}
	return ids
}

// Align is ratings by the rows and columns of the model, -1 for users and items that it does not know: what Predict takes.
func (m *Model) Align(r *dataset.Ratings) *dataset.Ratings {
	return r.By(dataset.NewIDs(m.RowIDs), dataset.NewIDs(m.ColIDs))
}
