package allcells

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// Cells is the operator and the loss of implicit feedback as one, a gcg.Squares: A multiplies cell (i, j) of X with √c_ij, and
// y is √c_ij p_ij. It keeps the clicks twice, by rows and by columns, and the factors of the point that it is at. It serves one
// Run at a time; Scaled makes another that shares the clicks.
type Cells struct {
	m, n           int
	background     float64 // w₀
	rows, cols     *side
	rowMul, colMul []float64 // α and β of X = diag(α) W diag(β), or nil for ones
	total          float64   // Σ_Ω c
	largest        float64   // c

	u, v   *gcg.Factor // of X, at the point; nil at X = 0
	rr, ry float64     // Σ c (p - x)² and Σ c (p - x) p, over all cells
}

// A side is the clicks in the order of the rows, or of the columns, with S at the point.
type side struct {
	ptr   []int64   // offsets of the rows
	index []int32   // the column of each click
	from  []int32   // of the columns' side: the place of each click by rows
	a     []float64 // c - w₀
	s     []float64
	total []float64 // Σ a of each row
}

// New takes the clicks as compressed rows: ptr has m+1 ascending offsets, cols the column of each click, ascending in a row, and
// weights its a = c - w₀ > 0; all three are kept. background is w₀. It refuses offsets and columns out of order or range, other
// lengths, and numbers that are not positive and finite.
func New(m, n int, ptr []int64, cols []int32, weights []float64, background float64) (*Cells, error) {
	if !positive(background) {
		return nil, fmt.Errorf("allcells: the weight of cells without a click is positive and finite, not %v", background)
	}
	if m < 1 || n < 1 || len(ptr) != m+1 || ptr[0] != 0 || ptr[m] != int64(len(cols)) || len(cols) != len(weights) {
		return nil,
			fmt.Errorf("allcells: %d clicks by the rows of a %d×%d matrix need %d offsets, and as many columns and weights",
				len(weights), m, n, m+1)
	}
	for i := range m {
		if ptr[i] > ptr[i+1] || ptr[i+1] > int64(len(cols)) {
			return nil, fmt.Errorf("allcells: the row offsets descend at row %d", i+1)
		}
		last := int32(-1)
		for e := ptr[i]; e < ptr[i+1]; e++ {
			if cols[e] <= last || int(cols[e]) >= n {
				return nil, fmt.Errorf("allcells: row %d has column %d after %d; columns ascend from 1 to %d", i+1, cols[e]+1,
					last+1, n)
			}
			if !positive(weights[e]) {
				return nil, fmt.Errorf("allcells: click %d has the weight %v; weights are positive and finite", e+1, weights[e])
			}
			last = cols[e]
		}
	}
	c := &Cells{m: m, n: n, background: background, rows: &side{ptr: ptr, index: cols, a: weights}}
	c.rows.begin()
	c.cols = c.rows.transposed(n)
	for _, a := range weights {
		c.total += a + background
		c.largest = math.Max(c.largest, a)
	}
	c.largest += background
	c.Move(nil, nil)
	return c, nil
}

// positive reports whether x is a positive number.
func positive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// begin makes room for S, and adds up a.
func (s *side) begin() {
	s.s = make([]float64, len(s.a))
	s.total = make([]float64, len(s.ptr)-1)
	for i := range s.total {
		for _, a := range s.a[s.ptr[i]:s.ptr[i+1]] {
			s.total[i] += a
		}
	}
}

// transposed is the other side, with n rows.
func (s *side) transposed(n int) *side {
	t := &side{ptr: make([]int64, n+1), index: make([]int32, len(s.index)), from: make([]int32, len(s.index)),
		a: make([]float64, len(s.a))}
	for _, j := range s.index {
		t.ptr[j+1]++
	}
	for j := range n {
		t.ptr[j+1] += t.ptr[j]
	}
	next := append([]int64(nil), t.ptr...)
	for i := range len(s.ptr) - 1 {
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			at := next[s.index[e]]
			next[s.index[e]]++
			t.index[at], t.from[at], t.a[at] = int32(i), int32(e), s.a[e]
		}
	}
	t.begin()
	return t
}

// Scaled is the same data with X = diag(rowMul) W diag(colMul), the variable of the weighted trace norm. The clicks are shared,
// the point is not. It refuses other lengths, and scales that are not positive and finite.
func (c *Cells) Scaled(rowMul, colMul []float64) (*Cells, error) {
	if len(rowMul) != c.m || len(colMul) != c.n {
		return nil, fmt.Errorf("allcells: %d row and %d column scales for a %d×%d matrix", len(rowMul), len(colMul), c.m, c.n)
	}
	for _, all := range [][]float64{rowMul, colMul} {
		for i, x := range all {
			if !positive(x) {
				return nil, fmt.Errorf("allcells: scale %d is %v; scales are positive and finite", i+1, x)
			}
		}
	}
	d := *c
	rows, cols := *c.rows, *c.cols
	d.rows, d.cols, d.rowMul, d.colMul = &rows, &cols, rowMul, colMul
	rows.s, cols.s = make([]float64, len(rows.a)), make([]float64, len(cols.a))
	d.Move(nil, nil)
	return &d, nil
}

// Background is w₀.
func (c *Cells) Background() float64 { return c.background }

// Entries is the number of clicks.
func (c *Cells) Entries() int { return len(c.rows.a) }

// The methods of gcg.Operator and gcg.LeastSquares show no observations, so that those on blocks have nothing to do.

func (c *Cells) Dims() (m, n, nobs int)                              { return c.m, c.n, 0 }
func (c *Cells) AtomTo([]float64, int, *gcg.Atom)                    {}
func (c *Cells) FactoredTo([]float64, int, *gcg.Factor, *gcg.Factor) {}
func (c *Cells) Adjoint([]float64) gcg.Map                           { return &gradient{c, c.u, c.v} }
func (c *Cells) Len() int                                            { return 0 }
func (c *Cells) Stride() int                                         { return 1 }
func (c *Cells) Eval(int, []float64, []float64) float64              { return 0 }
func (c *Cells) HessTo([]float64, int, []float64, []float64)         {}
func (c *Cells) Curvature() float64                                  { return c.largest }
func (c *Cells) Target() []float64                                   { return nil }
func (c *Cells) Weights() []float64                                  { return nil }
func (c *Cells) Scale() float64                                      { return 1 }

// Sums are Σ c (p - x)² and Σ c (p - x) p over all cells.
func (c *Cells) Sums() (rr, ry float64) { return c.rr, c.ry }
