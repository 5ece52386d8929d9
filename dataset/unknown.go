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

// HideUnseen makes unknown (-1) the users and items of a part that have no rating in training: a part in a file of its own would not know them
// either. Both number users and items alike.
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
