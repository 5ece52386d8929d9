// Package am is alternating minimization of the low-norm factorization.
//
// Srebro, Rennie, Jaakkola: Maximum-Margin Matrix Factorization, NIPS 2005; [Dudik12 Appendix C].
package am

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/rival"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method minimises [Dudik12 eq 9]
//
//	L(A(U Vᵀ)) + λ/2 (‖U‖_F² + ‖V‖_F²)     over U (m×k) and V (n×k)
//
// by turns in U and in V, each a smooth convex problem on which a turn takes Inner steps of accelerated gradient descent. The
// function is not convex in both: U = V = 0 is a critical point, and with fewer columns than the optimum has it may end in a
// local minimum. It starts at random factors.
type Method struct {
	Rank  int // k; 0 means rival.Columns
	Inner int // steps of a turn; 0 means 10
	Seed  uint64

	u, v    *gcg.Factor
	descent [2]firstorder.Descent
	inner   *gcg.State
}

const (
	usualInner = 10
	spread     = 0.1 // of the first entries, over the square root of the rank
)

// Name is am.
func (*Method) Name() string { return "am" }

// WithoutPolars is true.
func (*Method) WithoutPolars() bool { return true }

// Descends is true.
func (*Method) Descends() bool { return true }

// Ask wants one atom, for the certificate.
func (*Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init begins at random factors. It needs the trace norm and a penalty λκ.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, _ gcg.Settings) (err error) {
	p := view.Of(problem)
	if err := rival.TakesTraceNorm("am", p, ""); err != nil {
		return err
	}
	if x.Rank < 0 {
		return fmt.Errorf("baseline: am has factors of a positive rank, or 0 for the usual one, not %d", x.Rank)
	}
	k := cmp.Or(x.Rank, rival.Columns(s.W))
	rng := rand.New(rand.NewPCG(s.Seed+x.Seed, 0xa1))
	x.u, x.v = drawn(rng, s.W.M, k), drawn(rng, s.W.N, k)
	x.descent = [2]firstorder.Descent{}
	count := s.Count.Gradients
	x.inner, err = s.InnerState(problem, s.W)
	s.Count.Gradients = count
	return err
}

// drawn is a factor of normal entries.
func drawn(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		row := f.Row(i)[:k]
		for c := range row {
			row[c] = spread / math.Sqrt(float64(k)) * rng.NormFloat64()
		}
	}
	return f
}

// Step is a turn in V, then one in U. Rho is ½(‖U‖² + ‖V‖²) ≥ κ(W).
func (x *Method) Step(_ context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	inner := x.Inner
	if inner == 0 {
		inner = usualInner
	}
	count := s.Count.Gradients
	lambda := problem.Penalty.Deriv(0)
	for side, f := range []*gcg.Factor{x.v, x.u} {
		x.descent[side].Steps(f.Data, math.NaN(), inner, func(data, g []float64) float64 {
			moved := *f
			moved.Data = data
			u, v := x.u, &moved
			if side == 1 {
				u, v = &moved, x.v
			}
			x.inner.W = &gcg.Iterate{M: u.Rows, N: v.Rows, U: u, V: v}
			x.inner.Refresh(problem)
			if g != nil {
				towards, along := gcg.Both(x.inner.Gradient(problem), u, v)
				if side == 0 {
					towards = along // GᵀU
				}
				for i := range g {
					g[i] = lambda*data[i] - towards.Data[i]
				}
				count++
			}
			return x.inner.Loss + lambda/2*(u.Dot(u)+v.Dot(v))
		})
	}
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N, U: x.u.Clone(), V: x.v.Clone()}
	s.Rho = (x.u.Dot(x.u) + x.v.Dot(x.v)) / 2
	s.Refresh(problem)
	s.Count.Gradients = count
	return gcg.Moved{}, nil
}
