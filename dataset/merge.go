package dataset

import "slices"

// Merged keeps one rating for each entry, where the last of its duplicates stood, with the value that the rule gives. Ratings
// of unknown users or items are left out where there are duplicates; without any the ratings themselves are returned.
func (r *Ratings) Merged(rule Duplicates) (*Ratings, error) {
	s, err := r.Compress(rule)
	if err != nil || len(s.Values) == len(r.Values) {
		return r, err
	}
	last := make([]int32, len(s.Values)) // by place in s
	for e := range r.Values {
		if r.Rows[e] >= 0 && r.Cols[e] >= 0 {
			last[s.at(r.Rows[e], r.Cols[e])] = int32(e)
		}
	}
	slices.Sort(last)
	one := r.Subset(last)
	for t, e := range last {
		one.Values[t] = s.Values[s.at(r.Rows[e], r.Cols[e])]
	}
	return one, nil
}

// at is the place of an entry that is there.
func (s *Sparse) at(i, j int32) int {
	lo, hi := s.Ptr[i], s.Ptr[i+1]
	at, _ := slices.BinarySearch(s.Cols[lo:hi], j)
	return int(lo) + at
}
