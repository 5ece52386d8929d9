package main

import (
	"fmt"
	"strings"
	"testing"
)

// Where no model is better than none on what is held out, that is said, and what is predicted then; without a choice it is not.
// Ratings that are all alike, or none, are pointed to clicks.
func TestNothingToLearn(t *testing.T) {
	t.Chdir(t.TempDir())
	clicks, ones, noise := "user,item\n", "customer,product,bought\nc1,p1,1\nc1,p2,1\nc2,p1,1\nc3,p2,1\n", "a,b,y\n"
	for i := range 120 {
		clicks += fmt.Sprintf("u%d,p%d\n", i, (i%7)*(i%5)%6)
		noise += fmt.Sprintf("%d,%d,%d\n", i*7%11, i*5%13, i*i*i%17)
	}
	write(t, map[string]string{"clicks.csv": clicks, "bare.csv": "u1,p1\nu2,p1\nu2,p2\n", "ones.csv": ones, "noise.csv": noise,
		"d.csv": "1,0\n0,1\n"})
	const auto = "fit regression --train noise.csv --target y --intercept --standardize "
	for args, want := range map[string]string{
		"fit completion --train clicks.csv":               "are fitted with --implicit 40",
		"fit completion --train clicks.csv --for ranking": "are fitted with --implicit 40",
		"fit completion --train bare.csv":                 "are fitted with --implicit 40",
		"fit completion --train ones.csv":                 "for clicks there is --implicit 10",
		"fit completion --train ones.csv --loss logistic": "or fit clicks: --implicit 40",
		auto + "--split 0.9":                              "no smaller λ was better on the data held out",
		"fit spca --features noise.csv --lambda 1":        "1 variable, explains",
	} {
		if out, errs, _ := command(t, strings.Fields(args)...); !strings.Contains(out+errs, want) {
			t.Errorf("%s: %s%s, want %q", args, out, errs, want)
		}
	}
	if out, _, code := command(t, "fit", "rpca", "--features", "d.csv", "--equal"); code != 0 || strings.Contains(out, "held out") {
		t.Errorf("exit %d, %s", code, out)
	}
}
