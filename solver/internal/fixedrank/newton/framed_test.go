package newton_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// What a side solves for is put into LᵀDL X C + λX, with and without F. Where α²D is the same in all rows, and the features are
// diag(α) times E with EᵀE = diag(Own) + F Fᵀ, nothing is left out.
func TestFramedInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for _, r := range []int{0, 1, 9} {
		const q, k, lambda = 30, 6, 0.3
		g := &model.Gram{F: gaussian(rng, q, r)}
		l := gcg.NewFactor(q+r, q+r+q)
		for i := range q + r {
			alpha := 0.5 + rng.Float64()
			g.Scale, g.Weights = append(g.Scale, alpha), append(g.Weights, 2/(alpha*alpha))
			l.Row(i)[i] = alpha
			if i < q {
				g.Own = append(g.Own, 0.1+rng.Float64())
				l.Row(i)[q+r+i] = alpha * math.Sqrt(g.Own[i])
				continue
			}
			for j := range q {
				l.Row(i)[q+r+j] = alpha * g.F.Row(j)[i-q]
			}
		}
		product := func(rows int, entry func(i, j int) float64, x *gcg.Factor) *gcg.Factor {
			y := gcg.NewFactor(rows, x.K)
			for i := range rows {
				for j := range x.Rows {
					for c := range x.K {
						y.Row(i)[c] += entry(i, j) * x.Row(j)[c]
					}
				}
			}
			return y
		}
		times := func(x *gcg.Factor) *gcg.Factor {
			return product(l.Rows, func(i, j int) float64 { return l.Row(i)[j] }, x)
		}
		back := func(y *gcg.Factor) *gcg.Factor { return product(l.K, func(i, j int) float64 { return l.Row(j)[i] }, y) }
		c := wishart(rng, k)
		z, right := gcg.NewFactor(l.K, k), gaussian(rng, l.K, k)
		newton.Framed(g, c, lambda, times, back)(z, right)
		seen := times(z)
		for i, d := range g.Weights {
			for c := range k {
				seen.Row(i)[c] *= d
			}
		}
		got := gcg.Mul(back(seen), c)
		got.AddScaled(lambda, z)
		got.AddScaled(-1, right)
		if off := math.Sqrt(got.Dot(got) / right.Dot(right)); off > 1e-3 { // the floor is 1e-6 of D and C at most
			t.Errorf("r = %d: the residual is %g of the right side", r, off)
		}
	}
}
