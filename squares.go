package gcg

// Squares is L(A W) = c·½‖y - A(W)‖² as one thing that keeps its observations to itself, in storage of its choice: y, the
// residual r = y - A(W), and nothing else. It stands for both the operator and the loss of a Problem, and as either it shows
// no observations, so that a State has no predictions and no residuals of its own: that is what lets hundreds of millions of
// observations fit. Whoever wants to know something of the data asks for a pass over it.
//
// Adjoint, whose argument is empty, is the map A*(c·r).
//
// Shapes are those of a FusedOperator: u, du, u2, gu, x and p are m×k, v, dv, v2, gv and q n×k, of one stride in a call; what a method writes
// comes first, is overwritten whole and overlaps nothing else.
type Squares interface {
	Operator
	LeastSquares
	// Move makes r that of W = U Vᵀ (nil factors, or k = 0, are W = 0) and returns L.
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
	// DiagonalTo writes du_ic = c·Σⱼ α²_ij v2_jc and dv_jc = c·Σᵢ α²_ij u2_ic over the observed (i, j), the predictions α_ij W_ij,
	// for the squares u2 and v2 of the entries of U and V. dv may be nil.
	DiagonalTo(du, dv, u2, v2 *Factor)
	// RidgeRows lowers f = ½‖y - A(U Vᵀ)‖² + ridge/2·‖U‖², without c, ridge ≥ 0, over U by so many conjugate gradient steps on each row from
	// where it is, in float32: u is overwritten. It returns ‖y - A(U Vᵀ)‖² at the start, and the gain ≥ 0, by which f is less now but for
	// rounding. RidgeColumns does the same over V, with the norm of V. They leave r alone.
	RidgeRows(u, v *Factor32, ridge float64, steps int) (square, gain float64)
	RidgeColumns(v, u *Factor32, ridge float64, steps int) (square, gain float64)
	// Cross returns c·⟨z, z⟩, c·⟨z, a⟩ and c·⟨a, a⟩ for z = A(U Vᵀ) and a = A(P Qᵀ), whose ranks may differ.
	Cross(u, v, p, q *Factor) (zz, za, aa float64)
}

// asSquares is the problem's data where it keeps its observations to itself, or nil.
func (p *Problem) asSquares() Squares {
	q, _ := p.Operator.(Squares)
	return q
}

// move evaluates at W where the data is a Squares, and reports whether it is.
func (s *State) move(p *Problem) bool {
	q := p.asSquares()
	if q == nil {
		return false
	}
	s.Loss = q.Move(s.W.U, s.W.V)
	s.Polar, s.Sides, s.Exact = nil, nil, true
	s.Count.Gradients++
	return true
}
