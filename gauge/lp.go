package gauge

import (
	"context"
	"math"
	"strconv"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Lp is the ℓp norm of the entries, κ(W) = (Σ|W_ij|^p)^(1/p), 1 ≤ p ≤ ∞.
//
//	atoms  ‖a‖_p = 1
//	polar  κ°(G) = ‖G‖_q, 1/p + 1/q = 1, at a_ij ∝ sign(G_ij)|G_ij|^(q-1), the equality case of Hölder's inequality
//
// An atom has an entry wherever G has one, and atoms never merge; for p = 1 the polar is that of L1. The unit ball of 1 < p < ∞
// is strictly convex, so that there is no next best atom, and Polar returns one.
type Lp struct {
	P float64 // 0 means 2
}

// Name is lp, with the exponent.
func (k Lp) Name() string { return "lp(" + number(k.p()) + ")" }

// p is P, with 2 for 0.
func (k Lp) p() float64 {
	if k.P == 0 {
		return 2
	}
	return k.P
}

// number is x in up to six digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// Polar returns one atom, and keeps G whole for it: 8mn bytes, and as much again for the atom where G is full. It refuses p <
// 1 and a gradient with an entry that is not finite.
func (k Lp) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	p, err := exponent("lp", k.P)
	if err != nil {
		return gcg.Polar{}, err
	}
	if p == 1 {
		return L1{}.Polar(ctx, g, ask)
	}
	all, err := entriesOf(ctx, g)
	if err != nil {
		return gcg.Polar{}, err
	}
	_, n := g.Dims()
	a := make([]float64, len(all))
	holderTo(a, all, p)
	var atom gcg.Atom
	for e, x := range a {
		if x != 0 {
			atom.Rows, atom.Cols, atom.Vals = append(atom.Rows, int32(e/n)), append(atom.Cols, int32(e%n)), append(atom.Vals, x)
		}
	}
	// The sum of mn terms and the powers round.
	rounding := float64(len(all)+32) * linalg.Epsilon * 4
	return proven([]gcg.Atom{atom}, []float64{kernel.Dot(a, all)}, rounding), nil
}

// Of is ‖W‖_p.
func (k Lp) Of(w []float64, m, n int) float64 { return linalg.PNorm(w[:m*n], k.p()) }

// Compress rewrites W and returns κ(W). W becomes one atom with all its entries, or for p = 1 one atom for each entry that is not
// 0. The weights of the old atoms may sum to more than κ(W): where atoms merge, and for p = 1 where an entry has atoms of both
// signs.
func (k Lp) Compress(w *gcg.Iterate) float64 {
	if w.Zero() {
		return w.Weights()
	}
	one, rho := k.Split(w.Dense(), w.M, w.N)
	w.SetFactors(nil, nil)
	w.Terms = one.Terms
	return rho
}

// Split is W as one atom; for p = 1, one atom for each entry that is not 0.
func (k Lp) Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64) {
	atoms, rho = &gcg.Iterate{M: m, N: n}, k.Of(w, m, n)
	var a gcg.Atom
	for e, x := range w[:m*n] {
		switch {
		case x == 0:
		case k.p() == 1:
			atoms.Terms = append(atoms.Terms, gcg.Term{Atom: entry(e/n, e%n, n, math.Copysign(1, x)), Weight: math.Abs(x)})
		default:
			a.Rows, a.Cols, a.Vals = append(a.Rows, int32(e/n)), append(a.Cols, int32(e%n)), append(a.Vals, x/rho)
		}
	}
	if len(a.Vals) > 0 {
		atoms.Terms = []gcg.Term{{Atom: a, Weight: rho}}
	}
	return atoms, rho
}

// ProxTo shrinks all entries together: by Moreau's identity dst = W less its projection on the ball ‖·‖_q ≤ t. There are
// closed forms for p = 1, 2, ∞; otherwise it is a root in one unknown, see powerProxTo. It returns κ(dst).
func (k Lp) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	return proxNormTo(dst, w[:m*n], t, k.p())
}
