package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/metric"
)

// gcgJSON runs a command that prints one JSON object.
func gcgJSON(t *testing.T, args string) map[string]any {
	t.Helper()
	out, errs, code := command(t, append(strings.Fields(args), "--json", "--quiet")...)
	if code != 0 {
		t.Fatalf("%s: exit %d, %s", args, code, errs)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%s printed %q: %v", args, out, err)
	}
	return r
}

func near(t *testing.T, what string, got any, want, slack float64) {
	t.Helper()
	if x, ok := got.(float64); !ok || math.Abs(x-want) > slack {
		t.Errorf("%s is %v, want %.12g", what, got, want)
	}
}

// rows writes files of classes, of tasks and of regression, all of three features and a fourth that is noise, into a fresh
// folder: letters.libsvm, X.csv with class.txt and y.csv, tasks.csv and won.csv.
func rows(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	writeRows(t)
}

func writeRows(t *testing.T) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 9))
	var svm, x, class, y, tasks, won strings.Builder
	x.WriteString("a,b,c,noise\n")
	y.WriteString("up,down\n")
	tasks.WriteString("task,y,a,b,c,noise\n")
	won.WriteString("who,won,a,b,c,noise\n")
	names := []string{"red", "green", "blue, dark"}
	for i := range 120 {
		f := [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		c := 0
		for k := 1; k < 3; k++ {
			if f[k] > f[c] {
				c = k
			}
		}
		fmt.Fprintf(&svm, "%d 1:%.3f 2:%.3f 3:%.3f 4:%.3f\n", c+1, f[0], f[1], f[2], f[3])
		fmt.Fprintf(&x, "%.3f,%.3f,%.3f,%.3f\n", f[0], f[1], f[2], f[3])
		fmt.Fprintln(&class, strconv.Quote(names[c]))
		fmt.Fprintf(&y, "%.4f,%.4f\n", 2*f[0]-f[1]+0.1*rng.NormFloat64()+3, -f[0]+0.1*rng.NormFloat64())
		task := i % 3
		v := f[0]*(1+0.2*float64(task)) - f[1] + 0.1*rng.NormFloat64()
		fmt.Fprintf(&tasks, "t%d,%.4f,%.3f,%.3f,%.3f,%.3f\n", task, v, f[0], f[1], f[2], f[3])
		fmt.Fprintf(&won, "t%d,%d,%.3f,%.3f,%.3f,%.3f\n", task, metric.SignClass(v), f[0], f[1], f[2], f[3])
	}
	write(t, map[string]string{"letters.libsvm": svm.String(), "X.csv": x.String(), "class.txt": class.String(),
		"y.csv": y.String(), "tasks.csv": tasks.String(), "won.csv": won.String()})
}

func write(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// With orthonormal features, Xᵀy = g, lasso is soft thresholding: F = ½Σ min(|g|, λ)² + λΣ max(|g|-λ, 0) + what no feature
// explains. Group lasso and the trace norm of one column threshold ‖g‖.
func TestOrthogonalDesign(t *testing.T) {
	t.Chdir(t.TempDir())
	g := []float64{5, -3, 1, 0.5} // the design is √¼ times a Hadamard matrix
	had := [4][4]float64{{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}}
	var x, y, svm strings.Builder
	for i := range 4 {
		var v float64
		for j := range 4 {
			v += had[i][j] / 2 * g[j]
		}
		fmt.Fprintf(&x, "%v,%v,%v,%v\n", had[i][0]/2, had[i][1]/2, had[i][2]/2, had[i][3]/2)
		fmt.Fprintf(&y, "%v\n", v)
		fmt.Fprintf(&svm, "%v 1:%v 2:%v 3:%v 4:%v\n", v, had[i][0]/2, had[i][1]/2, had[i][2]/2, had[i][3]/2)
	}
	write(t, map[string]string{"X": x.String(), "y": y.String(), "one.libsvm": svm.String(), "groups": "p\np\nq\nq\n",
		"sets": "1,2\n3 4\n", "heavy": "2: 1,2\n3 4\n", "light": "p\n0.5: p\nq\nq\n", "w": "2\n1\n1\n1\n"})
	const lambda = 1.5
	var lasso float64
	for _, v := range g {
		a := math.Abs(v)
		lasso += math.Pow(math.Min(a, lambda), 2)/2 + lambda*math.Max(a-lambda, 0)
	}
	group := func(size float64) float64 {
		return math.Pow(math.Min(size, lambda), 2)/2 + lambda*math.Max(size-lambda, 0)
	}
	weighted := func(size, w float64) float64 {
		return math.Pow(math.Min(size, w*lambda), 2)/2 + w*lambda*math.Max(size-w*lambda, 0)
	}
	p, q := math.Hypot(5, 3), math.Hypot(1, 0.5)
	two := group(math.Hypot(5, 3)) + group(math.Hypot(1, 0.5))
	for args, want := range map[string]float64{
		"--gauge l1": lasso, "--gauge group": lasso, "--gauge columns": group(math.Sqrt(35.25)), "--gauge trace": group(math.Sqrt(35.25)),
		"--gauge group:groups": two, "--gauge group:sets": two, "--gauge positive-l1": group(5) + 9.0/2 + group(1) + group(0.5),
		"--gauge l1:w": 3*3/2.0 + 3*2 + group(3) + group(1) + group(0.5), "--gauge lp:1": lasso, "--gauge schatten:1": group(math.Sqrt(35.25)),
		"--gauge schatten:2": group(math.Sqrt(35.25)), "--gauge lp:2": group(math.Sqrt(35.25)), "--gauge factor:1,2": lasso,
		"--gauge group:heavy": weighted(p, 2) + group(q), "--gauge group:light": weighted(p, 0.5) + group(q),
		"--gauge group:sets,by-size":  weighted(p, math.Sqrt2) + weighted(q, math.Sqrt2),
		"--gauge group:heavy,by-size": weighted(p, 2*math.Sqrt2) + weighted(q, math.Sqrt2),
	} {
		r := gcgJSON(t, fmt.Sprintf("fit regression --features X --targets y --tol 1e-9 --max-iter 3000 --lambda %v %s", lambda, args))
		near(t, args, r["objective"], want, 1e-6)
		if _, sparse := r["nonzeros"]; sparse == strings.Contains("trace schatten:1 schatten:2", strings.Fields(args)[1]) {
			t.Errorf("%s: rank %v, nonzeros %v", args, r["rank"], r["nonzeros"])
		}
	}
	r := gcgJSON(t, "fit regression --train one.libsvm --tol 1e-9 --lambda 5.0001")
	near(t, "nonzeros at λ above λ_max", r["nonzeros"], 0, 0)
	near(t, "the objective there", r["objective"], 35.25/2, 1e-9)
	r = gcgJSON(t, "fit regression --train one.libsvm --tol 1e-9 --lambda 0.375 --normalize mean")
	near(t, "the mean's objective", r["objective"], lasso/4, 1e-8)
	r = gcgJSON(t, "fit regression --train one.libsvm --tol 1e-9 --constrain 3")
	near(t, "the constrained loss", r["objective"], (6.25+6.25+1+0.25)/2, 1e-6) // κ ≤ 3 is the threshold 2.5
	r = gcgJSON(t, "fit regression --train one.libsvm --tol 1e-6 --gauge simplex --constrain 2")
	near(t, "the loss on the simplex", r["objective"], (9+9+1+0.25)/2, 1e-4)
}

// At W = 0 the multinomial loss of a row is log 3, and the squared one of each of its three signs ½: what a sum of them is
// divided by for a mean is what the help says.
func TestMeansOfClasses(t *testing.T) {
	rows(t)
	help, _, _ := command(t, "help", "fit", "classification")
	help = strings.Join(strings.Fields(help), " ") // however it is wrapped
	if !strings.Contains(help, "a sum or a mean over the rows (logistic), or rows × classes (the others") {
		t.Errorf("the help of --normalize: %s", help)
	}
	for loss, at0 := range map[string]struct{ sum, mean float64 }{"logistic": {120 * math.Log(3), math.Log(3)},
		"squared": {120 * 3 / 2, 0.5}} {
		fit := "fit classification --train letters.libsvm --lambda 1e4 --loss " + loss + " --normalize "
		near(t, loss+", sum", gcgJSON(t, fit+"sum")["loss"], at0.sum, 1e-9)
		near(t, loss+", mean", gcgJSON(t, fit+"mean")["loss"], at0.mean, 1e-12)
	}
}

func TestKeysOfEveryProblem(t *testing.T) {
	rows(t)
	for args, more := range map[string]string{
		"classification --train letters.libsvm --split 0.75":                            "rank test",
		"classification --features X.csv --labels class.txt --gauge l1":                 "nonzeros training",
		"multitask --train tasks.csv --split 0.75":                                      "rank test",
		"regression --features X.csv --targets y.csv --split 0.75":                      "nonzeros test",
		"regression --train X.csv --target noise --gauge trace --split 0.5":             "rank test",
		"multitask --train won.csv --task who --target won --loss logistic --split 0.7": "rank test",
	} {
		r := gcgJSON(t, "fit "+args)
		for _, key := range strings.Fields("problem solver status objective loss gauge lower_bound gap relative_gap iterations " +
			"lambda seconds read_seconds normalize rows cols observations warnings baselines certificate loss_name gauge_name " + more) {
			if _, ok := r[key]; !ok {
				t.Errorf("%s: the result has no %q", args, key)
			}
		}
		if r["status"] != "converged" || r["problem"] != strings.Fields(args)[0] {
			t.Errorf("%s: %v, %v", args, r["status"], r["problem"])
		}
	}
}

// What a user gets from each problem is worth something, and the same predictions come out of the saved model.
func TestLinearLife(t *testing.T) {
	rows(t)
	r := gcgJSON(t, "fit classification --features X.csv --labels class.txt --split 0.75 --model m --intercept")
	test := r["test"].(map[string]any)
	if test["accuracy"].(float64) < 0.8 || len(test["confusion"].([]any)) != 3 {
		t.Errorf("classification: %v", test)
	}
	out, errs, code := command(t, "predict", "--model", "m", "--data", "X.csv", "--labels", "class.txt")
	if lines := strings.Split(out, "\n"); code != 0 || lines[0] != `label,"blue, dark",green,red` || len(lines) != 122 ||
		!strings.Contains(errs, "accuracy 0.") || !strings.Contains(errs, "(predicted)") {
		t.Errorf("predict: %d, %q, %s", code, lines[0], errs)
	}
	if w := gcgJSON2(t, "predict --model m --data X.csv --labels class.txt --output p.csv --json"); w["predictions"] != 120.0 ||
		!(w["measured"].(map[string]any)["accuracy"].(float64) > 0.5) {
		t.Errorf("predict --json: %v", w)
	}
	r = gcgJSON(t, "fit multitask --train won.csv --task who --target won --loss logistic --model w")
	if on := r["training"].(map[string]any); on["accuracy"].(float64) < 0.9 || len(on["tasks"].([]any)) != 3 {
		t.Errorf("multitask: %v", on)
	}
	write(t, map[string]string{"notarget.csv": "who,a,b,c,noise\nt2,1,-1,0,0\nt0,-1,1,0,0\n",
		"t9.csv": "who,won,a,b,c,noise\nt9,1,1,1,1,1\n"})
	out, errs, code = command(t, "predict", "--model", "w", "--data", "notarget.csv")
	if code != 0 || !strings.HasPrefix(out, "task,prediction,probability\nt2,1,") || !strings.Contains(out, "\nt0,0,") ||
		errs != "" {
		t.Errorf("tasks without targets: %d, %q, %s", code, out, errs)
	}
	if _, errs, code = command(t, "predict", "--model", "w", "--data", "won.csv"); code != 0 ||
		!strings.Contains(errs, "accuracy ") {
		t.Errorf("tasks with targets: %d, %s", code, errs)
	}
	complains(t, "t9.csv", `: the task "t9" does not occur in training; there are t0, t1, t2`, "predict", "--model", "w", "--data",
		"t9.csv")
	write(t, map[string]string{"t09.csv": "who,won,a,b,c,noise\nt9,1,1,1,1,1\nt0,0,-1,1,0,0\nt9,0,1,1,1,1\n",
		"t09-notarget.csv": "who,a,b,c,noise\nt9,1,1,1,1\nt0,-1,1,0,0\n"})
	for file, unknown := range map[string]string{"t09.csv": "2 of 3", "t09-notarget.csv": "1 of 2"} {
		out, errs, code = command(t, "predict", "--model", "w", "--data", file)
		if code != 0 || !strings.HasPrefix(out, "task,prediction,probability\nt9,,\nt0,0,") ||
			!strings.HasPrefix(errs, unknown+" rows are of tasks that the model does not know, and have no prediction\n") {
			t.Errorf("%s: %d, %q, %s", file, code, out, errs)
		}
	}
	if w := gcgJSON2(t, "predict --model w --data t09.csv --output p.csv --json"); w["unknown"] != 2.0 ||
		w["measured"].(map[string]any)["observations"] != 1.0 {
		t.Errorf("a task that the model does not know: %v", w)
	}
	gcgJSON(t, "fit multitask --train tasks.csv --intercept --lambda 0.02 --model s")
	if show := gcgJSON2(t, "show --model s --json"); len(show["intercept"].([]any)) != 3 ||
		show["intercept"].([]any)[0] == show["intercept"].([]any)[1] {
		t.Errorf("the constants of the tasks: %v", show["intercept"])
	}
	if r = gcgJSON(t, "fit multitask --train tasks.csv --intercept --lambda 0.02 --warm s"); r["iterations"].(float64) > 2 {
		t.Errorf("from its own solution a fit took %v iterations", r["iterations"])
	}
	r = gcgJSON(t, "fit regression --features X.csv --targets y.csv --intercept --model r --lambda 0.5 --split 0.8")
	if on := r["test"].(map[string]any); on["r2"].(float64) < 0.95 || len(on["outputs"].([]any)) != 2 {
		t.Errorf("regression: %v", on)
	}
	out, errs, code = command(t, "predict", "--model", "r", "--data", "X.csv", "--targets", "y.csv")
	if code != 0 || !strings.HasPrefix(out, "up,down\n") || !strings.Contains(errs, "R² 0.9") {
		t.Errorf("predict: %d, %s", code, errs)
	}
	write(t, map[string]string{"n.libsvm": "1 1:1 2:2\n2 1:2 2:1\n0 2:-1\n", "other": "11\n12\n10\n", "short": "1\n2\n"})
	gcgJSON(t, "fit regression --train n.libsvm --lambda 0.001 --model n")
	if w := gcgJSON2(t, "predict --model n --data n.libsvm --targets other --output p.csv --json")["measured"].(map[string]any); !(w["mae"].(float64) > 9) {
		t.Errorf("targets in the place of LIBSVM's labels: %v", w)
	}
	complains(t, "short", ": has 2 rows of targets for the 3 rows of features in n.libsvm", "predict", "--model", "n", "--data",
		"n.libsvm", "--targets", "short")
	write(t, map[string]string{"s.libsvm": "1 1:1 2:2\n-1 1:2 2:1\n-1 2:-1\n"})
	gcgJSON(t, "fit regression --train s.libsvm --loss logistic --lambda 0.001 --model s")
	complains(t, "other", ":1: the label 11 does not occur in training", "predict", "--model", "s", "--data", "n.libsvm",
		"--targets", "other")
	out, _, code = command(t, "show", "--model", "r")
	if code != 0 || !strings.Contains(out, "up (intercept 3.0") || !strings.Contains(out, "features     a (") {
		t.Errorf("show: %d, %s", code, out)
	}
	if _, errs, code = command(t, "recommend", "--model", "r", "--all"); code != 1 ||
		!strings.Contains(errs, "is a model of regression") {
		t.Errorf("recommend: %d, %s", code, errs)
	}
	gcgJSON(t, "fit classification --features X.csv --labels class.txt --intercept --lambda 0.01 --tol 1e-5 --model c")
	for _, args := range []string{"classification --features X.csv --labels class.txt --intercept --lambda 0.01 --warm c",
		"regression --features X.csv --targets y.csv --intercept --lambda 0.3 --warm r"} {
		if warm := gcgJSON(t, "fit "+args); warm["status"] != "converged" || warm["iterations"].(float64) > 3 {
			t.Errorf("%s: %v after %v iterations", args, warm["status"], warm["iterations"])
		}
	}
}

// The objective of a saved model is that of its predictions.
func TestPredictionsAreTheObjective(t *testing.T) {
	rows(t)
	for _, gauge := range []string{"l1", "trace", "group"} {
		r := gcgJSON(t, "fit regression --train X.csv --target noise --intercept --lambda 3 --model m --gauge "+gauge)
		out, _, _ := command(t, "predict", "--model", "m", "--data", "X.csv", "--quiet")
		text, _ := os.ReadFile("X.csv")
		x, z := strings.Split(strings.TrimSpace(string(text)), "\n")[1:], strings.Split(strings.TrimSpace(out), "\n")[1:]
		var loss float64
		for i := range x {
			y, _ := strconv.ParseFloat(x[i][strings.LastIndex(x[i], ",")+1:], 64)
			p, _ := strconv.ParseFloat(z[i], 64)
			loss += (y - p) * (y - p) / 2
		}
		near(t, gauge, r["loss"], loss, 1e-3)
	}
}

// With an intercept features may be counted from anywhere: objective, predictions and warm starts are the same.
func TestFeaturesFarFromZero(t *testing.T) {
	rows(t)
	far := map[string]string{}
	for name, first := range map[string]int{"X.csv": 0, "tasks.csv": 2} { // the first feature
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		for i, line := range lines[1:] {
			fields := strings.Split(line, ",")
			for j := first; j < len(fields); j++ {
				x, _ := strconv.ParseFloat(fields[j], 64)
				fields[j] = strconv.FormatFloat(x+500*float64(j-first+1), 'g', -1, 64)
			}
			lines[i+1] = strings.Join(fields, ",")
		}
		far["far-"+name] = strings.Join(lines, "\n") + "\n"
	}
	write(t, far)
	for _, args := range []string{
		"classification --lambda 0.01 --labels class.txt --features X.csv",
		"regression --lambda 3 --targets y.csv --gauge group --features X.csv",
		"multitask --lambda 0.02 --train tasks.csv",
	} {
		at := strings.LastIndex(args, " ") + 1
		file := args[at:]
		want := gcgJSON(t, "fit "+args+" --intercept --tol 1e-8 --model near")
		fit := "fit " + args[:at] + "far-" + file + " --intercept --tol 1e-8"
		got := gcgJSON(t, fit+" --model far")
		near(t, args, got["objective"], want["objective"].(float64), 1e-7)
		a, _, _ := command(t, "predict", "--model", "near", "--data", file, "--quiet")
		b, _, _ := command(t, "predict", "--model", "far", "--data", "far-"+file, "--quiet")
		p, q := strings.FieldsFunc(a, func(r rune) bool { return r == ',' || r == '\n' }), strings.FieldsFunc(b,
			func(r rune) bool { return r == ',' || r == '\n' })
		for i := range p {
			x, err := strconv.ParseFloat(p[i], 64)
			if y, _ := strconv.ParseFloat(q[i], 64); err == nil && math.Abs(x-y) > 1e-3 {
				t.Fatalf("%s: field %d is predicted %v and %v", args, i, p[i], q[i])
			}
		}
		if warm := gcgJSON(t, fit+" --warm far"); warm["iterations"].(float64) > 1 {
			t.Errorf("%s: %v iterations from its own solution", args, warm["iterations"])
		}
	}
}

func TestLinearCheckpoint(t *testing.T) {
	rows(t)
	for _, gauge := range []string{"l1", "trace --penalty square", "lp:1.5"} {
		args := "fit classification --train letters.libsvm --lambda 0.005 --tol 1e-5 --gauge " + gauge
		whole := gcgJSON(t, args)
		first := gcgJSON(t, args+" --max-iter 1 --checkpoint c")
		rest := gcgJSON(t, args+" --resume c")
		near(t, gauge, rest["objective"], whole["objective"].(float64), 1e-5)
		if first["status"] != "max_iterations" || rest["status"] != "converged" || rest["iterations"].(float64) < 2 {
			t.Errorf("%s: %v, %v after %v", gauge, first["status"], rest["status"], rest["iterations"])
		}
	}
	_, errs, code := command(t, strings.Fields("fit classification --train letters.libsvm --lambda 0.03 --resume c --quiet")...)
	if code != 1 || !strings.Contains(errs, "another problem") {
		t.Errorf("another λ: %d, %q", code, errs)
	}
}

// What show prints of standardized features are their weights as they are, which belong to the intercept beside them.
func TestShowStandardized(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "small,large,y\n"
	for i := range 20 {
		a, b := float64(i%5), float64((7*i)%11)
		text += fmt.Sprintf("%g,%g,%g\n", a/1000, 1000*b, 2*a+b+10)
	}
	write(t, map[string]string{"x.csv": text})
	for _, flag := range []string{"--standardize"} {
		_, errs, code := command(t, strings.Fields("fit regression --train x.csv --target y --intercept --lambda-ratio 1e-9 "+
			"--tol 1e-9 --quiet --model m "+flag)...)
		out, _, _ := command(t, "show", "--model", "m")
		if code != 0 || !strings.Contains(out, "small (2000)") || !strings.Contains(out, "large (0.001)") ||
			!strings.Contains(out, "(intercept 10)") {
			t.Errorf("%s: %s%s", flag, errs, out)
		}
	}
}
