package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// IDs numbers texts in the order of their first appearance. Small decimal numbers, which most ids are, are found by a
// table and everything else by a map.
type IDs struct {
	small []int32 // index+1 of the decimal number, 0 if it was not seen
	other map[string]int32
	ends  []int64 // end of each text in arena
	arena []byte
}

// smallLimit bounds the table at 16 MiB.
const smallLimit = 1 << 22

// Len is the number of ids.
func (t *IDs) Len() int { return len(t.ends) }

// Text is the id with the given index.
func (t *IDs) Text(i int) string {
	var lo int64
	if i > 0 {
		lo = t.ends[i-1]
	}
	return string(t.arena[lo:t.ends[i]])
}

// Texts lists all ids, which share memory.
func (t *IDs) Texts() []string {
	all, text := make([]string, t.Len()), string(t.arena)
	lo := int64(0)
	for i, hi := range t.ends {
		all[i], lo = text[lo:hi], hi
	}
	return all
}

// Find is the index of an id, or -1.
func (t *IDs) Find(id []byte) int32 {
	if v, ok := decimal(id); ok {
		if v < len(t.small) {
			return t.small[v] - 1
		}
		return -1
	}
	if i, ok := t.other[string(id)]; ok {
		return i
	}
	return -1
}

// Add is the index of an id, which is new if it was not seen; -1 when there are too many for 32 bits.
func (t *IDs) Add(id []byte) int32 {
	if i := t.Find(id); i >= 0 {
		return i
	}
	if t.Len() == math.MaxInt32 {
		return -1
	}
	i := int32(t.Len())
	if v, ok := decimal(id); ok {
		if v >= len(t.small) {
			grown := make([]int32, min(smallLimit, max(2*v, 1024)))
			copy(grown, t.small)
			t.small = grown
		}
		t.small[v] = i + 1
	} else {
		if t.other == nil {
			t.other = map[string]int32{}
		}
		t.other[string(id)] = i
	}
	t.arena = append(t.arena, id...)
	t.ends = append(t.ends, int64(len(t.arena)))
	return i
}

// NewIDs numbers the given texts in order; they must differ.
func NewIDs(texts []string) *IDs {
	t := &IDs{}
	for _, s := range texts {
		t.Add([]byte(s))
	}
	return t
}

// OverRanks has the ids of all ranks, each once and in the order in which they occur by rank, and where those of this one are.
// Both are nil where there are more than 2³¹-1. One rank after the other sends those that none before it has.
func (t *IDs) OverRanks(c *cluster.Comm) (all *IDs, at []int32) {
	all = &IDs{}
	for rank := range c.Size() {
		var more IDs // its table stays empty
		if rank == c.Rank() {
			t.each(func(_ int, id []byte) {
				if all.Find(id) < 0 {
					more.arena = append(more.arena, id...)
					more.ends = append(more.ends, int64(len(more.arena)))
				}
			})
		}
		more.ends, more.arena = cluster.All(c, more.ends)[rank], cluster.All(c, more.arena)[rank]
		if all.Len()+more.Len() > math.MaxInt32 {
			return nil, nil
		}
		more.each(func(_ int, id []byte) { all.Add(id) })
	}
	return all, t.In(all)
}

// each calls f for all ids in order.
func (t *IDs) each(f func(i int, id []byte)) {
	lo := int64(0)
	for i, hi := range t.ends {
		f(i, t.arena[lo:hi])
		lo = hi
	}
}

// In is where each id is among others, -1 where it is not.
func (t *IDs) In(others *IDs) []int32 {
	at := make([]int32, t.Len())
	t.each(func(i int, id []byte) { at[i] = others.Find(id) })
	return at
}

// decimal reads a number without sign, spaces or leading zeros, so that different texts stay different ids.
func decimal(id []byte) (int, bool) {
	v, n := leading(id)
	return int(v), n == len(id) && isSmall(id, v, n)
}

// isSmall says that the n digits that id begins with, which make v, are a decimal of the table.
func isSmall(id []byte, v uint64, n int) bool {
	return n > 0 && n <= smallDigits && v < smallLimit && (id[0] != '0' || n == 1)
}

// Unknown is how many ratings are of unknown users or items, of all ranks.
func (r *Ratings) Unknown() (count int) {
	for e, i := range r.Rows {
		if i < 0 || r.Cols[e] < 0 {
			count++
		}
	}
	return r.Spread.Comm().Count(count)
}

// HideUnseen marks the users and items that have no rating in train as unknown (-1), as if both parts were files of their own.
// Both must number users and items alike. Over ranks an unknown user i is ^i, in whose shard the ratings still count.
func (r *Ratings) HideUnseen(train *Ratings) { r.HideUnseenBut(train, nil, nil) }

// HideUnseenBut is HideUnseen, but for users and items that are known by other means; nil is none of them.
func (r *Ratings) HideUnseenBut(train *Ratings, rows, cols []bool) {
	hideUnseen(r.Rows, train.Rows, rows, train.Shape[0], r.Spread.Comm(), r.Spread != nil)
	hideUnseen(r.Cols, train.Cols, cols, train.Shape[1], r.Spread.Comm(), false)
}

// hideUnseen makes -1 the indices, of n, that the others of no rank have and that are not known, or ^i of i where they are kept.
func hideUnseen(index, others []int32, known []bool, n int, c *cluster.Comm, kept bool) {
	met := make([]bool, n)
	copy(met, known)
	for _, i := range others {
		if i >= 0 {
			met[i] = true
		}
	}
	c.Any(met)
	for e, i := range index {
		if i >= 0 && !met[i] {
			if index[e] = -1; kept {
				index[e] = ^i
			}
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

// Own is the same ratings by ids in the order in which they occur, of those that do, as if they were a file of their own; r
// itself where that is how they are. Ratings that ranks share are left as they are.
func (r *Ratings) Own() *Ratings {
	if r.Spread != nil {
		return r
	}
	rows, cols := r.RowIDs.among(r.Rows), r.ColIDs.among(r.Cols)
	if rows == r.RowIDs && cols == r.ColIDs {
		return r
	}
	return r.By(rows, cols)
}

// among are the ids of the given indices in the order of these; the list itself where it is that.
func (t *IDs) among(index []int32) *IDs {
	met, some, same := make([]bool, t.Len()), &IDs{}, true
	for _, i := range index {
		if i >= 0 && !met[i] {
			met[i], same = true, same && int(i) == some.Len()
			some.Add([]byte(t.Text(int(i))))
		}
	}
	if same && some.Len() == t.Len() {
		return t
	}
	return some
}

// Know gives users and items without ratings numbers behind those of the ratings, which have ids of their own from then on where
// there are such. An error says that there are too many.
func (r *Ratings) Know(rows, cols *IDs) error {
	for side, more := range []*IDs{rows, cols} {
		to, what := []**IDs{&r.RowIDs, &r.ColIDs}[side], []string{"users", "items"}[side]
		if !slices.Contains(more.In(*to), -1) {
			continue
		}
		ids := NewIDs((*to).Texts()) // others have those of the ratings
		if slices.Contains(ids.addAll(more), -1) {
			return fmt.Errorf("%s: there are more %s than can be numbered", r.Name, what)
		}
		*to, r.Shape[side] = ids, ids.Len()
	}
	return nil
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

// With is the ratings of r and after them those of more, as Later, whose new users and items are numbered after those of r. Times
// are kept where both have them. Both hold their ratings in float64, as numbers or as labels, and both have values or none.
func (r *Ratings) With(more *Ratings) *Ratings {
	s := &Ratings{Name: r.Name + " and " + more.Name, Checksum: r.Checksum + "+" + more.Checksum,
		RowIDs: NewIDs(r.RowIDs.Texts()), ColIDs: NewIDs(r.ColIDs.Texts()), Values: slices.Concat(r.Values, more.Values),
		NoValues: r.NoValues && more.NoValues, Later: len(more.Values)}
	s.Rows = slices.Concat(r.Rows, renumbered(more.Rows, s.RowIDs.addAll(more.RowIDs)))
	s.Cols = slices.Concat(r.Cols, renumbered(more.Cols, s.ColIDs.addAll(more.ColIDs)))
	s.Shape = [2]int{s.RowIDs.Len(), s.ColIDs.Len()}
	if len(r.Times) == len(r.Values) && len(more.Times) == len(more.Values) {
		s.Times = slices.Concat(r.Times, more.Times)
	}
	if r.Labels != nil && more.Labels != nil {
		s.Labels = slices.Concat(r.Labels, more.Labels)
		for e := len(r.Values); e < len(s.Values); e++ {
			s.Values[e] += float64(len(r.Labels))
		}
	}
	name, other, breaks, others, known := r.Name, more.Name, r.breaks, more.breaks, len(r.Values)
	s.placeOf = func(e int) string { // which keeps no ratings
		if e < known {
			return placeIn(name, breaks, e)
		}
		return placeIn(other, others, e-known)
	}
	return s
}

// addAll is where each of other ids is among these, which have them all from then on.
func (t *IDs) addAll(others *IDs) []int32 {
	at := make([]int32, others.Len())
	for i := range at {
		at[i] = t.Add([]byte(others.Text(i)))
	}
	return at
}

// Line is the line of the file that observation e stood on, or 0.
func (r *Ratings) Line(e int) int { return r.breaks.Line(e) }

// Place is the file with the line of observation e, where that is known.
func (r *Ratings) Place(e int) string { return r.place(e) }

// place is the file with the line of observation e, where that is known.
func (r *Ratings) place(e int) string {
	if r.placeOf != nil {
		return r.placeOf(e)
	}
	return placeIn(r.Name, r.breaks, e)
}

func placeIn(name string, breaks text.LineBreaks, e int) string {
	if line := breaks.Line(e); line > 0 {
		return fmt.Sprintf("%s:%d", name, line)
	}
	return name
}

// Check refuses ratings whose parts do not go together, such as some that were put together by hand: without ids, with lists of
// different lengths, with users or items beyond the ids, or with a value that is not finite or larger than LargestNumber. It
// refuses those of more, too, of which some may be nil.
func (r *Ratings) Check(more ...*Ratings) error {
	if err := r.check(); err != nil {
		return err
	}
	for _, r := range more {
		if r == nil {
			continue
		}
		if err := r.check(); err != nil {
			return err
		}
	}
	return nil
}

// check is Check of one.
func (r *Ratings) check() error {
	if r == nil || r.Len() == 0 && r.Spread == nil { // a rank may have none
		return errors.New("task: there are no ratings")
	}
	name := cmp.Or(r.Name, "task")
	if r.RowIDs == nil || r.ColIDs == nil {
		return fmt.Errorf("%s: ratings need RowIDs and ColIDs, the ids that Rows and Cols are places in", name)
	}
	if r.narrow != nil || r.drawn != nil { // they were read or generated
		return nil
	}
	n := len(r.Values)
	if len(r.Rows) != n || len(r.Cols) != n || r.Omega != nil && len(r.Omega) != n || r.Offset != nil && len(r.Offset) != n {
		return fmt.Errorf("%s: %d rows, %d columns, %d values, %d weights and %d offsets are no ratings: give as many of each", name,
			len(r.Rows), len(r.Cols), n, len(r.Omega), len(r.Offset))
	}
	m, k := int32(r.RowIDs.Len()), int32(r.ColIDs.Len())
	for e, x := range r.Values {
		if i, j := r.Rows[e], r.Cols[e]; i < -1 || i >= m || j < -1 || j >= k {
			return fmt.Errorf("%s: row %d, column %d of an entry are not among the %d and %d ids", cmp.Or(r.place(e), name), i, j, m, k)
		}
		if !(math.Abs(x) <= LargestNumber) && !r.NoValues {
			return fmt.Errorf("%s: the value %v is not finite, or its square overflows: leave it out, or give it in another unit",
				cmp.Or(r.place(e), name), x)
		}
	}
	return nil
}
