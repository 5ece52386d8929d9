// Package dhm is the method of Dudik, Harchaoui and Malick as [Yu17 §5.1] runs it.
package dhm

import (
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// New is [Yu17 Algorithm 2] with one atom a step and, for Improve, the totally corrective update [Yu17 eq 42]
//
//	min over σ ≥ 0   L(Σσᵢ A(aᵢ)) + λ Σσᵢ
//
// of the weights of all atoms so far. The atoms themselves are never moved, so that W takes more of them than its rank. [Yu17]
// solves (42) by L-BFGS on buffered products ⟨A(aᵢ), A(aⱼ)⟩. Here Newton steps on the same products do.
func New() (solver.Method, solver.Improver) {
	return &conditional.GCG{Atoms: 1}, &solver.Corrective{}
}
