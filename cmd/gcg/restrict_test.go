package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Lists have only the items that they may have; a user that is unknown is found before anything is written; one pair is predicted
// without a file.
func TestRestrictedLists(t *testing.T) {
	fewRatings(t)
	fitJSON(t, strings.Fields("--train few.csv --center global --lambda 1 --model m")...)
	write(t, map[string]string{"some": "item\ni1\ni2\ni3\n", "others": "i2\n", "strange": "x\n",
		"mine.csv": "user,item,rating\nann,i1,5\n",
		"users":    "user\nu1\nu2\n", "unknown": "u1\nghost\n"})
	for _, c := range []struct {
		args string
		code int
		want string // of standard output, or of errors
	}{
		{"recommend --model m --user u1 --only-items some --without-items others --format csv", 0, "i1 i3"},
		{"recommend --model m --users users --only-items others --format csv", 0, "i2 i2"},
		{"recommend --model m --all --top 1 --only-items others --format csv", 0, strings.Repeat("i2 ", strings.Count(users(t), "\n"))},
		{"recommend --model m --ratings mine.csv --only-items some --format csv", 0, "i2 i3"},
		{"recommend --model m --user u1 --only-items others --without-items others", 1, "others: no item of the model is left"},
		{"recommend --model m --user u1 --only-items strange", 1, "strange: no item of the model is left"},
		{"recommend --model m --users unknown --output out", 1, `unknown:2: user "ghost" is not in the model; `},
		{"predict --model m --user u1 --item i2", 0, "i2"},
		{"predict --model m --user u1", 2, "--user: goes with --item"},
		{"predict --model m --user u1 --item i2 --data few.csv", 2, "--data: --user and --item are one pair"},
	} {
		out, errs, code := command(t, strings.Fields(c.args)...)
		if code != c.code || code != 0 && (out != "" || !strings.Contains(errs, c.want)) {
			t.Errorf("%s: exit %d, %q, %q", c.args, code, out, errs)
		}
		if code == 0 {
			if got := itemsOf(out); got != c.want && !sameWords(got, c.want) {
				t.Errorf("%s: items %s, not %s\n%s", c.args, got, c.want, out)
			}
		}
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("something was written before all was read")
	}
}

// users are the lines of the users of few.csv.
func users(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("few.csv")
	if err != nil {
		t.Fatal(err)
	}
	seen, all := map[string]bool{}, ""
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
		if user, _, _ := strings.Cut(line, ","); !seen[user] {
			seen[user], all = true, all+user+"\n"
		}
	}
	return all
}

// itemsOf are the items of CSV, in its order: of lists the third column, of predictions the second.
func itemsOf(csv string) string {
	var items []string
	lines := strings.Split(strings.TrimSpace(csv), "\n")
	at := 1
	if strings.HasPrefix(lines[0], "user,rank,") {
		at = 2
	}
	for _, line := range lines[1:] {
		items = append(items, strings.Split(line, ",")[at])
	}
	return strings.Join(items, " ")
}

// sameWords says that two texts have the same words, in any order.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(a) {
		count[w]++
	}
	for _, w := range strings.Fields(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// Where most of the test is unknown the result says so, and what leads to standard output besides the result is refused.
func TestUnknownTestAndStandardOutput(t *testing.T) {
	fewRatings(t)
	write(t, map[string]string{"test.csv": "user,item,rating\nu1,i1,3\nx,i1,2\ny,z,4\n"})
	_, errs, code := command(t,
		strings.Fields("fit completion --train few.csv --test test.csv --lambda 1 --model /dev/stdout")...)
	if _, err := os.Stat("/dev/stdout"); err == nil && (code != 2 || !strings.Contains(errs, "/dev/stdout: is standard output")) {
		if stdoutIsKept() {
			t.Errorf("exit %d, %q", code, errs)
		}
	}
	r := fitJSON(t, strings.Fields("--train few.csv --test test.csv --lambda 1")...)
	if w := fmt.Sprint(r["warnings"]); !strings.Contains(w, "2 of 3 test ratings are of users or items") {
		t.Errorf("%v", w)
	}
}

// stdoutIsKept says that standard output is not the null device.
func stdoutIsKept() bool {
	out, err := os.Stdout.Stat()
	null, other := os.Stat(os.DevNull)
	return err == nil && other == nil && !os.SameFile(out, null)
}
