package inductive

import (
	"github.com/seed-b18ef778/gcg"
)

// vectorTo is a product with one vector, as a block of one.
func vectorTo(mul func(dst, x *gcg.Factor), dst, x []float64) {
	a, b := gcg.NewFactor(len(x), 1), gcg.NewFactor(len(dst), 1)
	for i, v := range x {
		a.Row(i)[0] = v
	}
	mul(b, a)
	for i := range dst {
		dst[i] = b.Row(i)[0]
	}
}

// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r²; r may be y.
func (o *Operator) ResidualTo(r, y []float64, u, v *gcg.Factor) float64 {
	left, right := timesBoth(o, u, v)
	defer gcg.Repay(left, right)
	return o.entries.ResidualTo(r, y, left, right)
}

// CurvatureTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r).
func (o *Operator) CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor) {
	curvatureTo(o, o.entries.CurvatureTo, gu, gv, r, u, v, du, dv)
}

// Curvature32To is CurvatureTo in float32.
func (o *Operator) Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32) {
	curvatureTo(o, o.entries.Curvature32To, gu, gv, r, u, v, du, dv)
}

// curvatureTo is CurvatureTo in the precision of the factors, by the pass of the entries.
func curvatureTo[T gcg.Real](o *Operator, pass func(gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]),
	gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]) {
	u, v = timesBoth(o, u, v)
	du, dv = timesBoth(o, du, dv)
	left, right := gcg.Room[T](o.left.N, u.K), gcg.Room[T](o.right.N, v.K)
	pass(left, right, r, u, v, du, dv)
	transposeBoth(o, gu, gv, left, right)
	gcg.Repay(u, v, du, dv, left, right)
}

// Within is the operator of the entries of X.
func (o *Operator) Within() gcg.Operator { return o.entries }

// Times is L U and R V, in new factors; one of them may be nil, and is then left out.
func (o *Operator) Times(u, v *gcg.Factor) (left, right *gcg.Factor) { return timesBoth(o, u, v) }

// Times32 is Times in float32.
func (o *Operator) Times32(u, v *gcg.Factor32) (left, right *gcg.Factor32) { return timesBoth(o, u, v) }

// BackTo writes gu = Lᵀ X and gv = Rᵀ Y; one of the pairs may be nil, and is then left out.
func (o *Operator) BackTo(gu, gv, x, y *gcg.Factor) { transposeBoth(o, gu, gv, x, y) }

// Back32To is BackTo in float32.
func (o *Operator) Back32To(gu, gv, x, y *gcg.Factor32) { transposeBoth(o, gu, gv, x, y) }

// SquaredBackTo writes gu = (L∘L)ᵀ X and gv = (R∘R)ᵀ Y.
func (o *Operator) SquaredBackTo(gu, gv, x, y *gcg.Factor) { transposeBoth(o.squared(), gu, gv, x, y) }

// NormalTo writes gu = A*(A(X Vᵀ)) V.
func (o *Operator) NormalTo(gu, x, v *gcg.Factor) { normalTo(o, o.entries.NormalTo, gu, x, v) }

// Normal32To is NormalTo in float32.
func (o *Operator) Normal32To(gu, x, v *gcg.Factor32) { normalTo(o, o.entries.Normal32To, gu, x, v) }

// normalTo is NormalTo in the precision of the factors, by the pass of the entries.
func normalTo[T gcg.Real](o *Operator, pass func(gu, x, v *gcg.FactorOf[T]), gu, x, v *gcg.FactorOf[T]) {
	x, v = timesBoth(o, x, v)
	left := gcg.Room[T](o.left.N, x.K)
	pass(left, x, v)
	transposeBoth(o, gu, nil, left, nil)
	gcg.Repay(x, v, left)
}

// DiagonalTo writes the diagonals of the normal operators, for preconditioners: with the squares L∘L and R∘R of the entries of
// the sides, du = (L∘L)ᵀ D (R∘R) v2 and dv = (R∘R)ᵀ Dᵀ (L∘L) u2, where D marks the observations. The squares of sums Σ_f R_jf
// v_fc that they are of are taken for sums of squares.
func (o *Operator) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	sq := o.squared()
	u2, v2 = timesBoth(sq, u2, v2)
	left := gcg.Room[float64](o.left.N, u2.K)
	var right *gcg.Factor
	if dv != nil {
		right = gcg.Room[float64](o.right.N, v2.K)
	}
	o.entries.DiagonalTo(left, right, u2, v2)
	transposeBoth(sq, du, dv, left, right)
	gcg.Repay(u2, v2, left, right)
}

// squared is the operator with the squares of the entries of L and R.
func (o *Operator) squared() *Operator {
	sq := *o
	sq.left, sq.right = o.left.squared(), o.right.squared()
	return &sq
}

// squared is the side of the squares of the entries.
func (s *Side) squared() *Side {
	t := *s
	if s.Scale != nil {
		t.Scale = squares(s.Scale)
	}
	t.Values = squares(s.Values)
	if s.Listed != nil {
		t.Listed = squares(s.Listed)
	}
	return &t
}

func squares(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v * v
	}
	return y
}
