package spca

import (
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// An observation is an entry of a component's triangle: W_ij + W_ji left of the squares of its panels, so that r is an entry of
// the symmetric adjoint, and (W_ij + W_ji)/2 within the squares, which have both.
type entries struct {
	n      int
	blocks []*block
	of     []int32 // the component of each variable
	place  []int32 // of each variable within its component
}

// Dims is n×n, and the number of entries that the components' triangles keep.
func (o *entries) Dims() (m, n, nobs int) {
	last := o.blocks[len(o.blocks)-1]
	return o.n, o.n, last.at + last.len()
}

// AtomTo is z = A(a) from observation lo on.
func (o *entries) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		o.FactoredTo(z, lo, a.U, a.V)
		return
	}
	clear(z)
	add := func(at int, x float64) {
		if at -= lo; at >= 0 && at < len(z) {
			z[at] += x
		}
	}
	for e, x := range a.Vals {
		k := o.of[a.Rows[e]]
		if o.of[a.Cols[e]] != k {
			continue
		}
		b := o.blocks[k]
		i, j := int(o.place[a.Rows[e]]), int(o.place[a.Cols[e]])
		if i < j {
			i, j = j, i
		}
		if j < i/panelRows*panelRows {
			add(b.at+b.triangle.at(i, j), x)
			continue
		}
		add(b.at+b.triangle.at(i, j), x/2)
		add(b.at+b.square(j, i), x/2)
	}
}

// square is the place of entry (i, j) of a square, on either side of the diagonal.
func (t triangle) square(i, j int) int {
	_, square, lo, _ := t.row(i)
	return square + j - lo
}

// FactoredTo is z = A(U Vᵀ) from observation lo on.
func (o *entries) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	for at := 0; at < len(z); {
		b := o.blocks[sort.Search(len(o.blocks), func(k int) bool { return o.blocks[k].at > lo+at })-1]
		end := min(len(z), b.at+b.len()-lo)
		b.factoredTo(z[at:end], lo+at-b.at, u, v)
		at = end
	}
}

// factoredTo is FactoredTo within one component, from its entry lo on.
func (b *block) factoredTo(z []float64, lo int, u, v *gcg.Factor) {
	p := sort.Search(b.panels(), func(p int) bool {
		from, to, square := b.panel(p)
		return square-(to-from)*from > lo
	}) - 1
	s := segments{z: z, lo: lo, k: u.K, u: b.rowsOf(u), v: b.rowsOf(v)}
	for ; p < b.panels(); p++ {
		first, end, square := b.panel(p)
		if square-(end-first)*first >= lo+len(z) {
			return
		}
		for i := first; i < end; i++ {
			left, inside, _, _ := b.row(i)
			s.write(left, i, 0, first, 1)
			s.write(inside, i, first, end, 0.5)
		}
	}
}

// rowsOf are the rows of a factor that are the component's, without padding.
func (b *block) rowsOf(f *gcg.Factor) []float64 {
	rows := make([]float64, 0, len(b.vars)*f.K)
	for _, i := range b.vars {
		rows = append(rows, f.Row(i)[:f.K]...)
	}
	return rows
}

// segments writes rows of entries of U Vᵀ + V Uᵀ to z, which begins at entry lo; u and v are n×k.
type segments struct {
	z     []float64
	lo, k int
	u, v  []float64
}

// write writes c(uᵢ·vⱼ + vᵢ·uⱼ), from ≤ j < to, at the entries from place on, as far as they are in z.
func (s *segments) write(place, i, from, to int, c float64) {
	first, last := max(from, from+s.lo-place), min(to, from+s.lo+len(s.z)-place)
	if first >= last {
		return
	}
	k := s.k
	out := s.z[place+first-from-s.lo : place+last-from-s.lo]
	if k == 1 {
		ui, vi := c*s.u[i], c*s.v[i]
		us, vs := s.u[first:last], s.v[first:last]
		for t := range out {
			out[t] = ui*vs[t] + vi*us[t]
		}
		return
	}
	ui, vi := s.u[i*k:(i+1)*k], s.v[i*k:(i+1)*k]
	for t := range out {
		j := first + t
		out[t] = c * (kernel.Dot(ui, s.v[j*k:(j+1)*k]) + kernel.Dot(vi, s.u[j*k:(j+1)*k]))
	}
}

// Adjoint is the block diagonal matrix with the entries r.
func (o *entries) Adjoint(r []float64) gcg.Map { return &blockDiagonal{o, r} }

// A blockDiagonal is a symmetric matrix with a block for each component.
type blockDiagonal struct {
	*entries
	r []float64
}

// Dims is n×n.
func (g *blockDiagonal) Dims() (m, n int) { return g.n, g.n }

// MulTo writes dst = G x.
func (g *blockDiagonal) MulTo(dst, x []float64) {
	part, y := make([]float64, g.n), make([]float64, g.n)
	for _, b := range g.blocks {
		n := len(b.vars)
		for i, v := range b.vars {
			part[i] = x[v]
		}
		b.symmetricTo(y[:n], g.r[b.at:b.at+b.len()], part[:n])
		for i, v := range b.vars {
			dst[v] = y[i]
		}
	}
}

// TMulTo is MulTo: G is symmetric.
func (g *blockDiagonal) TMulTo(dst, y []float64) { g.MulTo(dst, y) }

// Symmetric says that G = Gᵀ.
func (g *blockDiagonal) Symmetric() bool { return true }

// symmetricTo is mulTo for any r, of whose squares the symmetric parts count.
func (t triangle) symmetricTo(dst, r, x []float64) {
	t.mulTo(dst, r, x, 1)
	for p := range t.panels() {
		lo, hi, at := t.panel(p)
		for i := lo; i < hi; i++ {
			for j := lo; j < hi; j++ {
				a, b := r[at+(i-lo)*(hi-lo)+j-lo], r[at+(j-lo)*(hi-lo)+i-lo]
				dst[i] += (b - a) / 2 * x[j]
			}
		}
	}
}

// A blockMap is the matrix of one component, whose squares are symmetric.
type blockMap struct {
	triangle
	s []float64
}

// Dims is the number of variables, twice.
func (g blockMap) Dims() (m, n int) { return g.n, g.n }

// MulTo writes dst = S x.
func (g blockMap) MulTo(dst, x []float64) { g.mulTo(dst, g.s, x, 1) }

// TMulTo is MulTo: S is symmetric.
func (g blockMap) TMulTo(dst, y []float64) { g.MulTo(dst, y) }

// Symmetric says that S = Sᵀ.
func (g blockMap) Symmetric() bool { return true }

// RowsTo writes rows lo … lo+len(dst)/n-1 of S.
func (g blockMap) RowsTo(dst []float64, lo int) {
	for i := range len(dst) / g.n {
		g.rowTo(dst[i*g.n:(i+1)*g.n], g.s, lo+i)
	}
}
