package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// A selection writes what is asked for, names λ_max where W = 0, and refuses what it cannot do in one line.
func TestCur(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"D.csv": "a,b,c\n1,2,0\n0,1,5\n3,1,1\n4,0,2\n", "nan.csv": "1,2\n3,nan\n", "zero.csv": "0,0\n0,0\n",
		"flat.csv": "1,1\n1,3\n"})
	out, errs, code := command(t, strings.Fields("fit cur --features D.csv --rows 1 --columns 2 --tol 1e-6 --output x "+
		"--picture x.svg --json")...)
	if code != 0 {
		t.Fatal(errs)
	}
	var r struct {
		Status            string
		Gradients, Polars int
		Selection         struct {
			Rows, Columns []struct{ Name string }
			Taken         [2]int
			Others        []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Status != "converged" || r.Gradients == 0 || r.Polars == 0 || len(r.Selection.Rows) < 1 || len(r.Selection.Columns) < 2 ||
		r.Selection.Taken != [2]int{1, 2} || len(r.Selection.Others) != 4 {
		t.Errorf("%s", out)
	}
	for _, name := range []string{"x.C.csv", "x.U.csv", "x.R.csv", "x.ranking.csv", "x.svg"} {
		if b, err := os.ReadFile(name); err != nil || len(b) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"--features D.csv --lambda 1e6", "W = 0, as for every λ from ", 0},
		{"--features flat.csv", "1 row is constant (1 first)", 0},
		{"--features nan.csv", "nan.csv:2: ", 1},
		{"--features zero.csv", "zero.csv: all numbers are 0", 1},
		{"--features D.csv --rows 1 --columns 2 --by greedy", "columns      2: c, a", 0},
		{"--features D.csv --rows 1 --columns 2 --by qr", "selected     by qr", 0},
		{"--features D.csv --rows 1 --columns 2 --by best", "convex, greedy, qr", 2},
		{"--features D.csv --rows 9", "9 rows and 0 columns are asked for, and it has 4 and 3", 1},
		{"--features D.csv --rows 4 --columns 3 --max-iter 1 --lambda 1e6", "4 rows and 3 columns are asked for, and W has", 0},
		{"--features D.csv --max-time 1ns", "--max-time was over while the data were read and prepared", 1},
		{"--features D.csv --solver apg --tol 1e-4", "converged", 0},
		{"--features D.csv --solver apg --step open-loop", "--step: goes with --solver gcg", 2},
		{"--features D.csv --improve local", "--improve: goes with --solver gcg", 2},
		{"", "needs --features D", 2},
		{"--features D.csv --loss huber:1", "--loss", 2},
		{"--features D.csv --solver sliding-refined --as-printed --inner-steps 1", "at least 2", 2},
		{"--features D.csv --inner-steps 3", "goes with --solver sliding", 2},
	} {
		out, errs, code := command(t, append([]string{"fit", "cur"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%s: exit %d, %s%s", c.args, code, out, errs)
		}
	}
}
