package main

import (
	"strings"
	"testing"
)

// --require-converged exits with 3 where a gap is not reached, after the result; it changes nothing where it is.
func TestRequireConverged(t *testing.T) {
	ratings(t)
	for args, why := range map[string]string{
		"fit completion --train ratings.csv --lambda 1 --tol 1e-2":                                      "",
		"fit completion --train ratings.csv --lambda 1 --tol 1e-9 --improve none --max-iter 2":          "max_iterations at ",
		"path completion --train ratings.csv --points 3 --tol 1e-9 --improve none --max-iter 2":         "λ ",
		"cv completion --train ratings.csv --points 2 --folds 2 --ratio 0.5 --tol 1e-2":                 "",
		"cv completion --train ratings.csv --points 2 --folds 2 --tol 1e-9 --improve none --max-iter 2": "λ ",
	} {
		for _, require := range []bool{false, true} {
			want := 0
			words := strings.Fields(args + " --quiet")
			if require {
				words = append(words, "--require-converged")
				if why != "" {
					want = 3
				}
			}
			out, errs, code := command(t, words...)
			if code != want || out == "" || want == 3 && !strings.Contains(errs, "gcg: --require-converged: "+why) {
				t.Errorf("%v: exit %d, %q, %q", words, code, out, errs)
			}
		}
	}
}
