package main

import (
	"strconv"
	"strings"
	"testing"
)

// The first table of the results has what the commands above it find.
func TestTableOfResults(t *testing.T) {
	text := manual(t, "docs/results.md")
	t.Chdir(t.TempDir())
	_, table, _ := strings.Cut(text, "| problem | λ | F |")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string][]string{} // of z, by λ
	problem := ""
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if strings.HasPrefix(line, "| |") {
			cells = append([]string{""}, cells...)
		}
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		if cells[0] != "" {
			problem = cells[0]
		}
		if strings.HasPrefix(problem, "`z`") {
			rows[cells[1]] = cells
		}
	}
	compared := 0
	for _, args := range strings.Split(text, "$ gcg ")[1:] {
		args, _, _ = strings.Cut(args, "\n")
		if strings.HasPrefix(args, "data generate classes-100 ") {
			if _, errs, code := command(t, strings.Fields(args)...); code != 0 {
				t.Fatal(errs)
			}
		}
		_, lambda, ok := strings.Cut(args, "--train z.libsvm --test zt.libsvm --lambda ")
		if lambda, _, _ = strings.Cut(lambda, " "); !ok {
			continue
		}
		row := rows[lambda]
		if len(row) != 8 {
			t.Fatalf("λ = %s: the table has %q", lambda, row)
		}
		cell := func(k int) float64 {
			x, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		compared++
		r := gcgJSON2(t, args)
		test := r["test"].(map[string]any)
		near(t, "F at λ = "+lambda, r["objective"], cell(2), 1e-4*cell(2))
		near(t, "the rank at λ = "+lambda, r["rank"], cell(4), 2)
		near(t, "the accuracy at λ = "+lambda, test["accuracy"], cell(5), 0.005)
		near(t, "the log loss at λ = "+lambda, test["log_loss"], cell(6), 0.005)
	}
	if compared != 2 {
		t.Errorf("%d rows of the table were compared", compared)
	}
}
