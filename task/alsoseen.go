package task

import (
	"fmt"
	"slices"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/task/side"
)

// AlsoSeenCounts say what became of the pairs of Completion.AlsoSeen, each counted once.
type AlsoSeenCounts struct {
	Pairs  int // different ones
	Rated  int // with a training rating, whose lists have them anyway
	Held   int // in Test or Valid: lists never know what is held out
	Joined int // the others, which joined the lists
	Users  int // with joined pairs and without training ratings
	Items  int
}

// seen is what joined the lists.
type seen struct {
	told  AlsoSeenCounts
	cells *dataset.Sparse // by the ids of Train, none of them in Train, Test or Valid
}

// AlsoSeen says what became of the pairs of AlsoSeen; nil without.
func (p *PreparedCompletion) AlsoSeen() *AlsoSeenCounts {
	if p.seen == nil {
		return nil
	}
	told := p.seen.told
	return &told
}

// join takes out of AlsoSeen the pairs that have ratings, trained on or held out, and gives users and items that only the rest
// has numbers behind those of the ratings. Parts of the training ratings are held out later: none of them is in the rest.
func (p *PreparedCompletion) join() error {
	clicks, train := p.task.AlsoSeen, p.task.Train
	if clicks == nil {
		return nil
	}
	if clicks.Len() > 0 && !slices.ContainsFunc(clicks.RowIDs.In(train.RowIDs), known) &&
		!slices.ContainsFunc(clicks.ColIDs.In(train.ColIDs), known) {
		return fmt.Errorf("%s: none of its users, such as %q, and none of its items, such as %q, is among those of %s",
			clicks.Name, clicks.RowIDs.Text(0), clicks.ColIDs.Text(0), train.Name)
	}
	at, counts := map[uint64]int32{}, AlsoSeenCounts{}
	for e, i := range clicks.Rows {
		if j := clicks.Cols[e]; i >= 0 && j >= 0 {
			at[uint64(i)<<32|uint64(j)] = int32(e)
		}
	}
	counts.Pairs = len(at)
	drop := func(r *dataset.Ratings, count *int) {
		if r == nil {
			return
		}
		r = r.By(clicks.RowIDs, clicks.ColIDs)
		before := len(at)
		for e, i := range r.Rows {
			if j := r.Cols[e]; i >= 0 && j >= 0 {
				delete(at, uint64(i)<<32|uint64(j))
			}
		}
		*count += before - len(at)
	}
	drop(train, &counts.Rated)
	drop(p.task.Test, &counts.Held)
	drop(p.task.Valid, &counts.Held)
	left := make([]int32, 0, len(at))
	for _, e := range at {
		left = append(left, e)
	}
	slices.Sort(left)
	p.task.AlsoSeen = clicks.Subset(left).Own()
	rows, cols := p.task.AlsoSeen.RowIDs, p.task.AlsoSeen.ColIDs
	p.seen = &seen{told: counts}
	told := &p.seen.told
	told.Joined, told.Users, told.Items = len(left), without(rows, train, 0), without(cols, train, 1)
	return train.Know(rows, cols)
}

func known(at int32) bool { return at >= 0 }

// without is how many ids have no rating on a side of some ratings.
func without(ids *dataset.IDs, r *dataset.Ratings, side int) (count int) {
	index, of := r.Rows, r.RowIDs
	if side == 1 {
		index, of = r.Cols, r.ColIDs
	}
	rated := make([]bool, of.Len())
	for _, i := range index {
		if i >= 0 {
			rated[i] = true
		}
	}
	for _, i := range ids.In(of) {
		if i < 0 || !rated[i] {
			count++
		}
	}
	return count
}

// knownBySeen adds to what is known of the users and items of r, nil for nothing, those that have lists of what was seen.
func (p *PreparedCompletion) knownBySeen(r *dataset.Ratings, rows, cols []bool) (byRow, byCol []bool) {
	if p.seen == nil {
		return rows, cols
	}
	lists := p.task.Rated.sides()
	add := func(have []bool, on bool, all, listed *dataset.IDs) []bool {
		if !on {
			return have
		}
		met := make([]bool, all.Len())
		copy(met, have)
		for i, at := range all.In(listed) {
			met[i] = met[i] || at >= 0
		}
		return met
	}
	return add(rows, lists.Users, r.RowIDs, p.task.AlsoSeen.RowIDs), add(cols, lists.Items, r.ColIDs, p.task.AlsoSeen.ColIDs)
}

// listsOf are those of some of the training ratings with what was seen besides; nil where lists have the ratings alone.
func (p *PreparedCompletion) listsOf(data dataset.Observed) (*side.Lists, error) {
	if p.seen == nil || len(p.seen.cells.Cols) == 0 {
		return nil, nil
	}
	s := data.(*dataset.Sparse) // Float32 has no lists
	ptr, all := union(p.seen.cells, s)
	rows, cols := make([]float64, s.M), make([]float64, s.N)
	for i := range rows {
		rows[i] = float64(ptr[i+1] - ptr[i])
	}
	for _, j := range all {
		cols[j]++
	}
	op, err := operator.NewSampling(s.M, s.N, ptr, all)
	return &side.Lists{Rows: rows, Cols: cols, Cells: op}, err
}

// union is the cells of two sets without a common one, by rows and with ascending columns.
func union(a, b *dataset.Sparse) (ptr []int64, cols []int32) {
	ptr, cols = make([]int64, 1, len(a.Ptr)), make([]int32, 0, len(a.Cols)+len(b.Cols))
	for i := range a.M {
		from := len(cols)
		cols = append(append(cols, a.Cols[a.Ptr[i]:a.Ptr[i+1]]...), b.Cols[b.Ptr[i]:b.Ptr[i+1]]...)
		slices.Sort(cols[from:])
		ptr = append(ptr, int64(len(cols)))
	}
	return ptr, cols
}
