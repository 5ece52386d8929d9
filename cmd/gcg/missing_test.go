package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Features with gaps are refused by a line that names the flag, and filled with it, in predict by the means of the model; decimal
// commas are the same numbers. Rows to predict may lack the answers, and categories.
func TestMissingFeaturesFilled(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "age,city,income,y\n"
	for i := range 30 {
		age := fmt.Sprint(float64(i%7) + 0.5)
		if i%6 == 0 {
			age = []string{"", "NA", "nan"}[i%3]
		}
		table += fmt.Sprintf("%s,%s,%d.25,%d\n", age, []string{"Bonn", "Rome"}[i%2], i%4, 2*(i%7)+i%2)
	}
	for name, text := range map[string]string{"t.csv": table, "few.csv": "age,city,income,y\n,Rome,1,\n",
		"german.csv": strings.ReplaceAll(strings.ReplaceAll(table, ",", ";"), ".", ",")} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, args string) (out, errs string) {
		out, errs, code := command(t, strings.Fields(args)...)
		if code != want {
			t.Fatalf("%s: exit %d, %s", args, code, errs)
		}
		return out, errs
	}
	const fit = "fit regression --target y --intercept --lambda 1 --train t.csv --missing "
	if _, errs := run(1, fit+"error"); !strings.Contains(errs, `5 in column "age"`) || !strings.Contains(errs, "--missing mean") {
		t.Errorf("refused by %s", errs)
	}
	if _, errs := run(0, fit+"mean --model m"); !strings.Contains(errs, `5 of 120 features are missing, in 1 of 4 columns ("age")`) {
		t.Errorf("filled without a word: %s", errs)
	}
	out, _ := run(0, "predict --model m --data t.csv")
	german, _ := run(0, "predict --model m --data german.csv --decimal ,")
	if few, _ := run(0, "predict --model m --data few.csv"); len(strings.Fields(out)) != 31 || german != out ||
		len(strings.Fields(few)) != 2 {
		t.Errorf("predictions %s, of decimal commas %s, of a row without an answer %s", out, german, few)
	}
	a, _ := run(0, fit+"mean")
	b, _ := run(0, strings.Replace(fit, "t.csv", "german.csv --decimal ,", 1)+"mean")
	if objectiveLine(a) != objectiveLine(b) {
		t.Errorf("with decimal commas %s, without %s", b, a)
	}
}

// Several targets of a loss of two labels are numbers, which may be missing, in predict too; test rows need no event.
func TestSeveralTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"two.csv": "y,z,a\n1,0,2\n0,NA,3\n0,1,1\n,1,-1\n1,0,2\n",
		"times.csv": "t,e,a\n3,1,2\n2,1,1\n1,0,1\n", "unseen.csv": "t,e,a\n3,0,2\n"})
	for args, want := range map[string]string{
		"fit regression --train two.csv --target y,z --loss logistic --lambda 0.1 --model m":      "2 of 10 values are missing",
		"fit regression --train times.csv --target t,e --loss cox --lambda 0.1 --test unseen.csv": "no event was seen there",
	} {
		if out, errs, _ := command(t, strings.Fields(args)...); !strings.Contains(out+errs, want) {
			t.Errorf("%s: %s%s, want %q", args, out, errs, want)
		}
	}
	predict := strings.Fields("predict --model m --data two.csv --target y,z")
	if _, errs, _ := command(t, predict...); !strings.Contains(errs, "8 observations") {
		t.Errorf("measured %s", errs)
	}
}

// objectiveLine is that of the objective.
func objectiveLine(out string) string {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "objective") {
			return line
		}
	}
	return ""
}
