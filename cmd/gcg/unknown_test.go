package main

import (
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/decimal"
	"github.com/seed-b18ef778/gcg/model"
)

// A test rating of an unknown item is as unknown as one of an unknown user, and is predicted by the mean.
func TestUnknownItemsAreCounted(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"items": "1,nothing,3\n", "users": "nobody,2,3\n",
		"mixed": "nobody,nothing,3\nnobody,2,3\n1,nothing,3\n1,2,3\n", "known": "1,2,3\n"})
	for file, want := range map[string]float64{"items": 1, "users": 1, "mixed": 3, "known": 0} {
		r := fitJSON(t, strings.Fields("--train ratings.csv --lambda 3 --center global --test "+file)...)
		test := r["test"].(map[string]any)
		if test["unknown"] != want {
			t.Errorf("%s: %v ratings are of unknown users or items, not %v", file, test["unknown"], want)
		}
		if want == 1 {
			near(t, file+": the error of the centre", test["rmse"], r["baselines"].(map[string]any)["global_mean_rmse"].(float64), 1e-12)
		}
	}
}

// A file to measure on that has nothing to do with training is pointed out, before the run and in its result.
func TestStrangersAreWarnedOf(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"strange": "nobody,2,3\n1,nothing,3\nx,y,2\n", "known": "x,y,2\n1,2,3\n"})
	const want = "strange: none of its 3 ratings is of a user and an item of training"
	for args, warned := range map[string]bool{
		"fit completion --lambda 3 --test strange": true, "fit completion --lambda 3 --test known": false, "fit completion --valid " +
			"strange": true,
		"fit completion --valid known": false, "fit completion --lambda 3 --float32 --test strange": true,
	} {
		out, errs, code := command(t, strings.Fields(args+" --train ratings.csv")...)
		if code != 0 || strings.Contains(out, want) != warned || strings.Contains(errs, "warning: "+want) != warned {
			t.Errorf("%s: exit %d, %s%s", args, code, out, errs)
		}
	}
	if _, errs, code := command(t, strings.Fields("path completion --points 2 --train ratings.csv --test strange")...); code != 0 ||
		!strings.Contains(errs, want) {
		t.Errorf("path: exit %d, %s", code, errs)
	}
}

// A first column that numbers the lines is no column of users, though it reads like one.
func TestAsManyUsersAsRatingsAreDoubted(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"numbered.csv": "0,a,1,5\n1,a,2,3\n2,b,1,4\n3,b,2,1\n"})
	const want = "numbered.csv: has as many users as ratings, 4"
	for columns, doubted := range map[string]bool{"": true, " --float32": true, " --columns 2,3,4": false} {
		out, errs, code := command(t, strings.Fields("fit completion --train numbered.csv --lambda 0.1"+columns)...)
		if code != 0 || strings.Contains(out, want) != doubted || strings.Contains(errs, "warning: "+want) != doubted {
			t.Errorf("%s: exit %d, %s%s", columns, code, out, errs)
		}
	}
}

// Without centring, too, an unknown user or item is predicted by the mean of training, when it is measured and by predict; pairs
// that are all unknown are refused, unless they are meant.
func TestUnknownIsTheMeanWithoutCentring(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"all": "nobody,2,3\n1,nothing,3\n", "some": "nobody,2,3\n1,2,3\n"})
	r := fitJSON(t, strings.Fields("--train ratings.csv --lambda 3 --center none --test all --model m")...)
	near(t, "the error of the mean", r["test"].(map[string]any)["rmse"],
		r["baselines"].(map[string]any)["global_mean_rmse"].(float64), 1e-12)
	out, errs, code := command(t, "predict", "--model", "m", "--data", "all")
	if code != 1 || out != "" || !strings.Contains(errs, "all: none of its 2 pairs is of a user and an item of m; see --columns") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	m, err := model.Load("m")
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]int{"all --unknown mean": 2, "some": 1} {
		out, errs, code := command(t, strings.Fields("predict --model m --data "+args)...)
		if code != 0 || strings.Count(out, ","+decimal.Number(*m.Info.Mean)+"\n") != want {
			t.Errorf("%s: exit %d, %s%s", args, code, out, errs)
		}
	}
	if _, _, code := command(t, "predict", "--model", "m", "--data", "some", "--unknown", "nonsense"); code != 2 {
		t.Errorf("--unknown nonsense: exit %d", code)
	}
}

// A new user who likes everything that she has rated is not predicted to dislike all the rest, without centring either.
func TestNewUserIsNotShrunkToNothing(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"mine.csv": "item,rating\n2,5\n3,5\n8,4\n"})
	for _, how := range []string{"--lambda 3", "--lambda 9 --weights power:0.5"} {
		fitJSON(t, strings.Fields("--train ratings.csv --center none --model m "+how)...)
		m, err := model.Load("m")
		if err != nil {
			t.Fatal(err)
		}
		top := 0.0
		for _, x := range folded(t, "m") {
			top = max(top, x)
		}
		if top < *m.Info.Mean {
			t.Errorf("%s: the top score is %g, below the mean %g", how, top, *m.Info.Mean)
		}
	}
}
