package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// manual reads a file of the documentation from the folder of this package.
func manual(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The README shows what its second command prints: the same lines, their numbers to what --tol lets vary.
func TestReadmeShowsWhatIsPrinted(t *testing.T) {
	text := manual(t, "README.md")
	_, shown, ok := strings.Cut(text, "The second command printed")
	if _, shown, _ = strings.Cut(shown, "\n\n"); !ok || !strings.HasPrefix(shown, "    data ") {
		t.Fatal("the README shows no result")
	}
	shown, _, _ = strings.Cut(shown, "\n\n")
	t.Chdir(t.TempDir())
	out := ""
	for _, args := range strings.Split(text, "$ gcg ")[1:3] {
		var errs string
		var code int
		args, _, _ = strings.Cut(args, "\n")
		if out, errs, code = command(t, strings.Fields(args)...); code != 0 {
			t.Fatalf("gcg %s: exit %d: %s", args, code, errs)
		}
	}
	number := regexp.MustCompile(`\d+(\.\d+)?`)
	stable := func(s string) string { // times, steps and gaps are another machine's
		return gaps.ReplaceAllString(counts.ReplaceAllString(times.ReplaceAllString(s, "TIME s"), "after N iterations"), "gap GAP")
	}
	want, got := strings.Split(strings.ReplaceAll(strings.TrimSpace(shown), "\n    ", "\n"), "\n"), strings.Split(strings.TrimSpace(out), "\n")
	if len(want) != len(got) || len(want) < 8 {
		t.Fatalf("%d lines are shown, and printed is\n%s", len(want), out)
	}
	for i, line := range want {
		a, b := stable(line), stable(got[i])
		x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
		same := strings.Join(strings.Fields(number.ReplaceAllString(a, "#")), " ") == strings.Join(strings.Fields(number.ReplaceAllString(b, "#")), " ")
		key, _, _ := strings.Cut(line, " ")
		slack := 1e-3
		switch key {
		case "data", "lambda", "model":
			slack = 0
		case "rank":
			slack = 0.03
		}
		for k := 0; same && k < len(x); k++ {
			v, _ := strconv.ParseFloat(x[k], 64)
			w, _ := strconv.ParseFloat(y[k], 64)
			if key == "objective" && k == 0 { // which is of second order in what its parts are off
				same = math.Abs(v-w) <= 1e-4*v
			} else {
				same = math.Abs(v-w) <= slack*v
			}
		}
		if !same {
			t.Errorf("the README shows %q, printed is %q", line, got[i])
		}
	}
}

// The first table of the results has what the commands above it find.
func TestTableOfResults(t *testing.T) {
	text := manual(t, filepath.Join("docs", "results.md"))
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
