package main

import (
	"strings"
	"testing"
)

// What is left out of the list of a new user is left out whether the ratings that teach of the user name it or --seen does, and
// what the model does not know is counted.
func TestNewUsersSeenItemsAreLeftOut(t *testing.T) {
	fewRatings(t)
	fitJSON(t, strings.Fields("--train few.csv --center global --lambda 1 --model m")...)
	write(t, map[string]string{"mine.csv": "user,item,rating\nann,i1,5\nann,i2,1\nann,nothing,3\nbob,i3,4\n",
		"seen.csv": "user,item\nann,i7\nann,i30\nbob,i1\n", "others.csv": "user,item\nu1,i7\n"})
	recommended := func(more string) (users map[string]string, errs string) {
		out, errs, code := command(t, strings.Fields("recommend --model m --ratings mine.csv --format jsonl "+more)...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != 0 || len(lines) != 2 || !strings.Contains(lines[0], "ann") {
			t.Fatalf("%s: exit %d, %s%s", more, code, out, errs)
		}
		return map[string]string{"ann": lines[0], "bob": lines[1]}, errs
	}
	count := func(list string) int { return strings.Count(list, `"item":`) }
	all, errs := recommended("--top 1000")
	if want := "mine.csv: 1 of 4 ratings are of items that the model does not know"; !strings.Contains(errs, want) {
		t.Errorf("%q, not %q", errs, want)
	}
	less, _ := recommended("--top 1000 --seen seen.csv")
	if count(all["ann"])-count(less["ann"]) != 2 || count(all["bob"])-count(less["bob"]) != 1 ||
		strings.Contains(less["ann"], `"i7"`) {
		t.Errorf("--seen leaves %d of %d items for ann, %d of %d for bob", count(less["ann"]), count(all["ann"]), count(less["bob"]),
			count(all["bob"]))
	}
	if short, _ := recommended("--top 3 --seen seen.csv"); count(short["ann"]) != 3 {
		t.Errorf("--top 3 gives %s", short["ann"])
	}
	if _, errs := recommended("--seen others.csv"); !strings.Contains(errs,
		"others.csv: has no user of mine.csv with an item of the model") {
		t.Errorf("nobody of --seen is new: %q", errs)
	}
}
