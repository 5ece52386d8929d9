package cur

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/operator"
	"gonum.org/v1/gonum/mat"
)

// An admm minimises ½‖Y - L_W X R‖² + λκ(X) over the rows W of X, X = Z₁ = Z₂. With R Rᵀ = U₂ diag(b) U₂ᵀ and, for a set of
// rows, L_W L_Wᵀ = U₁ diag(a) U₁ᵀ, the minimiser of the quadratic + τ‖X - C‖² is
//
//	X = C + L_Wᵀ M Rᵀ/(2τ),   U₁ᵀ M Rᵀ U₂ = (B - U₁ᵀ L_W C U₂ b) / (1 + a bᵀ/(2τ)),   B = U₁ᵀ Y Rᵀ U₂
type admm struct {
	lambda  float64
	op      *operator.Sandwich
	p, n    int
	u2      []float64 // n×n, columns are eigenvectors of R Rᵀ
	b       []float64
	yr      []float64 // Y Rᵀ U₂, p×n
	yy      float64   // ‖Y‖²
	rows    []int     // W
	l       []float64 // U₁ᵀ L_W, p×w
	a       []float64
	by      []float64 // B, p×n
	tau     float64
	steps   int // since the set changed
	x       []float64
	z, dual [2][]float64 // Z₁, Z₂ and their scaled multipliers, w×n
	clips   [2]rowscolumns.Clip
	fit     []float64 // U₁ᵀ L_W X U₂, p×n

	next, side, quad []float64 // work space: w×n, and two of p×n
}

const (
	relaxed   = 1.7 // over-relaxation
	unbalance = 3   // ratio of the residuals at which τ changes
	// farApart is the ratio at which τ changes by its root, for mostApart at most: the τ that fits is in proportion to λ, and for λ
	// far below λ_max doubling does not come there. 12×25, λ = 1e-9: 0.2 s to a gap of 1e-3, which was 5e-2 after 8 s.
	farApart, mostApart = 100, 1e8
	moveWorth           = 10   // of a relative move of Z beside a relative ‖X - Z‖: with 1 the steps are two to three times as many
	balance             = 20   // steps between changes
	balanced            = 300  // steps after which τ stays
	look                = 25   // steps between looks at the gap
	mostSteps           = 3000 // of one round: the next one has another set, or τ balanced anew
)

// newADMM decomposes R Rᵀ.
func newADMM(op *operator.Sandwich, y []float64, lambda float64) *admm {
	p, _, _ := op.Left()
	n, r, right := op.Right()
	d := &admm{lambda: lambda, op: op, p: p, n: n, yy: kernel.SumSq(y)}
	gram := make([]float64, n*n)
	kernel.GemmNT(gram, right, right, n, n, r)
	d.b, d.u2 = eigen(gram, n)
	yr := make([]float64, p*n)
	kernel.GemmNT(yr, y, right, p, n, r)
	d.yr = product(yr, d.u2, p, n, n)
	d.clips[1].Columns = true
	return d
}

// eigen is the decomposition Q diag(values) Qᵀ of a symmetric n×n matrix.
func eigen(s []float64, n int) (values, q []float64) {
	values, vectors := linalg.SymEigen(mat.NewSymDense(n, s), true)
	for i, v := range values {
		values[i] = math.Max(v, 0)
	}
	return values, vectors.RawMatrix().Data
}

// product is A (m×k) B (k×n).
func product(a, b []float64, m, n, k int) []float64 {
	c := make([]float64, m*n)
	kernel.GemmNN(c, a, b, m, n, k)
	return c
}

// choose goes on with other rows. w are the entries of W in them, or nil for rows that are 0: where ADMM has not seen a row it
// begins there.
func (d *admm) choose(rows []int, w [][]float64) {
	old := map[int]int{}
	for t, i := range d.rows {
		old[i] = t
	}
	n, same := d.n, len(rows) == len(d.rows)
	var z, dual [2][]float64
	for f := range z {
		z[f], dual[f] = make([]float64, len(rows)*n), make([]float64, len(rows)*n)
		for t, i := range rows {
			if o, ok := old[i]; ok {
				copy(z[f][t*n:], d.z[f][o*n:(o+1)*n])
				copy(dual[f][t*n:], d.dual[f][o*n:(o+1)*n])
			} else {
				copy(z[f][t*n:], w[t])
				same = false
			}
		}
	}
	d.z, d.dual, d.rows = z, dual, rows
	d.x, d.next = make([]float64, len(rows)*n), make([]float64, len(rows)*n)
	d.fit, d.side, d.quad = make([]float64, d.p*n), make([]float64, d.p*n), make([]float64, d.p*n)
	if !same {
		d.decompose()
		d.steps = 0
	}
}

// decompose computes U₁, a and what is multiplied by it, and begins with a τ in the middle of the curvatures.
func (d *admm) decompose() {
	_, m, left := d.op.Left()
	w := len(d.rows)
	l := make([]float64, d.p*w)
	for i := range d.p {
		for t, j := range d.rows {
			l[i*w+t] = left[i*m+j]
		}
	}
	gram := make([]float64, d.p*d.p)
	kernel.GemmNT(gram, l, l, d.p, d.p, w)
	var u1 []float64
	d.a, u1 = eigen(gram, d.p)
	d.l, d.by = make([]float64, d.p*w), make([]float64, d.p*d.n)
	kernel.GemmTN(d.l, u1, l, d.p, w, d.p)
	kernel.GemmTN(d.by, u1, d.yr, d.p, d.n, d.p)
	if d.tau == 0 {
		d.tau = firstTau * d.a[d.p-1] * d.b[d.n-1]
	}
}

// firstTau is the part of the largest curvature where τ begins.
const firstTau = 0.01

// run takes steps until the gap of the problem on the rows is at most goal.
func (d *admm) run(ctx context.Context, goal float64) {
	if len(d.rows) == 0 {
		return
	}
	for step := 1; step <= mostSteps; step++ {
		if ctx.Err() != nil {
			return
		}
		primal, moved := d.step()
		if d.steps++; d.steps%balance == 0 && d.steps <= balanced {
			d.rebalance(primal, moved)
		}
		if step%look == 0 && d.gap() <= goal {
			return
		}
	}
}

// step is one step of ADMM. It returns the residuals ‖X - Z‖ and τ‖Z - Z of before‖.
func (d *admm) step() (primal, moved float64) {
	d.quadratic()
	w, n := len(d.rows), d.n
	for f := range d.z {
		z, dual, next := d.z[f], d.dual[f], d.next
		for e, x := range d.x {
			dual[e] += relaxed*x + (1-relaxed)*z[e]
		}
		d.clips[f].To(next, dual, w, n, d.lambda/d.tau)
		for e, v := range next {
			dual[e] -= v
			off, move := d.x[e]-v, v-z[e]
			primal += off * off
			moved += move * move
		}
		d.z[f], d.next = next, z
	}
	return math.Sqrt(primal), d.tau * math.Sqrt(moved)
}

// quadratic moves X to the minimiser of the quadratic + τ‖X - C‖², C = (Z₁ - U + Z₂ - Y)/2 for the scaled multipliers U and Y.
func (d *admm) quadratic() {
	w, n, p := len(d.rows), d.n, d.p
	for e := range d.x {
		d.x[e] = (d.z[0][e] - d.dual[0][e] + d.z[1][e] - d.dual[1][e]) / 2
	}
	clear(d.side)
	clear(d.fit)
	kernel.GemmNN(d.side, d.l, d.x, p, n, w)
	kernel.GemmNN(d.fit, d.side, d.u2, p, n, n)
	for i := range p {
		for j, b := range d.b {
			e := i*n + j
			d.quad[e] = (d.by[e] - d.fit[e]*b) / (2*d.tau + d.a[i]*b)
			d.fit[e] += d.a[i] * d.quad[e]
		}
	}
	clear(d.side)
	kernel.GemmNT(d.side, d.quad, d.u2, p, n, n)
	kernel.GemmTN(d.x, d.l, d.side, w, n, p)
}

// rebalance doubles or halves τ where one residual is much larger than the other: ‖X - Z‖ relative to ‖Z‖, and moveWorth times
// the move of Z relative to the multipliers.
func (d *admm) rebalance(primal, moved float64) {
	var size, force float64
	for f := range d.z {
		size += kernel.SumSq(d.z[f])
		force += kernel.SumSq(d.dual[f])
	}
	if size == 0 || force == 0 {
		return
	}
	primal /= math.Sqrt(size)
	moved *= moveWorth / (d.tau * math.Sqrt(force))
	rule := firstorder.Balance{Apart: unbalance, By: 2, Far: farApart, Most: mostApart}
	factor := rule.Factor(primal, moved)
	d.tau *= factor
	for f := range d.dual {
		kernel.Scale(1/factor, d.dual[f])
	}
}

// primal is Z₁ with the columns that are 0 in Z₂, and its κ.
func (d *admm) primal() (z []float64, rho float64) {
	n := d.n
	z = append([]float64(nil), d.z[0]...)
	kept := make([]bool, n)
	for e, v := range d.z[1] {
		kept[e%n] = kept[e%n] || v != 0
	}
	for e := range z {
		if !kept[e%n] {
			z[e] = 0
		}
	}
	return z, rowscolumns.Gauge{}.Of(z, len(d.rows), n)
}

// gap is F(Z) less the dual value of the residual at X, both of the problem on the rows.
func (d *admm) gap() float64 {
	z, rho := d.primal()
	w, n, p := len(d.rows), d.n, d.p
	ee, _ := d.residual(product(product(d.l, z, p, n, w), d.u2, p, n, n))
	rr, ry := d.residual(d.fit)
	g := make([]float64, w*n)
	kernel.GemmTN(g, d.l, d.dualPoint(), w, n, p)
	s := math.Max(0, math.Min(d.lambda/rowscolumns.PolarBound(g, w, n), ry/rr))
	return ee/2 + d.lambda*rho - (s*ry - s*s*rr/2)
}

// residual is ‖E‖² and ⟨E, Y⟩ for E = Y - L_W X R, from U₁ᵀ L_W X U₂.
func (d *admm) residual(fit []float64) (ee, ey float64) {
	var cross, square float64
	for i := range d.p {
		for j, b := range d.b {
			e := i*d.n + j
			cross += d.by[e] * fit[e]
			square += b * fit[e] * fit[e]
		}
	}
	return math.Max(d.yy-2*cross+square, 0), d.yy - cross
}

// dualPoint is U₁ᵀ E Rᵀ at X.
func (d *admm) dualPoint() []float64 {
	quad := make([]float64, d.p*d.n)
	for i := range d.p {
		for j, b := range d.b {
			e := i*d.n + j
			quad[e] = d.by[e] - d.fit[e]*b
		}
	}
	back := make([]float64, d.p*d.n)
	kernel.GemmNT(back, quad, d.u2, d.p, d.n, d.n)
	return back
}
