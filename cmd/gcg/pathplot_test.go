package main

import (
	"os"
	"strings"
	"testing"
)

// The picture of a path shows the error, the size and, where W is sparse, the largest coefficients by the names of their
// features.
func TestPathPlot(t *testing.T) {
	rows(t)
	write(t, map[string]string{"cars.csv": "power,weight,price\n" +
		"1,2,8.1\n2,1,6.9\n3,5,21\n4,3,17.2\n5,2,16\n6,8,37.8\n7,1,17.1\n8,3,25\n"})
	for args, want := range map[string][]string{
		"regression --train cars.csv --target price --split 0.75": {"RMSE", "nonzeros of W", "weight (per unit of the feature)",
			">power<", ">weight<", "(smallest error)", "regression of cars.csv"},
		"regression --train cars.csv --target price --gauge group --standardize": {"weight (per standard deviation)", ">power<"},
		"regression --features X.csv --targets y.csv":                            {">a → up<", "nonzeros of W"},
		"multitask --train tasks.csv":                                            {"rank of W"},
	} {
		if _, errs, code := command(t, strings.Fields("path "+args+" --points 5 --quiet --plot p.svg")...); code != 0 {
			t.Fatalf("%s: %d, %q", args, code, errs)
		}
		b, err := os.ReadFile("p.svg")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(string(b), text) {
				t.Errorf("%s: %s is not drawn", args, text)
			}
		}
		if drawn := strings.Contains(string(b), "weight (per"); drawn != strings.HasPrefix(args, "regression") {
			t.Errorf("%s: coefficients are drawn: %v", args, drawn)
		}
	}
}

// A picture of cross-validation is titled so, marks what both rules take by their names, and says which was taken; one of a path
// of cur counts rows and columns.
func TestCVPlot(t *testing.T) {
	rows(t)
	for args, want := range map[string][]string{
		"cv regression --features X.csv --targets y.csv --folds 3 --select 1se": {
			"Cross-validation of λ, 3 folds by row", "1se), chosen"},
		"cv regression --features X.csv --targets y.csv --folds 3 --select min": {"regression of X.csv, y.csv", "min"},
		"path cur --features X.csv": {">rows<", ">columns<", "cur of X.csv"},
	} {
		if _, errs, code := command(t, strings.Fields(args+" --points 5 --quiet --plot p.svg")...); code != 0 {
			t.Fatalf("%s: %d, %q", args, code, errs)
		}
		b, err := os.ReadFile("p.svg")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(string(b), text) {
				t.Errorf("%s: %s is not drawn", args, text)
			}
		}
		if strings.Contains(string(b), "the best") {
			t.Errorf("%s: a choice is called the best", args)
		}
	}
}
