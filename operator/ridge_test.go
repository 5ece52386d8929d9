package operator_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/operator"
)

// A half-sweep over either factor, on a Sampling and its transpose and on squares in both storages: what it returns are the sum
// of squares before it and the difference of the objectives, and enough steps make the gradient in the factor vanish.
func TestRidge(t *testing.T) {
	for seed := range uint64(12) {
		for _, p := range []*pair{newPair[float64](t, seed, seed%3 == 1), newPair[float32](t, seed, seed%3 == 1)} {
			checkRidge(t, p, 1+len(p.y)%20, seed)
		}
	}
}

// Rows of V of up to 16 entries are packed, wider ones are read where they lie.
func TestRidgeAtEdgesOfRank(t *testing.T) {
	for seed := range uint64(4) {
		for _, k := range []int{1, 4, 15, 16, 17, 113} {
			checkRidge(t, newPair[float32](t, seed, seed%2 == 1), k, seed)
		}
	}
}

// Rows whose part of V, of 32 bytes a row or more, is larger than 64 KB are solved in batches.
func TestRidgeOfLongRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for i, scaled := range []bool{false, true} {
		wide, narrow := pairOf[float64](t, rng, 15, 8000, 0.9, scaled, false), pairOf[float32](t, rng, 15, 8000, 0.9, scaled, false)
		for _, p := range []*pair{wide, narrow} {
			if m, _, nobs := p.s.Dims(); 32*nobs/m <= 64<<10 {
				t.Fatalf("%d observations a row are too few", nobs/m)
			}
			checkRidge(t, p, 1+len(p.y)%20, uint64(i))
		}
	}
}

// A ridge of 0 leaves least squares, whose preconditioner has nothing to divide the padding of rows by.
func TestRidgeOfZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, k := range []int{5, 8, 17} {
		p := newPair[float32](t, 3, true)
		y := gcg.FactorIn[float32](&gcg.Factor{Rows: 1, K: len(p.y), Stride: len(p.y), Data: p.y}).Data
		m, n, _ := p.s.Dims()
		v := gcg.FactorIn[float32](factor(rng, n, k))
		for name, half := range map[string]func(u *gcg.Factor32) (square, gain float64){
			"rows":            func(u *gcg.Factor32) (float64, float64) { return p.s.RidgeRows(u, v, y, 0, 2) },
			"rows of squares": func(u *gcg.Factor32) (float64, float64) { return p.q.RidgeRows(u, v, 0, 2) },
		} {
			u := gcg.FactorIn[float32](factor(rng, m, k))
			square, gain := half(u)
			after := p.s.ResidualTo(p.r, p.y, gcg.FactorIn[float64](u), gcg.FactorIn[float64](v))
			if fell := (square - after) / 2; !(gain > 0.1*square) || math.Abs(gain-fell) > 1e-4*square {
				t.Errorf("rank %d, %s: gained %v of %v, and half the squares fell by %v", k, name, gain, square, fell)
			}
		}
	}
}

const ridge = 0.7

func checkRidge(t *testing.T, p *pair, k int, seed uint64) {
	t.Helper()
	y := make([]float32, len(p.y))
	for e, x := range p.y {
		y[e] = float32(x)
	}
	tr, columns := view.Transposed(p.s, y)
	for name, half := range map[string]func(u, v *gcg.Factor32, steps int) (square, gain float64){
		"rows": func(u, v *gcg.Factor32, steps int) (float64, float64) {
			return p.s.RidgeRows(u, v, y, ridge, steps)
		},
		"columns": func(u, v *gcg.Factor32, steps int) (float64, float64) {
			return tr.RidgeRows(v, u, columns, ridge, steps)
		},
		"rows of squares": func(u, v *gcg.Factor32, steps int) (float64, float64) {
			return p.q.RidgeRows(u, v, ridge, steps)
		},
		"columns of squares": func(u, v *gcg.Factor32, steps int) (float64, float64) {
			return p.q.RidgeColumns(v, u, ridge, steps)
		},
	} {
		for _, steps := range []int{1, 2, 60} {
			checkHalf(t, p, fmt.Sprintf("seed %d, rank %d, %d steps, %s", seed, k, steps, name), k, steps, half)
		}
	}
}

func checkHalf(t *testing.T, p *pair, name string, k, steps int,
	half func(u, v *gcg.Factor32, steps int) (square, gain float64)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	m, n, _ := p.s.Dims()
	u, v := gcg.FactorIn[float32](factor(rng, m, k)), gcg.FactorIn[float32](factor(rng, n, k))
	fixed := [2]*gcg.Factor32{u.Clone(), v.Clone()}
	wantSquare, before, start := p.ridgeObjective(u, v)
	square, gain := half(u, v, steps)
	_, after, end := p.ridgeObjective(u, v)
	if math.Abs(square-wantSquare) > 1e-5*wantSquare || math.Abs(gain-(before-after)) > 1e-5*before || gain < 0 {
		t.Errorf("%s: square %v, want %v; gain %v, want %v", name, square, wantSquare, gain, before-after)
	}
	moved := [2]bool{near(gcg.FactorIn[float64](u), gcg.FactorIn[float64](fixed[0])) > 0,
		near(gcg.FactorIn[float64](v), gcg.FactorIn[float64](fixed[1])) > 0}
	if moved[0] && moved[1] {
		t.Errorf("%s: both factors moved", name)
	}
	if steps < 60 {
		return
	}
	for side := range 2 {
		if moved[side] && end[side] > 1e-4*start[side] {
			t.Errorf("%s: the gradient was %g and is %g", name, start[side], end[side])
		}
	}
}

// ridgeObjective is ‖y - A(U Vᵀ)‖², half of it plus ridge/2 (‖U‖² + ‖V‖²), and the norms of its gradients.
func (p *pair) ridgeObjective(u32, v32 *gcg.Factor32) (square, f float64, gradients [2]float64) {
	u, v := gcg.FactorIn[float64](u32), gcg.FactorIn[float64](v32)
	square = p.s.ResidualTo(p.r, p.y, u, v)
	gu, gv := gcg.Both(p.s.Adjoint(p.r), u, v)
	gu.AddScaled(-ridge, u)
	gv.AddScaled(-ridge, v)
	return square, square/2 + ridge/2*(u.Dot(u)+v.Dot(v)), [2]float64{math.Sqrt(gu.Dot(gu)), math.Sqrt(gv.Dot(gv))}
}

var _ view.RidgeOperator = (*operator.Sampling)(nil)
