package gcg

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
	s.Polar, s.Projections, s.Exact = nil, nil, true
	if s.Oracle != nil {
		s.Count.Gradients++
	}
	return true
}
