package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// described writes generated ratings, of which those of every tenth item are in cold.csv, with features of users and items.
func described(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	if _, errs, code := command(t, "data", "generate", "--rows", "120", "--cols", "80", "--ratings", "2400", "--output",
		"ratings.csv",
		"--user-features", "users.csv", "--item-features", "items.csv"); code != 0 {
		t.Fatal(errs)
	}
	train, cold := []string{"user,item,rating"}, []string{"user,item,rating"}
	for _, line := range strings.Split(strings.TrimSpace(contents(t, "ratings.csv")), "\n")[1:] {
		if strings.HasSuffix(strings.Split(line, ",")[1], "0") {
			cold = append(cold, line)
		} else {
			train = append(train, line)
		}
	}
	write(t, map[string]string{"train.csv": strings.Join(train, "\n") + "\n", "cold.csv": strings.Join(cold, "\n") + "\n"})
}

func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sideAnswer is what fit --json says with features.
type sideAnswer struct {
	Status     string
	Rows, Cols int
	Test       struct {
		RMSE    float64
		Unknown int
		Cold    struct {
			RMSE         float64
			Observations int
			Biases       float64 `json:"biases_rmse"`
		}
	}
	Features struct {
		Users, Items struct{ Rows, Features, Without int }
		Weight       float64
	}
	Candidates []struct {
		FeatureWeight float64 `json:"feature_weight"`
	}
}

// fitSide fits with both files of features.
func fitSide(t *testing.T, more ...string) (a sideAnswer) {
	t.Helper()
	out, errs, code := command(t, append([]string{"fit", "completion", "--train", "train.csv", "--user-features", "users.csv",
		"--item-features", "items.csv", "--json", "--quiet"}, more...)...)
	if err := json.Unmarshal([]byte(out), &a); code != 0 || err != nil {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	return a
}

// Items without ratings are predicted by their features, better than by what the ratings alone say of them, and the answer says
// how good that is.
func TestFitsWithFeatures(t *testing.T) {
	described(t)
	a := fitSide(t, "--test", "cold.csv", "--model", "m")
	cold := strings.Count(contents(t, "cold.csv"), "\n") - 1
	if a.Status != "converged" || a.Rows != 120 || a.Cols != 80 || a.Test.Unknown != 0 || a.Test.Cold.Observations != cold ||
		a.Test.Cold.RMSE != a.Test.RMSE || a.Test.Cold.RMSE >= a.Test.Cold.Biases {
		t.Errorf("%+v, of %d", a, cold)
	}
	f := a.Features
	if f.Users.Rows != 120 || f.Users.Features != 6 || f.Items.Rows != 80 || f.Items.Without != 0 || f.Weight == 0 ||
		len(a.Candidates) < 3 || a.Candidates[0].FeatureWeight != 0.25 {
		t.Errorf("%+v", a)
	}
	out, _, _ := command(t, "show", "--model", "m")
	if !strings.Contains(out, "features     of items: year, genre=genre1, ") {
		t.Errorf("%s", out)
	}
}

// So are labels of such items.
func TestFitsLabelsWithFeatures(t *testing.T) {
	described(t)
	for _, name := range []string{"train.csv", "cold.csv"} {
		text := contents(t, name)
		for line := range strings.SplitSeq(text, "\n") {
			if at := strings.LastIndex(line, ","); at > 0 && line[at+1] >= '1' && line[at+1] <= '5' {
				label := "no"
				if line[at+1] > '3' {
					label = "yes"
				}
				text = strings.Replace(text, line+"\n", line[:at+1]+label+"\n", 1)
			}
		}
		write(t, map[string]string{name: text})
	}
	out, errs, code := command(t, strings.Fields("fit completion --train train.csv --test cold.csv --item-features items.csv "+
		"--user-features users.csv --loss logistic --lambda 5 --quiet")...)
	if code != 0 || !strings.Contains(out, "\ncold         accuracy 0.") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// New users and items have predictions and lists by features alone; a user of whom nothing is known has none.
func TestScoresByFeatures(t *testing.T) {
	described(t)
	fitSide(t, "--lambda", "40", "--center", "global", "--model", "m")
	write(t, map[string]string{"nu.csv": "user,occupation,age\nann,occupation2,33\nbob,unheard,60\n",
		"ni.csv": "item,year,genre\nnovel,1999,genre1|genre3\n", "pairs.csv": "user,item\nann,novel\nann,7\n3,novel\nzoe,novel\n",
		"mine.csv": "user,item,rating\nann,7,5\nann,9,1\n"})
	both := []string{"--user-features", "nu.csv", "--item-features", "ni.csv"}
	out, errs, code := command(t, append([]string{"predict", "--model", "m", "--data", "pairs.csv"}, both...)...)
	if code != 0 || strings.Count(out, "\n") != 5 || !strings.HasPrefix(errs,
		"1 of 4 predictions are for unknown users or items: what") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for _, args := range [][]string{{"--user", "ann"}, {"--user", "bob"}, {"--ratings", "mine.csv"}} {
		out, errs, code := command(t, append(append([]string{"recommend", "--model", "m", "--top", "81"}, args...), both...)...)
		if code != 0 || !strings.Contains(out, " novel\n") {
			t.Errorf("%v: exit %d\n%s%s", args, code, out, errs)
		}
	}
	if _, errs, code := command(t, "recommend", "--model", "m", "--user", "zoe"); code != 1 || !strings.Contains(errs,
		"--user-features FILE") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// A model with features is at its own optimum for update, which asks for the files; a run goes on from a checkpoint with the
// weight of features that was chosen.
func TestUpdatesWithFeatures(t *testing.T) {
	described(t)
	fitSide(t, "--model", "m", "--checkpoint", "c")
	files := []string{"--user-features", "users.csv", "--item-features", "items.csv"}
	args := []string{"update", "--model", "m", "--train", "train.csv", "--data", "train.csv", "--check"}
	if _, errs, code := command(t, args...); code != 1 || !strings.Contains(errs,
		"was fitted with --user-features: give that file, too") {
		t.Errorf("exit %d, %s", code, errs)
	}
	out, errs, code := command(t, append(args, files...)...)
	if code != 0 || !strings.Contains(out, "no update is needed") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	out, errs, code = command(t, append([]string{"fit", "completion", "--train", "train.csv", "--resume", "c", "--quiet"},
		files...)...)
	if code != 0 {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// Mistakes are one line each.
func TestRefusedFeatures(t *testing.T) {
	described(t)
	fitSide(t, "--lambda", "40", "--model", "m")
	write(t, map[string]string{"other.csv": "item,a\nx1,2\nx2,3\n", "useless.csv": "item,a\n1,2\n2,2\n"})
	fit := "fit completion --train train.csv --item-features items.csv"
	for want, args := range map[string]string{
		"useless.csv: has no feature that tells": "fit completion --train train.csv --lambda 5 --item-features useless.csv",
		"goes with --user-features":              "fit completion --train train.csv --categories a",
		"need --train FILE":                      "fit completion --item-features items.csv",
		"items.csv: is read, and would be lost":  fit + " --model items.csv",
		"no file of features has such a column":  fit + " --categories z",
		`--feature-weight "0": auto, or a pos`:   fit + " --feature-weight 0",
		"--implicit: not with":                   fit + " --implicit 3",
		"--float32: not with":                    fit + " --float32",
		`has no column "age"`:                    "predict --model m --data train.csv --user-features items.csv",
		"would be lost; name ano":                "predict --model m --data train.csv --item-features items.csv --output items.csv",
		"not for shape views":                    "data generate views --output o --item-features x.csv",
		`other.csv: none of its ids, such as "x1", is among the items of train.csv`: "fit completion --train train.csv " +
			"--item-features other.csv",
	} {
		_, errs, code := command(t, strings.Fields(args)...)
		if code == 0 || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", args, code, errs)
		}
	}
}
