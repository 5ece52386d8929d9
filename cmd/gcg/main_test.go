package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/dataset"
)

// command runs gcg in a folder and returns what it printed and its exit code.
func command(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	return commandIn(context.Background(), args...)
}

func commandIn(ctx context.Context, args ...string) (out, errs string, code int) {
	var o, e bytes.Buffer
	code = execute(ctx, args, &o, &e)
	return o.String(), e.String(), code
}

// ratings writes a small generated dataset into a fresh folder, which becomes the current one.
func ratings(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	smallRatings(t)
}

func smallRatings(t *testing.T) {
	t.Helper()
	g := dataset.Generator{Name: "small", Rows: 60, Cols: 40, N: 1200, Rank: 2, Mean: 3, Scale: 1, Noise: 0.3, Lo: 1, Hi: 5,
		Step: 0.5, Seed: 5}
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteRatings("ratings.csv", r); err != nil {
		t.Fatal(err)
	}
}

func fitJSON(t *testing.T, args ...string) map[string]any {
	t.Helper()
	out, errs, code := command(t, append([]string{"fit", "completion", "--json", "--quiet"}, args...)...)
	if code != 0 {
		t.Fatalf("%v: exit %d, %s", args, code, errs)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v printed %q: %v", args, out, err)
	}
	return r
}

// The keys are a contract with scripts.
func TestResultKeys(t *testing.T) {
	ratings(t)
	r := fitJSON(t, "--train", "ratings.csv", "--split", "0.8", "--lambda", "2", "--ranking", "5")
	for _, key := range strings.Fields("problem solver status objective loss gauge lower_bound gap relative_gap rank iterations " +
		"lambda seconds cpu_seconds read_seconds peak_memory_bytes normalize rows cols observations test warnings baselines " +
		"certificate") {
		if _, ok := r[key]; !ok {
			t.Errorf("the result has no %q", key)
		}
	}
	if r["status"] != "converged" || r["relative_gap"].(float64) > 1e-3 {
		t.Errorf("%v with gap %v", r["status"], r["relative_gap"])
	}
	test := r["test"].(map[string]any)
	for _, key := range []string{"rmse", "nmae", "recall", "ndcg"} {
		if _, ok := test[key]; !ok {
			t.Errorf("the test has no %q", key)
		}
	}
}

func TestOptionsRun(t *testing.T) {
	ratings(t)
	plain := fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--tol", "1e-6")["objective"].(float64)
	for _, args := range [][]string{
		{"--lambda", "auto", "--split-per-user", "0.7"}, {"--lambda", "2", "--split-last", "1"}, {"--lambda", "2", "--center", "rows"},
		{"--lambda", "2", "--center", "cols"}, {"--lambda", "2", "--center", "both"}, {"--lambda", "40", "--weights", "empirical"},
		{"--lambda", "9", "--weights", "smoothed:0.2"}, {"--lambda", "9", "--weights", "power:0.5"}, {"--lambda", "0.002",
			"--normalize", "mean"},
		{"--constrain", "30"}, {"--lambda", "0.05", "--penalty", "square"}, {"--lambda", "2", "--clip", "0,9"}, {"--lambda", "2",
			"--clip", "none"},
		{"--lambda", "2", "--exact-certificate"}, {"--lambda", "2", "--improve", "corrective", "--tol", "0.02"},
		{"--lambda", "2", "--improve", "none", "--tol", "0.1"}, {"--lambda", "2", "--atoms", "3"}, {"--lambda", "2", "--threads", "2"},
	} {
		r := fitJSON(t, append([]string{"--train", "ratings.csv"}, args...)...)
		if r["status"] != "converged" {
			t.Errorf("%v: %v with gap %v", args, r["status"], r["relative_gap"])
		}
	}
	mean := fitJSON(t, "--train", "ratings.csv", "--lambda", "0.0016666666666666668", "--normalize", "mean", "--tol",
		"1e-6")["objective"].(float64)
	if d := mean*1200 - plain; d > 1e-5*plain || d < -1e-5*plain {
		t.Errorf("the mean's objective is %g, the sum's %g", mean*1200, plain)
	}
}

// Every wrong word or value is exit code 2 and one line; bad data is exit code 1 and one line.
func TestWrongUsage(t *testing.T) {
	ratings(t)
	os.WriteFile("bad.csv", []byte("a,b,1\na,c,x\n"), 0o600)
	os.WriteFile("twice.csv", []byte("a,b,1\na,b,2\n"), 0o600)
	os.WriteFile("empty", nil, 0o600)
	os.WriteFile("huge.csv", []byte("1e308,1e308\n1e308,1e308\n"), 0o600)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"fly", 2, "unknown verb"}, {"fit", 2, "takes a problem"}, {"fit dance", 2, "unknown problem"}, {"fit completion --flag", 2,
			"flag: --flag; see gcg help fit completion"},
		{"fit completion --lamda 3", 2, "is it --lambda?"}, {"--flag", 2, "see gcg help"}, {"recommend --mod m", 2, "is it --model?"},
		{"fit completion --lambda -1", 2, "--lambda"}, {"fit completion --lambda NaN", 2, "--lambda"}, {"fit completion --lambda 0", 2,
			"--lambda"},
		{"fit completion --tol 0", 2, "--tol"}, {"fit completion --tol x", 2, "tol"}, {"fit completion --threads 0", 2, "--threads"},
		{"fit completion --constrain -2", 2, "--constrain"}, {"fit completion --constrain 2 --lambda 3", 2, "exclude"},
		{"fit completion --split 1.5", 2, "--split"}, {"fit completion --split 0.5 --split-last 1", 2,
			"exclude"}, {"fit completion --max-time soon", 2, "--max-time"},
		{"fit completion --center up", 2, "--center"}, {"fit completion --weights smoothed:2", 2,
			"--weights"}, {"fit completion --clip 5,1", 2, "--clip"},
		{"fit completion --duplicates no", 2, "--duplicates"}, {"fit completion --step big", 2,
			"--step"}, {"fit completion --improve well", 2, "--improve"},
		{"path completion --points 0", 2, "--points"}, {"path completion --ratio 2", 2, "--ratio"}, {"cv completion --folds 1", 2,
			"--folds"},
		{"predict", 2, "--model"}, {"predict --model m --data d --json", 2, "--output"}, {"recommend --model m", 2,
			"one of"}, {"recommend --model m --all --top 0", 2, "--top"}, {"show extra", 2, "extra"},
		{"data generate --noise 1e300 --output x", 2,
			"--noise 1e+300: a number from 0 to 1e50"}, {"data generate --noise inf --output x", 2, "from 0 to 1e50"},
		{"polar trace --matrix huge.csv", 1, "too large for the polar of trace"}, {"polar factor:inf,inf --matrix huge.csv", 1,
			"too large"},
		{"polar schatten:3 --matrix huge.csv", 1, "too large"}, {"polar lp:2 --matrix huge.csv --json", 1,
			"too large for the polar of lp:2"},
		{"data generate --noise nan --output x", 2, "from 0 to 1e50"}, {"data generate --output g.csv.gz", 2,
			"g.csv.gz: ratings are written as .parquet, as .csv, or with tabs"},
		{"data generate --output g.mtx.zst", 2, "not as .mtx"}, {"data convert --train ratings.csv --output G.MTX", 2, "not as .mtx"},
		{"data split --train ratings.csv --split 0.5 --parts a.csv,b.gz", 2,
			"b.gz: ratings are written as .parquet, as .csv"}, {"data generate classes-100 --output x.csv", 2, "LIBSVM's format"},
		{"data nothing", 2, "data"}, {"data generate nowhere --output x", 2, "unknown shape"},
		{"data generate classes-100 --rank 3 --output x", 2, "--rank: not for"}, {"data generate netflix --classes 3 --output x", 2,
			"--classes: not for"},
		{"data generate movielens-1m --rank 1000000000000000 --output x", 2, "at most 2³³ numbers"},
		{"data generate classes-100 --features 16000000 --classes 16000000 --per-class 1 --output x", 2, "at most 2³³ numbers"},
		{"data generate classes-100 --correlation 1 --output x", 2,
			"correlation"}, {"data generate classes-100 --output x --test-output x", 2, "x: cannot hold two outputs"}, {"report", 2, "traces"},
		{"fit completion --columns 1,1,2", 2, "1 is there twice"}, {"cv completion --test ratings.csv", 2,
			"--test: gcg cv completion measures on its folds"},
		{"path completion --warm m", 2, "--warm: belongs to gcg fit"}, {"cv completion --float32", 2,
			"--float32: is for gcg fit alone"},
		{"fit completion --solver r1d --max-rank 3", 2, "--max-rank: goes with --solver gcg"}, {"fit regression --train m --max-rank 3",
			2, "--max-rank: W has no factors with --gauge l1"},
		{"check completion --model m", 2, "--model: gcg check completion solves nothing"},
		{"fit completion --checkpoint-every 9s", 2, "--checkpoint-every: goes with --checkpoint"},
		{"check regression --checkpoint-every 9s", 2, "--checkpoint-every: gcg check regression solves nothing"},
		{"fit completion --train missing.csv", 1, "missing.csv: cannot be read"}, {"fit completion --train bad.csv", 1,
			"bad.csv:2: the rating \"x\""},
		{"fit completion --train twice.csv --lambda 1", 1, "twice.csv:2: user \"a\" and item \"b\" are already rated on line 1"},
		{"fit completion --train empty", 1, "empty: is empty"}, {"fit completion --train ratings.csv --columns 1,2,9", 1,
			"ratings.csv:1: has 3 columns"},
		{"fit completion --train missing.csv --model /nowhere/m", 1,
			"/nowhere/m: cannot be written: no such file"}, {"fit completion --train missing.csv --trace .", 1, ".: is a folder"},
		{"cv completion --train missing.csv --plot /nowhere/p.svg", 1, "/nowhere/p.svg"}, {"show --model ratings.csv", 1,
			"ratings.csv: is no model"},
		{"fit completion --train ratings.csv --lambda 2 --resume ratings.csv", 1, "ratings.csv"},
	} {
		out, errs, code := command(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Count(strings.TrimSpace(errs), "\n") > 0 || out != "" {
			t.Errorf("%s: exit %d, printed %q, %q; want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// Ids that are no UTF-8 text are read as Windows-1252, and written in UTF-8.
func TestIDsInOtherEncodings(t *testing.T) {
	t.Chdir(t.TempDir())
	os.WriteFile("r.csv", []byte("h\xe9l,x,1\nh\xe9l,y,2\nb,x,3\nb,y,5\n"), 0o600)
	if _, errs, code := command(t, strings.Fields("fit completion --train r.csv --lambda 0.1 --model m")...); code != 0 {
		t.Fatal(errs)
	}
	for format, want := range map[string]string{"csv": "hél,1,", "jsonl": `"user":"hél"`} {
		out, errs, code := command(t, strings.Fields("recommend --model m --all --format "+format)...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d, %q, %q", format, code, out, errs)
		}
	}
}

func TestModelLife(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m", "--center", "both", "--weights", "smoothed:0.1")
	os.WriteFile("pairs.csv", []byte("user,item\n1,2\nnobody,2\n1,nothing\n"), 0o600)
	out, errs, code := command(t, "predict", "--model", "m", "--data", "pairs.csv")
	if code != 0 || strings.Count(out, "\n") != 4 || strings.Contains(out, "NaN") || !strings.Contains(errs, "2 of 3") {
		t.Errorf("predict: %d, %q, %q", code, out, errs)
	}
	if w := gcgJSON2(t, "predict --model m --data ratings.csv --output p.csv --json"); w["predictions"] != 1200.0 ||
		w["unknown"] != 0.0 || !(w["measured"].(map[string]any)["rmse"].(float64) > 0) {
		t.Errorf("predict --json: %v", w)
	}
	if w := gcgJSON2(t, "predict --model m --data pairs.csv --output p.csv --json"); w["unknown"] != 2.0 || w["measured"] != nil {
		t.Errorf("predict --json without ratings: %v", w)
	}
	out, _, code = command(t, "recommend", "--model", "m", "--all", "--top", "3", "--format", "jsonl", "--seen", "ratings.csv")
	if code != 0 || strings.Count(out, "\n") != 60 {
		t.Errorf("recommend --all: %d, %d lines", code, strings.Count(out, "\n"))
	}
	os.WriteFile("mine.csv", []byte("2,5\n3,1\n"), 0o600)
	os.WriteFile("titles", []byte("2|Caf\xe9|x\n3|Third\n"), 0o600)
	out, errs, code = command(t, "recommend", "--model", "m", "--ratings", "mine.csv", "--top", "40", "--titles", "titles",
		"--format", "csv")
	if code != 0 || strings.Count(out, "\n") != 39 || strings.Contains(out, "Café") {
		t.Errorf("fold-in: %d, %q, %q", code, out, errs)
	}
	if _, errs, code = command(t, "recommend", "--model", "m", "--user", "ghost"); code != 1 || !strings.Contains(errs, "ghost") {
		t.Errorf("an unknown user: %d, %q", code, errs)
	}
	if out, _, code = command(t, "show", "--model", "m", "--json"); code != 0 || !json.Valid([]byte(out)) {
		t.Errorf("show: %d, %q", code, out)
	}
	warm := fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--warm", "m", "--center", "both", "--weights", "smoothed:0.1")
	if warm["iterations"].(float64) > 2 {
		t.Errorf("from its own solution a fit took %v iterations", warm["iterations"])
	}
}

// A run that is cut short keeps a checkpoint, and goes on to the answer of an uninterrupted one.
func TestCheckpoint(t *testing.T) {
	ratings(t)
	args := []string{"--train", "ratings.csv", "--lambda", "1", "--tol", "1e-7"}
	whole := fitJSON(t, args...)
	first := fitJSON(t, append(args, "--max-iter", "1", "--checkpoint", "c")...)
	if first["status"] != "max_iterations" {
		t.Fatalf("the first part ended %v", first["status"])
	}
	rest := fitJSON(t, append(args, "--resume", "c")...)
	a, b := whole["objective"].(float64), rest["objective"].(float64)
	if rest["status"] != "converged" || a-b > 1e-6*a || b-a > 1e-6*a {
		t.Errorf("resumed to %v (%v), uninterrupted %v", b, rest["status"], a)
	}
	_, errs, code := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", "3", "--resume", "c", "--quiet")
	if code != 1 || !strings.Contains(errs, "another problem") {
		t.Errorf("another λ: %d, %q", code, errs)
	}
}

func TestTraceAndReport(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--split", "0.8", "--trace", "t")
	b, _ := os.ReadFile("t")
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if !strings.Contains(lines[0], `"iteration":0`) || !strings.Contains(lines[len(lines)-1], `"status":"converged"`) ||
		!strings.Contains(lines[0], `"rmse"`) {
		t.Errorf("trace: %s", b)
	}
	if _, errs, code := command(t, "report", "t", "--output", "c.svg"); code != 0 {
		t.Error(errs)
	}
	if svg, _ := os.ReadFile("c.svg"); !bytes.Contains(svg, []byte("<svg")) {
		t.Error("no svg was drawn")
	}
	write(t, map[string]string{"killed": string(b[:len(b)-20])})
	if _, errs, code := command(t, "report", "killed", "--output", "k.svg"); code != 0 ||
		errs != "warning: killed: its last line breaks off and is left out\n" {
		t.Errorf("of a killed run: exit %d, %q", code, errs)
	}
	result, _, _ := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", "2", "--json", "--quiet")
	write(t, map[string]string{"1.json": result, "spread.json": strings.Replace(result, "{", "{\n  ", 1)})
	for _, name := range []string{"1.json", "spread.json"} {
		if _, errs, code := command(t, "report", name, "--output", "r.svg"); code != 1 ||
			!strings.HasPrefix(errs, "gcg: "+name+": is the result of fit --json, not a trace") || !strings.Contains(errs, "--cost") {
			t.Errorf("a result in the place of a trace: exit %d, %q", code, errs)
		}
	}
}

func TestPathAndCV(t *testing.T) {
	ratings(t)
	for _, verb := range [][]string{{"path", "completion"}, {"cv", "completion", "--folds", "3"},
		{"cv", "completion", "--folds", "3", "--by", "row", "--select", "1se"}} {
		args := append(verb, "--train", "ratings.csv", "--center", "global", "--weights", "none", "--points", "4", "--ratio", "0.1",
			"--quiet", "--json")
		out, errs, code := command(t, args...)
		var points []cli.PathPoint
		if err := json.Unmarshal([]byte(out), &points); code != 0 || err != nil || len(points) < 4 || verb[0] == "path" &&
			len(points) != 4 {
			t.Errorf("%v: %d, %q, %q", verb, code, out, errs)
			continue
		}
		var selected []string
		for _, p := range points {
			selected = append(selected, p.Selected...)
		}
		slices.Sort(selected)
		if want := map[string]string{"path": "", "cv": "1se min"}[verb[0]]; strings.Join(selected, " ") != want {
			t.Errorf("%v selects %v, want %s", verb, selected, want)
		}
		if len(verb) > 4 && *points[0].RMSE == *points[3].RMSE {
			t.Errorf("%v: every λ has the same error", verb)
		}
		if verb[0] == "path" && *points[0].Rank != 0 || *points[3].Rank == 0 || points[0].Lambda <= points[3].Lambda {
			t.Errorf("%v: %+v", verb, points)
		}
	}
}

// The time of --max-time is that of the whole command: one that is over before anything was solved ends each verb with a line.
func TestTimeOfTheWholeCommand(t *testing.T) {
	ratings(t)
	for _, verb := range []string{"fit", "path", "cv"} {
		out, errs, code := command(t, verb, "completion", "--train", "ratings.csv", "--max-time", "1e-9", "--quiet", "--json")
		if code != 1 || out != "" || !strings.Contains(errs, "--max-time was over") {
			t.Errorf("%s: exit %d, %q, %q", verb, code, out, errs)
		}
	}
}

// What a person reads: the lines of the result, without what depends on the machine.
func TestPrintedResult(t *testing.T) {
	ratings(t)
	out, _, code := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", "2", "--split", "0.8", "--quiet",
		"--threads", "1")
	if code != 0 {
		t.Fatal(code)
	}
	for _, want := range []string{"data         960 ratings, 60 × 40", "status       converged after ",
		"lambda       2 (loss is a sum)", "lower bound ", "(proven), relative gap", "baselines    RMSE on test ratings: global mean "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// text writes s.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}
