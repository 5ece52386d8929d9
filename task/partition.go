package task

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

// dealt is the rows in random order, those of one stratum together: dealing them out in turn gives each part the same share
// of every stratum.
func dealt(n int, strata []int32, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 0x5eed))
	rows := make([]int32, n)
	for i, p := range rng.Perm(n) {
		rows[i] = int32(p)
	}
	if strata != nil {
		slices.SortStableFunc(rows, func(a, b int32) int { return int(strata[a]) - int(strata[b]) })
	}
	return rows
}

// divide is a fraction of the rows and the rest, in ascending order. Every stratum has a row in the first part.
func divide(n int, strata []int32, fraction float64, seed uint64) (fit, rest []int32) {
	seen := map[int32]bool{}
	taken := 0
	for t, i := range dealt(n, strata, seed) {
		only := strata != nil && !seen[strata[i]]
		if only || taken < int(float64(t+1)*fraction+0.5) {
			fit = append(fit, i)
			taken++
			if strata != nil {
				seen[strata[i]] = true
			}
		} else {
			rest = append(rest, i)
		}
	}
	slices.Sort(fit)
	slices.Sort(rest)
	return fit, rest
}

// folds assigns rows to k parts; the only row of a stratum is in none (-1), so that it is always trained on.
func folds(n int, strata []int32, k int, seed uint64) []int {
	count := map[int32]int{}
	for _, s := range strata {
		count[s]++
	}
	part := make([]int, n)
	t := 0
	for _, i := range dealt(n, strata, seed) {
		if strata != nil && count[strata[i]] == 1 {
			part[i] = -1
			continue
		}
		part[i] = t % k
		t++
	}
	return part
}

// partition gives each rating the fold that holds it out, or -1. By rows a fold holds out half of the ratings of its rows: of
// users who are not trained on at all, no λ would predict anything.
func (p *PreparedCompletion) partition(n int) ([]int, error) {
	if p.task.FoldBy != FoldRows {
		return p.task.Train.Folds(n, p.task.Seed)
	}
	fold := make([]int, len(p.task.Train.Values))
	for e := range fold {
		fold[e] = -1
	}
	_, held, err := dataset.Split{PerUser: 0.5, Seed: p.task.Seed}.Parts(p.task.Train)
	if err != nil {
		return fold, nil // no user has two ratings
	}
	rows, err := dataset.Folds(p.task.Train.Shape[0], n, p.task.Seed)
	if err != nil {
		return nil, err
	}
	for _, e := range held {
		fold[e] = rows[p.task.Train.Rows[e]]
	}
	return fold, nil
}

// everyFold says that each of n folds holds something out, on any of the ranks that may share what is held out.
func everyFold(part []int, n int, ranks *cluster.Comm) bool {
	met := make([]bool, n)
	for _, k := range part {
		if k >= 0 {
			met[k] = true
		}
	}
	ranks.Any(met)
	return !slices.Contains(met, false)
}

// HoldOutOfUsers holds a tenth of each user's ratings out to choose by, as indices. Where users have so few that this is
// hardly any it is a tenth of all. An error is [ErrTooFew].
func HoldOutOfUsers(r *dataset.Ratings, seed uint64) (in, out []int32, err error) {
	in, out, err = dataset.Split{PerUser: 1 - validationFraction, Seed: seed}.Parts(r)
	if err != nil || r.Spread.Comm().Count(len(out)) < int(validationFraction/2*float64(r.Total())) {
		in, out, err = dataset.Split{Fraction: 1 - validationFraction, Seed: seed}.Parts(r)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w lines to choose by validation", r.Name, ErrTooFew)
	}
	return in, out, nil
}
