package dataset

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
)

// Observed is a matrix of which some entries are known, in either storage: a Sparse (float64) or a Compact (float32).
type Observed interface {
	// Dims are the numbers of rows, columns and entries.
	Dims() (m, n, nobs int)
	// Entries lists the entries by rows.
	Entries(f func(i, j int, x float64))
	// Range is the smallest and the largest value, +Inf and -Inf of none.
	Range() (lo, hi float64)
	// SubtractInPlace takes the centre off the values.
	SubtractInPlace(o *Offsets)
	coordinates() coordinatesOf
}

// Dims are the numbers of rows, columns and entries.
func (s *Sparse) Dims() (m, n, nobs int) { return s.M, s.N, len(s.Values) }

// Dims are the numbers of rows, columns and entries.
func (c *Compact) Dims() (m, n, nobs int) { return c.M, c.N, len(c.Values) }

// Range is the smallest and the largest rating.
func (s *Sparse) Range() (lo, hi float64) { return s.Spread.Comm().Extremes(rangeOf(s.Values)) }

// Range is the smallest and the largest rating.
func (c *Compact) Range() (lo, hi float64) { return c.Spread.Comm().Extremes(rangeOf(c.Values)) }

// LaterIn are the places of the ratings that came in later among the entries that all of them were compressed to; nil where none
// did.
func (r *Ratings) LaterIn(s *Sparse) (places []int32) {
	for e := len(r.Values) - r.Later; e < len(r.Values); e++ {
		if r.Rows[e] >= 0 && r.Cols[e] >= 0 {
			places = append(places, int32(s.at(r.Rows[e], r.Cols[e])))
		}
	}
	return places
}

func rangeOf[T float32 | float64](values []T) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		lo, hi = min(lo, float64(x)), max(hi, float64(x))
	}
	return lo, hi
}

// Entries lists the entries of the matrix, for those who want them flat.
func (s *Sparse) Entries(f func(i, j int, x float64)) { eachEntry(0, s.M, s.Ptr, s.Cols, s.Values, f) }

// Entries lists the entries of the matrix.
func (c *Compact) Entries(f func(i, j int, x float64)) { eachEntry(0, c.M, c.Ptr, c.Cols, c.Values, f) }

func eachEntry[T float32 | float64](lo, hi int, ptr []int64, cols []int32, values []T, f func(i, j int, x float64)) {
	for i := lo; i < hi; i++ {
		for e := ptr[i]; e < ptr[i+1]; e++ {
			f(i, int(cols[e]), float64(values[e]))
		}
	}
}

func (s *Sparse) coordinates() coordinatesOf {
	return coordinatesOf{s.M, s.N, s.Ptr, s.Cols, s.Omega, func(lo, hi int, f func(i, j int, x float64)) {
		eachEntry(lo, hi, s.Ptr, s.Cols, s.Values, f)
	}, s.Spread}
}

func (c *Compact) coordinates() coordinatesOf {
	return coordinatesOf{c.M, c.N, c.Ptr, c.Cols, nil, func(lo, hi int, f func(i, j int, x float64)) {
		eachEntry(lo, hi, c.Ptr, c.Cols, c.Values, f)
	}, c.Spread}
}

// Weights are those of the entries, in their order, or nil for ones.
func Weights(s Observed) []float64 { return s.coordinates().omega }

// SpreadOf are the rows of all ranks where these are the entries of one; nil where they are all.
func SpreadOf(s Observed) *cluster.Rows { return s.coordinates().spread }

// Counts are the numbers of entries in each row and column.
func Counts(s Observed) (rows, cols []float64) {
	m, n, _ := s.Dims()
	rows, cols = make([]float64, m), make([]float64, n)
	c := s.coordinates()
	for i := range rows {
		rows[i] = float64(c.ptr[i+1] - c.ptr[i])
	}
	cluster.Fill(c.spread, rows, 1)
	for _, j := range c.cols {
		cols[j]++
	}
	c.spread.Comm().Total(cols)
	return rows, cols
}

// Compact is a matrix by compressed rows in 8 bytes an entry: row i holds entries Ptr[i] … Ptr[i+1]-1, its columns in any
// order, each once.
type Compact struct {
	M, N   int
	Ptr    []int64
	Cols   []int32
	Values []float32
	// Rounding is the root mean square of what float32 rounds the values by, over their standard deviation.
	Rounding float64
	Spread   *cluster.Rows // as that of Ratings
}

// SubtractInPlace takes the centre off the values, and rounds the difference.
func (c *Compact) SubtractInPlace(o *Offsets) {
	e := 0
	c.Entries(func(i, j int, x float64) {
		c.Values[e] = float32(o.rest(i, j, x))
		e++
	})
}

// Compact is Compress with values in float32, beyond ±1e37 an error. The ratings are given up: their memory is free for what
// comes next.
func (r *Ratings) Compact(d Duplicates) (*Compact, error) {
	if c := r.drawn; c != nil {
		r.drawn = nil
		return c, nil
	}
	_, rounding := r.Spread.Comm().Extremes(0, r.rounding())
	c := &Compact{M: r.Shape[0], N: r.Shape[1], Rounding: rounding, Spread: r.Spread}
	err := c.scatter(r)
	if err == nil {
		err = c.merge(r, d)
	}
	if err = r.Spread.Comm().FirstError(err); err != nil {
		return nil, err
	}
	r.Move()
	return c, nil
}

// rounding is that of Compact.
func (r *Ratings) rounding() float64 {
	if r.narrow != nil {
		return r.narrow.narrowed.relative()
	}
	var t narrowing
	for _, x := range r.Values {
		t.of(x)
	}
	return t.relative()
}

// largestNarrow leaves room in float32 for a centre to be taken off.
const largestNarrow = 1e37

// scatter puts the ratings of known users and items into their rows, in the order of the file.
func (c *Compact) scatter(r *Ratings) error {
	c.Ptr = make([]int64, c.M+1)
	for e := range r.Len() {
		if i, j, _ := r.rating(e); i >= 0 && j >= 0 {
			c.Ptr[i+1]++
		}
	}
	for i := range c.M {
		c.Ptr[i+1] += c.Ptr[i]
	}
	next := append([]int64(nil), c.Ptr...)
	c.Cols, c.Values = make([]int32, c.Ptr[c.M]), make([]float32, c.Ptr[c.M])
	for e := range r.Len() {
		if i, j, x := r.rating(e); i >= 0 && j >= 0 {
			if !(x >= -largestNarrow && x <= largestNarrow) {
				return fmt.Errorf("%s: the rating is too large for float32, which has ±%g; keep it in float64", r.place(e), largestNarrow)
			}
			at := next[i]
			next[i]++
			c.Cols[at], c.Values[at] = j, x
		}
	}
	return nil
}

// merge treats entries that are given twice, and closes the gaps that they leave.
func (c *Compact) merge(r *Ratings, d Duplicates) error {
	place, times := make([]int64, c.N), make([]int32, c.N) // 1 + where a column of this row is, and how often it came
	to, from := int64(0), int64(0)
	for i := range c.M {
		start, end := to, c.Ptr[i+1]
		for ; from < end; from++ {
			j, x := c.Cols[from], c.Values[from]
			if at := place[j] - 1; at >= start {
				if d == RefuseDuplicates {
					return r.duplicate(r.pair(int32(i), j))
				}
				times[j]++
				if d == MeanDuplicates {
					x = c.Values[at] + (x-c.Values[at])/float32(times[j])
				}
				c.Values[at] = x
				continue
			}
			place[j], times[j] = to+1, 1
			c.Cols[to], c.Values[to] = j, x
			to++
		}
		c.Ptr[i+1] = to
	}
	c.Cols, c.Values = c.Cols[:to], c.Values[:to]
	return nil
}

// pair finds the first two ratings of an entry.
func (r *Ratings) pair(i, j int32) (a, b int) {
	a = -1
	for e := range r.Len() {
		if row, col, _ := r.rating(e); row == i && col == j {
			if a >= 0 {
				return a, e
			}
			a = e
		}
	}
	return a, a
}

// A narrowing makes values float32, and measures what that costs: the mean square of the rounding beside the variance of the
// values.
type narrowing struct {
	n, first        float64 // how many, and the first of them
	sum, squares    float64 // of the distances from it
	errors, largest float64
}

// of is x in float32.
func (t *narrowing) of(x float64) float32 {
	if t.n == 0 {
		t.first = x
	}
	t.n++
	d := x - t.first
	t.sum += d
	t.squares += d * d
	t.largest = math.Max(t.largest, math.Abs(x))
	narrow := float32(x)
	lost := x - float64(narrow)
	t.errors += lost * lost
	return narrow
}

// finest is half of the last place of the smallest numbers of float32, which differences of exact values are rounded by, too.
const finest = 0x1p-150

// relative is the root mean square of the rounding over the standard deviation of the values; where all are equal, over their
// size.
func (t *narrowing) relative() float64 {
	if t.largest == 0 {
		return 0
	}
	mean := t.sum / t.n
	spread := math.Sqrt(math.Max(0, t.squares/t.n-mean*mean))
	if spread == 0 {
		spread = t.largest
	}
	return (math.Sqrt(t.errors/t.n) + finest) / spread
}

// A chunkList grows without copying. Its length is what a file really holds, not what a header claims. Joining it takes little
// more than the memory of the result, where a slice that doubles takes three times as much.
type chunkList[T any] struct {
	chunks [][]T // full, but for the last
	n      int
	whole  []T // the memory of the first chunks, as far as it reaches; nil where they have their own
}

const (
	chunkShift = 15
	chunkSize  = 1 << chunkShift
)

func (p *chunkList[T]) push(x T) {
	last := p.last()
	p.chunks[last] = append(p.chunks[last], x)
	p.n++
}

func (p *chunkList[T]) append(xs []T) {
	p.n += len(xs)
	for len(xs) > 0 {
		last := p.last()
		k := min(len(xs), chunkSize-len(p.chunks[last]))
		p.chunks[last] = append(p.chunks[last], xs[:k]...)
		xs = xs[k:]
	}
}

// last is the chunk with room; the first one starts small, for small files.
func (p *chunkList[T]) last() int {
	last := len(p.chunks) - 1
	switch {
	case last < 0:
		p.chunks = append(p.chunks, nil)
	case len(p.chunks[last]) == chunkSize:
		at, room := (last+1)<<chunkShift, []T(nil)
		if at+chunkSize <= len(p.whole) {
			room = p.whole[at : at : at+chunkSize]
		} else {
			room = make([]T, 0, chunkSize)
		}
		p.chunks = append(p.chunks, room)
	default:
		return last
	}
	return last + 1
}

// expect makes room for about n items in one piece, which then need no joining, and moves those of the list there. It does
// nothing for an empty list.
func (p *chunkList[T]) expect(n int) {
	if p.n == 0 || n < p.n {
		return
	}
	p.whole = make([]T, (n+chunkSize-1)>>chunkShift<<chunkShift)
	for c, chunk := range p.chunks {
		at := c << chunkShift
		p.chunks[c] = append(p.whole[at:at:at+chunkSize], chunk...)
	}
}

func (p *chunkList[T]) at(k int) T { return p.chunks[k>>chunkShift][k&(chunkSize-1)] }

// join is the list as one slice; the list is empty afterwards.
func (p *chunkList[T]) join() []T {
	chunks, n, whole := p.chunks, p.n, p.whole
	*p = chunkList[T]{}
	switch {
	case 0 < n && n <= len(whole):
		return whole[:n:n]
	case len(chunks) == 1:
		return chunks[0][:n:n]
	}
	all := make([]T, 0, n)
	part := max(len(chunks)/8, largePart/chunkSize)
	for c := range chunks {
		if c > 0 && c%part == 0 {
			debug.FreeOSMemory() // of the chunks that are in their place
		}
		all = append(all, chunks[c]...)
		chunks[c] = nil
	}
	return all
}

// largePart is the number of items in whose memory the system may have an interest before all are joined.
const largePart = 4 << 20

// joinTransposed takes the list as a rows×cols matrix by columns and gives it by rows.
func (p *chunkList[T]) joinTransposed(rows, cols int) []T { return transpose(p.join(), rows, cols) }

// transpose gives by rows a rows×cols matrix by columns. Columns go in groups, so that what is written lies together.
func transpose[T any](values []T, rows, cols int) []T {
	if rows == 1 || cols == 1 {
		return values
	}
	const group = 8
	all := make([]T, len(values))
	for lo := 0; lo < cols; lo += group {
		hi := min(lo+group, cols)
		for i := range rows {
			for j := lo; j < hi; j++ {
				all[i*cols+j] = values[j*rows+i]
			}
		}
	}
	return all
}

// listOf is a slice as a list, which shares its memory.
func listOf[T any](all []T) chunkList[T] {
	p := chunkList[T]{n: len(all)}
	for lo := 0; lo < len(all); lo += chunkSize {
		hi := min(lo+chunkSize, len(all))
		p.chunks = append(p.chunks, all[lo:hi:hi])
	}
	return p
}

// Transposed is a matrix whose rows are the columns of this one.
func (m *Matrix) Transposed() *Matrix {
	t := &Matrix{Rows: m.Cols, Cols: m.Rows, Names: m.RowNames, RowNames: m.Names}
	if m.Dense != nil {
		t.Dense = transpose(m.Dense, m.Cols, m.Rows)
		return t
	}
	t.Ptr, t.Index, t.Values = make([]int64, t.Rows+1), make([]int32, len(m.Index)), make([]float64, len(m.Values))
	for _, j := range m.Index {
		t.Ptr[j+1]++
	}
	for j := range t.Rows {
		t.Ptr[j+1] += t.Ptr[j]
	}
	next := slices.Clone(t.Ptr)
	for i := range m.Rows {
		for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
			j := m.Index[e]
			t.Index[next[j]], t.Values[next[j]] = int32(i), m.Values[e]
			next[j]++
		}
	}
	return t
}
