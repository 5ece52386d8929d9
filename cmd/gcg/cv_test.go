package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
)

// Folds by rows hold out half of what users have, of whom some may have no ratings in a Matrix Market file.
func TestFoldsOfLoneRatings(t *testing.T) {
	t.Chdir(t.TempDir())
	head := "%%MatrixMarket matrix coordinate real general\n9 3 "
	write(t, map[string]string{"lone": head + "3\n2 1 5\n5 2 1\n9 3 2\n",
		"some": head + "7\n2 1 5\n2 2 3\n5 2 1\n5 3 2\n7 1 1\n9 3 2\n9 1 4\n"})
	_, errs, code := command(t, strings.Fields("cv completion --train lone --by row --points 3 --folds 2 --quiet")...)
	if code != 1 || errs != "gcg: lone: has too few ratings or rows for 2 folds\n" {
		t.Errorf("exit %d, %s", code, errs)
	}
	if _, errs, code := command(t, strings.Fields("cv completion --train some --by row --points 3 --folds 2")...); code != 0 {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// What cross-validation has no use for is refused, and not in its help: a part that is set apart would neither be trained on nor
// tested.
func TestPathsRefuseWithAReason(t *testing.T) {
	for args, want := range map[string]string{
		"cv completion --train r --split 0.9": "--split: gcg cv completion measures on its folds; fit with the λ that it " +
			"selects",
		"cv completion --train r --split-per-user 0.9": "--split-per-user: gcg cv completion measures on its folds; fit with the λ " +
			"that it selects",
		"cv completion --train r --split-last 1": "--split-last: gcg cv completion measures on its folds; fit with the λ " +
			"that it selects",
		"cv regression --train r --split 0.9": "--split: gcg cv regression measures on its folds; fit with the λ that it " +
			"selects",
		"cv completion --train r --valid v": "--valid: is to choose λ by in gcg fit; gcg cv completion chooses by its folds",
		"path completion --train r --valid v": "--valid: is to choose λ by in gcg fit; gcg path completion chooses none, " +
			"and measures every λ on --test",
		"path completion --train r --float32": "--float32: is for gcg fit alone; gcg path completion keeps ratings and " +
			"predictions in float64",
		"path completion --train r --lambda-ratio .1": "--lambda-ratio: is of one λ, for gcg fit; gcg path completion takes " +
			"--points and --ratio",
		"path completion --train r --model m": "--model: belongs to gcg fit, with one λ; gcg path completion prints what " +
			"it found",
	} {
		if out, errs, code := command(t, strings.Fields(args)...); code != 2 || out != "" || errs != "gcg: "+want+"\n" {
			t.Errorf("%s: exit %d, %q", args, code, errs)
		}
	}
	for _, problem := range []string{"completion", "regression"} {
		help, _, _ := command(t, "cv", problem, "--help")
		for _, not := range []string{"--split", "test on", "half of it"} {
			if strings.Contains(help, not) {
				t.Errorf("cv %s: the help has %q", problem, not)
			}
		}
	}
	if help, _, _ := command(t, "path", "completion", "--help"); strings.Contains(help, "half of it") ||
		!strings.Contains(help, "--split") {
		t.Error("path: the help is not right")
	}
	if help, _, _ := command(t, "fit", "completion", "--help"); !strings.Contains(help, "half of it") {
		t.Error("fit: the help is not right")
	}
}

// The built-in dataset is all for the folds.
func TestFoldsOfTheBuiltIn(t *testing.T) {
	_, errs, code := command(t, strings.Fields("cv completion --points 1 --folds 2")...)
	if code != 0 || !strings.Contains(errs, "a generated dataset") || strings.Contains(errs, "held out") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// More folds than ratings are refused, and nothing is said of how they would be solved.
func TestTooManyFolds(t *testing.T) {
	ratings(t)
	for _, by := range []string{"entry", "row"} {
		_, errs, code := command(t, strings.Fields("cv completion --train ratings.csv --points 3 --folds 1000000 --by "+by)...)
		if code != 1 || errs != "gcg: ratings.csv: has too few ratings or rows for 1000000 folds\n" {
			t.Errorf("%s: exit %d, %q", by, code, errs)
		}
	}
}

// Folds are solved to the gap that is asked for.
func TestFoldsReachTheGap(t *testing.T) {
	ratings(t)
	for _, tol := range []string{"1e-6", "1e-2"} {
		out, errs, code := command(t, strings.Fields("cv completion --train ratings.csv --points 4 --ratio 0.1 --folds 2 --json "+
			"--quiet --tol "+tol)...)
		var points []cli.PathPoint
		if err := json.Unmarshal([]byte(out), &points); code != 0 || err != nil || len(points) < 4 {
			t.Fatalf("exit %d, %q, %v, %d points", code, errs, err, len(points))
		}
		coarse := 0.0
		for _, p := range points {
			coarse = max(coarse, p.Gap())
		}
		if tol == "1e-6" && coarse > 1e-6 || tol == "1e-2" && !(coarse > 1e-6 && coarse <= 1e-2) {
			t.Errorf("--tol %s: the largest gap is %g", tol, coarse)
		}
	}
}

// A grid that --max-time cuts short says so, to people and on all of its points, whatever is selected from it.
func TestCutShort(t *testing.T) {
	ratings(t)
	for _, verb := range []string{"path completion --train ratings.csv", "cv completion --train ratings.csv --folds 2"} {
		found := false
		for limit := time.Millisecond; !found && limit < time.Minute; limit += limit / 2 {
			out, errs, _ := command(t, strings.Fields(verb+" --points 300 --tol 1e-9 --json --quiet --max-time "+limit.String())...)
			var points []cli.PathPoint
			if json.Unmarshal([]byte(out), &points); len(points) == 0 {
				continue
			}
			found = true
			if !strings.HasPrefix(errs, "warning: --max-time was over") || strings.Count(errs, "\n") != 1 ||
				points[0].CutShort != "max_time" || points[len(points)-1].CutShort != "max_time" {
				t.Errorf("%s: %q, %+v", verb, errs, points[0])
			}
		}
		if !found {
			t.Errorf("%s never printed a point", verb)
		}
	}
}

// An interrupted cross-validation prints the means of the folds that were done, if there are two, and says that they are not all.
func TestInterruptedCV(t *testing.T) {
	ratings(t)
	for during, folds := range map[string]string{"fold 2": "", "fold 4": "3 of 5", "fold 5": "4 of 5"} {
		ctx, cancel := context.WithCancel(context.Background())
		var out bytes.Buffer
		errs := &watched{text: during, found: cancel}
		code := execute(ctx, strings.Fields("cv completion --train ratings.csv --points 3 --json -v"), &out, errs)
		if folds == "" {
			if text := errs.String(); code != 1 || out.Len() > 0 || !strings.HasSuffix(text,
				"gcg: interrupted before two folds were done, which a standard error needs; nothing can be chosen\n") {
				t.Errorf("%s: exit %d, %q, %q", during, code, out.String(), text)
			}
			continue
		}
		var points []cli.PathPoint
		if err := json.Unmarshal(out.Bytes(), &points); code != 0 || err != nil || len(points) != 3 ||
			points[0].CutShort != "interrupted" || points[0].StdErr == nil {
			t.Errorf("%s: exit %d, %v, %q", during, code, err, out.String())
		}
		if text := errs.String(); !strings.Contains(text, "\nwarning: interrupted: means of "+folds+" folds") {
			t.Errorf("%s: %q", during, text)
		}
	}
}

// watched calls found when its text was written.
type watched struct {
	bytes.Buffer
	text  string
	found func()
}

func (w *watched) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(w.text)) {
		w.found()
	}
	return w.Buffer.Write(b)
}

// Where every λ gives W = 0 there is no path: one line says so, in the place of an empty table, and nothing is drawn.
func TestNoPathWhereNothingIsExplained(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,2\n1,4\n1,7\n3,1\n", "zero": "0\n0\n0\n0\n"})
	for _, args := range []string{"path regression", "path regression --json", "cv regression --folds 2",
		"cv regression --folds 2 --json --plot p.svg"} {
		out, errs, code := command(t, strings.Fields(args+" --features X --targets zero --quiet")...)
		if code != 1 || out != "" || errs != "gcg: every λ gives W = 0: the data has nothing that a model could explain\n" {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, errs)
		}
	}
}

// What is the optimum of a fold stands beside the λ of the fold, not that of the whole.
func TestOptimaOfFoldsHaveTheirLambda(t *testing.T) {
	ratings(t)
	for normalize, share := range map[string]float64{"sum": 1 / 2., "mean": 1} {
		out, errs, code := command(t, strings.Fields("cv completion --train ratings.csv --points 2 --folds 2 --json --quiet "+
			"--center none --weights none "+
			"--normalize "+normalize)...)
		var points []map[string]any
		if err := json.Unmarshal([]byte(out), &points); code != 0 || err != nil || len(points) < 2 {
			t.Fatalf("exit %d, %q, %v", code, errs, err)
		}
		for _, p := range points {
			for _, name := range []string{"objective", "lower_bound", "gauge"} {
				fold, ok := p["fold"].(map[string]any)
				if _, beside := p[name]; beside || !ok || fold[name] == nil {
					t.Errorf("%s: %s is not of the fold: %v", normalize, name, p)
				}
			}
			near(t, normalize+": λ of the fold", p["fold"].(map[string]any)["lambda"], share*p["lambda"].(float64), 1e-9)
		}
	}
}
