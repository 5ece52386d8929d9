package coordinate

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
	"gonum.org/v1/gonum/mat"
)

// coupled are the slopes of a model of a loss that couples the outputs of a row, with H = diag(d) - v vᵀ of each row as
// gcg.OuterLoss has it. It reads the columns x of X as they are, which all outputs share, and keeps e = XΔ of every output, a =
// ⟨v, e⟩ of every row, and what an intercept takes off:
//
//	g_jk = g₀_jk - Σᵢ x_ij·y_ik + ⟨h_jk, b⟩,   y_ik = d_ik·e_ik - v_ik·aᵢ,   b = S⁺Σ H e,   S = Σ H,   h_jk = Σᵢ x_ij·H 1_k.
//
// Of dense columns y is kept for one output at a time, and a is behind by what that has moved.
type coupled struct {
	u       *set
	g0      []float64
	place   []int // of an entry of the set in the model
	rows, k int
	d, v    []float64 // output by output
	all     []float64 // e of each output, then a, then b
	s       []float64 // S, or nil without an intercept
	inverse []float64 // S⁺
	h, c    []float64 // h and S⁺h of each entry of the model

	kept              int       // the output of y, or -1
	y, old, curve, to []float64 // y; e when it was found; d - v²; room
}

// coupledModel is the model of a loss that couples the outputs of a row.
func (f *fit) coupledModel() *model {
	u, k := f.u, f.u.order.stride
	output := func(b int) int { return u.column[u.blocks[b].lo].from }
	slices.SortStableFunc(f.blocks, func(a, b int) int { return cmp.Compare(output(a), output(b)) })
	m := f.newModel()
	b := &coupled{u: u, g0: m.g0, place: make([]int, len(u.x)), rows: u.order.n / k, k: k, kept: -1}
	b.d, b.v = f.outer()
	b.y, b.old, b.curve, b.to = make([]float64, b.rows), make([]float64, b.rows), make([]float64, b.rows), make([]float64, b.rows)
	b.all = make([]float64, u.order.n+b.rows+k)
	m.each(func(e, i int) { b.place[e] = i })
	m.products = b
	if u.constants > 0 {
		b.centre(m)
	}
	m.shapes = make([]shape, len(f.blocks))
	for t := range m.shapes {
		m.shapes[t] = m.measure(t, b.square).plus(f.mu)
	}
	return m
}

// outer is d and v of ∇²L at the state, less flat by a part of its bound.
func (f *fit) outer() (d, v []float64) {
	n := f.u.order.n
	d, v = make([]float64, n), make([]float64, n)
	l, r := f.base.Outer, f.s.R[:n]
	blocks := par.Grain(n/l.Stride(), 1, 1<<12)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, n/l.Stride())
		lo, hi = lo*l.Stride(), hi*l.Stride()
		l.OuterFromTo(d[lo:hi], v[lo:hi], lo, r[lo:hi])
	})
	if part := *f.damping; part > 0 {
		top := f.base.Curved.Curvature()
		for i := range d {
			d[i] += part * (top - d[i])
		}
		kernel.Scale(math.Sqrt(1-part), v)
	}
	return f.u.order.in(d), f.u.order.in(v)
}

// of is the column of an entry with the parts of d, v and e that it meets.
func (b *coupled) of(e int) (x *column, d, v, own []float64) {
	x = &b.u.column[e]
	lo, hi := x.from, x.from+b.rows
	return x, b.d[lo:hi], b.v[lo:hi], b.all[lo:hi]
}

// a is that of all rows.
func (b *coupled) a() []float64 { return b.all[b.u.order.n:][:b.rows] }

// keep finds y of an output.
func (b *coupled) keep(k int) {
	if b.kept == k {
		return
	}
	b.settle()
	b.kept = k
	lo, hi := k*b.rows, (k+1)*b.rows
	d, v, own := b.d[lo:hi], b.v[lo:hi], b.all[lo:hi]
	copy(b.old, own)
	kernel.Hadamard(b.curve, v, v)
	kernel.Scale(-1, b.curve)
	kernel.Axpy(1, d, b.curve)
	kernel.Hadamard(b.y, d, own)
	kernel.Hadamard(b.to, v, b.a())
	kernel.Axpy(-1, b.to, b.y)
}

// settle takes into a what the output of y has moved.
func (b *coupled) settle() {
	if b.kept < 0 {
		return
	}
	lo, hi := b.kept*b.rows, (b.kept+1)*b.rows
	b.kept = -1
	kernel.Scale(-1, b.old)
	kernel.Axpy(1, b.all[lo:hi], b.old)
	kernel.Hadamard(b.to, b.v[lo:hi], b.old)
	kernel.Axpy(1, b.to, b.a())
}

func (b *coupled) slope(e int) float64 {
	x, d, v, own := b.of(e)
	var sum float64
	if x.index == nil {
		b.keep(x.from / b.rows)
		sum = kernel.Dot(x.values, b.y)
	} else {
		b.settle()
		a := b.a()
		for t, i := range x.index {
			sum += x.values[t] * (d[i]*own[i] - v[i]*a[i])
		}
	}
	i := b.place[e]
	if b.s != nil {
		sum -= kernel.Dot(b.h[i*b.k:(i+1)*b.k], b.constants())
	}
	return b.g0[i] - sum
}

// constants are b.
func (b *coupled) constants() []float64 { return b.all[b.u.order.n+b.rows:] }

func (b *coupled) move(e int, by float64) {
	x, _, v, own := b.of(e)
	if x.index == nil {
		b.keep(x.from / b.rows)
		kernel.Axpy(by, x.values, own)
		kernel.Hadamard(b.to, b.curve, x.values)
		kernel.Axpy(by, b.to, b.y)
	} else {
		b.settle()
		a := b.a()
		for t, i := range x.index {
			w := by * x.values[t]
			own[i] += w
			a[i] += w * v[i]
		}
	}
	if b.s != nil {
		i := b.place[e]
		kernel.Axpy(by, b.c[i*b.k:(i+1)*b.k], b.constants())
	}
}

// weighed is Σᵢ x_ij·y_i·H_kl for the columns of two entries, of outputs k and l.
func (b *coupled) weighed(x, y *column) float64 {
	vx, vy, d := b.v[x.from:x.from+b.rows], b.v[y.from:y.from+b.rows], b.d[x.from:x.from+b.rows]
	w := column{x.index, slices.Clone(x.values), 0}
	for t := range w.values {
		i := w.at(t)
		curve := -vx[i] * vy[i]
		if x.from == y.from {
			curve += d[i]
		}
		w.values[t] *= curve
	}
	return product(&w, &column{y.index, y.values, 0})
}

func (b *coupled) between(e, f int) float64 {
	return b.centred(b.weighed(&b.u.column[e], &b.u.column[f]), e, f)
}

// centred is a product of two columns less what an intercept takes off it.
func (b *coupled) centred(product float64, e, f int) float64 {
	if b.s == nil {
		return product
	}
	i, j := b.place[e], b.place[f]
	return product - kernel.Dot(b.h[i*b.k:(i+1)*b.k], b.c[j*b.k:(j+1)*b.k])
}

// within is H of a block, by rows. Where its entries are of one feature it takes x² once.
func (b *coupled) within(lo, k int) []float64 {
	x, h := &b.u.column[lo], make([]float64, k*k)
	same := x.index == nil
	for e := lo + 1; e < lo+k && same; e++ {
		same = &b.u.column[e].values[0] == &x.values[0]
	}
	b.settle()
	if same {
		kernel.Hadamard(b.to, x.values, x.values)
	}
	for i := range k {
		if same {
			_, _, v, _ := b.of(lo + i)
			kernel.Hadamard(b.y, b.to, v)
		}
		for j := range i {
			if same {
				_, _, v, _ := b.of(lo + j)
				h[i*k+j] = b.centred(-kernel.Dot(b.y, v), lo+i, lo+j)
			} else {
				h[i*k+j] = b.between(lo+i, lo+j)
			}
			h[j*k+i] = h[i*k+j]
		}
		h[i*k+i] = b.square(lo + i)
	}
	return h
}

// square is the curvature along an entry, 0 where it is rounding beside that without an intercept.
func (b *coupled) square(e int) float64 {
	x, d, v, _ := b.of(e)
	var whole float64
	for t, w := range x.values {
		i := x.at(t) - x.from
		whole += w * w * (d[i] - v[i]*v[i])
	}
	if off := b.centred(whole, e, e); off > flatSparse*whole {
		return off
	}
	return 0
}

// centre finds S, its inverse, and h and S⁺h of all entries.
func (b *coupled) centre(m *model) {
	k := b.k
	b.s = make([]float64, k*k)
	for i := range b.rows {
		for p := range k {
			for q := range k {
				b.s[p*k+q] -= b.v[p*b.rows+i] * b.v[q*b.rows+i]
			}
			b.s[p*k+p] += b.d[p*b.rows+i]
		}
	}
	b.inverse = hessian.PseudoInverse(mat.NewSymDense(k, slices.Clone(b.s)))
	b.h, b.c = make([]float64, len(m.x)*k), make([]float64, len(m.x)*k)
	m.each(func(e, i int) {
		x, d, v, _ := b.of(e)
		h := b.h[i*k : (i+1)*k]
		for t, w := range x.values {
			at := x.at(t) - x.from
			for q := range k {
				h[q] -= w * v[at] * b.v[q*b.rows+at]
			}
			h[x.from/b.rows] += w * d[at]
		}
		times(b.c[i*k:(i+1)*k], b.inverse, h)
	})
}

// times writes y = G x for a square G, by rows.
func times(y, g, x []float64) {
	for i := range y {
		y[i] = kernel.Dot(g[i*len(x):(i+1)*len(x)], x)
	}
}

func (b *coupled) image() []float64 {
	b.settle()
	return b.all
}

// cost is that of the vectors that a column meets.
func (b *coupled) cost(e int) float64 { return 2 * float64(len(b.u.column[e].values)) }

// value is q = -⟨g₀, Δ⟩ + ½(Σ d∘e² - Σ a² - ⟨b, S b⟩).
func (b *coupled) value(m *model) (q float64) {
	b.settle()
	n := b.u.order.n
	for i, e := range b.all[:n] {
		q += b.d[i] * e * e
	}
	q -= kernel.SumSq(b.all[n : n+b.rows])
	if b.s != nil {
		sb := make([]float64, b.k)
		times(sb, b.s, b.constants())
		q -= kernel.Dot(sb, b.constants())
	}
	q /= 2
	m.each(func(_, i int) { q -= m.g0[i] * (m.x[i] - m.x0[i]) })
	return q
}

// means are S⁺ Σ H step.
func (b *coupled) means(step []float64) []float64 {
	if b.s == nil {
		return nil
	}
	sum, to := make([]float64, b.k), make([]float64, b.k)
	for i := range b.rows {
		var a float64
		for p := range b.k {
			a += b.v[p*b.rows+i] * step[p*b.rows+i]
		}
		for p := range b.k {
			at := p*b.rows + i
			sum[p] += b.d[at]*step[at] - b.v[at]*a
		}
	}
	times(to, b.inverse, sum)
	return to
}
