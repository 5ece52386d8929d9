package main

import (
	"strings"
	"testing"
)

// What is wrong with a row is said with the line of its file, below headers, comments and empty lines; of arrays and Matrix
// Market with the row.
func TestRowsByLines(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X.csv": "a,b\n1,2\n# more\n3,1e200\n4,1\n", "good.csv": "a,b\n1,2\n3,1\n4,1\n",
		"three.csv": "y\n1\n0\n1\n", "two.csv": "y\n1\n2\n3\n",
		"all.csv": "a,y,b\n1,2,3\n2,3,4\n\n1,1e101,2\n", "s.libsvm": "# of us\n1 1:1\n\n0 1:2\n1 1:1e150\n", "w.libsvm": "1 1:1\n\nx 1:2\n",
		"A.csv": "a,y\n1,2\n2,3\n", "B.csv": "a,y\n1,2\n# end\n1e120,3\n", "tasks.csv": "task,a,y\nA,1,2\n\nB,2e120,3\n",
		"m.mtx": "%%MatrixMarket matrix array real general\n3 1\n1\n1e150\n2\n"})
	for args, want := range map[string]string{
		"regression --features X.csv --targets three.csv":                  `X.csv:4: feature "b" is 1e+200;`,
		"regression --features good.csv --targets two.csv --loss logistic": "two.csv:4: the label 3 is a third one;",
		"regression --train all.csv --target y":                            "all.csv:5: the target is 1e+101;",
		"classification --train s.libsvm":                                  "s.libsvm:5: feature 1 is 1e+150;",
		"regression --train w.libsvm":                                      `w.libsvm:3: the target "x" is not`,
		"multitask --train A.csv --train B.csv":                            `B.csv:4: feature "a" is 1e+120;`,
		"multitask --train tasks.csv":                                      `tasks.csv:4: feature "a" is 2e+120;`,
		"regression --features m.mtx --targets three.csv":                  "m.mtx: row 2: feature 1 is 1e+150;",
	} {
		out, errs, code := command(t, append([]string{"fit"}, strings.Fields(args+" --lambda 0.1 --quiet")...)...)
		if code != 1 || out != "" || !strings.HasPrefix(errs, "gcg: "+want) {
			t.Errorf("%s: exit %d, %q", args, code, errs)
		}
	}
}
