package views

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A ball is the rows lo ≤ i < hi of U and their radius r.
type ball struct {
	lo, hi int
	r      float64
}

// A search is F as a function of U and V,
//
//	L(A(U Vᵀ)) + λ Σ_c ‖V_:c‖,   ‖U_ic‖ ≤ r_i for ball i and column c
//
// or, where the columns go together, with Frobenius norms ‖V‖ and ‖U_i‖ of all columns.
type search struct {
	p        *view.Problem
	balls    []ball
	together bool
	lambda   float64
}

// newSearch is that of a problem which Improves reports.
func newSearch(p *view.Problem) *search {
	f := &search{p: p, lambda: p.Penalty.Deriv(1)}
	sizes, radii, together := p.Dictionary.Balls()
	f.together = together
	at := 0
	for i, rows := range sizes {
		f.balls = append(f.balls, ball{at, at + rows, radii[i]})
		at += rows
	}
	return f
}

// A position is U, V and F there. The vectors of norms have an entry for each column, the same ones where columns go together.
type position struct {
	u, v  *gcg.Factor
	sizes []float64 // ‖V_:c‖
	z, r  []float64 // predictions, and -∇L
	f     float64
}

// dots are ⟨A_ic, B_ic⟩ by columns for the rows lo ≤ i < hi; together, each entry is their sum.
func (s *search) dots(a, b *gcg.Factor, lo, hi int) []float64 {
	sums := make([]float64, a.K)
	for i := lo; i < hi; i++ {
		x, y := a.Row(i), b.Row(i)
		for c := range sums {
			sums[c] += x[c] * y[c]
		}
	}
	if s.together {
		var all float64
		for _, x := range sums {
			all += x
		}
		for c := range sums {
			sums[c] = all
		}
	}
	return sums
}

// scaleCells multiplies the rows lo ≤ i < hi by a number for each column.
func scaleCells(u *gcg.Factor, lo, hi int, by []float64) {
	for i := lo; i < hi; i++ {
		row := u.Row(i)
		kernel.Hadamard(row[:u.K], row[:u.K], by)
	}
}

// begin is the position of W, nil where all columns are 0.
func (s *search) begin(w *gcg.Iterate) *position {
	x := &position{u: w.U.Clone(), v: w.V.Clone()}
	if s.normalise(x); x.u.K == 0 {
		return nil
	}
	return s.evaluate(x)
}

// spread are the factors of W with the weights of the columns, ‖V_:c‖, spread evenly over both.
func (s *search) spread(x *position) (u, v *gcg.Factor) {
	u, v = x.u.Clone(), x.v.Clone()
	for c, size := range x.sizes {
		u.ScaleColumn(c, math.Sqrt(size))
		v.ScaleColumn(c, 1/math.Sqrt(size))
	}
	return u, v
}

// normalise scales columns so that the largest ‖U_ic‖/r_i is 1, and leaves out those that are 0.
func (s *search) normalise(x *position) {
	most := make([]float64, x.u.K)
	for _, b := range s.balls {
		for c, q := range s.dots(x.u, x.u, b.lo, b.hi) {
			most[c] = math.Max(most[c], math.Sqrt(q)/b.r)
		}
	}
	sizes := s.dots(x.v, x.v, 0, x.v.Rows)
	var stay []int
	for c, size := range sizes {
		if sizes[c] = math.Sqrt(size) * most[c]; sizes[c] > 0 {
			stay = append(stay, c)
		}
	}
	if len(stay) < x.u.K {
		x.u, x.v = only(x.u, stay), only(x.v, stay)
		most, sizes = chosen(most, stay), chosen(sizes, stay)
	}
	inverse := make([]float64, len(most))
	for c, y := range most {
		inverse[c] = 1 / y
	}
	scaleCells(x.u, 0, x.u.Rows, inverse)
	scaleCells(x.v, 0, x.v.Rows, most)
	x.sizes = sizes
}

// chosen are some entries of x.
func chosen(x []float64, at []int) []float64 {
	y := make([]float64, len(at))
	for i, c := range at {
		y[i] = x[c]
	}
	return y
}

// only are some columns of f.
func only(f *gcg.Factor, columns []int) *gcg.Factor {
	g := gcg.NewFactor(f.Rows, len(columns))
	for i := range f.Rows {
		from, to := f.Row(i), g.Row(i)
		for c, at := range columns {
			to[c] = from[at]
		}
	}
	return g
}

// rho is Σ_c ‖V_:c‖ ≥ κ(U Vᵀ).
func (s *search) rho(x *position) (sum float64) {
	for _, size := range x.sizes {
		if sum += size; s.together {
			break
		}
	}
	return sum
}

// evaluate fills in the predictions, -∇L and F.
func (s *search) evaluate(x *position) *position {
	_, _, n := s.p.Operator.Dims()
	x.z, x.r = make([]float64, n), make([]float64, n)
	s.p.Apply(x.z, &gcg.Iterate{M: x.u.Rows, N: x.v.Rows, U: x.u, V: x.v})
	x.f = s.p.Value(x.z, x.r) + s.lambda*s.rho(x)
	return x
}
