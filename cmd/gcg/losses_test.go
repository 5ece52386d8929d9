package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// opinions writes likes.csv, of users who like items or not, and rated.csv, of ratings with weights and offsets.
func opinions(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(8, 1))
	likes, rated := "user,item,likes\n", "user,item,rating,weight,offset\n"
	for i := range 30 {
		for j := range 20 {
			if rng.Float64() < 0.5 {
				x := 3 * math.Sin(float64(i)) * math.Cos(float64(2*j))
				likes += fmt.Sprintf("u%d,i%d,%s\n", i, j, map[bool]string{true: "yes", false: "no"}[rng.NormFloat64() < x+0.4])
				o := rng.NormFloat64()
				rated += fmt.Sprintf("u%d,i%d,%.4f,%d,%.4f\n", i, j, x+o, rng.IntN(3), o)
			}
		}
	}
	write(t, map[string]string{"likes.csv": likes, "rated.csv": rated, "new.csv": "i1,yes\ni2,no\n", "maybe.csv": "i1,maybe\n",
		"pairs.csv": "u1,i1,0\nu1,i1,1000\nnobody,i1,0\n"})
}

// Yes and no are fitted, predicted as probabilities, recommended, and folded in; the result names the negative one once.
func TestCompletionOfLabels(t *testing.T) {
	opinions(t)
	out, errs, code := command(t, strings.Fields(
		"fit completion --train likes.csv --loss logistic --split 0.8 --center global --quiet --model m.gcg")...)
	if code != 0 || !strings.Contains(out, "labels       no is the negative one, and predictions are of yes\n") ||
		!strings.Contains(out, "test         accuracy 0.") || !strings.Contains(out, ", log loss 0.") ||
		!strings.Contains(out, "\ncalibration  Brier score 0.") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	r := fitJSON(t, strings.Fields("--train likes.csv --loss logistic --split 0.8 --center global")...)
	test, trivial := r["test"].(map[string]any), r["baselines"].(map[string]any)
	if !(test["log_loss"].(float64) < trivial["frequencies_log_loss"].(float64)) || r["loss_name"] != "logistic" {
		t.Errorf("the log loss is %v, that of the frequencies %v", test["log_loss"], trivial["frequencies_log_loss"])
	}
	out, errs, code = command(t, strings.Fields("predict --model m.gcg --data pairs.csv --columns 1,2,offset=3")...)
	lines := strings.Split(out, "\n")
	if code != 0 || lines[0] != "user,item,prediction,probability" || lines[2] != "u1,i1,yes,1" || len(lines) != 5 {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	for _, args := range []string{"--user u3", "--ratings new.csv"} {
		if out, errs, code = command(t, append(strings.Fields("recommend --model m.gcg --top 2"),
			strings.Fields(args)...)...); code != 0 ||
			!strings.Contains(out, "   1  0.") {
			t.Errorf("%s: exit %d, %s%s", args, code, out, errs)
		}
	}
	_, errs, code = command(t, strings.Fields("recommend --model m.gcg --ratings maybe.csv")...)
	if code != 1 || !strings.HasPrefix(errs, `gcg: maybe.csv:1: the label "maybe" does not occur in training;`) {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// A weight of 0 leaves a rating out, and an offset is taken off it: so does a file without them.
func TestCompletionWeights(t *testing.T) {
	opinions(t)
	less := "user,item,rating\n"
	all, err := os.ReadFile("rated.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(all)), "\n")[1:] {
		var x, o float64
		f := strings.Split(line, ",")
		fmt.Sscan(f[2], &x)
		fmt.Sscan(f[4], &o)
		if f[3] != "0" {
			less += fmt.Sprintf("%s,%s,%v\n", f[0], f[1], x-o)
		}
	}
	write(t, map[string]string{"less.csv": less, "ones.csv": strings.NewReplacer(",2,", ",1,").Replace(string(all))})
	for _, loss := range []string{"squared", "huber:0.5", "absolute:0.1", "quantile:0.8"} {
		with := " --lambda 1 --tol 1e-7 --loss " + loss
		a := fitJSON(t, strings.Fields("--train ones.csv --columns user,item,rating,weight,offset"+with)...)
		b := fitJSON(t, strings.Fields("--train less.csv"+with)...)
		near(t, loss+": the objective", a["objective"], b["objective"].(float64), 1e-5)
	}
}

// A quantile chooses λ by its own loss, is kept by the model, and folded in.
func TestQuantiles(t *testing.T) {
	opinions(t)
	r := fitJSON(t, strings.Fields("--train rated.csv --columns 1,2,3 --loss quantile:0.8,0.05 --split 0.8 --model q.gcg")...)
	test := r["test"].(map[string]any)
	if p := test["pinball"].(float64); !(p > 0 && p < test["mae"].(float64)) || r["unsmoothed_objective"] == nil ||
		!(r["relative_gap"].(float64) <= 1e-3) {
		t.Errorf("pinball %v of %v, unsmoothed %v, gap %v", p, test, r["unsmoothed_objective"], r["relative_gap"])
	}
	const fit = "fit completion --train rated.csv --columns 1,2,3 --split 0.8 --quiet --loss "
	for args, want := range map[string]string{
		fit + "quantile:0.8,0.05":                     "\ncandidates   validation pinball loss of ",
		fit + "quantile:0.8 --lambda 1":               "\ntest         pinball loss 0.",
		"show --model q.gcg":                          "quantile:0.8,0.05",
		"recommend --model q.gcg --ratings fresh.csv": "   1  ",
	} {
		write(t, map[string]string{"fresh.csv": "i1,2\ni2,-1\n"})
		if out, errs, code := command(t, strings.Fields(args)...); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s%s", args, code, out, errs)
		}
	}
}

// What does not go together is refused, with the flag.
func TestCompletionLossesRefuse(t *testing.T) {
	opinions(t)
	for args, want := range map[string]string{
		"likes.csv --loss logistic --center both":                 "2 --center both: means are of numbers",
		"likes.csv --loss logistic --duplicates mean":             "2 --duplicates mean: labels have no mean",
		"likes.csv --loss logistic --clip 0,1":                    "2 --clip 0,1: is of numbers",
		"likes.csv --loss cubic":                                  `2 --loss "cubic": completion has squared,`,
		"likes.csv --loss absolute":                               `2 --loss "absolute": it is smoothed with a width`,
		"rated.csv --loss huber --float32 --lambda 1":             "2 --float32: keeps squares of plain ratings",
		"rated.csv --columns 1,2,3,weight=4 --float32 --lambda 1": "2 --float32: keeps squares of plain ratings",
		"rated.csv --columns user,item,rating,weight,weight=3":    "2 --columns",
		"rated.csv --loss logistic --lambda 1":                    "1 rated.csv:4: the label",
		"rated.csv --columns 1,2,3,weight=5 --lambda 1":           "1 rated.csv:",
		"rated.csv --columns user,item,rating,weights --lambda 1": `1 rated.csv:1: has no column "weights"`,
		"likes.csv --lambda 1":                                    "1 likes.csv:2: the rating",
	} {
		_, errs, code := command(t, append(strings.Fields("fit completion --quiet --train"), strings.Fields(args)...)...)
		status, text, _ := strings.Cut(want, " ")
		if fmt.Sprint(code) != status || !strings.HasPrefix(errs, "gcg: "+text) || strings.Count(strings.TrimSpace(errs), "\n") != 0 {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
}

// Single and related tasks take labels that are any two, text too.
func TestAnyTwoLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"n.libsvm": "1 1:1 2:2\n2 1:3\n1 2:5\n2 1:1 2:1\n",
		"t.csv": "a,b,sold\n1,2,no\n3,0,yes\n0,5,no\n1,1,yes\n",
		"y.csv": "sold\nno\nyes\nno\nyes\n", "x.csv": "a,b\n1,2\n3,0\n0,5\n1,1\n",
		"tasks.csv": "task,a,b,y\nT,1,2,no\nT,3,0,yes\nS,0,5,no\nS,1,1,yes\n", "one.libsvm": "1 1:1\n2 1:2\n1 1:3\n2 1:4\n",
		"three.csv": "a,b,sold\n1,2,no\n3,0,yes\n0,5,maybe\n"})
	objective := -1.0
	for args, want := range map[string]string{
		"regression --train n.libsvm":                   "1 is the negative one (-1), 2 the positive one (1)",
		"regression --train t.csv --target sold":        "no is the negative one (-1), yes the positive one (1)",
		"regression --features x.csv --targets y.csv":   "no is the negative one (-1), yes the positive one (1)",
		"multitask --train tasks.csv":                   "no is the negative one (-1), yes the positive one (1)",
		"multitask --train one.libsvm --train n.libsvm": "1 is the negative one (-1), 2 the positive one (1)",
	} {
		args += " --loss logistic --lambda 0.1 --quiet --tol 1e-6 --model m.gcg"
		out, errs, code := command(t, append([]string{"fit"}, strings.Fields(args)...)...)
		if code != 0 || strings.Count(out, want) != 1 {
			t.Errorf("%s: exit %d, %s%s", args, code, out, errs)
			continue
		}
		var got float64
		_, rest, _ := strings.Cut(out, "objective    ")
		fmt.Sscan(rest, &got)
		if strings.HasPrefix(args, "regression") {
			if objective < 0 {
				objective = got
			}
			near(t, args+": the objective", got, objective, 1e-5)
		}
		data := strings.Fields(args)[2]
		more := ""
		if data == "one.libsvm" {
			more = " --task one"
		}
		out, errs, code = command(t, strings.Fields("predict --model m.gcg --data "+data+more)...)
		if code != 0 || !strings.Contains(out, "prediction,probability\n") {
			t.Errorf("predict %s: exit %d, %s%s", data, code, out, errs)
		}
	}
	_, errs, code := command(t, strings.Fields("fit regression --train three.csv --target sold --loss logistic --lambda 1")...)
	if code != 1 || !strings.HasPrefix(errs, "gcg: three.csv:4: the label maybe is a third one; there are 3, such as maybe,") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// Of two classes the calibration stands under the test scores; of three there is none.
func TestCalibrationOfClasses(t *testing.T) {
	rows(t)
	for classes, want := range map[string]int{"2": 1, "3": 0} {
		if _, errs, code := command(t, strings.Fields("data generate classes-100 --classes "+classes+
			" --per-class 20 --features 6 --output c.libsvm")...); code != 0 {
			t.Fatal(errs)
		}
		out, errs, code := command(t, strings.Fields("fit classification --train c.libsvm --split 0.7 --lambda 0.02 --quiet")...)
		if code != 0 || strings.Count(out, "\ncalibration  Brier score 0.") != want {
			t.Errorf("%s classes: exit %d, %s%s", classes, code, out, errs)
		}
	}
}

// Of two labels the second is relevant in lists, however seldom it is, and each has a line of its own.
func TestListsOfLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	rng, likes, yes := rand.New(rand.NewPCG(3, 3)), "user,item,likes\n", 0
	for i := range 20 {
		for j := range 15 {
			label := "no"
			if rng.Float64() < 0.2 {
				label = "yes"
				yes++
			}
			likes += fmt.Sprintf("u%d,i%d,%s\n", i, j, label)
		}
	}
	write(t, map[string]string{"likes.csv": likes})
	args := strings.Fields("--train likes.csv --loss logistic --split-per-user 0.5 --lambda 1 --ranking 3")
	out, errs, code := command(t, append([]string{"fit", "completion", "--quiet"}, args...)...)
	if code != 0 || !strings.Contains(out, "relevant     test ratings of yes, of ") ||
		!strings.Contains(out, "\n             no        0.") || !strings.Contains(out, "\n             yes  ") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	test := fitJSON(t, args...)["test"].(map[string]any)
	ranking, each := test["ranking"].(map[string]any), test["each_class"].([]any)
	if ranking["relevant"] != "yes" || ranking["relevant_from"] != nil || ranking["users"].(float64) > float64(yes) {
		t.Errorf("relevant is %v from %v on, of %v users, where %d ratings are yes", ranking["relevant"], ranking["relevant_from"],
			ranking["users"], yes)
	}
	if len(each) != 2 || each[1].(map[string]any)["name"] != "yes" {
		t.Errorf("scores of each label: %v", each)
	}
}
