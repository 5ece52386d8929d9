package extending

import "github.com/seed-b18ef778/gcg"

// A Comparison says that a user prefers one item to another.
type Comparison struct{ User, Better, Worse int }

// Comparisons is the operator z_e = W_ij - W_ik of comparisons e = (i, j, k): user i prefers item j to k where z_e > 0.
type Comparisons struct {
	Users, Items int
	Of           []Comparison
}

// Dims is the size of W, and the number of comparisons.
func (c *Comparisons) Dims() (m, n, nobs int) { return c.Users, c.Items, len(c.Of) }

// AtomTo writes z = A(a) for the comparisons from lo on.
func (c *Comparisons) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		c.FactoredTo(z, lo, a.U, a.V)
		return
	}
	for i := range z {
		e := c.Of[lo+i]
		z[i] = 0
		for t, x := range a.Vals {
			if int(a.Rows[t]) != e.User {
				continue
			}
			if int(a.Cols[t]) == e.Better {
				z[i] += x
			}
			if int(a.Cols[t]) == e.Worse {
				z[i] -= x
			}
		}
	}
}

// FactoredTo writes z = A(U Vᵀ) for the comparisons from lo on; U is users × k, V is items × k.
func (c *Comparisons) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	for i := range z {
		e := c.Of[lo+i]
		ui, vj, vk := u.Row(e.User), v.Row(e.Better), v.Row(e.Worse)
		z[i] = 0
		for t := range u.K {
			z[i] += ui[t] * (vj[t] - vk[t])
		}
	}
}

// Adjoint is the map G with ⟨A(a), r⟩ = ⟨a, G⟩: r_e at (i, j), and -r_e at (i, k).
func (c *Comparisons) Adjoint(r []float64) gcg.Map { return &preferences{c, r} }

type preferences struct {
	*Comparisons
	r []float64
}

// Dims is users × items.
func (g *preferences) Dims() (m, n int) { return g.Users, g.Items }

// MulTo writes dst = G x.
func (g *preferences) MulTo(dst, x []float64) {
	clear(dst)
	for t, e := range g.Of {
		dst[e.User] += g.r[t] * (x[e.Better] - x[e.Worse])
	}
}

// TMulTo writes dst = Gᵀ y.
func (g *preferences) TMulTo(dst, y []float64) {
	clear(dst)
	for t, e := range g.Of {
		dst[e.Better] += g.r[t] * y[e.User]
		dst[e.Worse] -= g.r[t] * y[e.User]
	}
}
