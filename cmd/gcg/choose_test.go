package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was chosen is named in the result, for people and scripts, and in the model, with what each candidate and each λ scored;
// with λ given the problem is the plain one.
func TestChosenIsNamed(t *testing.T) {
	ratings(t)
	r := fitJSON(t, "--train", "ratings.csv", "--model", "m")
	candidates, _ := r["candidates"].([]any)
	if len(candidates) < 4 {
		t.Fatalf("%v", r["candidates"])
	}
	found := false
	for _, x := range candidates {
		x := x.(map[string]any)
		tried, _ := x["tried"].([]any)
		if x["rmse"] == nil || x["seconds"] == nil || len(tried) == 0 {
			t.Errorf("%v", x)
		}
		if x["lambda"] == r["lambda"] {
			found = x["center"] == r["center"] && x["weights"] == r["weights"]
		}
	}
	for _, unit := range []string{"seconds", "cpu_seconds"} {
		all, _ := r[unit].(float64)
		choice, _ := r["choice_"+unit].(float64)
		last, _ := r["fit_"+unit].(float64)
		if !(choice > 0 && last > 0) || math.Abs(all-choice-last) > 1e-9 {
			t.Errorf("%s are %v: %v for the choice of λ and %v for the fit", unit, all, choice, last)
		}
	}
	tried, _ := r["tried"].([]any)
	shown := fmt.Sprint(gcgJSON2(t, "show --model m --json"))
	if !found || r["lambda_auto"] != true || len(tried) < 4 || !strings.Contains(shown, "tried:[map[lambda:") {
		t.Errorf("λ %v, %v and %v among %v; %d λ tried", r["lambda"], r["center"], r["weights"], candidates, len(tried))
	}
	out, errs, _ := command(t, strings.Fields("fit completion --train ratings.csv")...)
	want := fmt.Sprintf("chosen       center %v, weights %v\ncandidates   validation RMSE of ", r["center"], r["weights"])
	if !strings.Contains(out, want) || !strings.Contains(errs, "choosing centre, weights and λ by paths on 90 %") {
		t.Errorf("%s%s", out, errs)
	}
	for _, given := range []string{"--lambda 2", "--constrain 50", "--lambda-ratio 0.1"} {
		r := fitJSON(t, strings.Fields("--train ratings.csv "+given)...)
		if r["center"] != "none" || r["weights"] != "none" || r["candidates"] != nil || r["tried"] != nil {
			t.Errorf("%s: %v, %v, %v", given, r["center"], r["weights"], r["candidates"])
		}
	}
}

// A checkpoint is continued with the centre and the weights that were chosen before it.
func TestChosenIsContinued(t *testing.T) {
	ratings(t)
	first := fitJSON(t, strings.Fields("--train ratings.csv --checkpoint c --max-iter 1 --tol 1e-9")...)
	again := fitJSON(t, strings.Fields("--train ratings.csv --resume c --tol 1e-6")...)
	for _, key := range []string{"lambda", "center", "weights"} {
		if first[key] != again[key] {
			t.Errorf("%s is %v, and %v after the checkpoint", key, first[key], again[key])
		}
	}
	if first["weights"] == "none" {
		t.Error("no weights were chosen, which tells nothing")
	}
}

// cv chooses the centre and the weights, too, and fits and saves what it selects, with what was tried.
func TestCrossValidationSavesAModel(t *testing.T) {
	ratings(t)
	out, errs, code := command(t, strings.Fields("cv completion --train ratings.csv --points 6 --folds 2 --quiet --model m")...)
	info := gcgJSON2(t, "show --model m --json")
	if code != 0 || !strings.Contains(out, "status       converged") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	selected := ""
	for _, line := range strings.Split(out, "\n") {
		if rest, ok := strings.CutPrefix(line, "select min: lambda "); ok {
			selected = rest
		}
	}
	text := fmt.Sprint(info)
	lambda, beside, _ := strings.Cut(selected, ", center ")
	center, weights, _ := strings.Cut(beside, ", weights ")
	if lambda == "" || !strings.Contains(text, "center:"+center+" ") || !strings.Contains(text, "weights:"+weights) ||
		!strings.Contains(text, "standard_error:") {
		t.Errorf("selected %q, and the model has %s", selected, text)
	}
	if _, errs, code := command(t, strings.Fields("cv multitask --train none --model m --points 3")...); code != 1 {
		t.Errorf("exit %d, %s", code, errs)
	}
	rows(t)
	r := strings.Fields("cv regression --features X.csv --targets y.csv --points 6 --folds 3 --json --quiet --model m")
	if out, errs, code := command(t, r...); code != 0 || !strings.HasPrefix(out, "[{") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := command(t, strings.Fields("predict --model m --data X.csv --output p.csv")...); code != 0 {
		t.Error(errs)
	}
}

// A λ at the end of the grid that was best is told of, with the flag that goes on, whatever rule selects; fit takes the grid,
// too.
func TestEndOfTheGridIsTold(t *testing.T) {
	rows(t)
	const end, data = "the error still fell at the smallest λ that was tried", " regression --features X.csv --targets y.csv"
	for args, told := range map[string]bool{
		"fit" + data + " --points 3 --ratio 0.7":                             true,
		"fit" + data:                                                         false,
		"cv" + data + " --folds 3 --points 3 --ratio 0.7":                    true,
		"cv" + data + " --folds 3 --points 3 --ratio 0.7 --select 1se":       true,
		"cv" + data + " --folds 3 --points 12 --ratio 1e-4":                  false,
		"cv" + data + " --folds 3 --points 3 --ratio 0.7 --quiet --model m1": true,
	} {
		out, errs, code := command(t, strings.Fields(args)...)
		if all := out + errs; code != 0 || strings.Contains(all, end) != told || told && !strings.Contains(all, "--ratio") {
			t.Errorf("%s: exit %d, %s", args, code, all)
		}
	}
	for _, flag := range []string{"--points 5", "--ratio 0.1"} {
		for _, by := range []string{"--lambda 3", "--constrain 2", "--lambda-ratio 0.1"} {
			_, errs, code := command(t, strings.Fields("fit"+data+" "+flag+" "+by)...)
			if want := "leaves nothing to choose"; code != 2 || !strings.Contains(errs, want) {
				t.Errorf("%s %s: exit %d, %s", flag, by, code, errs)
			}
		}
	}
	if _, errs, code := command(t, strings.Fields("fit"+data+" --points 0")...); code != 2 {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// shared is a file of the public datasets that lie beside the repository; without them the test is skipped.
func shared(t *testing.T, name string) string {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "data", filepath.FromSlash(name)))
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil {
		t.Skipf("the dataset %s is not beside the repository: %v", name, err)
	}
	return file
}

// Schools share nothing that is seen in a mean of the tasks: the first λ explain hardly anything, and the error is that of the
// means until λ is a twelfth of the largest. fit and cv go on to where it is smallest, with an intercept or without.
func TestSchools(t *testing.T) {
	args := " multitask --train " + shared(t, "school/school.csv") + " --task task --target y"
	for _, intercept := range []string{"", " --intercept"} {
		r := gcgJSON(t, "fit"+args+" --split 0.75"+intercept)
		if rmse := r["test"].(map[string]any)["rmse"].(float64); math.Abs(rmse-10.03) > 0.03 {
			t.Errorf("%q: λ %v has the error %v", intercept, r["lambda"], rmse)
		}
	}
	if testing.Short() {
		return
	}
	out, errs, code := command(t, strings.Fields("cv"+args+" --quiet --tol 1e-2 --folds 2")...)
	if !strings.Contains(out, "select min: lambda 0.0") || code != 0 || errs != "" {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
}

// One command on a file of ratings has the error of a tuned model: λ, centre and weights chosen by hand leave 0.933 on
// this split.
func TestMovieLensWithoutOptions(t *testing.T) {
	r := gcgJSON(t, "fit completion --train "+shared(t, "movielens-100k/ua.base")+" --test "+shared(t, "movielens-100k/ua.test"))
	if rmse := r["test"].(map[string]any)["rmse"].(float64); rmse > 0.935 {
		t.Errorf("%v, %v, λ %v: %v", r["center"], r["weights"], r["lambda"], rmse)
	}
}
