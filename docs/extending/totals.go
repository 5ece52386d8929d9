package extending

import "github.com/seed-b18ef778/gcg"

// Totals is the operator z_ij = Σ_{s≤i} W_sj of running totals: W has what is added in each of M periods to N series. A block of
// predictions needs the totals of all periods before it, which ApplyTo makes once for all of them.
type Totals struct{ M, N int }

// Dims is the size of W, and the number of totals.
func (t *Totals) Dims() (m, n, nobs int) { return t.M, t.N, t.M * t.N }

// AtomTo writes z = A(a) for the totals from lo on.
func (t *Totals) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		t.FactoredTo(z, lo, a.U, a.V)
		return
	}
	clear(z)
	for k, x := range a.Vals {
		for i := int(a.Rows[k]); i < t.M; i++ {
			if e := i*t.N + int(a.Cols[k]) - lo; e >= 0 && e < len(z) {
				z[e] += x
			}
		}
	}
}

// FactoredTo writes z = A(U Vᵀ) for the totals from lo on; U is M × k, V is N × k.
func (t *Totals) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	total, next := make([]float64, u.K), 0 // of the rows of U before next
	for i := range z {
		row, col := (lo+i)/t.N, (lo+i)%t.N
		for ; next <= row; next++ {
			for c, x := range u.Row(next)[:u.K] { // the rest of a row is padding
				total[c] += x
			}
		}
		z[i] = 0
		for c, x := range v.Row(col)[:v.K] {
			z[i] += total[c] * x
		}
	}
}

// ApplyTo writes z = A(U Vᵀ), all of it.
func (t *Totals) ApplyTo(z []float64, u, v *gcg.Factor) { t.FactoredTo(z, 0, u, v) }

// Adjoint is the map G with ⟨A(a), r⟩ = ⟨a, G⟩: G_sj = Σ_{i≥s} r_ij.
func (t *Totals) Adjoint(r []float64) gcg.Map { return &remainders{t, r} }

type remainders struct {
	*Totals
	r []float64
}

// Dims is M × N.
func (g *remainders) Dims() (m, n int) { return g.M, g.N }

// MulTo writes dst = G x.
func (g *remainders) MulTo(dst, x []float64) {
	sum := 0.0
	for i := g.M - 1; i >= 0; i-- {
		for j, v := range x {
			sum += g.r[i*g.N+j] * v
		}
		dst[i] = sum
	}
}

// TMulTo writes dst = Gᵀ y.
func (g *remainders) TMulTo(dst, y []float64) {
	clear(dst)
	sum := 0.0
	for i, v := range y {
		sum += v
		for j := range dst {
			dst[j] += sum * g.r[i*g.N+j]
		}
	}
}
