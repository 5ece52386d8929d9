package metric

import (
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

// A Scorer writes the scores of all n items for the users lo ≤ i < hi to dst, a row of n for each.
type Scorer func(dst []float64, lo, hi int)

// A Trial is what lists are measured against: what users had in training, which is left out of their lists, and what was relevant
// to them afterwards. Of what a user had in training nothing is relevant: no list could have it.
type Trial struct {
	Train    *dataset.Sparse
	Relevant map[int]map[int]bool // by user
	Lengths  []int                // of the lists, ascending
	// ListsOnly leaves out what is not of the places in the lists, and takes most of the time: AUC, Coverage and Popularity are 0.
	ListsOnly bool
}

// Sample leaves about so many users with something relevant, of all ranks, by whole blocks that are scored together, evenly
// spread.
func (t *Trial) Sample(most int) {
	all := t.Train.Spread.Comm().Count(len(t.Relevant))
	if all <= most {
		return
	}
	blocks := (t.Train.M + usersAtOnce - 1) / usersAtOnce
	keep := max(1, blocks*most/all)
	kept := make(map[int]map[int]bool, most)
	for i, of := range t.Relevant {
		if k := i / usersAtOnce; k*keep/blocks != (k+1)*keep/blocks {
			kept[i] = of
		}
	}
	t.Relevant = kept
}

// Lists are the measures of lists of several lengths.
type Lists struct {
	Lengths []int
	At      []ListScores // of each length
	// AUC is the mean over users of the fraction of pairs of a relevant item and another one, neither of them in training, of
	// which the relevant one has the higher score; equal scores count half. Users without such a pair do not count; 0 of none.
	AUC   float64
	Users int // with something relevant
	// Each is the NDCG of the longest list of each of them, in their order.
	Each []float64
}

// ListScores are those of lists of one length.
type ListScores struct {
	Ranking
	Coverage   float64 // the fraction of all items that some list has
	Popularity float64 // mean over the lists of the fraction of users who had an item in training
}

// usersAtOnce is how many users are scored together: products of matrices are worth their setting up.
const usersAtOnce = 256

// Measure measures the lists that the scores make. Equal scores go by the order of the items. The lists are of the users with
// something relevant; of training ratings that ranks share, of those of all ranks, which call it together.
func (t *Trial) Measure(score Scorer) *Lists {
	m, n := t.Train.M, t.Train.N
	l := &listing{t: t, sums: t.tallies(), met: make([][]bool, len(t.Lengths)), counts: t.Popularity(), wanted: make([]bool, n)}
	for i := range l.met {
		l.met[i] = make([]bool, n)
	}
	candidates, scores := make([]int, n), make([]float64, min(usersAtOnce, m)*n)
	for lo := 0; lo < m; lo += usersAtOnce {
		hi := min(lo+usersAtOnce, m)
		if !t.any(lo, hi) {
			continue
		}
		score(scores[:(hi-lo)*n], lo, hi)
		for i := lo; i < hi; i++ {
			if relevant := t.relevant(i); len(relevant) > 0 {
				l.add(i, relevant, unseen(candidates, t.seen(i)), scores[(i-lo)*n:(i-lo+1)*n])
			}
		}
	}
	return l.lists()
}

// A listing is what Measure has measured so far.
type listing struct {
	t      *Trial
	sums   []tally   // of the users of each shard of this rank, or of all users
	met    [][]bool  // by length: whether an item is in a list
	counts []float64 // of users who had an item in training
	wanted []bool    // work space
}

// A tally is sums over users.
type tally struct {
	at          []Ranking // by length of the lists
	popularity  []float64 // of the items in the lists,
	listed      []float64 // and how many there are
	auc, paired float64   // and of how many users
	each        []float64 // the NDCG of the longest list of each
}

// tallies are one for each shard of this rank, or one where ranks share nothing.
func (t *Trial) tallies() []tally {
	list := make([]tally, 1)
	if t.Train.Spread != nil {
		first, end := t.Train.Spread.Own()
		list = make([]tally, end-first)
	}
	for s := range list {
		k := len(t.Lengths)
		list[s].at, list[s].popularity, list[s].listed = make([]Ranking, k), make([]float64, k), make([]float64, k)
	}
	return list
}

// add adds a user with something relevant; rest are the items that it has not in training, which are reordered.
func (l *listing) add(i int, relevant map[int]bool, rest []int, scores []float64) {
	t, sum := l.t, &l.sums[0]
	if rows := t.Train.Spread; rows != nil {
		first, _ := rows.Own()
		sum = &l.sums[rows.ShardOf(i)-first]
	}
	for j := range relevant {
		l.wanted[j] = true
	}
	if won, pairs := t.pairs(rest, scores, l.wanted); pairs > 0 {
		sum.auc += won / pairs
		sum.paired++
	}
	list := best(rest, scores, t.Lengths[len(t.Lengths)-1])
	for j := range relevant {
		l.wanted[j] = false
	}
	for at, length := range t.Lengths {
		part, before := list[:min(length, len(list))], sum.at[at].ndcg
		if sum.at[at].Add(part, relevant); at == len(t.Lengths)-1 {
			sum.each = append(sum.each, sum.at[at].ndcg-before)
		}
		if t.ListsOnly {
			continue
		}
		for _, j := range part {
			l.met[at][j] = true
			sum.popularity[at] += l.counts[j]
		}
		sum.listed[at] += float64(len(part))
	}
}

// numbers are the sums, which withNumbers reads.
func (s *tally) numbers() []float64 {
	list := []float64{s.auc, s.paired}
	for at, r := range s.at {
		list = append(list, float64(r.users), r.recall, r.ndcg, r.precision, r.ap, r.first, r.hits, s.popularity[at], s.listed[at])
	}
	return list
}

// withNumbers takes sums for its own.
func (s *tally) withNumbers(x []float64) {
	s.auc, s.paired = x[0], x[1]
	for at := range s.at {
		y := x[2+9*at:]
		s.at[at] = Ranking{int(y[0]), y[1], y[2], y[3], y[4], y[5], y[6]}
		s.popularity[at], s.listed[at] = y[7], y[8]
	}
}

// lists are the measures of all users.
func (l *listing) lists() *Lists {
	t, all := l.t, l.sums[0]
	if rows := t.Train.Spread; rows != nil {
		first, _ := rows.Own()
		var each []float64
		for _, s := range l.sums {
			each = append(each, s.each...)
		}
		all = t.tallies()[0]
		all.withNumbers(cluster.Numbers(rows, 2+9*len(t.Lengths), func(shard int) []float64 { return l.sums[shard-first].numbers() }))
		all.each = cluster.Joined(rows.Comm(), each)
	}
	m := &Lists{Lengths: t.Lengths, At: make([]ListScores, len(t.Lengths)), AUC: all.auc / max(all.paired, 1), Each: all.each}
	for at := range m.At {
		m.At[at].Ranking, m.Users = all.at[at], all.at[at].users
		m.At[at].Popularity = all.popularity[at] / (max(all.listed[at], 1) * float64(max(t.Train.M, 1)))
		t.Train.Spread.Comm().Any(l.met[at])
		for _, on := range l.met[at] {
			if on {
				m.At[at].Coverage += 1 / float64(t.Train.N)
			}
		}
	}
	return m
}

// any reports whether one of the users has something relevant.
func (t *Trial) any(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if len(t.Relevant[i]) > 0 {
			return true
		}
	}
	return false
}

// seen are the items of a user in training, ascending.
func (t *Trial) seen(i int) []int32 { return t.Train.Cols[t.Train.Ptr[i]:t.Train.Ptr[i+1]] }

// relevant are the items that are relevant to a user, but for those in training.
func (t *Trial) relevant(i int) map[int]bool {
	all := t.Relevant[i]
	known := func(j int32) bool { return all[int(j)] }
	if !slices.ContainsFunc(t.seen(i), known) {
		return all
	}
	left := maps.Clone(all)
	for _, j := range t.seen(i) {
		delete(left, int(j))
	}
	return left
}

// unseen writes the items that a user has not in training to dst.
func unseen(dst []int, seen []int32) []int {
	at := 0
	for j := range dst {
		if len(seen) > 0 && int(seen[0]) == j {
			seen = seen[1:]
			continue
		}
		dst[at] = j
		at++
	}
	return dst[:at]
}

// pairs are how many there are of a relevant item and another one, and of how many the first has won.
func (t *Trial) pairs(candidates []int, scores []float64, wanted []bool) (won, pairs float64) {
	if t.ListsOnly {
		return 0, 0
	}
	var good []float64 // of relevant items, ascending
	for _, j := range candidates {
		if wanted[j] {
			good = append(good, scores[j])
		}
	}
	slices.Sort(good)
	for _, j := range candidates {
		if len(good) > 0 && !wanted[j] {
			below := sort.SearchFloat64s(good, scores[j])
			tied := sort.Search(len(good), func(e int) bool { return good[e] > scores[j] }) - below
			pairs += float64(len(good))
			won += float64(len(good)-below-tied) + float64(tied)/2
		}
	}
	return won, pairs
}

// A scored is an item with its score.
type scored struct {
	score float64
	item  int
}

// before says that it comes earlier in a list.
func (a scored) before(b scored) bool {
	return a.score > b.score || a.score == b.score && a.item < b.item
}

// best are the first of candidates, which ascend, by their scores, at most count, and by their order where scores are equal; NaN
// comes last. An item that is no better than count before it takes one comparison.
func best(candidates []int, scores []float64, count int) []int {
	room := 2 * count
	kept, least := make([]scored, 0, min(room, len(candidates))), math.NaN() // there is none yet
	for _, j := range candidates {
		x := scores[j]
		if x <= least {
			continue
		}
		if math.IsNaN(x) {
			x = math.Inf(-1)
		}
		if kept = append(kept, scored{x, j}); len(kept) == room {
			kept = leading(kept, count)
			least = kept[0].score
			for _, c := range kept {
				least = min(least, c.score)
			}
		}
	}
	kept = leading(kept, count)
	slices.SortFunc(kept, func(a, b scored) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	list := make([]int, len(kept))
	for k, c := range kept {
		list[k] = c.item
	}
	return list
}

// leading puts the first count of a list in front, in any order, and returns them.
func leading(list []scored, count int) []scored {
	for lo, hi := 0, len(list); count < hi && lo < count; { // what is before lo belongs, and what is from hi on does not
		pivot, at := (lo+hi)/2, lo
		last := hi - 1
		list[pivot], list[last] = list[last], list[pivot]
		for k := lo; k < last; k++ {
			if list[k].before(list[last]) {
				list[at], list[k] = list[k], list[at]
				at++
			}
		}
		list[at], list[last] = list[last], list[at]
		if at < count {
			lo = at + 1
		} else {
			hi = at
		}
	}
	return list[:min(count, len(list))]
}

// Popularity is how many users had each item in training: the scores of the most popular items.
func (t *Trial) Popularity() []float64 {
	counts := make([]float64, t.Train.N)
	for _, j := range t.Train.Cols {
		counts[j]++
	}
	t.Train.Spread.Comm().Total(counts)
	return counts
}

// Same is the Scorer that gives all users the same scores of the items: the most popular items, or the biases of columns.
func Same(scores []float64) Scorer {
	return func(dst []float64, lo, hi int) {
		for i := range hi - lo {
			copy(dst[i*len(scores):], scores)
		}
	}
}

// Ranked are the lists of a model beside those that need none.
type Ranked struct {
	Threshold              float64 // ratings from here on are relevant
	Model, Popular, Biases *Lists  // Biases are the items by their mean rating, less that of their users; nil of clicks
}

// Compare measures the scores of a model beside the most popular items, and beside biases of the items where there are some.
func (t *Trial) Compare(model Scorer, biases []float64) *Ranked {
	r := &Ranked{Model: t.Measure(model), Popular: t.Measure(Same(t.Popularity()))}
	if biases != nil {
		r.Biases = t.Measure(Same(biases))
	}
	return r
}

// Loses reports whether the model's longest lists have a smaller NDCG than those of the most popular items.
func (r *Ranked) Loses() bool {
	last := len(r.Model.At) - 1
	return r.Model.At[last].NDCG() < r.Popular.At[last].NDCG()
}
