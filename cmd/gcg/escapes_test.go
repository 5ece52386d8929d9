package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Controls of a terminal that stand in ids, titles, headers and names of files are escaped in text, warnings and errors; CSV and
// JSON have the exact ids.
func TestTerminalEscapes(t *testing.T) {
	t.Chdir(t.TempDir())
	const evil = "\x1b]0owned\a\u009b2J"
	var ratings, titles, table, targets strings.Builder
	fmt.Fprintf(&table, "one%s,two%[1]s\n", evil)
	for i := range 30 {
		fmt.Fprintf(&table, "%d,%d\n", i%7, i%5)
		fmt.Fprintf(&targets, "%d\n", i%7+2*(i%5))
		for j := range 8 {
			if (i+j)%3 > 0 {
				fmt.Fprintf(&ratings, "u%d%s,i%d%[2]s,%d\n", i, evil, j, 1+(i*j+i+j)%5)
			}
			fmt.Fprintf(&titles, "i%d%s,Title%[2]s %[1]d\n", j, evil)
		}
	}
	train, features := "r"+evil+".csv", "f"+evil+".csv"
	for name, text := range map[string]string{train: ratings.String(), "t.csv": titles.String(), features: table.String(),
		"y.csv":      targets.String(),
		"bad" + evil: "1,2,x\n1,2\n", "pairs.csv": "u0" + evil + ",i0" + evil + "\nnobody" + evil + ",i1" + evil + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said := 0
	for k, args := range [][]string{
		{"fit", "completion", "--train", train, "--lambda", "1", "--model", "m"},
		{"fit", "regression", "--features", features, "--targets", "y.csv", "--lambda", "0.01", "--model", "w"},
		{"fit", "spca", "--features", features, "--lambda", "0.1", "--model", "s"},
		{"path", "completion", "--train", train, "--points", "2"},
		{"show", "--model", "m"}, {"show", "--model", "w"}, {"show", "--model", "s"},
		{"recommend", "--model", "m", "--user", "u1" + evil, "--titles", "t.csv"},
		{"recommend", "--model", "m", "--user", "u1" + evil, "--titles", "t.csv", "--seen", train, "--explain"},
		{"similar", "--model", "m", "--item", "i1" + evil, "--titles", "t.csv"},
		{"similar", "--model", "m", "--item", "nothing" + evil},
		{"predict", "--model", "m", "--data", "pairs.csv", "--output", "p.csv"},
		{"recommend", "--model", "m", "--user", "nobody" + evil},
		{"fit", "completion", "--train", "bad" + evil}, {"fit", "completion", "--train", "none" + evil}, {"fit" + evil},
		{"fit", "completion", "--" + evil},
	} {
		out, errs, code := command(t, args...)
		if k < 9 && code != 0 {
			t.Errorf("%q: %d %q", args, code, errs)
		}
		if strings.ContainsAny(out+errs, "\x1b\a\u009b") {
			t.Errorf("%q: %q %q", args, out, errs)
		}
		said += strings.Count(out+errs, `\x1b]0owned`)
	}
	if said < 40 {
		t.Errorf("%d escaped names", said)
	}
	for _, args := range []string{"recommend --model m --all --format csv", "predict --model m --data pairs.csv --quiet",
		"show --model w --weights"} {
		if out, errs, code := command(t, strings.Fields(args)...); code != 0 || !strings.Contains(out, evil) {
			t.Errorf("%s: %d %q %q", args, code, out, errs)
		}
	}
	if !strings.Contains(read(t, "p.csv"), evil) {
		t.Errorf("%q", read(t, "p.csv"))
	}
	out, _, _ := command(t, "recommend", "--model", "m", "--user", "u1"+evil, "--format", "jsonl")
	if !strings.Contains(out, `\u001b]0owned\u0007`) || !strings.Contains(out, "\u009b") {
		t.Errorf("%q", out)
	}
}
