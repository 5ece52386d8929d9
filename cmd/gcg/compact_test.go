package main

import (
	"fmt"
	"strings"
	"testing"
)

// Ratings in float32 give the optimum of those in float64, up to their rounding; the λ of --lambda-ratio is the same.
func TestFloat32(t *testing.T) {
	ratings(t)
	args := []string{"--train", "ratings.csv", "--split", "0.8", "--center", "global", "--lambda-ratio", "0.2", "--tol", "1e-5"}
	plain, compact := fitJSON(t, args...), fitJSON(t, append(args, "--float32")...)
	near(t, "λ", compact["lambda"], plain["lambda"].(float64), 1e-5*plain["lambda"].(float64))
	near(t, "the objective", compact["objective"], plain["objective"].(float64), 1e-4*plain["objective"].(float64))
	near(t, "the test RMSE", compact["test"].(map[string]any)["rmse"], plain["test"].(map[string]any)["rmse"].(float64), 1e-3)
	for _, r := range []map[string]any{plain, compact} {
		if r["observations"] != 960.0 || r["status"] != "converged" {
			t.Errorf("%v observations, %v", r["observations"], r["status"])
		}
	}
	rows(t)
	half := gcgJSON(t, "fit regression --features X.csv --targets y.csv --lambda-ratio 0.5")
	full := gcgJSON(t, "fit regression --features X.csv --targets y.csv --lambda-ratio 0.999999")
	near(t, "half of λ_max", half["lambda"], full["lambda"].(float64)/2, 1e-3)
	near(t, "the gauge at λ_max", full["gauge"], 0, 1e-3)
}

// The answer is doubted as in float64: an error above that of predictions without a model, and ratings that are all the same.
func TestFloat32Warns(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"same.csv": "user,item,rating\na,x,4\na,y,4\nb,x,4\nb,z,4\nc,y,4\n",
		"sums.csv": "user,item,rating\na,x,1\na,y,2.1\nb,x,3\nb,y,4.1\nb,z,9.3\n"})
	for _, args := range []string{"--train ratings.csv --lambda-ratio 0.9", "--train ratings.csv --split 0.8 --lambda-ratio 0.9",
		"--train same.csv --lambda 0.1",
		"--train same.csv --lambda 0.1 --center global", "--train ratings.csv --center both --lambda 1e4", "--train sums.csv --center both --lambda 1"} {
		plain, compact := fitJSON(t, strings.Fields(args)...), fitJSON(t, strings.Fields(args+" --float32")...)
		if fmt.Sprint(plain["warnings"]) != fmt.Sprint(compact["warnings"]) {
			t.Errorf("%s: %v; in float32 %v", args, plain["warnings"], compact["warnings"])
		}
		if x, ok := plain["train_rmse"].(float64); ok {
			near(t, args+": the training RMSE", compact["train_rmse"], x, 1e-3*x+1e-6)
		}
		for name, want := range plain["baselines"].(map[string]any) {
			if x, ok := want.(float64); ok {
				near(t, args+": "+name, compact["baselines"].(map[string]any)[name], x, 1e-6)
			}
		}
	}
}

// What is read or generated, split, merged and measured on does not depend on the storage of the ratings.
func TestFloat32ReadsAlike(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"again.csv": "user,item,rating\na,x,4\na,y,3\nb,x,4\na,x,2\nb,z,4\nc,y,1\nc,y,2\nc,z,5\nd,x,1\nd,y,2\nd,z,2\n",
		"held.csv": "user,item,rating\n1,2,4\n3,1,2\nx,1,3\n"})
	const generated = "--generate movielens-100k:20000 --center global --lambda-ratio 0.5 "
	for _, line := range []string{generated + "--split 0.9", generated + "--split-per-user 0.5", generated + "--split-last 1",
		generated + "--test held.csv",
		"--train again.csv --lambda 1 --split 0.7 --duplicates last", "--train again.csv --lambda 1 --split-per-user 0.5 " +
			"--duplicates mean", "--train again.csv --lambda 1 --duplicates mean"} {
		double, single := fitJSON(t, strings.Fields(line)...), fitJSON(t, strings.Fields(line+" --float32")...)
		a, _ := double["test"].(map[string]any)
		b, _ := single["test"].(map[string]any)
		if double["observations"] != single["observations"] || fmt.Sprint(a["observations"],
			a["unknown"]) != fmt.Sprint(b["observations"], b["unknown"]) {
			t.Errorf("%s: %v observations and test %v; in float32 %v and %v", line, double["observations"], a, single["observations"], b)
		}
		near(t, line+": the objective", single["objective"], double["objective"].(float64), 2e-3*double["objective"].(float64))
	}
	for _, more := range []string{"", " --float32"} {
		_, errs, code := command(t, strings.Fields("fit completion --train ratings.csv --valid nosuch.csv --lambda 1"+more)...)
		if code != 1 || !strings.Contains(errs, "nosuch.csv: cannot be read") {
			t.Errorf("a missing --valid%s: exit %d, %q", more, code, errs)
		}
	}
}

// Ratings that float32 would make others of are refused, those that it rounds noticeably are warned of.
func TestFloat32Rounds(t *testing.T) {
	t.Chdir(t.TempDir())
	for at, want := range map[float64]string{3: "", 1e4: "", 2e5: "warning", 1e6: "warning",
		2e8: "gcg: r.csv: --float32 rounds its ratings by ", 1e15: "gcg: r.csv: --float32 rounds its ratings by "} {
		text := "user,item,rating\n"
		for e := range 200 {
			text += fmt.Sprintf("%d,%d,%v\n", e/10, e%10, at+26*float64(e*e%97)/97)
		}
		write(t, map[string]string{"r.csv": text})
		out, errs, code := command(t, strings.Fields("fit completion --train r.csv --float32 --center global --lambda 20")...)
		refused := strings.HasPrefix(want, "gcg")
		if refused != (code == 1) || refused && !strings.HasPrefix(errs, want) ||
			(want == "warning") != strings.Contains(out, "--float32 rounds the ratings by") {
			t.Errorf("about %v: exit %d, %s%s", at, code, out, errs)
		}
	}
}

// A bracket that is narrower than what float32 rounds the ratings by is said to be that of others.
func TestFloat32RoundsBeyondTheGap(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "user,item,rating\n"
	for e := range 200 {
		text += fmt.Sprintf("%d,%d,%v\n", e/10, e%10, 500+2.6*float64(e*e%97)/97)
	}
	write(t, map[string]string{"r.csv": text})
	for tol, told := range map[string]bool{"1e-3": false, "1e-4": false, "1e-6": true} {
		out, errs, code := command(t, strings.Fields("fit completion --train r.csv --float32 --center global --lambda 2 --tol "+tol)...)
		if code != 0 || strings.Contains(out, "the objective and its bound are of the rounded ones") != told {
			t.Errorf("--tol %s: exit %d, %s%s", tol, code, out, errs)
		}
	}
}

// A checkpoint goes on in the storage that it was made in, and says so.
func TestFloat32Resumes(t *testing.T) {
	ratings(t)
	for made, other := range map[string]string{" --float32": "", "": " --float32"} {
		const fit = "--train ratings.csv --lambda 2 "
		fitJSON(t, strings.Fields(fit+"--checkpoint c --max-iter 1"+made)...)
		if r := fitJSON(t, strings.Fields(fit+"--resume c"+made)...); r["status"] != "converged" {
			t.Errorf("resumed%s: %v", made, r["status"])
		}
		want := "gcg: c: belongs to another problem: it has --float32, which this one does not have\n"
		if made == "" {
			want = "gcg: c: belongs to another problem: it does not have --float32, which this one has\n"
		}
		if _, errs, code := command(t, strings.Fields("fit completion --quiet --resume c "+fit+other)...); code != 1 || errs != want {
			t.Errorf("made with%s, resumed with%s: exit %d, %q", made, other, code, errs)
		}
	}
}
