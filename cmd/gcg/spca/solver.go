package spca

import (
	"math"
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/dspca"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/solver/spca"
)

// maker makes a problem and its solver, see spca.Task.Method.
type maker = func(c []float64, n int, lambda float64) (*gcg.Problem, solver.Method, *gcg.Iterate, error)

// solvers are the words of --solver, the usual one first; nil is the task's own.
var solvers = []struct {
	name, about string
	make        maker
}{
	{"sparse-pca", "components of C and alternating directions", nil},
	{"hcgs", "conditional gradient with the ℓ1 norm by its envelope, to compare with", smoothed},
	{"dspca", "Nesterov's smoothing of the dual, to compare with", smoothing},
}

// smoothing is the baseline.
func smoothing(c []float64, n int, lambda float64) (*gcg.Problem, solver.Method, *gcg.Iterate, error) {
	m := &dspca.Method{}
	p, start, err := m.Problem(c, n, lambda)
	return p, m, start, err
}

// smoothed is Algorithm 2 of [Argyriou14], from the variable of the largest variance. ‖X‖_F is at most 1, and λ‖·‖₁ has the
// Lipschitz constant λn.
func smoothed(c []float64, n int, lambda float64) (*gcg.Problem, solver.Method, *gcg.Iterate, error) {
	p, err := spca.Smoothed(c, n, lambda)
	if err != nil {
		return nil, nil, nil, err
	}
	m := &hybrid.HCGS{}
	if lambda > 0 {
		m.Beta = 2 * math.Sqrt2 / (lambda * float64(n))
	}
	return p, m, spca.Single(c, n), nil
}

func solverUsage() string {
	var words []string
	for _, s := range solvers {
		words = append(words, s.name+" ("+s.about+")")
	}
	return strings.Join(words, " or ")
}

func solverWords() string {
	var words []string
	for _, s := range solvers {
		words = append(words, s.name)
	}
	return strings.Join(words, " ")
}

func solverOf(name string) maker {
	for _, s := range solvers {
		if s.name == name {
			return s.make
		}
	}
	return nil
}
