package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A Loss is L(z), a sum over observations, convex and smooth. It is evaluated on blocks of observations, which start and end at
// multiples of Stride. Calls on disjoint blocks may be concurrent, and calls of second derivatives on any blocks.
type Loss interface {
	Len() int    // the number of observations
	Stride() int // observations that belong together, such as the classes of a row
	// Eval returns the loss of observations lo … lo+len(z)-1 and writes r = -∂L/∂z if r is not nil. r may be z.
	Eval(lo int, z, r []float64) float64
}

// A CurvedLoss has second derivatives, for Newton steps. One of a stride beyond 1 whose second derivatives are diagonal says so
// by a method Separable() bool.
type CurvedLoss interface {
	Loss
	// HessTo writes dst = ∇²L(z) e on the block that starts at lo. dst may be e.
	HessTo(dst []float64, lo int, z, e []float64)
	// Curvature is an upper bound of the largest eigenvalue of ∇²L at any z, +Inf where there is none, as for exp(z).
	Curvature() float64
}

// CurvatureAt is l.Curvature; where that is +Inf, it is the largest entry by size of ∇²L(z) times ones, from which a step
// that is then searched may start.
func CurvatureAt(l CurvedLoss, z []float64) float64 {
	bound := l.Curvature()
	if !math.IsInf(bound, 1) {
		return bound
	}
	d := ones(len(z))
	l.HessTo(d, 0, z, d)
	return linalg.MaxAbs(d)
}

// Separable reports whether a loss is a sum of losses of single observations, so that ∇²L is diagonal: its method Separable says
// so, or it has none and its stride is 1.
func Separable(l Loss) bool {
	if s, ok := l.(interface{ Separable() bool }); ok {
		return s.Separable()
	}
	return l.Stride() == 1
}

// An OuterLoss couples only the observations of a row, by an outer product: the row's part of ∇²L is diag(d) - v vᵀ. It takes
// its second derivatives from the residual that Eval left, which is cheaper than from z.
type OuterLoss interface {
	CurvedLoss
	// OuterFromTo writes d and v for the observations from lo on, any number of whole rows; r is -∇L there, and as long.
	OuterFromTo(d, v []float64, lo int, r []float64)
	// HessFromTo writes dst = ∇²L(z) e on the block that starts at lo; r is -∇L(z) there. dst may be e.
	HessFromTo(dst []float64, lo int, r, e []float64)
	// HessFrom32To is HessFromTo in float32, for directions that need no more.
	HessFrom32To(dst []float32, lo int, r, e []float32)
	// DiagonalFromTo writes the diagonal of ∇²L on the block that starts at lo. dst may be r.
	DiagonalFromTo(dst []float64, lo int, r []float64)
}

// HessTo writes dst = ∇²L(z) e on the block of observations that starts at lo; from r = -∇L(z) there where the loss finds
// that cheaper than from z. All slices are as long as the block; dst may be e.
func HessTo(l CurvedLoss, dst []float64, lo int, z, r, e []float64) {
	if m, ok := l.(OuterLoss); ok {
		m.HessFromTo(dst, lo, r, e)
	} else {
		l.HessTo(dst, lo, z, e)
	}
}

// A ConjugateLoss knows L*(p) = sup_z ⟨p, z⟩ - L(z), of which a certificate is made.
//
// If L* at many scales s costs little more than at one, the loss also has a method ConjugateAlong(lo int, r []float64) func(s
// float64) float64. Its result is s ↦ Conjugate(lo, r, s), s ≥ 0, and keeps nothing of r.
type ConjugateLoss interface {
	Loss
	// Conjugate returns the block's L*(-s r), +Inf outside its domain, for r as Eval writes it.
	Conjugate(lo int, r []float64, s float64) float64
}

// A LeastSquares loss is ½ Σ ωᵢ(zᵢ-yᵢ)²: line searches on it are closed forms.
type LeastSquares interface {
	CurvedLoss
	Target() []float64  // y
	Weights() []float64 // ω, or nil for ones
	// Scale is the common factor of the loss: 1 for a sum, 1/N for a mean.
	Scale() float64
}

// A BoundedLoss states a lower bound of L. Without it an objective, which may be negative, does not bound κ(W*).
type BoundedLoss interface {
	Loss
	Infimum() float64
}

// Squares is the operator and the loss of a Problem as one, L(A W) = c·½‖y - A(W)‖². It keeps its observations to itself, in
// storage of its choice: y, the residual r = y - A(W), and nothing else. As an operator and as a loss it shows no
// observations, so that a State has no predictions and no residuals of its own: so hundreds of millions of observations fit
// in memory. Whoever wants to know something of the data asks for a pass over it. Nor need y be numbers that are kept: with the
// identity for A it may be a matrix that is known as a Map, of which inner products and norms are taken (operator.Proximal).
//
// Adjoint, whose argument is empty, is the map A*(c·r).
//
// Shapes: u, du, u2, gu, x and p are m×k, v, dv, v2, gv and q n×k, of one stride in a call. What
// a method writes comes first; it is overwritten whole and overlaps nothing else.
type Squares interface {
	Operator
	LeastSquares
	// Move makes r the residual of W = U Vᵀ, and returns L. Nil factors, or k = 0, stand for W = 0.
	Move(u, v *Factor) float64
	// Sums are c·Σ r² and c·Σ r y.
	Sums() (rr, ry float64)
	// AlongTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = c·A*(A(dU Vᵀ + U dVᵀ)) and R = A*(c·r).
	AlongTo(gu, gv, u, v, du, dv *Factor)
	// Along32To is AlongTo in float32.
	Along32To(gu, gv, u, v, du, dv *Factor32)
	// NormalTo writes gu = c·A*(A(X Vᵀ)) V.
	NormalTo(gu, x, v *Factor)
	// Normal32To is NormalTo in float32.
	Normal32To(gu, x, v *Factor32)
	// DiagonalTo writes du_ic = c·Σⱼ α²_ij v2_jc and dv_jc = c·Σᵢ α²_ij u2_ic over the observed (i, j), where the predictions are
	// α_ij W_ij, for the squares u2 and v2 of the entries of U and V. dv may be nil.
	DiagonalTo(du, dv, u2, v2 *Factor)
	// RidgeRows lowers f = ½‖y - A(U Vᵀ)‖² + ridge/2·‖U‖², which has no c, for a ridge ≥ 0, by so many conjugate gradient steps on
	// each row of U, in float32. It begins at u, which is overwritten, and leaves r alone. It returns ‖y - A(U Vᵀ)‖² at the start,
	// and the gain ≥ 0 by which f has fallen but for rounding.
	RidgeRows(u, v *Factor32, ridge float64, steps int) (square, gain float64)
	// RidgeColumns does the same over V, with ‖V‖² in f.
	RidgeColumns(v, u *Factor32, ridge float64, steps int) (square, gain float64)
	// Cross returns c·⟨z, z⟩, c·⟨z, a⟩ and c·⟨a, a⟩ for z = A(U Vᵀ) and a = A(P Qᵀ), whose ranks may differ.
	Cross(u, v, p, q *Factor) (zz, za, aa float64)
}

// asSquares is the operator where it is a Squares, or nil.
func (p *Problem) asSquares() Squares {
	q, _ := p.Operator.(Squares)
	return q
}

// move evaluates the loss at W where the operator is a Squares, and reports whether it is.
func (s *State) move(p *Problem) bool {
	q := p.asSquares()
	if q == nil {
		return false
	}
	s.Loss = q.Move(s.W.U, s.W.V)
	s.Polar, s.Exact = nil, true
	if s.Oracle != nil {
		s.Count.Gradients++
	}
	return true
}
