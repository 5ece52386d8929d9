package spca

import (
	"strings"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/baseline/dspca"
	"github.com/seed-b18ef778/gcg/solver"
)

// maker makes a problem and its solver, see spca.Task.Method.
type maker = func(c []float64, n int, lambda float64) (*gcg.Problem, solver.Method, *gcg.Iterate, error)

// solvers are the words of --solver, the usual one first; nil is the task's own.
var solvers = []struct {
	name, about string
	make        maker
}{
	{"sparse-pca", "components of C and alternating directions", nil},
	{"dspca", "Nesterov's smoothing of the dual, to compare with", smoothing},
}

// smoothing is the baseline.
func smoothing(c []float64, n int, lambda float64) (*gcg.Problem, solver.Method, *gcg.Iterate, error) {
	m := &dspca.Method{}
	p, start, err := m.Problem(c, n, lambda)
	return p, m, start, err
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
