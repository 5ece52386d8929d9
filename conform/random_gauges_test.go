package conform_test

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A denseGauge is a gauge on m×n matrices, row-major, by its definition: slow, and of no code of the gauges it judges.
type denseGauge interface {
	// shrink decomposes W once; its result writes argmin over X of ½‖X - W‖² + tκ(X) and returns κ of it.
	shrink(w []float64) func(dst []float64, t float64) float64
	// of is κ(W), +Inf outside its domain.
	of(w []float64) float64
	// polar is max ⟨a, G⟩ over the atoms, which may be negative.
	polar(g []float64) float64
}

// entryGauge is Σ weightᵢ|wᵢ|, or Σ wᵢ on the orthant.
type entryGauge struct {
	weights  []float64
	positive bool
}

func (k entryGauge) shrink(w []float64) func([]float64, float64) float64 {
	return func(dst []float64, t float64) (rho float64) {
		for i, x := range w {
			if dst[i] = math.Max(x-t*k.weights[i], 0); !k.positive {
				dst[i] = math.Copysign(math.Max(math.Abs(x)-t*k.weights[i], 0), x)
			}
			rho += k.weights[i] * math.Abs(dst[i])
		}
		return rho
	}
}

func (k entryGauge) of(w []float64) (rho float64) {
	for i, x := range w {
		if k.positive && x < 0 {
			return math.Inf(1)
		}
		rho += k.weights[i] * math.Abs(x)
	}
	return rho
}

func (k entryGauge) polar(g []float64) float64 {
	most := math.Inf(-1)
	for i, x := range g {
		if !k.positive {
			x = math.Abs(x)
		}
		most = math.Max(most, x/k.weights[i])
	}
	return most
}

// rowGauge is Σ ‖rowᵢ‖ of rows of n entries, with the Euclidean norm or the largest entry. One row makes it the norm of all.
type rowGauge struct {
	n   int
	max bool
}

func (k rowGauge) shrink(w []float64) func([]float64, float64) float64 {
	return func(dst []float64, t float64) (rho float64) {
		for lo := 0; lo < len(w); lo += k.n {
			row, out := w[lo:lo+k.n], dst[lo:lo+k.n]
			if k.max {
				level := clippedLevel(row, t)
				for i, x := range row {
					out[i] = math.Max(-level, math.Min(level, x))
				}
			} else {
				norm := math.Sqrt(dotted(row, row))
				for i, x := range row {
					out[i] = 0
					if norm > t {
						out[i] = x * (1 - t/norm)
					}
				}
			}
			rho += k.norm(out)
		}
		return rho
	}
}

// clippedLevel is the level at which clipping a row takes t off the sum of its entries' sizes, 0 where it has less.
func clippedLevel(row []float64, t float64) float64 {
	size := make([]float64, len(row))
	for i, x := range row {
		size[i] = math.Abs(x)
	}
	slices.SortFunc(size, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
	var sum float64
	for i, x := range size {
		sum += x
		if level := (sum - t) / float64(i+1); i+1 == len(size) || level >= size[i+1] {
			return math.Max(level, 0)
		}
	}
	return 0
}

func (k rowGauge) norm(row []float64) float64 {
	if !k.max {
		return math.Sqrt(dotted(row, row))
	}
	return math.Max(slices.Max(row), -slices.Min(row))
}

func (k rowGauge) of(w []float64) (rho float64) {
	for lo := 0; lo < len(w); lo += k.n {
		rho += k.norm(w[lo : lo+k.n])
	}
	return rho
}

func (k rowGauge) polar(g []float64) (most float64) {
	for lo := 0; lo < len(g); lo += k.n {
		row := g[lo : lo+k.n]
		if norm := math.Sqrt(dotted(row, row)); !k.max {
			most = math.Max(most, norm)
			continue
		}
		var sum float64
		for _, x := range row {
			sum += math.Abs(x)
		}
		most = math.Max(most, sum)
	}
	return most
}

// traceGauge is the sum of the singular values.
type traceGauge struct{ m, n int }

func (k traceGauge) shrink(w []float64) func([]float64, float64) float64 {
	var d mat.SVD
	if !d.Factorize(mat.NewDense(k.m, k.n, slices.Clone(w)), mat.SVDThin) {
		panic("no singular value decomposition")
	}
	var u, v mat.Dense
	d.UTo(&u)
	d.VTo(&v)
	s := d.Values(nil)
	return func(dst []float64, t float64) float64 { return rebuilt(dst, &u, &v, s, t) }
}

func (k traceGauge) of(w []float64) (rho float64) {
	for _, s := range k.values(w) {
		rho += s
	}
	return rho
}

func (k traceGauge) polar(g []float64) float64 { return k.values(g)[0] }

func (k traceGauge) values(w []float64) []float64 {
	var d mat.SVD
	if !d.Factorize(mat.NewDense(k.m, k.n, slices.Clone(w)), mat.SVDNone) {
		panic("no singular value decomposition")
	}
	return d.Values(nil)
}

// psdGauge is the trace on the cone of positive semidefinite n×n matrices.
type psdGauge struct{ n int }

func (k psdGauge) eigen(w []float64) ([]float64, *mat.Dense) {
	s := mat.NewSymDense(k.n, nil)
	for i := range k.n {
		for j := range i + 1 {
			s.SetSym(i, j, (w[i*k.n+j]+w[j*k.n+i])/2)
		}
	}
	var d mat.EigenSym
	if !d.Factorize(s, true) {
		panic("no eigenvalues")
	}
	var q mat.Dense
	d.VectorsTo(&q)
	return d.Values(nil), &q
}

func (k psdGauge) shrink(w []float64) func([]float64, float64) float64 {
	values, q := k.eigen(w)
	return func(dst []float64, t float64) float64 { return rebuilt(dst, q, q, values, t) }
}

func (k psdGauge) of(w []float64) (rho float64) {
	values, _ := k.eigen(w)
	for _, v := range values {
		rho += math.Abs(v)
	}
	return rho
}

func (k psdGauge) polar(g []float64) float64 {
	values, _ := k.eigen(g)
	return values[k.n-1]
}

// rebuilt writes U diag(max(s - t, 0)) Vᵀ and returns the sum of that diagonal.
func rebuilt(dst []float64, u, v *mat.Dense, s []float64, t float64) (rho float64) {
	kept := make([]float64, len(s))
	for c, x := range s {
		kept[c] = math.Max(x-t, 0)
		rho += kept[c]
	}
	var left mat.Dense
	left.Mul(u, mat.NewDiagDense(len(kept), kept))
	m, _ := u.Dims()
	n, _ := v.Dims()
	mat.NewDense(m, n, dst).Mul(&left, v.T())
	return rho
}

func dotted(a, b []float64) (s float64) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
