package spectral_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"gonum.org/v1/gonum/mat"
)

// The norm that a polar states for a shifted G is at least that of the matrix, in both orientations, with singular values of the
// complement above, about and below the level.
func TestShiftedNorm(t *testing.T) {
	for _, shape := range [][2]int{{300, 270}, {270, 310}} {
		m, n := shape[0], shape[1]
		g, w := nearlyOptimal(m, n)
		const level = 2.0
		var shifted *mat.Dense
		var stated, square, claimed float64
		ask := gcg.Ask{Count: 8, W: w, Above: level, OutsideW: true, Tol: 1e-3, Goal: level * 1.001, Spectral: gcg.SpectralAsk{
			Shift: &gcg.ShiftAsk{
				Level:  level,
				Enough: func(square float64) float64 { claimed = square; return level * 1.01 },
				At: func(u, v *gcg.Factor, norm float64) *gcg.Shift {
					var change mat.Dense
					change.Mul(u.Dense(m), v.Dense(n).T())
					square, stated = math.Pow(mat.Norm(&change, 2), 2), norm
					shifted = new(mat.Dense)
					shifted.Sub(g, &change)
					return new(gcg.Shift)
				},
			}}}
		p, err := gauge.Trace{}.Polar(context.Background(), matrixMap{g}, ask)
		if err != nil || shifted == nil || p.Spectral.Shift == nil {
			t.Fatalf("%d×%d: no shift, %v", m, n, err)
		}
		var svd mat.SVD
		svd.Factorize(shifted, mat.SVDNone)
		if top := svd.Values(nil)[0]; top > stated || stated > level*1.01 || top < level*0.999 {
			t.Errorf("%d×%d: the norm is %v, stated %v", m, n, top, stated)
		}
		if math.Abs(square-claimed) > 1e-6*square {
			t.Errorf("%d×%d: ‖Δ‖² is %v, stated %v", m, n, square, claimed)
		}
	}
}

// nearlyOptimal is a G near 2·PQᵀ on the spaces of a W of rank 6, with 12 singular values outside from 1.2 to 2.3 and noise.
func nearlyOptimal(m, n int) (*mat.Dense, *gcg.Iterate) {
	rng := rand.New(rand.NewPCG(4, 4))
	basis := func(rows, k int) *gcg.Factor {
		f := gcg.NewFactor(rows, k)
		for i := range rows {
			for c := range k {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
		q, _ := gcg.Orthonormal(f, 1e-12)
		return q
	}
	u, v := basis(m, 18), basis(n, 18)
	g := mat.NewDense(m, n, nil)
	wu, wv := gcg.NewFactor(m, 6), gcg.NewFactor(n, 6)
	for c := range 18 {
		s := 2.0
		if c >= 6 {
			s = 1.2 + 0.1*float64(c-6)
		}
		for i := range m {
			for j := range n {
				g.Set(i, j, g.At(i, j)+s*u.Row(i)[c]*v.Row(j)[c])
			}
		}
		if c < 6 {
			for i := range m {
				wu.Row(i)[c] = float64(c+1) * u.Row(i)[c]
			}
			for j := range n {
				wv.Row(j)[c] = v.Row(j)[c]
			}
		}
	}
	for i := range m {
		for j := range n {
			g.Set(i, j, g.At(i, j)+0.003*rng.NormFloat64())
		}
	}
	return g, &gcg.Iterate{M: m, N: n, U: wu, V: wv}
}

// A matrixMap is a matrix as a map.
type matrixMap struct{ *mat.Dense }

func (g matrixMap) MulTo(dst, x []float64) {
	mat.NewVecDense(len(dst), dst).MulVec(g, mat.NewVecDense(len(x), x))
}
func (g matrixMap) TMulTo(dst, y []float64) {
	mat.NewVecDense(len(dst), dst).MulVec(g.T(), mat.NewVecDense(len(y), y))
}
