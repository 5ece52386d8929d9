package main

import (
	"strings"
	"testing"
)

// A checkpoint holds a lower bound, which is one of its own problem alone: what the flags name the same way may have been read
// another way.
func TestResumeOfTheSameProblemOnly(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{
		"r.csv": "user,item,rating,stars\na,x,1,5\na,y,2,5\nb,x,3,4\nb,z,1,4\nc,y,2,5\nc,z,1,3\n",
		"X.csv": "1,0,2\n0,1,1\n3,1,0\n1,2,1\n2,0,1\n", "y.csv": "1\n2\n3\n1\n2\n",
		"groups": "a\nb\na\n", "weights": "1\n2\n3\n",
	})
	for _, c := range []struct{ first, then, file, text, want string }{
		{"completion --train r.csv --columns user,item,stars --lambda 1",
			"completion --train r.csv --columns user,item,rating --lambda 1", "", "", "columns"},
		{"completion --train r.csv --columns user,item,stars --lambda 1", "completion --train r.csv --lambda 1", "", "", "columns"},
		{"regression --features X.csv --targets y.csv --gauge group:groups --lambda 1", "", "groups", "a\na\na\n", "of_gauge"},
		{"regression --features X.csv --targets y.csv --gauge group:groups --lambda 1", "", "groups", "2: a\nb\na\n", "of_gauge"},
		{"regression --features X.csv --targets y.csv --gauge group:groups --lambda 1",
			"regression --features X.csv --targets y.csv --gauge group:groups,by-size --lambda 1", "", "", "by-size"},
		{"regression --features X.csv --targets y.csv --gauge l1:weights --lambda 1", "", "weights", "1\n1\n1\n", "of_gauge"},
	} {
		fit := strings.Fields("fit " + c.first + " --quiet --checkpoint c")
		if _, errs, code := command(t, fit...); code != 0 {
			t.Fatalf("%s: exit %d, %s", c.first, code, errs)
		}
		if _, errs, code := command(t, strings.Fields("fit "+c.first+" --quiet --resume c")...); code != 0 {
			t.Errorf("%s, resumed: exit %d, %s", c.first, code, errs)
		}
		if c.file != "" {
			write(t, map[string]string{c.file: c.text})
			c.then = c.first
		}
		_, errs, code := command(t, strings.Fields("fit "+c.then+" --quiet --resume c")...)
		if code != 1 || !strings.HasPrefix(errs, "gcg: c: belongs to another problem") || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, %s", c.then, code, errs)
		}
	}
}
