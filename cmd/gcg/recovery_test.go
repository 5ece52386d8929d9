package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Each mistake is one line that names the file or flag, the place, and the mend.
func TestRecoveryRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"entries.csv": sparseEntries(), "edges.txt": twoCircles(), "out.csv": "1,1,0.5\n1,99,0.2\n",
		"twice.csv": "1,1,0.5\n1,1,0.2\n", "again.txt": "a b\nb c\na b\n", "reversed.txt": "a b\nb a\n", "lonely.txt": "a\nb c\n",
		"loops.txt": "a a\nb b\n", "strangers.txt": "who what\n"})
	const known = "--train entries.csv --shape 50,50 --l1 1e-5 --lambda 4e-5 "
	for args, want := range map[string]string{
		"--train entries.csv --shape 50,40 --l1 1e-5 --lambda 1 --gauge psd": "2 --shape 50,40: matrices of --gauge psd are square",
		known + "--gauge max":                                            `2 --gauge "max"`,
		"--train entries.csv --shape 50,50 --l1 -1":                      "2 --l1 -1: a finite number, not negative",
		"--train entries.csv --shape 50,50 --l1 1 --constrain -1":        "2 --constrain -1",
		"--train entries.csv --shape 50,50 --l1 1 --constrain 1 --top 3": "2 --top: goes with --graph",
		"--train out.csv --shape 40,40 --l1 1e-4 --lambda 1e-3":          `1 out.csv:2: column "99" is outside`,
		"--train twice.csv --shape 40,40 --l1 1e-4 --lambda 1e-3":        "1 twice.csv:2: ",
		"--train no.csv --shape 40,40 --l1 1e-4 --lambda 1e-3":           "1 no.csv: cannot be read",
		"--graph again.txt":                      `1 again.txt:3: the edge from "a" to "b" stands twice`,
		"--graph lonely.txt":                     "1 lonely.txt:1: has 1 field; a line has two ids",
		"--graph loops.txt":                      "1 loops.txt: has loops alone",
		"--graph edges.txt --test strangers.txt": "1 strangers.txt: none of its links is of nodes",
		"--graph edges.txt --shape 3,3":          "2 --shape: not with --graph",
		"--graph edges.txt --links edges.txt":    "2 edges.txt: is read, and would be lost",
	} {
		_, errs, code := command(t, append(strings.Fields("fit recovery --quiet"), strings.Fields(args)...)...)
		if got := fmt.Sprintf("%d %s", code, strings.TrimPrefix(errs, "gcg: ")); !strings.HasPrefix(got, want) ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s\n\t%s\nwant\t%s", args, got, want)
		}
	}
}

// The missing links of a graph are ranked with the ids of its file.
func TestLinksKeepIDs(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"edges.txt": twoCircles()})
	const fit = "fit recovery --graph edges.txt --lambda 0.01 --top 5 --links links.csv --quiet"
	if _, errs, code := command(t, strings.Fields(fit)...); code != 0 {
		t.Fatal(errs)
	}
	ids := map[string]bool{}
	for _, id := range strings.Fields(twoCircles()) {
		ids[id] = true
	}
	b, err := os.ReadFile("links.csv")
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if err != nil || len(lines) < 3 {
		t.Fatalf("%q, %v", b, err)
	}
	for _, line := range lines[1:] {
		if f := strings.Split(line, ","); len(f) != 3 || !ids[f[0]] || !ids[f[1]] || f[0] == f[1] {
			t.Errorf("link %q", line)
		}
	}
}
