package spca

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// varianceOf is vᵀCv; product is work space.
func varianceOf(c covariance, v, product []float64) float64 {
	c.mulTo(product, v)
	return kernel.Dot(v, product)
}

// explain fills in what the components explain of the whole C. With L Lᵀ = VᵀCV, of the refitted loadings V, component j adds
// L_jj² to those before it: the variance of its scores that theirs do not predict [Zou, Hastie and Tibshirani 2006].
func (p *Prepared) explain(all []Component) {
	product := make([]float64, p.c.variables())
	products := make([][]float64, len(all))
	for j := range all {
		x := &all[j]
		x.ShrunkVariance = varianceOf(p.c, x.Shrunk, product)
		products[j] = make([]float64, len(product))
		x.Variance = varianceOf(p.c, x.Loading, products[j])
	}
	lower := make([][]float64, len(all))
	for j := range all {
		lower[j] = make([]float64, j+1)
		for i := range j + 1 {
			s := kernel.Dot(all[j].Loading, products[i]) - kernel.Dot(lower[j][:i], lower[i][:i])
			if i < j {
				if lower[i][i] > 0 {
					lower[j][i] = s / lower[i][i]
				}
				continue
			}
			all[j].Adjusted = math.Max(s, 0)
			lower[j][j] = math.Sqrt(all[j].Adjusted)
		}
	}
}

// orthonormal is an orthonormal basis of the span of the loadings.
func orthonormal(loadings [][]float64) (basis [][]float64) {
	for _, v := range loadings {
		q := append([]float64(nil), v...)
		for range 2 {
			for _, old := range basis {
				kernel.Axpy(-kernel.Dot(old, q), old, q)
			}
		}
		if norm := math.Sqrt(kernel.SumSq(q)); norm > dependent {
			kernel.Scale(1/norm, q)
			basis = append(basis, q)
		}
	}
	return basis
}

// dependent is the length of what is left of a unit loading that others span but for rounding.
const dependent = rounding.Decomposed
