package spca

import (
	"fmt"
	"math"
	"slices"
)

// MaxVariables is how many variables a component is looked for among: four arrays of half its square are 400 MB, and a step costs
// some of its squares.
const MaxVariables = 5000

// screened are the variables that can be in a component at λ, in ascending order: by |C_ij| ≤ √(C_ii C_jj) another one, alone in
// its connected component of |C_ij| > λ, is worth C_ii - λ, and not more than that of the largest variance, which is kept. So the
// optimum is that of all variables. An error is for more than MaxVariables.
func screened(c covariance, lambda float64) ([]int, error) {
	diag := c.diagonal()
	top, at := math.Inf(-1), 0
	for i, v := range diag {
		if v > top {
			top, at = v, i
		}
	}
	var vars []int
	for i, v := range diag {
		if i == at || math.Sqrt(v)*math.Sqrt(top) > lambda {
			vars = append(vars, i)
		}
	}
	if len(vars) > MaxVariables {
		return nil, fmt.Errorf("λ = %.6g leaves %d variables, and up to %d are solved: take λ of %.6g or more", lambda, len(vars),
			MaxVariables, leastLambda(c))
	}
	return vars, nil
}

// leastLambda is the smallest λ that leaves at most MaxVariables, 0 where all may stay.
func leastLambda(c covariance) float64 {
	if c.variables() <= MaxVariables {
		return 0
	}
	diag := slices.Sorted(slices.Values(c.diagonal()))
	n := len(diag)
	return math.Sqrt(diag[n-1-MaxVariables]) * math.Sqrt(diag[n-1])
}
