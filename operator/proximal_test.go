package operator_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
)

// proximalPair is a Proximal with β = 1/(mn) at X + G, low rank plus sparse, and its twin: the mean squared loss of all entries
// of that matrix.
func proximalPair(t *testing.T, seed uint64, m, n, k int) (p *operator.Proximal, twin gcg.Squares, dense []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	sampled := random(t, rng, m, n, 0.4, true)
	r := make([]float64, obs(sampled))
	for e := range r {
		r[e] = rng.NormFloat64()
	}
	target := gcg.Sum(gcg.LowRank(factor(rng, m, k), factor(rng, n, k)), gcg.Scaled(sampled.Adjoint(r), -2))
	dense = make([]float64, m*n)
	gcg.DenseTo(dense, target)
	p, err := operator.NewProximal(target, 1/float64(m*n))
	if err != nil {
		t.Fatal(err)
	}
	ptr, cols := make([]int64, m+1), make([]int32, m*n)
	for e := range cols {
		cols[e] = int32(e % n)
		ptr[e/n+1] = int64(e + 1)
	}
	squares, err := operator.NewSquares(m, n, ptr, cols, append([]float64(nil), dense...), true)
	if err != nil {
		t.Fatal(err)
	}
	return p, squares, dense
}

// Every pass of Proximal is that of its twin, which keeps all entries.
func TestProximalEqualsItsTwin(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 4))
		const m, n = 30, 22
		k := 1 + int(seed)*2
		p, twin, _ := proximalPair(t, seed, m, n, 3)
		u, v, du, dv := factor(rng, m, k), factor(rng, n, k), factor(rng, m, k), factor(rng, n, k)
		numbers := func(what string, got, want []float64) {
			t.Helper()
			for i, x := range got {
				if math.Abs(x-want[i]) > 1e-11*gcg.Norm(want) {
					t.Errorf("seed %d, %s: %v, not %v", seed, what, got, want)
				}
			}
		}
		factors := func(what string, tol float64, got, want *gcg.Factor) {
			t.Helper()
			if off := near(want, got); off > tol {
				t.Errorf("seed %d, %s: off by %.1e", seed, what, off)
			}
		}
		for _, at := range [][2]*gcg.Factor{{nil, nil}, {u, v}} {
			numbers("value", []float64{p.Move(at[0], at[1])}, []float64{twin.Move(at[0], at[1])})
			rr, ry := p.Sums()
			wr, wy := twin.Sums()
			numbers("sums", []float64{rr, ry}, []float64{wr, wy})
			gv, gu := gcg.Both(p.Adjoint(nil), du, dv)
			wv, wu := gcg.Both(twin.Adjoint(nil), du, dv)
			factors("G V", 1e-12, gv, wv)
			factors("Gᵀ U", 1e-12, gu, wu)
		}
		a, b, wa, wb := gcg.NewFactor(m, k), gcg.NewFactor(n, k), gcg.NewFactor(m, k), gcg.NewFactor(n, k)
		p.AlongTo(a, b, u, v, du, dv)
		twin.AlongTo(wa, wb, u, v, du, dv)
		factors("along u", 1e-11, a, wa)
		factors("along v", 1e-11, b, wb)
		p.NormalTo(a, du, v)
		twin.NormalTo(wa, du, v)
		factors("normal", 1e-11, a, wa)
		p.DiagonalTo(a, b, u, v)
		twin.DiagonalTo(wa, wb, u, v)
		factors("diagonal u", 1e-11, a, wa)
		factors("diagonal v", 1e-11, b, wb)
		zz, za, aa := p.Cross(u, v, du, dv)
		wzz, wza, waa := twin.Cross(u, v, du, dv)
		numbers("cross", []float64{zz, za, aa}, []float64{wzz, wza, waa})
		checkProximal32(t, p, twin, u, v, du, dv)
	}
}

// checkProximal32 compares the passes in float32, and the ridge regressions with many steps of the twin's.
func checkProximal32(t *testing.T, p *operator.Proximal, twin gcg.Squares, u, v, du, dv *gcg.Factor) {
	t.Helper()
	in := func(f *gcg.Factor) *gcg.Factor32 { return gcg.FactorIn[float32](f.Clone()) }
	same := func(what string, got, want *gcg.Factor32) {
		t.Helper()
		if off := near(gcg.FactorIn[float64](want), gcg.FactorIn[float64](got)); off > 1e-4 {
			t.Errorf("%s in float32: off by %.1e", what, off)
		}
	}
	a, b, wa, wb := in(du), in(dv), in(du), in(dv)
	p.Along32To(a, b, in(u), in(v), in(du), in(dv))
	twin.Along32To(wa, wb, in(u), in(v), in(du), in(dv))
	same("along u", a, wa)
	same("along v", b, wb)
	p.Normal32To(a, in(du), in(v))
	twin.Normal32To(wa, in(du), in(v))
	same("normal", a, wa)
	for _, ridge := range []float64{0.5, 3} {
		a, wa, b, wb = in(u), in(u), in(v), in(v)
		square, gain := p.RidgeRows(a, in(v), ridge, 1)
		wsquare, wgain := twin.RidgeRows(wa, in(v), ridge, 2*u.K)
		same("ridge rows", a, wa)
		back, backGain := p.RidgeColumns(b, in(u), ridge, 1)
		wback, wbackGain := twin.RidgeColumns(wb, in(u), ridge, 2*u.K)
		same("ridge columns", b, wb)
		for i, x := range []float64{square, gain, back, backGain} {
			if want := []float64{wsquare, wgain, wback, wbackGain}[i]; math.Abs(x-want) > 1e-4*want {
				t.Errorf("ridge %v: %v, not %v", ridge, x, want)
			}
		}
	}
}

// Without a ridge and with factors that depend on each other a regression still lowers the loss.
func TestProximalRidgeOfDependentColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	p, _, _ := proximalPair(t, 1, 12, 9, 2)
	one := factor(rng, 9, 1)
	v, u := gcg.NewFactorOf[float32](9, 3), gcg.NewFactorOf[float32](12, 3)
	for j := range 9 {
		v.Row(j)[0], v.Row(j)[1] = float32(one.Row(j)[0]), float32(one.Row(j)[0])
	}
	before := p.Move(gcg.FactorIn[float64](u), gcg.FactorIn[float64](v))
	square, gain := p.RidgeRows(u, v, 0, 1)
	after := p.Move(gcg.FactorIn[float64](u), gcg.FactorIn[float64](v))
	if beta := p.Scale(); !(after < before) || math.Abs(beta*square/2-before) > 1e-9*before ||
		math.Abs(beta*gain-(before-after)) > 1e-5*before {
		t.Errorf("from %v (%v) to %v, with a gain of %v", before, beta*square/2, after, beta*gain)
	}
}

func TestProximalRefuses(t *testing.T) {
	for _, c := range []struct {
		target gcg.Map
		beta   float64
	}{{gcg.LowRank(gcg.NewFactor(0, 1), gcg.NewFactor(3, 1)), 1}, {gcg.LowRank(gcg.NewFactor(2, 1), gcg.NewFactor(3, 1)), 0},
		{gcg.Scaled(identity(t, 2, 2).Adjoint([]float64{1, 2, 3, 4}), math.Inf(1)), 1}} {
		if _, err := operator.NewProximal(c.target, c.beta); err == nil {
			t.Errorf("%T and β = %v are taken", c.target, c.beta)
		}
	}
}
