package metric

import (
	"math"
	"slices"
)

// Concordance is the concordance index of risks for times until an event (Harrell et al. 1982): the part of the comparable pairs
// whose first event has the larger risk, equal risks counting half. A pair is comparable where the event of one was seen before
// the time of the other, or at that time where the other's was not seen then. It is NaN where no pair is comparable.
// It takes time in proportion to n log n.
func Concordance(time []float64, event []bool, risk []float64) float64 {
	order := make([]int, len(time)) // by descending time; at equal times what is not seen comes first, as it is longer
	for i := range order {
		order[i] = i
	}
	longer := func(a, b int) int {
		switch {
		case time[a] != time[b]:
			return compare(time[b], time[a])
		case event[a] != event[b] && event[b]:
			return -1
		case event[a] != event[b]:
			return 1
		}
		return 0
	}
	slices.SortFunc(order, longer)
	levels := slices.Compact(slices.Sorted(slices.Values(risk)))
	place := make([]int, len(risk)) // from 1
	for i, r := range risk {
		k, _ := slices.BinarySearch(levels, r)
		place[i] = k + 1
	}
	met := make(counts, len(levels)+1) // risks of those whose time is longer
	var right, all float64
	for from := 0; from < len(order); {
		to := from
		for ; to < len(order) && longer(order[from], order[to]) == 0; to++ {
			if i := order[to]; event[i] {
				below, upTo := met.upTo(place[i]-1), met.upTo(place[i])
				right += float64(below) + float64(upTo-below)/2
				all += float64(from)
			}
		}
		for ; from < to; from++ {
			met.add(place[order[from]])
		}
	}
	if all == 0 {
		return math.NaN()
	}
	return right / all
}

func compare(a, b float64) int {
	if a < b {
		return -1
	}
	return 1
}

// counts are those of places 1, 2, …, whose sums take a logarithm of them: a Fenwick tree.
type counts []int

func (c counts) add(place int) {
	for ; place < len(c); place += place & -place {
		c[place]++
	}
}

func (c counts) upTo(place int) (n int) {
	for ; place > 0; place -= place & -place {
		n += c[place]
	}
	return n
}
