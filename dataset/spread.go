package dataset

import (
	"fmt"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg/cluster"
)

// OverRanks deals ratings out so that every rank has those of its rows. Each begins with some of them, in any rows and by ids of
// its own, or with an empty Ratings; the order of a file is that of its parts by rank. Where rows is nil, ids are agreed on, in
// the order of their first appearance, and rows are cut by how many ratings they have; else the ratings are by the ids of what
// rows are of, those of unknown rows (-1) in the first shard. r is given up.
func (r *Ratings) OverRanks(c *cluster.Comm, rows *cluster.Rows) (*Ratings, error) {
	s, list, err := r.agreed(c, rows == nil)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		if rows, err = cluster.Spread(c, countsOf(c, list.rows, s.Shape[0])); err != nil {
			return nil, err
		}
	}
	s.Spread = rows
	holds := make([]uint8, rows.Shards()) // there are 64 at most
	for shard := range holds {
		holds[shard] = uint8(rows.RankOf(shard))
	}
	owner := make([]uint8, len(list.rows))
	for e, i := range list.rows {
		owner[e] = holds[rows.ShardOf(int(i))]
	}
	return s, s.deal(c, list, owner)
}

// ToFirst gives the ratings that ranks read by parts to the first of them, in the order of the file; others have none, and all
// have the ids. r is given up.
func (r *Ratings) ToFirst(c *cluster.Comm) (*Ratings, error) {
	if c.Size() == 1 {
		return r, nil
	}
	s, list, err := r.agreed(c, true)
	if err != nil {
		return nil, err
	}
	return s, s.deal(c, list, make([]uint8, len(list.rows)))
}

// agreed are ratings of which all ranks know the labels, and the ids where they differ. r is given up.
func (r *Ratings) agreed(c *cluster.Comm, ids bool) (s *Ratings, list flatRatings, err error) {
	s = r.Move()
	s.Name, s.Checksum, s.Columns = cluster.Texts(c, r.Name)[0], cluster.Texts(c, r.Checksum)[0], cluster.Texts(c, r.Columns)[0]
	list = s.flat()
	valueless := 0
	if r.NoValues {
		valueless = 1
	}
	s.NoValues = c.Count(valueless) > 0 // which ranks without a line of the file do not see
	s.agreeOnLabels(c, list.values)
	if ids {
		err = s.agreeOnIDs(c, list)
	}
	return s, list, err
}

// deal leaves this rank those ratings that all ranks have for it; list has theirs, of which each goes to its owner.
func (r *Ratings) deal(c *cluster.Comm, list flatRatings, owner []uint8) error {
	list.rows, list.cols = dealt(c, list.rows, owner), dealt(c, list.cols, owner)
	r.Times, r.Omega, r.Offset = dealt(c, r.Times, owner), dealt(c, r.Omega, owner), dealt(c, r.Offset, owner)
	list.values, list.singles = dealt(c, list.values, owner), dealt(c, list.singles, owner)
	if c.Count(len(list.rows)) == 0 {
		return fmt.Errorf("%s: has no ratings, only a header", r.Name)
	}
	r.breaks, r.placeOf = nil, func(int) string { return r.Name } // lines are those of the parts
	narrow := c.Count(len(list.singles)) > 0
	r.Rows, r.Cols, r.Values, r.narrow, r.drawn = list.rows, list.cols, list.values, nil, nil
	if narrow {
		r.Rows, r.Cols, r.Values = nil, nil, nil
		r.narrow = &gathered{rows: listOf(list.rows), cols: listOf(list.cols), singles: listOf(list.singles), narrowed: list.narrowed}
	}
	return nil
}

// agreeOnLabels numbers the labels of all ranks alike.
func (r *Ratings) agreeOnLabels(c *cluster.Comm, values []float64) {
	all, _ := NewIDs(r.Labels).OverRanks(c)
	if all.Len() == 0 {
		return
	}
	place := make([]float64, len(r.Labels))
	for t, label := range r.Labels {
		place[t] = float64(all.Find([]byte(label)))
	}
	for e, x := range values {
		if x == x { // else there is no rating
			values[e] = place[int(x)]
		}
	}
	r.Labels = all.Texts()
}

// flatRatings are ratings in slices, in whichever form they were. Of values and singles one is used.
type flatRatings struct {
	rows, cols []int32
	values     []float64
	singles    []float32
	narrowed   narrowing
}

// flat is the ratings in slices; r is given up.
func (r *Ratings) flat() (f flatRatings) {
	switch n, c := r.narrow, r.drawn; {
	case n != nil:
		f = flatRatings{rows: n.rows.join(), cols: n.cols.join(), singles: n.singles.join(), narrowed: n.narrowed}
	case c != nil:
		f = flatRatings{cols: c.Cols, singles: c.Values}
		for i := range c.M {
			for range c.Ptr[i+1] - c.Ptr[i] {
				f.rows = append(f.rows, int32(i))
			}
		}
		for _, x := range c.Values {
			f.narrowed.of(float64(x))
		}
	default:
		f = flatRatings{rows: r.Rows, cols: r.Cols, values: r.Values}
	}
	return f
}

// agreeOnIDs numbers the users and items of all ranks alike.
func (r *Ratings) agreeOnIDs(c *cluster.Comm, list flatRatings) error {
	for _, side := range []struct {
		ids   **IDs
		index []int32
	}{{&r.RowIDs, list.rows}, {&r.ColIDs, list.cols}} {
		own := *side.ids
		if own == nil {
			own = &IDs{}
		}
		all, at := own.OverRanks(c)
		if all == nil {
			return fmt.Errorf("%s: more than 2³¹-1 users or items", r.Name)
		}
		for e, i := range side.index {
			if i >= 0 {
				side.index[e] = at[i]
			}
		}
		*side.ids = all
	}
	r.Shape = [2]int{r.RowIDs.Len(), r.ColIDs.Len()}
	return nil
}

// countsOf are the numbers of ratings of every row, on all ranks.
func countsOf(c *cluster.Comm, rows []int32, m int) []int64 {
	count := make([]float64, m)
	for _, i := range rows {
		if i >= 0 {
			count[i]++
		}
	}
	c.Total(count)
	all := make([]int64, m)
	for i, n := range count {
		all[i] = int64(n)
	}
	return all
}

// dealt is what the ranks have of a list for this one, in their order; owner has the rank of each item. It is nil where none has
// a list.
func dealt[T cluster.Number](c *cluster.Comm, list []T, owner []uint8) []T {
	if c.Count(len(list)) == 0 {
		return nil
	}
	counts := make([]int, c.Size())
	if len(list) > 0 {
		for _, rank := range owner {
			counts[rank]++
		}
	}
	to := make([][]T, c.Size())
	for rank, n := range counts {
		to[rank] = make([]T, 0, n)
	}
	for e, x := range list {
		to[owner[e]] = append(to[owner[e]], x)
	}
	parts, all := cluster.Deal(c, to), []T{} // of none here, but of some elsewhere, it is no nil
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// Total is the number of ratings of all ranks, which call it together; without ranks it is Len.
func (r *Ratings) Total() int { return r.Spread.Comm().Count(r.Len()) }

// ownRandom are random numbers for one row or entry, the same on whichever rank it is. Ratings are split more than once, the
// parts too, and the numbers differ with how many they are.
func (s Split) ownRandom(total int, i, j int32) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed^uint64(total)<<32, 0x5eed<<48^uint64(uint32(i))<<20^uint64(uint32(j))*0x9e3779b97f4a7c15))
}

// Folds assigns each rating at random to a fold 0 … k-1, of nearly equal sizes, as the function does. Of ratings that ranks share
// each draws for itself, whichever rank has it.
func (r *Ratings) Folds(k int, seed uint64) ([]int, error) {
	if r.Spread == nil || k < 1 {
		return Folds(len(r.Values), k, seed)
	}
	fold, total := make([]int, len(r.Rows)), r.Total()
	for e, i := range r.Rows {
		fold[e] = Split{Seed: seed}.ownRandom(total, i, r.Cols[e]).IntN(k)
	}
	return fold, nil
}

// overRanks marks the test ratings of a Fraction, rating by rating: a rank knows its own ratings only, and not their numbers
// among all of them.
func (s Split) overRanks(r *Ratings, inTest []bool) {
	total := r.Total()
	for e, i := range r.Rows {
		inTest[e] = s.ownRandom(total, i, r.Cols[e]).Float64() >= s.Fraction
	}
}
