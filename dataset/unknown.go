package dataset

// Unknown is how many ratings are of unknown users or items.
func (r *Ratings) Unknown() (count int) {
	for e, i := range r.Rows {
		if i < 0 || r.Cols[e] < 0 {
			count++
		}
	}
	return count
}

// HideUnseen makes unknown (-1) the users and items of a part that have no rating in training: a part in a file of its own
// would not know them either. Both number users and items alike.
func (r *Ratings) HideUnseen(train *Ratings) {
	hideUnseen(r.Rows, train.Rows, train.Shape[0])
	hideUnseen(r.Cols, train.Cols, train.Shape[1])
}

// hideUnseen makes -1 the indices, of n, that the others do not have.
func hideUnseen(index, others []int32, n int) {
	met := make([]bool, n)
	for _, i := range others {
		if i >= 0 {
			met[i] = true
		}
	}
	for e, i := range index {
		if i >= 0 && !met[i] {
			index[e] = -1
		}
	}
}

// By is the same ratings by other ids: users and items that these do not have are unknown (-1). It shares values and times.
func (r *Ratings) By(rows, cols *IDs) *Ratings {
	s := *r
	s.RowIDs, s.ColIDs, s.Shape = rows, cols, [2]int{rows.Len(), cols.Len()}
	s.Rows, s.Cols = renumbered(r.Rows, r.RowIDs.In(rows)), renumbered(r.Cols, r.ColIDs.In(cols))
	return &s
}

func renumbered(index, at []int32) []int32 {
	moved := make([]int32, len(index))
	for e, i := range index {
		if moved[e] = -1; i >= 0 {
			moved[e] = at[i]
		}
	}
	return moved
}
