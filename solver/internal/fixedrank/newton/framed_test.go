package newton_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/newton"
)

// What a side solves for is put into N X C + λX, with and without F.
func TestGramSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for _, r := range []int{0, 1, 9} {
		const m, k, lambda = 30, 6, 0.3
		g := &model.Gram{F: gaussian(rng, m, r)}
		for range m {
			g.Own = append(g.Own, 0.1+rng.Float64())
		}
		c := wishart(rng, k)
		z, right := gcg.NewFactor(m, k), gaussian(rng, m, k)
		newton.GramSide(g, c, lambda)(z, right)
		nz := z.Clone()
		for i, d := range g.Own {
			for c := range k {
				nz.Row(i)[c] *= d
			}
		}
		if r > 0 {
			nz.AddMul(g.F, gcg.TMul(g.F, z))
		}
		back := gcg.Mul(nz, c)
		back.AddScaled(lambda, z)
		back.AddScaled(-1, right)
		if off := math.Sqrt(back.Dot(back) / right.Dot(right)); off > 1e-3 { // the floor is 1e-6 of N and C at most
			t.Errorf("r = %d: the residual is %g of the right side", r, off)
		}
	}
}
