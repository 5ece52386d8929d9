package main

import (
	"fmt"
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
		"path cur --features X.csv": {">rows<", ">columns<", "rows and columns (count)", "cur of X.csv"},
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

// Pictures say at which λ they are, and a path of more weights than can be told apart says that it draws the largest.
func TestPicturesSayWhatTheyAre(t *testing.T) {
	rows(t)
	var x, y strings.Builder
	for i := range 12 {
		fmt.Fprintln(&x, strings.TrimSuffix(strings.Repeat("0,", i)+"1,"+strings.Repeat("0,", 11-i), ","))
		fmt.Fprintln(&y, 12+i)
	}
	write(t, map[string]string{"D.csv": x.String(), "d.csv": y.String()})
	for args, want := range map[string]string{
		"path regression --features D.csv --targets d.csv --plot":              "; the 10 largest weights of up to 12",
		"fit spca --features X.csv --lambda 0.01 --picture":                    "of the variance; λ = 0.01",
		"fit multiview --view X.csv --view X.csv --lambda 0.01 --picture":      "of X.csv; λ = 0.01",
		"fit cur --features D.csv --rows 1 --columns 1 --lambda 0.1 --picture": "; λ = 0.1",
	} {
		if _, errs, code := command(t, strings.Fields(args+" p.svg --quiet")...); code != 0 {
			t.Fatalf("%s: %d, %q", args, code, errs)
		}
		if b, err := os.ReadFile("p.svg"); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q is not drawn, %v", args, want, err)
		}
	}
}
