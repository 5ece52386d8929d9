package main

import (
	"strings"
	"testing"
)

// Without a test user lists are not measured, and lists of W = 0 are not certified: both are said.
func TestNothingToRank(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"train.csv": "user,item,rating\na,x,3\nb,y,4\na,y,2\nb,x,5\n",
		"test.csv": "user,item,rating\nzz,x,3\n"})
	for args, want := range map[string]string{
		"fit completion --train train.csv --test test.csv --lambda 0.5 --ranking 5 --quiet": "ranking      not measured: no user",
		"fit completion --train train.csv --implicit 1 --lambda 1e4 --quiet --model m":      "rank         0",
	} {
		if out, errs, code := command(t, strings.Fields(args)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d %s%s", args, code, out, errs)
		}
	}
	if _, errs, code := command(t, strings.Fields("recommend --model m --user a --certified")...); code != 1 ||
		!strings.HasPrefix(errs, "gcg: m: --certified has nothing to certify: W is 0") {
		t.Errorf("%d %s", code, errs)
	}
}
