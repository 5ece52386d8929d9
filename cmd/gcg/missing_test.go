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
	_, errs := run(0, fit+"mean --test t.csv")
	out, _ = run(0, fit+"mean --test t.csv --json")
	shown, _ := run(0, "show --model m")
	card, _ := run(0, "show --model m --json")
	worth, _ := run(0, "predict --model m --data t.csv --output p.csv --json")
	_, predicted := run(0, "predict --model m --data t.csv --output p.csv")
	for text, want := range map[string]string{errs: "t.csv: 5 of 120 features are missing: filled by",
		predicted: "5 of 120 features are",
		out:       `"filled":{"training":5,"test":5}`, shown: "missing      features that", card: `"fill":[`,
		worth: `"filled":5`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s, want %s", text, want)
		}
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

// Rows to predict may have some of several answers, which are no features then; what is odd is said in columns.
func TestSomeOfTheAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"times.csv": "t,e,a\n3,1,2\n2,1,1\n1,0,1\n", "plain.csv": "3,1,2\n2,1,1\n1,0,1\n",
		"a.csv": "a\n2\n1\n1\n",
		"t.csv": "t,a\n3,2\n2,1\n1,1\n", "e.csv": "a,e\n2,1\n1,1\n1,0\n",
		"odd.csv": "a,b\n2,1\n1,1\n1,0\n",
		"two.csv": "3,2\n2,1\n1,1\n"})
	for _, args := range []string{"times.csv --target t,e --model m", "plain.csv --target 1,2 --model plain"} {
		if _, errs, code := command(t, strings.Fields("fit regression --loss cox --lambda 0.1 --train "+args)...); code != 0 {
			t.Fatalf("%s: %s", args, errs)
		}
	}
	want, _, _ := command(t, "predict", "--model", "m", "--data", "a.csv")
	for file, lacks := range map[string]string{
		"t.csv": "has no column e of the answers", "e.csv": "has no column t of the answers"} {
		out, errs, code := command(t, "predict", "--model", "m", "--data", file)
		if code != 0 || out != want || !strings.Contains(errs, lacks) {
			t.Errorf("%s: exit %d, %s, want %s and %q", file, code, out+errs, want, lacks)
		}
	}
	for args, want := range map[string]string{"m --data odd.csv": "has a feature \"b\" that training has not",
		"plain --data two.csv": "has 2 columns; the model has 1 feature, and was fitted to the columns 1,2 as answers"} {
		if _, errs, code := command(t, strings.Fields("predict --model "+args)...); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s, want %q", args, code, errs, want)
		}
	}
}

// A last field that is empty in a later row is missing, and the flag that fills it is named.
func TestLastFieldMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"x.csv": "1,2\n2,\n0,1\n", "first.csv": "1,\n2,3\n0,1\n", "ends.csv": "1,2,\n2,4,\n0,1,\n",
		"y.csv": "1\n2\n0\n"})
	for file, flag := range map[string]bool{"x.csv": true, "first.csv": true, "ends.csv": false} {
		args := []string{"fit", "regression", "--lambda", "1", "--targets", "y.csv", "--features", file}
		_, alone, code := command(t, args...)
		_, together, codes := onRanks(t, t.Context(), 2, args...)
		for _, errs := range append(together, alone) {
			if code != 1 || codes[0] != 1 || strings.Contains(errs, "--missing mean") != flag ||
				strings.Contains(errs, "the delimiter that ends") == flag {
				t.Errorf("%s: exit %d, %s", file, code, errs)
			}
		}
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
