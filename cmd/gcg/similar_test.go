package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// smallModel fits a small model in a folder of its own: the ratings and the model.
func smallModel(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	smallRatings(t)
	_, errs, code := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", "1", "--model", "m.gcg", "--quiet")
	if code != 0 {
		t.Fatal(errs)
	}
}

// Similar items are printed as text, CSV and JSON lines, best first; users likewise.
func TestSimilar(t *testing.T) {
	smallModel(t)
	write(t, map[string]string{"titles.csv": "item,title\n3,Three\n7,\"Seven\x1b[31m\"\n"})
	out, errs, code := command(t, "similar", "--model", "m.gcg", "--item", "3", "--top", "4", "--titles", "titles.csv")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || len(lines) != 5 || lines[0] != "item 3  Three" {
		t.Errorf("exit %d, %s:\n%s", code, errs, out)
	}
	out, errs, code = command(t, "similar", "--model", "m.gcg", "--user", "3", "--top", "4", "--format", "jsonl")
	var answer struct {
		User  string
		Users []struct {
			User       string
			Similarity float64
		}
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.User != "3" || len(answer.Users) != 4 {
		t.Fatalf("exit %d, %s: %v\n%s", code, errs, err, out)
	}
	before := 1.0
	for _, u := range answer.Users {
		if u.Similarity > before+1e-12 || u.User == "3" || u.User == "" {
			t.Errorf("out of order: %+v", answer.Users)
		}
		before = u.Similarity
	}
	out, _, _ = command(t, "similar", "--model", "m.gcg", "--item", "3", "--top", "2", "--format", "csv")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || lines[0] != "item,rank,similar,similarity,title" {
		t.Errorf("as CSV:\n%s", out)
	}
}

func TestSimilarRefuses(t *testing.T) {
	smallModel(t)
	for args, want := range map[string]string{
		"--item 3":                               "gcg similar needs --model",
		"--model m.gcg":                          "one of --item and --user",
		"--model m.gcg --item 3 --user 3":        "one of --item and --user",
		"--model m.gcg --item 3 --top 0":         "--top 0: at least 1",
		"--model m.gcg --item none":              `m.gcg: item "none" is not in the model`,
		"--model m.gcg --item 3 --format x":      `--format "x": there are text, csv, jsonl`,
		"--model m.gcg --user 3 --titles t.csv":  "--titles: names items",
		"--model ratings.csv --item 3":           "ratings.csv",
		"--model m.gcg --item 3 --output m.gcg":  "m.gcg: is read, and would be lost",
		"--model m.gcg --item 3 --titles no.csv": "no.csv: cannot be read",
	} {
		out, errs, code := command(t, append([]string{"similar"}, strings.Fields(args)...)...)
		if code == 0 || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, want %q", args, code, errs, want)
		}
	}
}

// --explain names the rated items that carry a recommendation, of known users and of new ones, in each format.
func TestExplain(t *testing.T) {
	smallModel(t)
	write(t, map[string]string{"new.csv": "user,item,rating\nzoe,3,5\nzoe,7,1\nzoe,12,4\n"})
	for _, who := range [][]string{{"--user", "3", "--seen", "ratings.csv"}, {"--ratings", "new.csv"},
		{"--all", "--seen", "ratings.csv"}} {
		args := append([]string{"recommend", "--model", "m.gcg", "--explain", "--top", "2"}, who...)
		out, errs, code := command(t, append(args, "--format", "jsonl")...)
		var answer struct {
			Items []struct {
				Item    string
				Because []struct {
					Item         string
					Contribution float64
				}
			}
		}
		if err := json.NewDecoder(strings.NewReader(out)).Decode(&answer); err != nil || code != 0 || len(answer.Items) != 2 {
			t.Fatalf("%v: exit %d, %s: %v\n%s", who, code, errs, err, out)
		}
		for _, i := range answer.Items {
			if len(i.Because) == 0 || len(i.Because) > 3 || i.Because[0].Item == i.Item || math.Abs(i.Because[0].Contribution) == 0 {
				t.Errorf("%v: item %s because of %+v", who, i.Item, i.Because)
			}
		}
		if out, _, _ := command(t, args...); strings.Count(out, "because of ") < 2 {
			t.Errorf("%v: as text\n%s", who, out)
		}
		out, _, _ = command(t, append(args, "--format", "csv")...)
		if !strings.HasPrefix(out, "user,rank,item,prediction,title,because\n") {
			t.Errorf("%v: as CSV\n%s", who, out)
		}
	}
	_, errs, code := command(t, "recommend", "--model", "m.gcg", "--user", "3", "--explain")
	if code != 2 || !strings.Contains(errs, "--explain needs the ratings of the users: give them with --seen") {
		t.Errorf("without ratings: exit %d, %s", code, errs)
	}
	write(t, map[string]string{"pairs.csv": "user,item\n3,7\n"})
	_, errs, code = command(t, "recommend", "--model", "m.gcg", "--user", "3", "--explain", "--seen", "pairs.csv")
	if code != 1 || !strings.Contains(errs, "pairs.csv: has no ratings, of which an explanation is made") {
		t.Errorf("with pairs: exit %d, %s", code, errs)
	}
}
