package main

import (
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
)

// merged keeps one rating for each entry, where the last of its duplicates stood, with the value that the rule gives.
func merged(r *dataset.Ratings, rule dataset.Duplicates) (*dataset.Ratings, error) {
	s, err := r.Compress(rule)
	if err != nil || len(s.Values) == len(r.Values) {
		return r, err
	}
	last := make([]int32, len(s.Values)) // by place in s
	value := func(e int) int {
		i := r.Rows[e]
		lo, hi := s.Ptr[i], s.Ptr[i+1]
		at, _ := slices.BinarySearch(s.Cols[lo:hi], r.Cols[e])
		return int(lo) + at
	}
	for e := range r.Values {
		last[value(e)] = int32(e)
	}
	slices.Sort(last)
	one := r.Subset(last)
	for t, e := range last {
		one.Values[t] = s.Values[value(int(e))]
	}
	return one, nil
}
