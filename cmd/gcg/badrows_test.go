package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Data that the problems with features refuse: one line that names the file, where, and the mend.
func TestBadRows(t *testing.T) {
	rows(t)
	write(t, map[string]string{
		"empty": "", "X4": "1,2\n3,4\n5,6\n7,8\n", "X3": "1,2\n3,4\n5,6\n", "y4": "1\n2\n3\n4\n", "y3": "1\n2\n3\n", "nan": "1,2\n3,nan\n5,6\n7,8\n",
		"inf": "1\n2\ninf\n4\n", "l4": "a\nb\na\nb\n", "one": "a\na\na\na\n", "lost": "a\n\na\nb\n", "wide": "1,2,3\n3,4,5\n", "l2": "a\nb\n", "new2": "a\nz\n",
		"ragged": "1,2\n3\n", "named": "p,q\n1,2\n3,4\n5,6\n7,8\n", "other": "p,r\n1,2\n3,4\n", "s.libsvm": "1 1:1 2:2\n-1 1:3\n1 " +
			"2:1\n-1 2:3\n",
		"order.libsvm": "1 2:1 1:2\n", "word.libsvm": "good 1:1\nbad 1:2\n", "wide.libsvm": "1 1:1 9:1\n-1 1:2\n", "v.libsvm": "1 1:x\n", "t.csv": "task,y,a\np,1,2\nq,2,3\np,2,2\n",
		"t9.csv": "task,y,a\nz,1,2\n", "y42": "1,2\n3,4\n5,6\n7,8\n", "signs": "1\n-1\n2\n1\n", "plus": "1\n1\n1\n1\n", "unpriced": "0: 1\n2\n", "lone": "1\n2:\n", "torn": "2: a\n3: a\n", "groups": "1,2\n2\n", "far": "1\n7\n9\n", "w": "1\n-2\n",
		"alike": "p,q,p\n1,2,3\n3,4,5\n5,6,7\n7,8,9\n", "huge": "1,2\n3,4e120\n5,6\n7,8\n", "hugey": "1\n-1e101\n3\n4\n", "underscore.libsvm": "1 1:1\n1_000 1:2\n", "huge.libsvm": "1 1:1\n-1 1:2 3:1e200\n", "a2": "y,a\n1,2\n2,1\n", "a3": "y,a,b\n1,2,3\n",
		"comma.csv": "a,y,\n1,2,\n", "comma": "1,2,\n3,4,\n",
		"alike.csv": "task,y,a,a\np,1,2,3\nq,2,3,4\n",
	})
	for _, c := range []struct{ args, file, at string }{
		{"classification --train empty", "empty", ": "},
		{"classification --train missing", "missing", ": cannot be read"},
		{"classification --train order.libsvm", "order.libsvm", ":1: "},
		{"classification --train v.libsvm", "v.libsvm", ":1: "},
		{"classification --train X.csv", "X.csv", ":1: is delimited text; name the column of the answers with --target"},
		{"classification --train named --target z", "named", `:1: has no column "z"; there are "p", "q"`},
		{"classification --train l4 --target 1", "l4", ":1: has 1 column; none is left for a feature"},
		{"classification --features X4 --labels y3", "y3", ": has 3 labels for 4 rows"},
		{"classification --features nan --labels l4", "nan", ":2: "},
		{"classification --features ragged --labels l2", "ragged", ":2: "},
		{"classification --features X4 --labels one", "one", `: all 4 rows have the label "a"`},
		{"classification --features X4 --labels lost", "lost", ":2: "},
		{"classification --features X4 --labels l4 --test-features wide --test-labels l2", "wide",
			": has 3 features; there are 2 in training"},
		{"classification --features X4 --labels l4 --test-features X4 --test-labels y4", "y4",
			`: row 1: the label "1" does not occur in training; there are a, b`},
		{"classification --features named --labels l4 --test-features other --test-labels l2", "other",
			`: has no column "q"; there are "p", "r"; training has it as a feature`},
		{"regression --features X4 --targets inf", "inf", ":3: "},
		{"regression --features X4 --targets y3", "y3", ": has 3 rows of targets for the 4 rows"},
		{"regression --features X4 --targets y4 --test-features X4 --test-targets y42", "y42", ": has 2 targets a row"},
		{"regression --train word.libsvm", "word.libsvm", `:1: the target "good" is not a finite number`},
		{"regression --train named --target z", "named", `: has no column "z"; there are "p", "q"`},
		{"regression --features X4 --targets signs --loss logistic", "signs", ":3: the label 2"},
		{"regression --features X4 --targets plus --loss logistic", "plus", ": all 4 labels are 1"},
		{"regression --features X4 --targets y4 --gauge group:groups", "groups", `: feature "2" is in group 1 and in group 2`},
		{"regression --features X4 --targets y4 --gauge group:far", "far", `: group 2 holds "7"`},
		{"regression --features X4 --targets y4 --gauge group:unpriced", "unpriced",
			": the weight 0 of a group, before \"1\", is not positive"},
		{"regression --features X4 --targets y4 --gauge group:lone,by-size", "lone", ": the weight 2 stands before no group"},
		{"regression --features X4 --targets y4 --gauge group:torn", "torn", `: group "a" has the weights 2 and 3`},
		{"regression --features X4 --targets y4 --gauge l1:w", "w", ": row 2, column 1: the weight -2"},
		{"regression --features X4 --targets y4 --gauge l1:y4", "y4", ": is 4×1; weights are 2×1"},
		{"regression --features alike --targets y4", "alike", `:1: columns 1 and 3 are both called "p"`},
		{"multitask --train alike.csv", "alike.csv", `:1: columns 3 and 4 are both called "a"`},
		{"multitask --train t.csv --target z", "t.csv", ":1: "},
		{"multitask --train t.csv --test t9.csv", "t9.csv", `: the task "z" does not occur in training; there are p, q`},
		{"multitask --train a2 --train a3", "a3", ": has 2 features, and a2 has 1; tasks share theirs"},
		{"classification --features huge --labels l4", "huge", ":2: feature 2 is 4e+120;"},
		{"regression --train huge.libsvm", "huge.libsvm", ":2: feature 3 is 1e+200;"},
		{"regression --features X4 --targets hugey", "hugey",
			":2: the target is -1e+101; beyond 1e+100 the squares of numbers overflow: give it in a larger unit"},
		{"regression --features X4 --targets y4 --test-features huge --test-targets y4", "huge", ":2: feature 2 is 4e+120;"},
		{"regression --train underscore.libsvm", "underscore.libsvm", `:2: the target "1_000" is not a finite number`},
		{"regression --train comma.csv --target y", "comma.csv",
			`:2: column 3 ("") is empty; fill it in or leave the line out, or the delimiter that ends every line`},
		{"regression --features comma --targets y3", "comma",
			":1: column 3 is empty; fill it in or leave the line out, or the delimiter"},
		{"regression --features X4 --targets y4 --split 0.01", "y4",
			": the split leaves 0 rows for training and 4 for the test; both need some"},
		{"regression --features X4 --targets y4 --split 0.99", "y4",
			": the split leaves 4 rows for training and 0 for the test; both need some"},
		{"multitask --train s.libsvm --train s.libsvm", "s.libsvm", `: is the second file of a task "s"`},
	} {
		complains(t, c.file, c.at, append(strings.Fields("fit "+c.args), "--quiet", "--lambda", "0.1")...)
	}
	gcgJSON(t, "fit classification --features X4 --labels l4 --lambda 0.1 --model m")
	complains(t, "wide", ": has 3 features; there are 2 in training", "predict", "--model", "m", "--data", "wide")
	complains(t, "l2", ": has 2 labels for 4 rows", "predict", "--model", "m", "--data", "X4", "--labels", "l2")
	complains(t, "m", ": is a model of classification",
		strings.Fields("fit regression --features X4 --targets y4 --lambda 1 --quiet --warm m")...)
}

// Features that never occur cost nothing, however far the others are apart: the fit is that of the same features numbered
// without gaps, the model knows them by their numbers, and others of new rows count for nothing.
func TestFarIndex(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"far.libsvm": "1 3:1 2147483646:2\n-1 17:1.5 999:1\n1 3:0.5 5000000:1\n",
		"near.libsvm": "1 1:1 5:2\n-1 2:1.5 3:1\n1 1:0.5 4:1\n", "new.libsvm": "0 17:1 18:9 999:1\n", "new-near.libsvm": "0 2:1 3:1\n"})
	for _, gauge := range []string{"l1", "group", "trace"} {
		var got [2]string
		for k, name := range []string{"far", "near"} {
			rest := " --lambda 0.1 --tol 1e-9 --model m --gauge " + gauge
			r := gcgJSON(t, "fit regression --train "+name+".libsvm"+rest)
			out, errs, code := command(t, strings.Fields("predict --model m --quiet --data "+[]string{"new", "new-near"}[k]+".libsvm")...)
			if code != 0 {
				t.Fatalf("%s: exit %d, %s", gauge, code, errs)
			}
			got[k] = fmt.Sprintf("%.6f %.12s", r["objective"], out)
			weights, _, _ := command(t, "show", "--model", "m", "--weights")
			if name == "far" && !strings.Contains(weights, "\n2147483646,y,") {
				t.Errorf("%s: the weights are %s", gauge, weights)
			}
		}
		if got[0] != got[1] {
			t.Errorf("%s: objective and prediction are %q, and %q without gaps", gauge, got[0], got[1])
		}
	}
	// a simplex has weight on features that never occur, too
	if have := memory.Available(); have == 0 || have > 1e11 {
		t.Skip("the memory is unknown, or enough")
	}
	complains(t, "far.libsvm", ": has features up to number 2147483646",
		strings.Fields("fit regression --train far.libsvm --gauge simplex --constrain 1")...)
}

// Data that is unusual, and allowed.
func TestOddRows(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{
		"zero.libsvm": "a 1:1 2:2\nb\na 1:2\nb 2:1\n", "X": "1,1\n1,2\n1,3\n1,5\n1,4\n", "y": "1\n2\n3\n4\n6\n", "test": "1,7\n1,8\n", "l": "a\nb\na\nb\nb\n", "l2": "a\nz\n",
		"from0.libsvm": "1 0:1 1:2\n-1 0:2\n1 1:3\n-1 0:1 1:1\n", "from1.libsvm": "1 1:2\n-1 1:1\n", "plus.libsvm": "+1 1:1\n-1 1:-1\n1 1:2\n-1.0 1:-2\n",
	})
	gcgJSON(t, "fit classification --train zero.libsvm --lambda 0.1")
	r := gcgJSON(t, "fit regression --features X --targets y --lambda 0.1 --intercept")
	if w := r["warnings"].([]any); len(w) != 1 || !strings.Contains(w[0].(string),
		"feature 1 is constant, which the intercept makes redundant") {
		t.Errorf("a constant column: %v", w)
	}
	r = gcgJSON(t, "fit classification --train from0.libsvm --test from1.libsvm --lambda 0.01 --model m")
	if r["rows"] != 2.0 {
		t.Errorf("%v features", r["rows"])
	}
	r = gcgJSON(t, "fit classification --train from1.libsvm --test from0.libsvm --lambda 0.01")
	if r["rows"] != 2.0 {
		t.Errorf("%v features where the test counts from 0", r["rows"])
	}
	if w := r["warnings"].([]any); len(w) == 0 || !strings.Contains(w[0].(string),
		"from1.libsvm: has no feature 0 but from0.libsvm has") {
		t.Errorf("of training that was taken to count from 0: %v", w)
	}
	if r = gcgJSON(t, "fit classification --train plus.libsvm --lambda 0.01"); r["cols"] != 2.0 {
		t.Errorf("%v classes of +1, 1, -1 and -1.0", r["cols"])
	}
	gcgJSON(t, "fit classification --features X --labels l --lambda 0.1 --model m")
	if _, errs, code := command(t, "predict", "--model", "m", "--data", "test", "--labels", "l2"); code != 0 ||
		!strings.Contains(errs, "1 of 2 labels are not among those of the model") {
		t.Errorf("an unknown label: %d, %q", code, errs)
	}
	write(t, map[string]string{"l5": "a\nb\nz\nz\nb\n"})
	w := gcgJSON2(t, "predict --model m --data X --labels l5 --output p --json")
	on := w["measured"].(map[string]any)
	table := on["confusion"].([]any)
	var counts [2][2]float64
	for c := range counts {
		for k := range counts[c] {
			counts[c][k] = table[c].([]any)[k].(float64)
		}
	}
	if right := counts[0][0] + counts[1][1]; w["unknown"] != 2.0 || on["accuracy"] != right/5 ||
		right+counts[0][1]+counts[1][0] != 3 || on["log_loss"] == nil {
		t.Errorf("two unknown labels of five: %v", w)
	}
	write(t, map[string]string{"one.csv": "task,y,x\na,1,3\na,0,1\na,1,2\nb,1,2\nb,1,4\n"})
	r = gcgJSON(t, "fit multitask --train one.csv --loss logistic --lambda 0.1 --intercept")
	if w := r["warnings"].([]any); r["status"] != "converged" || len(w) == 0 ||
		!strings.Contains(w[len(w)-1].(string), `task "b" has rows of one label only`) {
		t.Errorf("a task of one label: %v, %v", r["status"], w)
	}
	r = gcgJSON(t, "fit regression --features X --targets y --lambda 1000")
	if w := r["warnings"].([]any); len(w) != 2 || !strings.Contains(w[0].(string), "W = 0") ||
		!strings.Contains(w[1].(string), "is worse than that of the mean") {
		t.Errorf("a useless model: %v", w)
	}
}

func TestWrongUsageOfRows(t *testing.T) {
	rows(t)
	for args, want := range map[string]string{
		"fit classification": "--train FILE.libsvm, --train FILE.csv --target COLUMN, or --features X --labels y",
		"fit regression --features X.csv --targets y.csv --target y": "--target is a column of --train, " +
			"which is not given; the answers to --features are --targets",
		"fit regression --features X.csv":                                                 "belong together",
		"fit regression --train t.csv --target t,e --loss cox --intercept":                "risks beside each other",
		"fit regression --train t.csv --target t,e --loss cox --solver coordinate":        "--loss cox is none",
		"fit multitask --train t.csv --target t,e --loss cox":                             "multitask has",
		"fit regression --features X.csv --targets y.csv --ridge -1":                      "not negative",
		"fit regression --features X.csv --targets y.csv --l1-ratio 2":                    "from 0 to 1",
		"fit regression --features X.csv --targets y.csv --ridge 1 --l1-ratio 0.5":        "leave one out",
		"fit regression --features X.csv --targets y.csv --l1-ratio 0.5 --constrain 2":    "--ridge goes with the others",
		"fit regression --features X.csv --targets y.csv --lambda 0":                      "a positive number, or auto",
		"fit regression --features X.csv --targets y.csv --ridge 1 --lambda 0 --gauge l1": "leaves a ridge alone",
		"fit regression --features X.csv --targets y.csv --l1-ratio 0 --penalty fused:1":  "leaves a ridge alone",
		"fit classification --train letters.libsvm --labels class.txt":                    "belong together",
		"fit classification --train letters.libsvm --features X.csv --labels y":           "not both",
		"fit regression --train a --train b":                                              "one file, not 2",
		"fit classification --train letters.libsvm --loss huber":                          "classification has logistic",
		"fit regression --features X.csv --targets y.csv --loss hinge":                    "hinge:0.1",
		"fit regression --features X.csv --targets y.csv --loss huber:-1":                 "positive number",
		"fit regression --features X.csv --targets y.csv --gauge ball":                    "there are l1",
		"fit regression --features X.csv --targets y.csv --gauge psd-trace":               "there are l1",
		"fit regression --features X.csv --targets y.csv --gauge factor:3,1":              "factor:3,1",
		"fit regression --features X.csv --targets y.csv --gauge simplex --lambda 1":      "--constrain",
		"fit regression --features X.csv --targets y.csv --gauge simplex --lambda-ratio 0.1": "goes with --constrain ζ and not " +
			"with λ",
		"fit regression --features X.csv --targets y.csv --gauge simplex --penalty square": "--penalty: goes with λ",
		"fit regression --features X.csv --targets y.csv --gauge simplex --solver atomdescent": "--solver atomdescent: is for a " +
			"penalty",
		"fit regression --features X.csv --targets y.csv --gauge simplex --constrain 0": "--constrain 0: ζ is a positive number",
		"path regression --features X.csv --targets y.csv --gauge simplex": "--gauge simplex: is held at a " +
			"--constrain",
		"cv regression --features X.csv --targets y.csv --gauge simplex": "--gauge simplex: is held at a " +
			"--constrain",
		"fit regression --features X.csv --targets y.csv --gauge lp:3 --improve local":             "corrective or none",
		"fit regression --features X.csv --targets y.csv --gauge l1 --improve local --constrain 3": "under --gauge l1 it is for λ",
		"fit regression --features X.csv --targets y.csv --gauge l1 --improve proximal":            "corrective or none",
		"fit regression --features X.csv --targets y.csv --gauge schatten:3 --max-rank 2":          "keep W at no rank",
		"fit regression --features X.csv --targets y.csv --improve well":                           "there are auto, none",
		"fit regression --features X.csv --targets y.csv --split 2":                                "--split",
		"fit regression --features X.csv --targets y.csv --lambda -1":                              "--lambda",
		"cv classification --train letters.libsvm --by entry":                                      "there are row",
		"cv regression --features X.csv --targets y.csv --folds 1":                                 "--folds",
		"path regression --features X.csv --targets y.csv --model m":                               "belongs to gcg fit",
		"fit --quiet classification --train letters.libsvm":                                        "takes a problem first",
		"fit regression --columns 1,2,3":                                                           "columns",
	} {
		out, errs, code := command(t, strings.Fields(args)...)
		if code != 2 || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("%s: exit %d, %q, %q; want 2 and %q", args, code, out, errs, want)
		}
	}
}

// Every loss with every gauge that it may go with converges on a small problem.
func TestLossesAndGauges(t *testing.T) {
	rows(t)
	for loss, gauges := range map[string]string{"squared": "l1 group-inf trace", "huber:0.5": "l1 group-inf trace",
		"absolute:0.1": "l1 group"} {
		for _, gauge := range strings.Fields(gauges) {
			r := gcgJSON(t, "fit regression --features X.csv --targets y.csv --lambda 5 --tol 1e-2 --max-iter 300 --loss "+loss+" --gauge "+gauge)
			if r["status"] != "converged" {
				t.Errorf("%s, %s: %v at gap %v", loss, gauge, r["status"], r["relative_gap"])
			}
		}
	}
	r := gcgJSON(t, "fit regression --features X.csv --targets y.csv --lambda 5 --tol 0.1 --gauge factor:inf,2")
	if r["status"] != "converged" || r["rank"] == nil {
		t.Errorf("an NP-hard gauge: %v", r)
	}
	for _, loss := range []string{"logistic", "smoothed-hinge", "squared-hinge", "hinge:0.1", "squared"} {
		for _, gauge := range []string{"l1", "columns", "trace"} {
			r := gcgJSON(t, "fit classification --train letters.libsvm --lambda 0.05 --tol 1e-2 --max-iter 300 --loss "+loss+" --gauge "+gauge)
			if r["status"] != "converged" || r["training"].(map[string]any)["accuracy"].(float64) < 0.7 {
				t.Errorf("%s, %s: %v at gap %v, %v", loss, gauge, r["status"], r["relative_gap"], r["training"])
			}
		}
	}
	for _, problem := range []string{"classification --train letters.libsvm", "multitask --train tasks.csv",
		"regression --features X.csv --targets y.csv --intercept"} {
		if out, errs, code := command(t, strings.Fields("check "+problem)...); code != 0 {
			t.Errorf("check %s: %d, %s%s", problem, code, out, errs)
		}
	}
}

// Folds that nothing is left for are refused before the first is solved.
func TestMoreFoldsThanRows(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,2\n3,4\n5,7\n", "y": "1\n2\n4\n", "r": "a,x,3\nb,y,4\na,y,2\n"})
	for _, args := range []string{"cv regression --features X --targets y --folds 4", "cv completion --train r --folds 4"} {
		out, errs, code := command(t, strings.Fields(args)...)
		if code != 1 || out != "" || strings.Contains(errs, "fold 1") || !strings.Contains(errs, "too few") {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, errs)
		}
	}
}

// Data to choose λ by are not heeded where λ is given, and the result says so.
func TestUnheededValidation(t *testing.T) {
	rows(t)
	for args, want := range map[string]string{
		"fit regression --features X.csv --targets y.csv --valid-features X.csv --valid-targets y.csv --lambda-ratio 0.1": "--valid-features was not used: it is to choose λ by, and --lambda-ratio",
		"fit regression --features X.csv --targets y.csv --valid-features X.csv --valid-targets y.csv --gauge simplex":    "and --gauge leaves nothing to choose",
		"fit classification --train letters.libsvm --valid letters.libsvm --constrain 1":                                  "--valid was not used: it is to choose λ by, and --constrain",
	} {
		out, errs, code := command(t, append(strings.Fields(args), "--quiet")...)
		if code != 0 || !strings.Contains(out+errs, want) {
			t.Errorf("gcg %s: %d, %s%s", args, code, out, errs)
		}
	}
	if out, errs, _ := command(t, strings.Fields("fit classification --train letters.libsvm --valid letters.libsvm --quiet")...); strings.Contains(out+errs, "not used") {
		t.Errorf("a λ that was chosen: %s%s", out, errs)
	}
}
