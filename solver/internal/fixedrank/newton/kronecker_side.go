package newton

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// A kroneckerSide inverts A ↦ L A J + λ A S⁻¹ with L = EΛEᵀ and S^½JS^½ = YΔYᵀ, and B alike: see kronecker.
type kroneckerSide[T gcg.Real] struct {
	left, right model.Spectrum[T] // L, and S^½JS^½ with S^½Y in place of its vectors
	inverse     *gcg.FactorOf[T]  // 1/(ΛᵢΔ_c + λ)
	x, y        *gcg.FactorOf[T]  // work space
}

// flatFloor is the part of ‖L‖‖S^½JS^½‖ that is added to λ: in a ball that is not active λ is 0.
const flatFloor = 1e-6

// newKroneckerSide is for an A or B of so many rows.
func newKroneckerSide[T gcg.Real](rows int, left, right model.Spectrum[T], lambda float64) *kroneckerSide[T] {
	if left.Vectors != nil {
		rows = left.Vectors.Rows // of a Small
	}
	k := len(right.Values)
	s := &kroneckerSide[T]{left, right, gcg.NewFactorOf[T](rows, k), gcg.NewFactorOf[T](rows, k), gcg.NewFactorOf[T](rows, k)}
	floor := lambda + flatFloor*left.Top()*right.Top() + 1e-300
	for i, l := range left.Values {
		row := s.inverse.Row(i)
		for c, d := range right.Values {
			row[c] = T(1 / (l*d + floor))
		}
	}
	return s
}

// solveTo writes the solution for r into z.
func (s *kroneckerSide[T]) solveTo(z, r *gcg.FactorOf[T]) {
	if s.left.Vectors == nil {
		s.x.MulTo(r, s.right.Vectors)
		factor.Multiply(s.x, s.x, s.inverse)
		z.MulTo(s.x, s.right.VectorsT)
		return
	}
	s.x.TMulTo(s.left.Unpadded(), r)
	s.y.MulTo(s.x, s.right.Vectors)
	factor.Multiply(s.y, s.y, s.inverse)
	s.x.MulTo(s.y, s.right.VectorsT)
	z.MulTo(s.left.Unpadded(), s.x)
}
