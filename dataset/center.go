package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/internal/enum"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/unionfind"
)

// Offsets are a centre: Global + Row_i + Col_j; nil slices are 0.
type Offsets struct {
	Global   float64
	Row, Col []float64
	// RowShrink is how many ratings of 0 more shrink a row's offset, of shrunk means: that of n ratings is their sum, less the
	// other offsets, over n + RowShrink.
	RowShrink float64
}

// At is the centre of an entry; -1 stands for an unknown row or column.
func (o *Offsets) At(i, j int) float64 {
	x := o.Global
	if o.Row != nil && i >= 0 {
		x += o.Row[i]
	}
	if o.Col != nil && j >= 0 {
		x += o.Col[j]
	}
	return x
}

// rest is what the centre leaves of x. A difference that is rounding is 0: ratings that the centre explains are not data.
func (o *Offsets) rest(i, j int, x float64) float64 {
	d := x - o.At(i, j)
	if math.Abs(d) <= centreRounding*(math.Abs(x)+math.Abs(o.Global)) {
		return 0
	}
	return d
}

// centreRounding is about what sums of millions of ratings lose, relative to a rating.
const centreRounding = rounding.Null

// A Centring says which means are subtracted from the ratings before a matrix is fitted to the rest.
type Centring int

const (
	AutoCentre  Centring = iota // nothing, or what package task chooses
	NoCentre                    // nothing
	GlobalMean                  // one number
	RowMeans                    // the global mean, and an offset for each row
	ColumnMeans                 // the global mean, and an offset for each column
	BothMeans                   // offsets for rows and columns together
	ShrunkMeans                 // the same as ridge biases, shrunk the more the fewer entries a row or column has
)

var centrings = []string{"auto", "none", "global", "rows", "cols", "both", "shrunk"}

// String is auto, none, global, rows, cols, both or shrunk.
func (c Centring) String() string { return centrings[c] }

// Check is an error where c is no centring.
func (c Centring) Check() error {
	return enum.Check("dataset: the centring", c, "AutoCentre", "NoCentre", "GlobalMean", "RowMeans", "ColumnMeans", "BothMeans",
		"ShrunkMeans")
}

// ParseCentring is the centring of a name that String gives.
func ParseCentring(name string) (Centring, error) {
	if c := slices.Index(centrings, name); c >= 0 {
		return Centring(c), nil
	}
	return 0, fmt.Errorf("dataset: a centre is auto, none, global, rows, cols, both or shrunk, not %q", name)
}

// Centre is the least-squares centre of the given kind, ShrunkMeans those with a ridge. Rows and columns without entries get
// offset 0.
func Centre(s Observed, kind Centring) *Offsets { return centre(s.coordinates(), kind, allDigits) }

// Biases is the centre of BothMeans to about six digits: predictions to compare a model with.
func Biases(s Observed) *Offsets { return centre(s.coordinates(), BothMeans, sixDigits) }

// The residual of the offsets' equations at which they are accurate to so much, in parts of the first.
const (
	allDigits = rounding.Sum
	sixDigits = 1e-6
)

// coordinatesOf are the entries of a matrix by compressed rows, their values in any storage.
type coordinatesOf struct {
	m, n    int
	ptr     []int64
	cols    []int32
	omega   []float64                                     // weights of the entries, nil for 1
	entries func(lo, hi int, f func(i, j int, x float64)) // of the rows lo ≤ i < hi
	spread  *cluster.Rows                                 // where these are the entries of one rank; nil where they are all
}

func centre(s coordinatesOf, kind Centring, accuracy float64) *Offsets {
	o := &Offsets{}
	if kind <= NoCentre || s.count() == 0 {
		return o
	}
	o.Global = s.mean()
	if kind == GlobalMean {
		return o
	}
	byRow, byCol := s.sums(o)
	switch kind {
	case RowMeans:
		o.Row = byRow.means()
	case ColumnMeans:
		o.Col = byCol.means()
	case BothMeans:
		s.leastSquares(o, byRow, byCol, accuracy)
	case ShrunkMeans:
		s.shrunkMeans(o, byRow, byCol, s.square(o))
	}
	return o
}

// mean is that of all entries, by their weights. Differences from the first of them are averaged: the mean of ratings that are
// all the same is that rating, to the last digit, and nothing overflows.
func (s coordinatesOf) mean() float64 {
	n, first := s.total(), s.first()
	return first + s.sum(1, func(lo, hi int, rest []float64) {
		s.weighted(lo, hi, func(_, _ int, w, x float64) {
			if w > 0 {
				rest[0] += w * (x/n - first/n)
			}
		})
	})[0]
}

// first is the first entry of positive weight, or 0.
func (s coordinatesOf) first() float64 {
	var own []float64
	for i := 0; i < s.m && own == nil; i++ {
		s.weighted(i, i+1, func(_, _ int, w, x float64) {
			if w > 0 && own == nil {
				own = []float64{x}
			}
		})
	}
	for _, x := range cluster.All(s.spread.Comm(), own) {
		if len(x) > 0 {
			return x[0]
		}
	}
	return 0
}

// count is the number of entries, of all ranks.
func (s coordinatesOf) count() int { return s.spread.Comm().Count(len(s.cols)) }

// sum is a sum of so many numbers over all entries: f adds the terms of those in the rows lo ≤ i < hi. Where ranks share the
// entries they are added by shards.
func (s coordinatesOf) sum(numbers int, f func(lo, hi int, sum []float64)) []float64 {
	all := make([]float64, numbers)
	if s.spread == nil {
		f(0, s.m, all)
		return all
	}
	cluster.Sum(s.spread, all, func(shard int, part []float64) {
		clear(part)
		lo, hi := s.spread.Shard(shard)
		f(lo, hi, part)
	})
	return all
}

// weighted lists the entries of the rows lo ≤ i < hi with their weights.
func (s coordinatesOf) weighted(lo, hi int, f func(i, j int, w, x float64)) {
	e := s.ptr[lo]
	s.entries(lo, hi, func(i, j int, x float64) {
		f(i, j, s.weight(e), x)
		e++
	})
}

// weight is that of entry e.
func (s coordinatesOf) weight(e int64) float64 {
	if s.omega == nil {
		return 1
	}
	return s.omega[e]
}

// total is the sum of all weights.
func (s coordinatesOf) total() float64 {
	if s.omega == nil {
		return float64(s.count())
	}
	return s.sum(1, func(lo, hi int, sum []float64) {
		for _, w := range s.omega[s.ptr[lo]:s.ptr[hi]] {
			sum[0] += w
		}
	})[0]
}

// sums are of what a centre leaves.
func (s coordinatesOf) sums(o *Offsets) (byRow, byCol sums) {
	byRow = newSums(s.m)
	all := s.sum(2*s.n, func(lo, hi int, part []float64) {
		byCol := sums{part[:s.n], part[s.n:]}
		s.weighted(lo, hi, func(i, j int, w, x float64) {
			byRow.add(i, w, x-o.At(i, j))
			byCol.add(j, w, x-o.At(i, j))
		})
	})
	cluster.Fill(s.spread, byRow.total, 1)
	cluster.Fill(s.spread, byRow.weight, 1)
	return byRow, sums{all[:s.n], all[s.n:]}
}

// leastSquares adds the offsets r and c to a centre that minimise Σ ω_ij (d_ij - r_i - c_j)² for what it leaves, d. With c
// eliminated they solve
//
//	(R - Ω C⁻¹ Ωᵀ) r = b - Ω C⁻¹ a
//
// with R and C the sums of ω by rows and columns, and b and a those of ωd: by conjugate gradients, with R for a preconditioner.
// They begin at r = 0, so that Σ R_i r_i = 0 over the rows that entries connect: nothing else determines that. Each round begins
// with the residual itself, which takes back what rounding did to the one before.
func (s coordinatesOf) leastSquares(o *Offsets, byRow, byCol sums, accuracy float64) {
	o.Row, o.Col = make([]float64, s.m), make([]float64, s.n)
	at := normalEquations{s, byRow.weight, byCol.weight, make([]float64, s.n), s.parts()}
	for round, enough := 0, 0.0; round < rounds; round++ {
		size := at.solve(o.Row, o.Col, byRow.total, byCol.total, max(accuracy, halfDigits), enough)
		if round == 0 {
			enough = accuracy * accuracy * size
		}
		if accuracy >= halfDigits || size <= enough {
			return
		}
		byRow, byCol = s.sums(o)
	}
}

// halfDigits is how far a round of leastSquares goes, and rounds how many there are: the second has the last digits, and the
// others what rounding left of long chains.
const (
	halfDigits = 1e-8
	rounds     = 4
)

// passes of one solve at most. Ratings of people take about fifty; a chain of users with two items each takes as many as it has
// links.
const passes = 10000

// normalEquations are those of leastSquares.
type normalEquations struct {
	coordinatesOf
	rows, columns []float64 // R and C
	scratch       []float64 // of each column
	part          []int32   // of each row
}

// parts number the rows by what entries of positive weight connect.
func (s coordinatesOf) parts() []int32 {
	nodes := unionfind.New(s.m + s.n) // rows, then columns
	for i := range s.m {
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			if s.weight(e) > 0 {
				nodes.Join(int32(i), int32(s.m)+s.cols[e])
			}
		}
	}
	for _, others := range cluster.All(s.spread.Comm(), []int32(nodes)) {
		for at, joined := range others {
			nodes.Join(int32(at), joined)
		}
	}
	part := make([]int32, s.m)
	for i := range part {
		part[i] = nodes.Find(int32(i))
	}
	return part
}

// consistent takes out of a residual what no x makes: rounding gives its rows of one part a sum, and the equations have none.
func (q *normalEquations) consistent(rest []float64) {
	sum, weight := make([]float64, q.m+q.n), make([]float64, q.m+q.n)
	for i, x := range rest {
		sum[q.part[i]] += x
		weight[q.part[i]] += q.rows[i]
	}
	for i, at := range q.part {
		if weight[at] > 0 {
			rest[i] -= q.rows[i] * sum[at] / weight[at]
		}
	}
}

// solve adds the solution of sums b and a to offsets of rows and columns, to a part of the first residual or to a size of it that
// is enough, and is the size of the first, squared.
func (q *normalEquations) solve(row, col, b, a []float64, part, enough float64) (first float64) {
	m := len(row)
	x, rest, step, image := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	copy(q.scratch, a)
	q.eliminated(rest, b)
	q.consistent(rest)
	size := q.preconditioned(step, rest, 0)
	first = size
	for pass := 0; size > max(enough, part*part*first) && pass < passes; pass++ {
		curvature := q.apply(image, step)
		if !(curvature > 0) {
			break // rounding alone is left
		}
		by := size / curvature
		for i := range x {
			x[i] += by * step[i]
			rest[i] -= by * image[i]
		}
		q.consistent(rest)
		size = q.preconditioned(step, rest, size)
	}
	q.columnSums(x)
	for j, c := range q.columns {
		if c > 0 {
			col[j] += (a[j] - q.scratch[j]) / c
		}
	}
	for i := range x {
		row[i] += x[i]
	}
	return first
}

// columnSums writes Ωᵀ x.
func (q *normalEquations) columnSums(x []float64) {
	copy(q.scratch, q.sum(q.n, func(lo, hi int, sum []float64) {
		for i := lo; i < hi; i++ {
			cols := q.cols[q.ptr[i]:q.ptr[i+1]]
			if q.omega == nil {
				for _, j := range cols {
					sum[j] += x[i]
				}
				continue
			}
			for t, w := range q.omega[q.ptr[i]:q.ptr[i+1]] {
				sum[cols[t]] += w * x[i]
			}
		}
	}))
}

// eliminated writes b - Ω C⁻¹ a, with a in scratch.
func (q *normalEquations) eliminated(dst, b []float64) {
	for j, c := range q.columns {
		if c > 0 {
			q.scratch[j] /= c
		}
	}
	for i := range dst {
		cols, sum := q.cols[q.ptr[i]:q.ptr[i+1]], 0.0
		if q.omega == nil {
			for _, j := range cols {
				sum += q.scratch[j]
			}
		} else {
			for t, w := range q.omega[q.ptr[i]:q.ptr[i+1]] {
				sum += w * q.scratch[cols[t]]
			}
		}
		dst[i] = b[i] - sum
	}
	cluster.Fill(q.spread, dst, 1)
}

// apply writes (R - Ω C⁻¹ Ωᵀ) x, and is its product with x.
func (q *normalEquations) apply(dst, x []float64) (product float64) {
	q.columnSums(x)
	for i, r := range q.rows {
		dst[i] = r * x[i]
	}
	q.eliminated(dst, dst)
	for i, y := range dst {
		product += x[i] * y
	}
	return product
}

// preconditioned makes the next direction of a residual, R⁻¹ rest and the last one, and is restᵀ R⁻¹ rest; of no last one old
// is 0.
func (q *normalEquations) preconditioned(step, rest []float64, old float64) (size float64) {
	for i, r := range q.rows {
		if r > 0 {
			size += rest[i] * rest[i] / r
		}
	}
	keep := 0.0
	if old > 0 {
		keep = size / old
	}
	for i, r := range q.rows {
		if r > 0 {
			step[i] = rest[i]/r + keep*step[i]
		}
	}
	return size
}

// sums are of the entries in each row or column, and of their weights.
type sums struct{ total, weight []float64 }

func newSums(n int) sums { return sums{make([]float64, n), make([]float64, n)} }

func (s sums) add(at int, w, x float64) {
	s.total[at] += w * x
	s.weight[at] += w
}

// means averages.
func (s sums) means() []float64 {
	mean := make([]float64, len(s.total))
	for i, w := range s.weight {
		if w > 0 {
			mean[i] = s.total[i] / w
		}
	}
	return mean
}

// SubtractInPlace takes the centre off the values.
func (s *Sparse) SubtractInPlace(o *Offsets) {
	e := 0
	s.Entries(func(i, j int, x float64) {
		s.Values[e] = o.rest(i, j, x)
		e++
	})
}

// Subtract is the values less the centre; the values themselves where it is 0 everywhere.
func (s *Sparse) Subtract(o *Offsets) []float64 {
	if o.Global == 0 && o.Row == nil && o.Col == nil {
		return s.Values
	}
	y := make([]float64, 0, len(s.Values))
	s.Entries(func(i, j int, x float64) { y = append(y, o.rest(i, j, x)) })
	return y
}

// shrunkSweeps of the ridge biases end them where their means are slow, which few entries tell: what the biases leave is fitted
// anyway.
const shrunkSweeps = 40

// settled is the last change of the row biases, in parts of the largest, that is none any more.
const settled = 1e-6

// leastShare is the part of the variance of the entries that a kind of bias, or the noise, has at least: estimates of less are 0
// or negative by chance, and a bias of no variance is none.
const leastShare = 1e-4
