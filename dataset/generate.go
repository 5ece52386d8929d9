package dataset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// A Generator makes ratings with a known low-rank truth: the rows and the columns have power-law frequencies, row i has
// about N·(i+1)^-RowExponent/Σ ratings, and
//
//	rating = Mean + Scale·(u_i·v_j)/√Rank + Noise·normal, rounded to Step and clipped to [Lo, Hi] where Step > 0.
type Generator struct {
	Name                     string
	Rows, Cols, N            int
	Rank                     int
	RowExponent, ColExponent float64
	Mean, Scale, Noise       float64
	Step, Lo, Hi             float64
	Seed                     uint64
}

// Shapes are the sizes of public datasets; the numbers in them are generated.
var Shapes = []Generator{
	movie("movielens-100k", 943, 1682, 100_000),
	movie("movielens-1m", 6040, 3706, 1_000_209),
	movie("movielens-10m", 71_567, 65_133, 9_301_174),
	large("netflix", 2_549_429, 17_770, 99_072_112),
	large("yahoo252m", 1_000_990, 624_961, 252_800_275),
}

func movie(name string, m, n, nobs int) Generator {
	return Generator{Name: name, Rows: m, Cols: n, N: nobs, Rank: 5, RowExponent: 0.6, ColExponent: 0.8,
		Mean: 3.58, Scale: 0.8, Noise: 0.7, Step: 1, Lo: 1, Hi: 5}
}

// large has a truth of standard deviation 10 under unit noise. Sampling alone gives popular columns of n ratings singular values
// of about √n times the standard deviation. With a truth of size 1, a λ of a tenth of σ₁ would be far below those of the noise,
// and solutions would have ranks in the hundreds.
func large(name string, m, n, nobs int) Generator {
	return Generator{Name: name, Rows: m, Cols: n, N: nobs, Rank: 20, RowExponent: 0.4, ColExponent: 0.4, Scale: 10, Noise: 1}
}

// largestTruth is the number of numbers that a truth may have, which are kept while data is generated.
const largestTruth = 1 << 33

// Check says what is wrong with the sizes.
func (g Generator) Check() error {
	switch {
	case g.Rows < 1 || g.Cols < 1 || g.N < 1 || g.Rank < 1:
		return fmt.Errorf("a generated dataset needs at least one row, column, rating and factor, not %d, %d, %d, %d", g.Rows, g.Cols,
			g.N, g.Rank)
	case g.Rows > math.MaxInt32 || g.Cols > math.MaxInt32 || g.N > math.MaxInt32:
		return fmt.Errorf("a generated dataset has at most 2³¹-1 rows, columns and ratings")
	case float64(g.Rank)*(float64(g.Rows)+float64(g.Cols)) > largestTruth:
		return fmt.Errorf("a generated dataset has a truth of at most 2³³ numbers, not %d for each of %d rows and %d columns", g.Rank,
			g.Rows, g.Cols)
	case float64(g.N) > 0.5*float64(g.Rows)*float64(g.Cols):
		return fmt.Errorf("%d ratings are more than half of the %d×%d entries", g.N, g.Rows, g.Cols)
	}
	return nil
}

// Sized is the same shape with n ratings, and with fewer or more rows and columns in proportion: each has about as many ratings
// as before.
func (g Generator) Sized(n int) Generator {
	by := float64(n) / float64(g.N)
	g.Rows, g.Cols, g.N = max(1, int(math.Round(by*float64(g.Rows)))), max(1, int(math.Round(by*float64(g.Cols)))), n
	return g
}

// LeastSized is about the least n for Sized: below it more than half of the entries of the matrix would have a rating.
func (g Generator) LeastSized() int {
	n := float64(g.N)
	return int(2.1 * n * n / (float64(g.Rows) * float64(g.Cols)))
}

// Each generates the dataset row by row; the slices, columns in the order in which they were drawn, are valid until f
// returns. It keeps 4·Rank bytes for each row and column, and none for the ratings.
func (g Generator) Each(f func(row int, cols []int32, values []float64) error) error {
	if err := g.Check(); err != nil {
		return err
	}
	rng, u, v := g.truth()
	columns := newAlias(powers(g.Cols, g.ColExponent))
	place := rng.Perm(g.Cols) // popular columns are spread over the index range
	stamp := make([]int32, g.Cols)
	var cols []int32
	var values []float64
	for i, count := range g.rowCounts() {
		cols, values = cols[:0], values[:0]
		for tries := 0; len(cols) < count; tries++ {
			j := columns.draw(rng)
			if tries > 50*g.Cols { // the popular ones are used up
				j = rng.IntN(g.Cols)
			}
			if stamp[j] == int32(i+1) {
				continue
			}
			stamp[j] = int32(i + 1)
			c := place[j]
			cols = append(cols, int32(c))
			values = append(values, g.rating(rng, u[i*g.Rank:(i+1)*g.Rank], v[c*g.Rank:(c+1)*g.Rank]))
		}
		if err := f(i, cols, values); err != nil {
			return err
		}
	}
	return nil
}

// Truth is u (Rows×Rank) and v (Cols×Rank), of standard normal numbers.
func (g Generator) Truth() (u, v []float32, err error) {
	if err := g.Check(); err != nil {
		return nil, nil, err
	}
	_, u, v = g.truth()
	return u, v, nil
}

// truth is Truth, with the source of what is drawn after it.
func (g Generator) truth() (rng *rand.Rand, u, v []float32) {
	rng = rand.New(rand.NewPCG(g.Seed, 0xda7a))
	return rng, normals(rng, g.Rows*g.Rank), normals(rng, g.Cols*g.Rank)
}

func (g Generator) rating(rng *rand.Rand, u, v []float32) float64 {
	var dot float64
	for t, x := range u {
		dot += float64(x) * float64(v[t])
	}
	x := g.Mean + g.Scale*dot/math.Sqrt(float64(g.Rank)) + g.Noise*rng.NormFloat64()
	if g.Step > 0 {
		x = math.Min(math.Max(math.Round(x/g.Step)*g.Step, g.Lo), g.Hi)
	}
	return x
}

// Title names the dataset.
func (g Generator) Title() string { return "generated " + g.Name }

// Digest says in one word how the dataset is generated, as a checksum does of a file.
func (g Generator) Digest() string {
	return fmt.Sprintf("generated:%s:%d:%d:%d:seed=%d", g.Name, g.Rows, g.Cols, g.N, g.Seed)
}

// empty has the names of the dataset, and no ratings.
func (g Generator) empty() (*Ratings, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	return &Ratings{Name: g.Title(), Checksum: g.Digest(), Shape: [2]int{g.Rows, g.Cols}, RowIDs: numbers(g.Rows),
		ColIDs: numbers(g.Cols)}, nil
}

// Ratings generates the dataset.
func (g Generator) Ratings() (*Ratings, error) {
	r, err := g.empty()
	if err != nil {
		return nil, err
	}
	r.Rows, r.Cols, r.Values = make([]int32, 0, g.N), make([]int32, 0, g.N), make([]float64, 0, g.N)
	return r, g.Each(func(i int, cols []int32, values []float64) error {
		for range cols {
			r.Rows = append(r.Rows, int32(i))
		}
		r.Cols, r.Values = append(r.Cols, cols...), append(r.Values, values...)
		return nil
	})
}

// Narrow generates the dataset in 8 bytes a rating, from which Ratings.Compact goes on; Rows, Cols and Values stay empty.
func (g Generator) Narrow() (*Ratings, error) {
	r, err := g.empty()
	if err != nil {
		return nil, err
	}
	r.drawn, err = g.Compact()
	return r, err
}

// Compact generates the dataset in 8 bytes a rating.
func (g Generator) Compact() (*Compact, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	c := &Compact{M: g.Rows, N: g.Cols, Ptr: make([]int64, 1, g.Rows+1), Cols: make([]int32, 0, g.N),
		Values: make([]float32, 0, g.N)}
	var narrowed narrowing
	err := g.Each(func(_ int, cols []int32, values []float64) error {
		c.Cols = append(c.Cols, cols...)
		for _, x := range values {
			c.Values = append(c.Values, narrowed.of(x))
		}
		c.Ptr = append(c.Ptr, int64(len(c.Cols)))
		return nil
	})
	c.Rounding = narrowed.relative()
	return c, err
}

// Write writes the dataset as WriteRatings does, row by row, so that it may be larger than memory.
func (g Generator) Write(ctx context.Context, name string) error {
	w, err := createRatings(name, "user", "item", "rating")
	if err != nil {
		return err
	}
	defer w.file.Abort()
	err = g.Each(func(i int, cols []int32, values []float64) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: not written: %w", name, err)
		}
		user := strconv.Itoa(i + 1)
		for e, j := range cols {
			w.number = strconv.AppendInt(w.number[:0], int64(j)+1, 10)
			w.rating(user, string(w.number), values[e])
			if err := w.endLine(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.commit()
}

func normals(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func numbers(n int) *IDs {
	t := &IDs{}
	for i := 1; i <= n; i++ {
		t.Add(strconv.AppendInt(nil, int64(i), 10))
	}
	return t
}

func powers(n int, exponent float64) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = math.Pow(float64(i+1), -exponent)
	}
	return p
}

// rowCounts are the numbers of ratings of the rows, which sum to N; no row has more than half of the columns, or all of
// them where that is needed.
func (g Generator) rowCounts() []int {
	p := powers(g.Rows, g.RowExponent)
	var total float64
	for _, x := range p {
		total += x
	}
	limit := max(1, g.Cols/2)
	for limit*g.Rows < g.N {
		limit++
	}
	counts := make([]int, g.Rows)
	left := g.N
	for i, x := range p {
		want := int(math.Round(float64(left) * x / total))
		total -= x
		counts[i] = min(want, limit, left)
		left -= counts[i]
	}
	for i := 0; left > 0; i = (i + 1) % g.Rows {
		if counts[i] < limit {
			counts[i]++
			left--
		}
	}
	return counts
}

// An alias draws an index with given weights in constant time [Walker 1977].
type alias struct {
	p     []float64
	other []int32
}

func newAlias(w []float64) *alias {
	n := len(w)
	var total float64
	for _, x := range w {
		total += x
	}
	a := &alias{p: make([]float64, n), other: make([]int32, n)}
	var small, large []int
	for i, x := range w {
		a.p[i] = x * float64(n) / total
		if a.p[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.other[s] = int32(l)
		if a.p[l] -= 1 - a.p[s]; a.p[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		a.p[i] = 1
	}
	return a
}

func (a *alias) draw(rng *rand.Rand) int {
	i := rng.IntN(len(a.p))
	if rng.Float64() < a.p[i] {
		return i
	}
	return int(a.other[i])
}
