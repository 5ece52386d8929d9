package mmbs

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"gonum.org/v1/gonum/mat"
)

// A point is U diag(b) Vᵀ: of the points that are the same but for a rotation, the one with a diagonal B.
type point struct {
	u, v *gcg.Factor
	b    []float64
}

// A tangent vector is (ξ_U, ξ_B, ξ_V), with a symmetric ξ_B. The metric is ⟨ξ_U, η_U⟩ + ⟨B⁻¹ξ_B, η_B B⁻¹⟩ + ⟨ξ_V, η_V⟩.
type tangent struct {
	u, v *gcg.Factor
	b    *mat.Dense
}

// dot is the metric at a point.
func (at *point) dot(x, y *tangent) float64 {
	sum := x.u.Dot(y.u) + x.v.Dot(y.v)
	for i, bi := range at.b {
		for j, bj := range at.b {
			sum += x.b.At(i, j) * y.b.At(i, j) / (bi * bj)
		}
	}
	return sum
}

// combined is ax + by.
func combined(a float64, x *tangent, b float64, y *tangent) *tangent {
	z := &tangent{u: x.u.Clone(), v: x.v.Clone(), b: mat.DenseCopyOf(x.b)}
	z.u.Scale(a)
	z.v.Scale(a)
	z.u.AddScaled(b, y.u)
	z.v.AddScaled(b, y.v)
	z.b.Scale(a, z.b)
	var by mat.Dense
	by.Scale(b, y.b)
	z.b.Add(z.b, &by)
	return z
}

// by is F S.
func by(f *gcg.Factor, s mat.Matrix) *gcg.Factor { return gcg.Mul(f, gcg.SmallOf(s)) }

// inner is FᵀG.
func inner(f, g *gcg.Factor) *mat.Dense { return gcg.TMul(f, g).Dense(f.K) }

// symmetric is the symmetric part, in place.
func symmetric(a *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	for i := range n {
		for j := range i {
			x := (a.At(i, j) + a.At(j, i)) / 2
			a.Set(i, j, x)
			a.Set(j, i, x)
		}
	}
	return a
}

// less subtracts Q S from F, in place.
func less(f, q *gcg.Factor, s *mat.Dense) *gcg.Factor {
	f.AddScaled(-1, by(q, s))
	return f
}

// horizontal takes off what a rotation does: (UΩ, BΩ - ΩB, VΩ) with the Ω, skew, that leaves what is orthogonal to all of these.
// With a diagonal B
//
//	Ω_ij (b_i/b_j + b_j/b_i) = skew(Uᵀξ_U + Vᵀξ_V)_ij - (1/b_i - 1/b_j)(ξ_B)_ij
func (at *point) horizontal(x *tangent) *tangent {
	k := len(at.b)
	a := inner(at.u, x.u)
	a.Add(a, inner(at.v, x.v))
	omega := mat.NewDense(k, k, nil)
	for i, bi := range at.b {
		for j, bj := range at.b {
			omega.Set(i, j, ((a.At(i, j)-a.At(j, i))/2-(1/bi-1/bj)*x.b.At(i, j))/(bi/bj+bj/bi))
		}
	}
	less(x.u, at.u, omega)
	less(x.v, at.v, omega)
	for i, bi := range at.b {
		for j, bj := range at.b {
			x.b.Set(i, j, x.b.At(i, j)-(bi-bj)*omega.At(i, j))
		}
	}
	symmetric(x.b)
	return x
}

// retract is the point at ξ: the orthonormal factors nearest to U + ξ_U and V + ξ_V, and B^½ exp(B^-½ ξ_B B^-½) B^½, rotated such
// that B is diagonal. ok is false where a number leaves the range of float64.
func (at *point) retract(x *tangent) (to *point, ok bool) {
	k := len(at.b)
	inside := mat.NewSymDense(k, nil)
	for i, bi := range at.b {
		for j := i; j < k; j++ {
			inside.SetSym(i, j, x.b.At(i, j)/math.Sqrt(bi*at.b[j]))
		}
	}
	values, q := linalg.SymEigen(inside, true)
	b := mat.NewSymDense(k, nil)
	for i, bi := range at.b {
		for j := i; j < k; j++ {
			sum := 0.0
			for c, v := range values {
				sum += q.At(i, c) * math.Exp(v) * q.At(j, c)
			}
			b.SetSym(i, j, math.Sqrt(bi*at.b[j])*sum)
		}
	}
	values, q = linalg.SymEigen(b, true)
	to = &point{b: values}
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, false
		}
	}
	u, v := at.u.Clone(), at.v.Clone()
	u.AddScaled(1, x.u)
	v.AddScaled(1, x.v)
	if to.u, ok = nearest(u); ok {
		to.v, ok = nearest(v)
	}
	if ok {
		to.u, to.v = by(to.u, q), by(to.v, q)
	}
	return to, ok
}

// nearest is the orthonormal factor nearest to F, F(FᵀF)^-½.
func nearest(f *gcg.Factor) (*gcg.Factor, bool) {
	gram := inner(f, f)
	k, _ := gram.Dims()
	s := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			s.SetSym(i, j, gram.At(i, j))
		}
	}
	values, q := linalg.SymEigen(s, true)
	root := mat.NewDense(k, k, nil)
	for c, v := range values {
		if !(v > 0) {
			return nil, false
		}
		for i := range k {
			for j := range k {
				root.Set(i, j, root.At(i, j)+q.At(i, c)*q.At(j, c)/math.Sqrt(v))
			}
		}
	}
	return by(f, root), true
}

// A function is φ with its derivatives at the point of the last call of value. The state has the predictions of that point.
type function struct {
	p      *view.Problem
	lambda float64
	s      *gcg.State

	at     *point
	g      gcg.Map     // -S, S = ∇ℓ
	sv, su *gcg.Factor // S V and SᵀU
	e      *mat.Dense  // sym(UᵀSV) + λI
	cu, cv *mat.Dense  // sym(UᵀSVB) and sym(VᵀSᵀUB)

	z, h []float64 // predictions of a tangent vector, and ∇²L of them
}

// value moves to a point.
func (f *function) value(at *point) float64 {
	settle(f.p, f.s, at)
	f.at, f.sv = at, nil
	return f.s.Loss + f.lambda*f.s.Rho
}

// gradient is (P_U(SVB), B(sym(UᵀSV) + λI)B, P_V(SᵀUB)) with P_U(X) = X - U sym(UᵀX).
func (f *function) gradient() *tangent {
	at, k := f.at, len(f.at.b)
	f.g = f.s.Gradient(f.p.Problem)
	f.sv, f.su = gcg.Both(f.g, at.u, at.v)
	f.sv.Scale(-1)
	f.su.Scale(-1)
	b := mat.NewDiagDense(k, at.b)
	f.e = symmetric(inner(at.u, f.sv))
	for i := range k {
		f.e.Set(i, i, f.e.At(i, i)+f.lambda)
	}
	x := &tangent{u: by(f.sv, b), v: by(f.su, b), b: mat.NewDense(k, k, nil)}
	f.cu, f.cv = symmetric(inner(at.u, x.u)), symmetric(inner(at.v, x.v))
	less(x.u, at.u, f.cu)
	less(x.v, at.v, f.cv)
	for i, bi := range at.b {
		for j, bj := range at.b {
			x.b.Set(i, j, bi*f.e.At(i, j)*bj)
		}
	}
	return x
}

// hessian is the covariant derivative of the gradient along ξ, made horizontal. With S* = A*∇²L A(ξ_U B Vᵀ + U ξ_B Vᵀ + U B ξ_Vᵀ)
//
//	P_U(S*VB + Sξ_V B + SVξ_B - ξ_U sym(UᵀSVB)),   B E* B + sym(ξ_B E B),   and as the first for V,
//	E = sym(UᵀSV) + λI,   E* = sym(ξ_Uᵀ SV + UᵀS*V + UᵀSξ_V)
func (f *function) hessian(x *tangent) *tangent {
	at, k := f.at, len(f.at.b)
	b := mat.NewDiagDense(k, at.b)
	left := by(x.u, b)
	left.AddScaled(1, by(at.u, x.b))
	star := f.along(gcg.Beside(left, by(at.u, b)), gcg.Beside(at.v, x.v))
	sxv, sxu := gcg.Both(f.g, x.u, x.v)
	dv, du := gcg.Both(star, at.u, at.v)
	dv.AddScaled(-1, sxv) // S*V + Sξ_V
	du.AddScaled(-1, sxu)
	f.s.Count.Products++
	e := inner(x.u, f.sv)
	e.Add(e, inner(at.u, dv))
	symmetric(e)
	h := &tangent{u: by(dv, b), v: by(du, b), b: mat.NewDense(k, k, nil)}
	h.u.AddScaled(1, by(f.sv, x.b))
	h.v.AddScaled(1, by(f.su, x.b))
	less(h.u, x.u, f.cu)
	less(h.v, x.v, f.cv)
	less(h.u, at.u, symmetric(inner(at.u, h.u)))
	less(h.v, at.v, symmetric(inner(at.v, h.v)))
	var xeb mat.Dense
	xeb.Product(x.b, f.e, b)
	symmetric(&xeb)
	for i, bi := range at.b {
		for j, bj := range at.b {
			h.b.Set(i, j, bi*e.At(i, j)*bj+xeb.At(i, j))
		}
	}
	return at.horizontal(h)
}

// along is A*∇²L A(U Vᵀ).
func (f *function) along(u, v *gcg.Factor) gcg.Map {
	if f.z == nil {
		f.z, f.h = make([]float64, len(f.s.Z)), make([]float64, len(f.s.Z))
	}
	f.p.Apply(f.z, &gcg.Iterate{M: u.Rows, N: v.Rows, U: u, V: v})
	f.p.Sum(func(lo, hi int) float64 {
		gcg.HessTo(f.p.Curved, f.h[lo:hi], lo, f.s.Z[lo:hi], f.s.R[lo:hi], f.z[lo:hi])
		return 0
	})
	return f.p.Operator.Adjoint(f.h)
}
