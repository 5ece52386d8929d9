package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// Ratings are observed entries of a matrix, in the order of their file.
type Ratings struct {
	Name      string
	Checksum  string
	Rows      []int32 // index of the user, -1 where it is unknown to the ids that were given
	Cols      []int32
	Values    []float64
	Omega     []float64 // weights ≥ 0, nil for 1
	Offset    []float64 // what is added to each prediction, nil for 0
	Labels    []string  // where ratings are labels: Values are places in it, from 0
	Times     []int64   // empty unless asked for and given: seconds, or as their numbers are; microseconds if some have a fraction
	RowIDs    *IDs
	ColIDs    *IDs
	NoValues  bool   // the file has users and items alone, or no rating of theirs
	Columns   string // what the header's columns were taken for, "" where there is nothing to say
	TimesLost error  // why Times are empty where they were optional
	Shape     [2]int // the numbers of ids, of which some may have no rating
	Later     int    // how many came in after the others, see With: the last ones
	// Spread are the rows of all ranks of a cluster where these are the ratings of one of them, by the ids of all; nil where they
	// are all ratings.
	Spread *cluster.Rows

	narrow *gathered // with singles, in place of Rows, Cols and Values, or nil
	drawn  *Compact  // generated, in place of Rows, Cols and Values, or nil
	breaks text.LineBreaks

	placeOf func(e int) string // of two files, which each have lines; or nil
}

// gathered are ratings as they come, which grow without copying. Of values and singles one is used.
type gathered struct {
	rows, cols chunkList[int32]
	values     chunkList[float64]
	singles    chunkList[float32]
	narrowed   narrowing // of values to singles
}

func (g *gathered) count() int { return g.rows.n }

// Len is the number of ratings, in whichever form they are.
func (r *Ratings) Len() int {
	switch {
	case r.narrow != nil:
		return r.narrow.count()
	case r.drawn != nil:
		return len(r.drawn.Values)
	}
	return len(r.Values)
}

// rating is number e, with the value that float32 has of it.
func (r *Ratings) rating(e int) (i, j int32, x float32) {
	if n := r.narrow; n != nil {
		return n.rows.at(e), n.cols.at(e), n.singles.at(e)
	}
	return r.Rows[e], r.Cols[e], float32(r.Values[e])
}

// Share is a value of the same ratings. Where it gives them up, by Compact or Move, r keeps them. They share the memory of what
// nothing here writes.
func (r *Ratings) Share() *Ratings {
	s := *r
	if c := r.drawn; c != nil { // which Compact gives away as it is
		s.drawn = &Compact{M: c.M, N: c.N, Ptr: slices.Clone(c.Ptr), Cols: slices.Clone(c.Cols), Values: slices.Clone(c.Values),
			Rounding: c.Rounding}
	}
	return &s
}

// Move is the ratings of r, which has none from then on.
func (r *Ratings) Move() *Ratings {
	s := *r
	r.Rows, r.Cols, r.Values, r.Times, r.Omega, r.Offset = nil, nil, nil, nil, nil, nil
	r.narrow, r.drawn = nil, nil
	return &s
}

// LabelTexts are the ratings as labels: those of Labels, or their numbers; "" where there is none.
func (r *Ratings) LabelTexts() []string {
	texts, shared := make([]string, len(r.Values)), map[float64]string{} // few numbers, where they are labels
	for e, x := range r.Values {
		switch {
		case math.IsNaN(x):
			continue
		case r.Labels != nil:
			texts[e] = r.Labels[int(x)]
			continue
		}
		if _, ok := shared[x]; !ok {
			shared[x] = class.Label(x)
		}
		texts[e] = shared[x]
	}
	return texts
}

// LessOffsets is the ratings less their offsets, which are given up; the ratings themselves where there are none.
func (r *Ratings) LessOffsets() *Ratings {
	if r.Offset == nil {
		return r
	}
	s := *r
	s.Offset, s.Values = nil, make([]float64, len(r.Values))
	for e, x := range r.Values {
		s.Values[e] = x - r.Offset[e]
	}
	return &s
}

// Duplicates says what to do with an entry that is given twice.
type Duplicates int

const (
	// RefuseDuplicates is an error that names both.
	RefuseDuplicates Duplicates = iota
	// LastDuplicate keeps the last of them.
	LastDuplicate
	// MeanDuplicates keeps their mean.
	MeanDuplicates
)

// Check is an error where d is none of them.
func (d Duplicates) Check() error {
	return enum.Check("dataset: what is done with duplicates", d, "RefuseDuplicates", "LastDuplicate", "MeanDuplicates")
}

// Sparse is a matrix by compressed rows: row i holds entries Ptr[i] … Ptr[i+1]-1, columns ascending.
type Sparse struct {
	M, N   int
	Ptr    []int64
	Cols   []int32
	Values []float64
	Omega  []float64     // weights of the entries, nil for 1
	Offset []float64     // of the entries, nil for 0
	Spread *cluster.Rows // as that of Ratings
}

// Subset is the ratings with the given indices, with their times, weights and offsets, sharing the ids.
func (r *Ratings) Subset(index []int32) *Ratings {
	s := *r
	s.breaks, s.placeOf = text.LineBreaks{}, nil
	s.Rows, s.Cols, s.Values = taken(r.Rows, index), taken(r.Cols, index), taken(r.Values, index)
	s.Times, s.Omega, s.Offset = taken(r.Times, index), taken(r.Omega, index), taken(r.Offset, index)
	s.Later = 0
	return &s
}

// taken are the values with the given indices, nil of none.
func taken[T any](values []T, index []int32) []T {
	if values == nil {
		return nil
	}
	some := make([]T, len(index))
	for t, e := range index {
		some[t] = values[e]
	}
	return some
}

// Compress sorts the ratings by rows, by counting, and each row by columns. Ratings of unknown users or items are left out;
// duplicates are treated as told. An error names both lines of a duplicate.
func (r *Ratings) Compress(d Duplicates) (*Sparse, error) {
	order := r.byRow()
	s := &Sparse{M: r.Shape[0], N: r.Shape[1], Ptr: make([]int64, r.Shape[0]+1), Spread: r.Spread}
	s.Cols, s.Values = make([]int32, 0, len(order)), make([]float64, 0, len(order))
	if r.Omega != nil {
		s.Omega = make([]float64, 0, len(order))
	}
	var row []placed
	in := columnSet{make([]uint64, (s.N+63)/64), make([]placed, s.N)}
	var err error
	for i := 0; i < s.M && err == nil; i++ {
		row, order = r.takeRow(row[:0], order, int32(i))
		in.sort(row)
		err = s.add(row, r, d)
		s.Ptr[i+1] = int64(len(s.Cols))
	}
	if err = r.Spread.Comm().FirstError(err); err != nil {
		return nil, err
	}
	return s, nil
}

// beside is the weight and the offset of rating e.
func (r *Ratings) beside(e int) (omega, offset float64) {
	omega = 1
	if r.Omega != nil {
		omega = r.Omega[e]
	}
	if r.Offset != nil {
		offset = r.Offset[e]
	}
	return omega, offset
}

// setBeside sets the weight and the offset of entry e, appended if it is new.
func (s *Sparse) setBeside(r *Ratings, e int, omega, offset float64) {
	if r.Omega != nil {
		s.Omega = append(s.Omega[:e], omega)
	}
	if r.Offset != nil {
		s.Offset = append(s.Offset[:e], offset)
	}
}

// merge adds rating x with a weight to the mean of the last entry, which stands for a number of them: values and offsets count by
// their weights, and the weight is the mean of theirs.
func (s *Sparse) merge(r *Ratings, number int, x, omega, offset float64) {
	last, n := len(s.Values)-1, float64(number)
	parts := n // of which this rating is one
	if r.Omega != nil {
		old := s.Omega[last] * (n - 1)
		s.Omega[last] = (old + omega) / n
		if parts = math.Inf(1); omega > 0 {
			parts = (old + omega) / omega
		}
	}
	s.Values[last] += (x - s.Values[last]) / parts
	if r.Offset != nil {
		s.Offset[last] += (offset - s.Offset[last]) / parts
	}
}

// placed is a rating by its column, in the upper half, and its number: as numbers they ascend by columns and, within one, as in
// the file.
type placed uint64

func (p placed) column() int32 { return int32(p >> 32) }

func (p placed) number() int { return int(uint32(p)) }

// takeRow takes row i from the front of the order.
func (r *Ratings) takeRow(row []placed, order []int32, i int32) (all []placed, rest []int32) {
	for len(order) > 0 && r.Rows[order[0]] == i {
		if e := order[0]; r.Cols[e] >= 0 {
			row = append(row, placed(r.Cols[e])<<32|placed(e))
		}
		order = order[1:]
	}
	return row, order
}

// A columnSet sorts rows by the columns that they meet.
type columnSet struct {
	bits []uint64 // of the columns, all 0 between two rows
	at   []placed // by column
}

// wordsPerRating is how many words without a column are read in less time than a comparison sort takes for a rating.
const wordsPerRating = 8

// sort sorts a row by reading its columns off the set, unless they are few beside all or meet twice.
func (c *columnSet) sort(row []placed) {
	if slices.IsSorted(row) {
		return
	}
	if len(c.bits) > wordsPerRating*len(row) || !c.take(row) {
		slices.Sort(row)
		return
	}
	n := 0
	for w, word := range c.bits {
		for ; word != 0; word &= word - 1 {
			row[n] = c.at[w<<6|bits.TrailingZeros64(word)]
			n++
		}
		c.bits[w] = 0
	}
}

// take puts a row into the set; where a column comes twice it leaves the set empty.
func (c *columnSet) take(row []placed) bool {
	for t, p := range row {
		j := p.column()
		if bit := uint64(1) << (j & 63); c.bits[j>>6]&bit == 0 {
			c.bits[j>>6] |= bit
			c.at[j] = p
			continue
		}
		for _, p := range row[:t] {
			c.bits[p.column()>>6] = 0
		}
		return false
	}
	return true
}

// add appends a row.
func (s *Sparse) add(row []placed, r *Ratings, d Duplicates) error {
	times := 1
	for t, p := range row {
		x, last := r.Values[p.number()], len(s.Values)-1
		omega, offset := r.beside(p.number())
		if t == 0 || p.column() != row[t-1].column() {
			s.Cols, s.Values = append(s.Cols, p.column()), append(s.Values, x)
			s.setBeside(r, last+1, omega, offset)
			times = 1
			continue
		}
		switch d {
		case RefuseDuplicates:
			return r.duplicate(row[t-1].number(), p.number())
		case LastDuplicate:
			s.Values[last] = x
			s.setBeside(r, last, omega, offset)
		case MeanDuplicates:
			times++
			s.merge(r, times, x, omega, offset)
		}
	}
	return nil
}

// ErrDuplicate is in the error of Compress and Compact for an entry that is given twice.
var ErrDuplicate = errors.New("already rated")

// duplicate is the error of two ratings of one entry.
func (r *Ratings) duplicate(a, b int) error {
	i, j, _ := r.rating(b)
	where := fmt.Sprintf("on line %d", r.Line(a))
	if r.placeOf != nil {
		where = "in " + r.place(a)
	}
	return fmt.Errorf("%s: user %q and item %q are %w %s; remove one",
		r.place(b), r.RowIDs.Text(int(i)), r.ColIDs.Text(int(j)), ErrDuplicate, where)
}

// byRow is the order of the ratings by rows, and within one as in the file, without those of unknown users.
func (r *Ratings) byRow() []int32 {
	at := make([]int64, r.Shape[0]+1)
	for _, i := range r.Rows {
		if i >= 0 {
			at[i+1]++
		}
	}
	for i := range r.Shape[0] {
		at[i+1] += at[i]
	}
	order := make([]int32, at[r.Shape[0]])
	for e, i := range r.Rows {
		if i >= 0 {
			order[at[i]] = int32(e)
			at[i]++
		}
	}
	return order
}

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
		at := s.at(r.Rows[e], r.Cols[e])
		one.Values[t] = s.Values[at]
		if r.Omega != nil {
			one.Omega[t] = s.Omega[at]
		}
		if r.Offset != nil {
			one.Offset[t] = s.Offset[at]
		}
	}
	return one, nil
}

// at is the place of an entry that is there.
func (s *Sparse) at(i, j int32) int {
	lo, hi := s.Ptr[i], s.Ptr[i+1]
	at, _ := slices.BinarySearch(s.Cols[lo:hi], j)
	return int(lo) + at
}

// A Rating is one observed entry.
type Rating struct {
	User, Item string
	Value      float64
}

// FromSlice makes ratings of a slice, with ids in the order of their first appearance. An empty slice is an error, and so is a
// value that is not finite. Entries that are rated twice are left to Compress.
func FromSlice(list []Rating) (*Ratings, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("dataset: there are no ratings")
	}
	r := &Ratings{Name: "ratings", RowIDs: &IDs{}, ColIDs: &IDs{}}
	for e, x := range list {
		if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
			return nil, fmt.Errorf("dataset: rating %d, of user %q and item %q, is %v; ratings are finite", e+1, x.User, x.Item, x.Value)
		}
		r.Rows, r.Cols = append(r.Rows, r.RowIDs.Add([]byte(x.User))), append(r.Cols, r.ColIDs.Add([]byte(x.Item)))
		r.Values = append(r.Values, x.Value)
	}
	r.Shape = [2]int{r.RowIDs.Len(), r.ColIDs.Len()}
	return r, nil
}
