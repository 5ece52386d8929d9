package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// A norm is a penalty, and its value on one group.
type norm struct {
	penalty loss.Lipschitz
	size    int
	value   func(z []float64) float64
}

// norms of n predictions, a multiple of 12.
func penaltyNorms(n int) []norm {
	largest := func(z []float64) (top float64) {
		for _, x := range z {
			top = math.Max(top, math.Abs(x))
		}
		return top
	}
	return []norm{
		{&loss.L1Norm{N: n, Lambda: 0.3}, 1, func(z []float64) float64 { return 0.3 * math.Abs(z[0]) }},
		{&loss.GroupNorm{N: n, Size: 4, Lambda: 1.7}, 4, func(z []float64) float64 { return 1.7 * gcg.Norm(z) }},
		{&loss.GroupNorm{N: n, Size: 1, Lambda: 2}, 1, func(z []float64) float64 { return 2 * math.Abs(z[0]) }},
		{&loss.MaxNorm{N: n, Size: 6, Lambda: 2.5}, 6, func(z []float64) float64 { return 2.5 * largest(z) }},
		{&loss.L1Norm{N: n}, 1, func([]float64) float64 { return 0 }},
		{&loss.TotalVariation{N: n, Size: 12, Lambda: 0.8}, 12, func(z []float64) (s float64) {
			for i := 1; i < len(z); i++ {
				s += 0.8 * math.Abs(z[i]-z[i-1])
			}
			return s
		}},
	}
}

// Envelopes pass what every loss passes, at all widths.
func TestMoreauEnvelopes(t *testing.T) {
	for i, c := range penaltyNorms(96) {
		for j, beta := range []float64{0.05, 1, 20} {
			testLoss(t, &loss.MoreauEnvelope{Penalty: c.penalty, Beta: beta}, uint64(100+10*i+j))
		}
	}
}

// The original is g, at every width; u is in dom g*, however small the width, and Fenchel's equality holds there in the limit.
func TestEnvelopeKnowsItsPenalty(t *testing.T) {
	rng := testRand(31)
	const n = 48
	for _, c := range penaltyNorms(n) {
		z, r := normals(rng, n, 1), make([]float64, n)
		var want float64
		for lo := 0; lo < n; lo += c.size {
			want += c.value(z[lo : lo+c.size])
		}
		e := &loss.MoreauEnvelope{Penalty: c.penalty, Beta: 1}
		for beta := 1.0; beta > 1e-13; beta /= 100 {
			e.SetWidth(beta)
			g := gcg.Original(e)
			near(t, "g(z)", g.Eval(0, z, nil), want, 1e-13)
			smooth := e.Eval(0, z, r)
			short := beta / 2 * float64(n/c.size) * c.penalty.Radius() * c.penalty.Radius()
			if smooth > want+1e-12 || smooth < want-short-1e-12 {
				t.Errorf("%T, width %g: %v is not in [%v, %v]", c.penalty, beta, smooth, want-short, want)
			}
			if conj := g.(gcg.ConjugateLoss).Conjugate(0, r, 1); conj != 0 {
				t.Errorf("%T, width %g: g*(u) = %v", c.penalty, beta, conj)
			}
			if conj := g.(gcg.ConjugateLoss).Conjugate(0, r, 1.001); c.penalty.Radius() > 0 && beta < 1e-2 &&
				!math.IsInf(conj, 1) {
				t.Errorf("%T, width %g: g*(1.001u) = %v", c.penalty, beta, conj)
			}
			if gap := want + dot(r, z); gap < -1e-12 || gap > 2*short+1e-12*math.Sqrt(n) {
				t.Errorf("%T, width %g: g(z) - ⟨u, z⟩ = %v", c.penalty, beta, gap)
			}
		}
	}
}

// Penalties without a size or with a weight that is none are refused.
func TestNormsRefuse(t *testing.T) {
	for _, l := range []loss.Lipschitz{
		&loss.L1Norm{N: 0, Lambda: 1}, &loss.L1Norm{N: 3, Lambda: math.NaN()}, &loss.GroupNorm{N: 6, Size: 4, Lambda: 1},
		&loss.GroupNorm{N: 6, Lambda: 1}, &loss.MaxNorm{N: 6, Size: 3, Lambda: -1},
		&loss.TotalVariation{N: 6, Size: 3, Lambda: math.Inf(1)},
	} {
		if err := (&loss.MoreauEnvelope{Penalty: l, Beta: 1}).Check(); err == nil {
			t.Errorf("%+v is taken", l)
		}
	}
	if err := (&loss.MoreauEnvelope{Penalty: &loss.L1Norm{N: 3, Lambda: 1}}).Check(); err == nil {
		t.Error("a width of 0 is taken")
	}
}
