package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Integers keep all sums exact, of few rotations.
func TestRotate(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, k := range []int{8, 16, 24, 32, 40, 72} {
			for n := range 6 {
				rng := rand.New(rand.NewPCG(uint64(k), uint64(n)))
				z, check := guarded[float64](rng, (n+1)*k, n%3)
				c, s := integers[float64](rng, n, 1), integers[float64](rng, n, 0)
				want := clone(z)
				for i := n - 1; i >= 0; i-- {
					for l := range k {
						x, y := want[i*k+l], want[(i+1)*k+l]
						want[i*k+l], want[(i+1)*k+l] = c[i]*x-s[i]*y, s[i]*x+c[i]*y
					}
				}
				Rotate(z, k, c, s)
				name := fmt.Sprintf("Rotate k=%d n=%d", k, n)
				equal(t, name, z, want)
				check(t, name)
			}
		}
	}, nil)
}

func TestRankTwo(t *testing.T) {
	each(t, func(t *testing.T) {
		for _, k := range []int{8, 16, 24, 40, 136} {
			for rows := range 6 {
				rng := rand.New(rand.NewPCG(uint64(k), uint64(rows)))
				lda := k + rows%2
				a, check := guarded[float64](rng, max(rows*lda, 1), rows%3)
				p, checkP := guarded[float64](rng, rows, 1)
				v, w, x := integers[float64](rng, k, 1), integers[float64](rng, k, 0), integers[float64](rng, k, 2)
				vr, wr := integers[float64](rng, rows, 1), integers[float64](rng, rows, 0)
				want, products := clone(a), make([]float64, rows)
				for i := range rows {
					for l := range k {
						want[i*lda+l] -= vr[i]*w[l] + wr[i]*v[l]
						products[i] += want[i*lda+l] * x[l]
					}
				}
				RankTwo(p, a, lda, v, w, x, vr, wr)
				name := fmt.Sprintf("RankTwo k=%d rows=%d", k, rows)
				equal(t, name+" a", a, want)
				equal(t, name+" p", p, products)
				check(t, name)
				checkP(t, name)
			}
		}
	}, nil)
}

func TestSymmetricMisuse(t *testing.T) {
	expect := expectation(t)
	g := make([]float64, 64)
	expect("Rotate", "slice z has 23", func() { Rotate(g[:23], 8, g[:2], g[:2]) })
	expect("Rotate", "slice s has 1", func() { Rotate(g[:24], 8, g[:2], g[:1]) })
	expect("Rotate", "multiple of 8", func() { Rotate(g, 12, g[:2], g[:2]) })
	expect("RankTwo", "slice a has 15", func() { RankTwo(g[:2], g[:15], 8, g[:8], g[:8], g[:8], g[:2], g[:2]) })
	expect("RankTwo", "slice wr has 1", func() { RankTwo(g[:2], g, 8, g[:8], g[:8], g[:8], g[:2], g[:1]) })
	expect("RankTwo", "multiple of 8", func() { RankTwo(g[:2], g, 12, g[:12], g[:12], g[:12], g[:2], g[:2]) })
}
