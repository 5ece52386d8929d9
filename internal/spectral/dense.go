package spectral

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// SquareAtom is the atom u uᵀ.
func SquareAtom(u []float64) gcg.Atom {
	a := gcg.RankOne(u, u)
	a.Symmetric = true
	return a
}

// GramRounding is more than rounding can change the largest eigenvalue of GᵀG by, in forming GᵀG and in computing its
// eigenvalues. trace is the trace of GᵀG.
func GramRounding(g gcg.Map, trace float64) float64 {
	m, n := g.Dims()
	return float64(m+n+2) * 4 * linalg.Epsilon * trace
}

// denseOf writes G out as the rows of a factor, transposed if need be so that the shorter side becomes the columns.
func denseOf(g gcg.Map) (d *gcg.Factor, turned bool) {
	m, n := g.Dims()
	all := memory.Borrow[float64](m * n)
	defer memory.Repay(all)
	gcg.DenseTo(all, g)
	if n > m {
		d = gcg.NewFactor(n, m)
		for i := range m {
			d.SetColumn(i, all[i*n:(i+1)*n], 1)
		}
		return d, true
	}
	d = gcg.NewFactor(m, n)
	for i := range m {
		copy(d.Row(i), all[i*n:(i+1)*n])
	}
	return d, false
}

// DenseSVD is Polar from the whole spectrum, by the eigenvectors of GᵀG on the shorter side. G is scaled so that nothing
// overflows. An eigenvalue of the Gram matrix is within GramRounding of the truth, which gives the bound. With ask.OutsideW the
// atoms are the leading singular pairs of D = (I-PPᵀ) G (I-QQᵀ).
func DenseSVD(g gcg.Map, ask gcg.Ask) gcg.Polar {
	d, turned := denseOf(g)
	scale := linalg.MaxAbs(d.Data)
	if scale == 0 {
		return ZeroPolar(g)
	}
	scale = math.Max(scale, Smallest)
	d.Scale(1 / scale)
	outside := ask.OutsideW && ask.W != nil && ask.W.Rank() > 0
	count := max(ask.Count, 1)
	if outside {
		count = 0 // σ₁ alone
	}
	pairs, values, ok := leading(d, count)
	if !ok {
		return gcg.Polar{Bound: math.Inf(1), Kind: gcg.Unbounded, Alpha: 1}
	}
	top, lost := values[d.K-1], GramRounding(g, floats.Sum(values))
	p := gcg.Polar{Kind: gcg.Proven, Alpha: 1, Value: math.Sqrt(math.Max(top-lost, 0)) * scale}
	if !outside {
		p.Value = pairs[0].sigma * scale
	}
	p.Bound = math.Max(p.Value, math.Sqrt(math.Max(top, 0)+lost)*scale) * (1 + 4*linalg.Epsilon)
	if outside {
		left, right := ask.W.U.Whole(), ask.W.V.Whole()
		if turned {
			left, right = right, left
		}
		left, _ = gcg.Orthonormal(left, rounding.Decomposed)
		right, _ = gcg.Orthonormal(right, rounding.Decomposed)
		projectOut(d, left, right)
		if pairs, _, ok = leading(d, max(ask.Count, 1)); !ok {
			return p
		}
	}
	left, right := gcg.FactorsOf(g)
	for c, pair := range pairs {
		if (c > 0 || outside) && pair.sigma*scale <= ask.Above {
			break
		}
		p.Values = append(p.Values, pair.sigma*scale)
		a := Oriented(pair.u, pair.v, turned)
		a.U, a.V = a.U.SharedBy(left.Shared), a.V.SharedBy(right.Shared)
		p.Atoms = append(p.Atoms, a)
	}
	return p
}

// projectOut overwrites d with (I - PPᵀ) d (I - QQᵀ), for orthonormal p and q.
func projectOut(d, p, q *gcg.Factor) {
	d.Project(p)
	dq := gcg.Mul(d, gcg.Padded(q))
	d.AddMul(dq, negated(q, dq.Stride))
}

// negated is -qᵀ, with rows of zeros below up to the given number.
func negated(q *gcg.Factor, rows int) *gcg.Factor {
	t := gcg.NewFactor(rows, q.Rows)
	for j := range q.Rows {
		for c := range q.K {
			t.Row(c)[j] = -q.Row(j)[c]
		}
	}
	return t
}

// A pair is a singular triple.
type pair struct {
	sigma float64
	u, v  []float64
}

// leading has the count leading singular triples of d, fewer where they are 0, and the eigenvalues of dᵀd, ascending. Without
// triples it costs a fifth. ok is false where an entry of d is not finite.
func leading(d *gcg.Factor, count int) (pairs []pair, values []float64, ok bool) {
	n := d.K
	values, vectors := gcg.TMul(d, d).SymEigen(count > 0)
	if math.IsNaN(values[n-1]) {
		return nil, nil, false
	}
	for c := range min(count, n) {
		t := pair{v: make([]float64, n), u: make([]float64, d.Rows)}
		mat.Col(t.v, n-1-c, vectors)
		for i := range t.u {
			t.u[i] = kernel.Dot(d.Row(i)[:n], t.v)
		}
		if t.sigma = gcg.Norm(t.u); t.sigma == 0 && c > 0 {
			break
		}
		for i := range t.u {
			if t.sigma > 0 {
				t.u[i] /= t.sigma
			}
		}
		pairs = append(pairs, t)
	}
	return pairs, values, true
}

// Smallest is the least scale whose inverse is finite.
const Smallest = 0x1p-1022

// Oriented is the atom u vᵀ, or v uᵀ for a map that was transposed.
func Oriented(u, v []float64, turned bool) gcg.Atom {
	if turned {
		u, v = v, u
	}
	return gcg.RankOne(u, v)
}

// ZeroPolar is the answer at G = 0, where every atom attains 0.
func ZeroPolar(g gcg.Map) gcg.Polar {
	m, n := g.Dims()
	u, v := make([]float64, m), make([]float64, n)
	u[0], v[0] = 1, 1
	a := gcg.RankOne(u, v)
	left, right := gcg.FactorsOf(g)
	a.U, a.V = a.U.SharedBy(left.Shared), a.V.SharedBy(right.Shared)
	return gcg.Polar{Atoms: []gcg.Atom{a}, Values: []float64{0}, Kind: gcg.Proven, Alpha: 1}
}
