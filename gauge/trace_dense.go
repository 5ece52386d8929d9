package gauge

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"gonum.org/v1/gonum/mat"
)

// denseOf writes G out as the rows of a factor; the smaller side becomes the columns.
func denseOf(g gcg.Map) (d *gcg.Factor, transposed bool) {
	m, n := g.Dims()
	if n > m {
		g, m, n, transposed = transpose{g}, n, m, true
	}
	d = gcg.NewFactor(m, n)
	if b, ok := g.(gcg.BlockMap); ok {
		eye := gcg.NewFactor(n, n)
		for j := range n {
			eye.Row(j)[j] = 1
		}
		b.MulBlockTo(d, eye)
		return d, transposed
	}
	e, col := make([]float64, n), make([]float64, m)
	for j := range n {
		e[j] = 1
		g.MulTo(col, e)
		e[j] = 0
		d.SetColumn(j, col, 1)
	}
	return d, transposed
}

// transpose is Gᵀ.
type transpose struct{ gcg.Map }

func (t transpose) Dims() (m, n int)        { n, m = t.Map.Dims(); return m, n }
func (t transpose) MulTo(dst, x []float64)  { t.Map.TMulTo(dst, x) }
func (t transpose) TMulTo(dst, y []float64) { t.Map.MulTo(dst, y) }

// densePolar is the whole spectrum, from the eigenvectors of GᵀG on the smaller side, scaled so that nothing overflows.
// An eigenvalue of the Gram matrix is within (m+n)·ε·σ₁² of the truth, so the bound is σ₁ and that much.
func densePolar(g gcg.Map, ask gcg.Ask) gcg.Polar {
	d, transposed := denseOf(g)
	n := d.K
	var scale float64
	for _, x := range d.Data {
		scale = math.Max(scale, math.Abs(x))
	}
	if scale == 0 {
		return zeroPolar(g)
	}
	d.Scale(1 / scale)
	gram := gcg.TMul(d, d)
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			sym.SetSym(i, j, gram.Row(i)[j])
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		return gcg.Polar{Bound: math.Inf(1), Kind: gcg.Unbounded, Alpha: 1}
	}
	values := eig.Values(nil)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)

	p := gcg.Polar{Kind: gcg.Proven, Alpha: 1}
	v := make([]float64, n)
	u := make([]float64, d.Rows)
	for c := range min(max(ask.Count, 1), n) {
		mat.Col(v, n-1-c, &vectors)
		for i := range u {
			u[i] = dot(d.Row(i)[:n], v)
		}
		sigma := gcg.Norm(u)
		if sigma == 0 || c > 0 && sigma*scale <= ask.Above {
			break
		}
		for i := range u {
			u[i] /= sigma
		}
		p.Values = append(p.Values, sigma*scale)
		p.Atoms = append(p.Atoms, oriented(u, v, transposed))
	}
	top := math.Sqrt(math.Max(values[n-1], 0))
	p.Value = p.Values[0]
	p.Bound = math.Max(p.Value, top*scale) * (1 + 4*float64(d.Rows+n)*epsilon)
	return p
}

// epsilon is half the distance from 1 to the next float64.
const epsilon = 1.2e-16

func oriented(u, v []float64, transposed bool) gcg.Atom {
	if transposed {
		u, v = v, u
	}
	return gcg.RankOne(u, v)
}

// zeroPolar is the answer at G = 0: any atom attains 0.
func zeroPolar(g gcg.Map) gcg.Polar {
	m, n := g.Dims()
	u, v := make([]float64, m), make([]float64, n)
	u[0], v[0] = 1, 1
	return gcg.Polar{Atoms: []gcg.Atom{gcg.RankOne(u, v)}, Values: []float64{0}, Kind: gcg.Proven, Alpha: 1}
}

func dot(x, y []float64) float64 {
	var s float64
	for i, xi := range x {
		s += xi * y[i]
	}
	return s
}
