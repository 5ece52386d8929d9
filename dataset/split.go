package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// A Split cuts ratings in two parts; exactly one of the fields is set. The same seed gives the same parts.
type Split struct {
	Fraction float64 // of all ratings, for training
	PerUser  float64 // of each user's ratings, at least one
	Last     int     // each user's last ratings, by time, are for the test
	Time     float64 // the first fraction of all ratings by time, for training: nothing of the test is as old
	Seed     uint64
}

// Parts are the training and the test ratings, as indices in the order of the file.
func (s Split) Parts(r *Ratings) (train, test []int32, err error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	inTest := make([]bool, len(r.Values))
	switch {
	case s.Fraction != 0 && r.Spread != nil:
		s.overRanks(r, inTest)
	case s.Fraction != 0:
		n := len(inTest)
		for _, e := range s.random().Perm(n)[:n-int(math.Round(s.Fraction*float64(n)))] {
			inTest[e] = true
		}
	case s.PerUser != 0:
		s.byUser(r, inTest)
	case s.Time != 0 && r.Spread != nil:
		return nil, nil, fmt.Errorf("%s: a split by time is for one process", r.Name)
	case s.Time != 0:
		if err := s.byTime(r, inTest); err != nil {
			return nil, nil, err
		}
	default:
		s.last(r, inTest)
	}
	for e, t := range inTest {
		if t {
			test = append(test, int32(e))
		} else {
			train = append(train, int32(e))
		}
	}
	ranks := r.Spread.Comm()
	if in, out := ranks.Count(len(train)), ranks.Count(len(test)); in == 0 || out == 0 {
		return nil, nil, fmt.Errorf("%s: the split leaves %d ratings for training and %d for the test; both need some", r.Name, in, out)
	}
	return train, test, nil
}

// check says which field is missing, one too many, or out of range.
func (s Split) check() error {
	set := 0
	for _, on := range []bool{s.Fraction != 0, s.PerUser != 0, s.Last != 0, s.Time != 0} {
		if on {
			set++
		}
	}
	switch {
	case set != 1:
		return fmt.Errorf("dataset: a split has one of Fraction, PerUser, Last and Time, not %d of them", set)
	case s.Fraction != 0 && !(s.Fraction > 0 && s.Fraction < 1):
		return fmt.Errorf("a split keeps a fraction between 0 and 1 for training, not %v", s.Fraction)
	case s.PerUser != 0 && !(s.PerUser > 0 && s.PerUser < 1):
		return fmt.Errorf("a split keeps a fraction between 0 and 1 of each user's ratings, not %v", s.PerUser)
	case s.Time != 0 && !(s.Time > 0 && s.Time < 1):
		return fmt.Errorf("a split by time keeps a fraction between 0 and 1 for training, not %v", s.Time)
	case s.Last < 0:
		return fmt.Errorf("a split of the last ratings keeps at least one of each user's for the test, not %d", s.Last)
	}
	return nil
}

func (s Split) random() *rand.Rand { return rand.New(rand.NewPCG(s.Seed, 0x5eed)) }

// byUser marks the same part of each user's ratings, but leaves one.
func (s Split) byUser(r *Ratings, inTest []bool) {
	rng, total := s.random(), r.Total()
	for i, own := range byRow(r) {
		if r.Spread != nil {
			rng = s.ownRandom(total, int32(i), 0)
		}
		rng.Shuffle(len(own), func(a, b int) { own[a], own[b] = own[b], own[a] })
		kept := max(1, int(math.Round(s.PerUser*float64(len(own)))))
		for _, e := range own[min(kept, len(own)):] { // a user may have no ratings in a Matrix Market file, or in a part
			inTest[e] = true
		}
	}
}

// last marks each user's last ratings, by time or else by the order of the file, but leaves one.
func (s Split) last(r *Ratings, inTest []bool) {
	for _, own := range byRow(r) {
		if len(r.Times) == len(inTest) {
			sort.SliceStable(own, func(a, b int) bool { return r.Times[own[a]] < r.Times[own[b]] })
		}
		for _, e := range own[max(min(1, len(own)), len(own)-s.Last):] {
			inTest[e] = true
		}
	}
}

// byTime marks what is later than the fraction of the ratings that comes first. Ratings of one moment stay together, in training:
// nothing of the test was there to learn from.
func (s Split) byTime(r *Ratings, inTest []bool) error {
	if len(r.Times) != len(r.Values) {
		return fmt.Errorf("%s: has no times to split by", r.Name)
	}
	sorted := slices.Clone(r.Times)
	slices.Sort(sorted)
	last := sorted[max(0, int(math.Round(s.Time*float64(len(sorted))))-1)]
	for e, t := range r.Times {
		inTest[e] = t > last
	}
	return nil
}

// byRow lists the ratings of each row in the order of the file.
func byRow(r *Ratings) [][]int32 {
	rows := make([][]int32, r.Shape[0])
	for e, i := range r.Rows {
		if i >= 0 {
			rows[i] = append(rows[i], int32(e))
		}
	}
	return rows
}

// Folds assigns n items at random to k ≥ 1 folds of nearly equal size: item e is in fold folds[e], 0 … k-1. The same seed gives
// the same folds.
func Folds(n, k int, seed uint64) ([]int, error) {
	if n < 0 || k < 1 {
		return nil, fmt.Errorf("dataset: folds are of 0 or more items in 1 or more parts, not of %d in %d", n, k)
	}
	rng := rand.New(rand.NewPCG(seed, 0xf01d))
	fold := make([]int, n)
	for t, e := range rng.Perm(n) {
		fold[e] = t % k
	}
	return fold, nil
}

// HoldOut lists the items that fold k holds out, and those that it leaves in, both ascending.
func HoldOut(folds []int, k int) (in, out []int32) {
	for e, at := range folds {
		if at == k {
			out = append(out, int32(e))
		} else {
			in = append(in, int32(e))
		}
	}
	return in, out
}
