package main

import (
	"strings"
	"testing"
)

// A test rating of an unknown item is as unknown as one of an unknown user, and is predicted by the centre.
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
	write(t, map[string]string{"numbered.csv": ",u,i,r\n0,a,1,5\n1,a,2,3\n2,b,1,4\n3,b,2,1\n"})
	const want = "numbered.csv: has as many users as ratings, 4"
	for columns, doubted := range map[string]bool{"": true, " --float32": true, " --columns u,i,r": false} {
		out, errs, code := command(t, strings.Fields("fit completion --train numbered.csv --lambda 0.1"+columns)...)
		if code != 0 || strings.Contains(out, want) != doubted || strings.Contains(errs, "warning: "+want) != doubted {
			t.Errorf("%s: exit %d, %s%s", columns, code, out, errs)
		}
	}
}
