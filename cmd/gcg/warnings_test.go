package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/internal/decimal"
)

// A class, or a user, of which there is one observation is trained on in every fold.
func TestFoldsOfOne(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,2\n3,4\n5,7\n2,2\n1,0\n", "y": "a\na\nb\na\na\n",
		"r": "a,x,3\na,z,2\nb,y,4\nc,x,1\nc,z,1\nc,y,3\nd,x,2\nd,y,2\ne,x,2\ne,y,1\ne,z,4\nf,x,1\nf,z,5\n"})
	for _, args := range []string{"cv classification --features X --labels y --folds 2",
		"cv completion --train r --folds 2 --by row"} {
		if _, errs, code := command(t, append(strings.Fields(args), "--quiet", "--points", "2")...); code != 0 {
			t.Errorf("%s: exit %d, %s", args, code, errs)
		}
	}
}

// A feature far from 0 is pointed out where an intercept would have to make up for it.
func TestFarFeature(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "p,when\n1,1700000000.1\n3,1700000000.4\n5,1700000000.2\n", "y": "1\n2\n4\n"})
	for flag, want := range map[string]bool{"--intercept": true, "--quiet=false": false} {
		_, errs, code := command(t, "fit", "regression", "--features", "X", "--targets", "y", "--lambda", "0.1", flag)
		if code == 2 || strings.Contains(errs, `X: feature "when" lies over a million standard deviations from 0`) != want {
			t.Errorf("%s: exit %d, %s", flag, code, errs)
		}
	}
}

// A feature in no group is said to stay 0.
func TestGroupless(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "p,q,r,s\n1,2,0,1\n3,4,1,0\n5,7,2,2\n", "y": "1\n2\n4\n", "some": "p q\n", "all": "p q\nr s\n"})
	for file, want := range map[string]string{"some": `some: feature "r" is in no group and stays 0 (and 1 more)`, "all": ""} {
		_, errs, code := command(t, "fit", "regression", "--features", "X", "--targets", "y", "--gauge", "group:"+file, "--lambda",
			"0.1")
		if code != 0 || !strings.Contains(errs, want) || want == "" && strings.Contains(errs, "group and") {
			t.Errorf("%s: exit %d, %s", file, code, errs)
		}
	}
}

// In LIBSVM's format a row of zeros is a label alone, the first one too.
func TestPredictFromARowOfZeros(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"z": "1\n0 1:2 2:1\n1 2:1\n0 1:1\n"})
	gcgJSON(t, "fit classification --train z --lambda 0.01 --model m")
	if out, errs, code := command(t, "predict", "--model", "m", "--data", "z"); code != 0 ||
		!strings.HasPrefix(out, "label,0,1\n0,0.5,0.5\n") {
		t.Errorf("exit %d, %s, %s", code, out, errs)
	}
}

// What is small is written with its digits.
func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{-4.0210349e-07: "-4.02103e-07", math.Copysign(0, -1): "0", 0.0305050505: "0.0305051",
		12.123456789: "12.123457", -1e-12: "-1e-12"} {
		if got := decimal.Number(x); got != want {
			t.Errorf("%v is written %s, not %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0.0000", 0.5: "0.5000", -0.00012344: "-0.0001234"} {
		if got := cli.Decimals(x); got != want {
			t.Errorf("%v is written %s, not %s", x, got, want)
		}
	}
}

// check prints its answer as JSON too.
func TestCheckJSON(t *testing.T) {
	rows(t)
	out, errs, code := command(t, "check", "regression", "--features", "X.csv", "--targets", "y.csv", "--json")
	var list []cli.Checked
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) < 10 {
		t.Fatalf("exit %d, %v, %d checks, %s", code, err, len(list), errs)
	}
	for _, c := range list {
		if !c.OK || c.Name == "" || !(c.Error <= c.Limit) {
			t.Errorf("%+v", c)
		}
	}
}

// Targets far from 0 leave differences of derivatives with few digits, which is no fault of the loss.
func TestCheckLargeTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "1,2\n3,4\n5,7\n", "y": "1419991331.9\n333070706.7\n-1111848371.6\n"})
	if out, errs, code := command(t, "check", "regression", "--features", "X", "--targets", "y"); code != 0 ||
		strings.Contains(out, "FAILED") {
		t.Errorf("exit %d, %s, %s", code, out, errs)
	}
}

// Losses that are straight at W = 0, with features so large that slopes over no curvature overflow.
func TestLargeFeaturesOfStraightLosses(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "-6e8,-4e8\n0,0\n", "y": "-1\n1\n"})
	for _, args := range []string{"--loss huber:0.1 --lambda 0.01", "--loss absolute:0.1 --constrain 3",
		"--loss smoothed-hinge:0.5 --penalty square --lambda 1"} {
		r := gcgJSON(t, "fit regression --features X --targets y "+args)
		if gap, ok := r["relative_gap"].(float64); !ok || gap > 1e-3 {
			t.Errorf("%s: %v, gap %v", args, r["status"], r["relative_gap"])
		}
	}
}

// A field of any length leaves an error that can be read: its place, and what to do.
func TestLongFields(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "9", "--model", "m")
	long := strings.Repeat("ü", 1<<20)
	write(t, map[string]string{"users": long + "\n", "r": "a,b," + long + "\na,c," + long + "\n"})
	for args, want := range map[string][2]string{"recommend --model m --users users": {"gcg: users:1: user \"üü",
		"--ratings FILE\n"}, "fit completion --train r --columns 1,2,3": {"gcg: r:", "\n"}} {
		if _, errs, code := command(t, strings.Fields(args)...); code != 1 || len(errs) > 1000 || !strings.HasPrefix(errs, want[0]) ||
			!strings.HasSuffix(errs, want[1]) {
			t.Errorf("%s: exit %d, %d bytes: %.200s", args, code, len(errs), errs)
		}
	}
}

// Warnings name the file that they are about, and limits the flag that set them.
func TestWhatIsWarnedOf(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"X": "1,2\n1,4\n1,7\n", "numbered": "0,1,2\n3,5,9\n4,7,2\n", "y": "1\n2\n4\n",
		"g": "one\ntwo\nthree\nfour\n", "twice": "2\n1\n2\n", "lost": "a\nNA\na\n", "several": "1 1:1\n1,2 1:2\n1 2:1\n", "tiny": "a,x,1e-8\nb,x,2e-8\na,y,3e-8\n", "huge": "a,x,1e30\nb,x,2e30\na,y,3e30\n", "ones": "a,x,1\nb,x,1\na,y,1\n",
		"few": "item,rating\nnobody-knows,3\n", "titles": "nobody-knows,A title\n", "seen": "nobody,nothing\n",
		"again": "item,rating\n1,3\n1,4\n", "again3": "a,x,1\nb,x,2\na,x,3\n", "zero": "0\n0\n0\n", "large": "1e6\n2e6\n9.5e6\n", "wide": "1,2,3\n4,5,6\n", "header": "User ID\r\n7\r\n",
		"cut": "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4a\xd4\xa9"})
	fitJSON(t, "--train", "ratings.csv", "--lambda", "3", "--model", "m", "--checkpoint", "c", "--max-iter", "1")
	for args, want := range map[string]string{
		"fit regression --features X --targets y --lambda 0.1 --intercept": "X: feature 1 is constant",
		"fit regression --features X --targets y --lambda 9 --loss absolute:0.1 --intercept": "is worse than that of the mean, " +
			"1.2472: try another λ\n",
		"fit regression --features X --targets y --constrain 0.1": "is worse than that of the mean, " +
			"1.2472: try --intercept, or another ζ\n",
		"fit classification --features X --labels y --lambda 0.1": "y: every row has a class of its " +
			"own, such as \"1\", of which one row teaches nothing; numbers are predicted by gcg fit regression",
		"fit classification --train several --lambda 0.1": `several: the class "1,2" looks like several; a row has one, ` +
			`so each combination is taken for one`,
		"fit classification --features X --labels lost --lambda 0.1": `lost: the class "NA" is taken for one like the others; if ` +
			`it stands for a missing value, leave its rows out`,
		"fit classification --features X --labels y": "y: has too few rows of a class to " +
			"choose λ by validation",
		"fit regression --features X --targets y --lambda 0.1 --gauge group:g": "g: has one word on each of 4 lines; " +
			"the group of each feature takes 2 lines",
		"fit regression --features X --targets y --lambda 0.1 --gauge group:twice": `twice: feature "2" is in group 1 and in group ` +
			`3; groups must be disjoint; a line for the group of each feature would be 2 lines, not 3`,
		"fit regression --features numbered --targets y --lambda 0.1": "numbered: begins with a row 0, 1, … " +
			"2, which was read as data; if it is a header",
		"fit regression --features X --targets y --lambda 0.1 --gauge lp:inf":  "penalty of ℓ∞ norm",
		"fit completion --train ones --lambda 0.1":                             "all ratings are 1",
		"fit completion --train ratings.csv --lambda 0.1 --max-rank 2 --quiet": "W is at --max-rank 2",
		"recommend --model m --ratings few":                                    `user "new" has rated no item of the model`,
		"recommend --model m --ratings again": `user "new" and item "1" are already rated on line ` +
			`2; remove one` + "\n",
		"fit completion --train ratings.csv --lambda 1e4": "W = 0, as for every λ from 75.52 " +
			"on; see --lambda-ratio",
		"fit completion --train ratings.csv --lambda 1e17": "W = 0, as for every λ from 75.52 on", "fit regression --features X " +
			"--targets y --lambda 1e20": "W = 0, as for every λ from 38 on",
		"fit completion --train tiny --test tiny --lambda 1e-9": "e-10, is worse than that of row and column biases, ", "fit completion --train huge --lambda 1e60 --quiet": "RMSE on the training ratings, 1.291e+30, is worse than that of the global mean, 8.165e+29: try",
		"fit regression --features X --targets y --lambda 32 --tol 0.3": "W = 0 is within --tol of the optimum, and the " +
			"optimum for every λ from 38 on",
		"path regression --features X --targets zero":                         "every λ gives W = 0: the data has nothing",
		"cv regression --features X --targets zero --folds 3":                 "every λ gives W = 0: the data has nothing",
		"fit completion --train ratings.csv --constrain 5":                    " = loss, trace norm 5\n",
		"fit regression --features X --targets y --lambda 1 --penalty square": ", λ/2 times the square of ℓ1 norm ",
		"show --model c": "c: is a checkpoint, not a model: go on from it with --resume",
		"fit completion --train ratings.csv --lambda 3 --warm c": "c: is a checkpoint, not a model: go " +
			"on from it with --resume",
		"fit completion --train ratings.csv --lambda 3 --resume m": "m: is a model, not a checkpoint: " +
			"start from it with --warm",
		"fit regression --features X --targets wide --lambda 1": "wide: has 2 rows of targets for the " +
			"3 rows of features in X; it has a column for each: transpose it",
		"fit regression --features X --targets large --lambda 1e6 --loss huber": "warning: --loss huber: its width 1 " +
			"is 3e-07 of the standard deviation of the targets, 3.793e+06, which may take long; try huber:4e+04",
		"recommend --model m --users header --top 1":     "user 7\n",
		"fit completion --train ratings.csv --warm gone": "gcg: gone: cannot be read",
		"fit completion --train cut --lambda 1": "gcg: cut:1: cannot be read: its gzip " +
			"ends early, so the file is cut short; copy it again",
		"fit completion --train again3 --float32 --lambda 1": "remove one, or say --duplicates last " +
			"or mean",
		"recommend --model m --all --titles titles": "titles: has no title for any item",
		"recommend --model m --all --seen seen": "seen: has no user with an item of " +
			"the model",
		"fit completion --train ratings.csv --lambda 4 --resume c --quiet --penalty square": "it has λ=3 linear, this one λ=4 square",
	} {
		out, errs, _ := command(t, strings.Fields(args)...)
		if !strings.Contains(out+errs, want) {
			t.Errorf("%s: %q, %q; want %q", args, out, errs, want)
		}
	}
}

// Rows that have nothing are pointed out, and features that are all 0.
func TestZeroRows(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "p,q\n1,2\n0,0\n5,7\n0,0\n", "Z": "0,0\n0,0\n0,0\n0,0\n",
		"s": "1 1:2 2:1\n-1 1:0\n1 2:1\n-1 1:1\n", "y": "1\n2\n4\n3\n"})
	for args, want := range map[string]string{
		"--features X --targets y": "X: row 2 has no feature but 0 (and 1 more)",
		"--features Z --targets y": "Z: all features are 0; nothing can be learnt from them",
		"--train s":                "s: row 2 has no feature but 0;",
	} {
		_, errs, code := command(t, append([]string{"fit", "regression", "--lambda", "0.1"}, strings.Fields(args)...)...)
		if code != 0 || !strings.Contains(errs, want) || strings.Count(errs, " 0;")+strings.Count(errs, "but 0 (") > 2 {
			t.Errorf("%s: exit %d, %s; want %q", args, code, errs, want)
		}
	}
}

// What a smoothed loss is worth without smoothing is said: here one weight and |w| for each of the targets 1 and 4 with features
// 0 and 1.
func TestSmoothingError(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "0\n1\n", "y": "1\n4\n"})
	r := gcgJSON(t, "fit regression --features X --targets y --loss absolute:0.5 --lambda 0.25 --tol 1e-9")
	smooth, sharp, below, lower := r["objective"].(float64), r["unsmoothed_objective"].(float64), r["smoothing_error"].(float64), r["lower_bound"].(float64)
	// The slope of the second loss is λ at a distance of μλ = 0.125: W = 3.875.
	if want := 1 + 0.125 + 0.25*3.875; math.Abs(sharp-want) > 1e-8 || below != 0.5 {
		t.Errorf("without smoothing %v, want %v; the error is %v", sharp, want, below)
	}
	if !(lower <= 2 && smooth <= sharp && sharp <= smooth+below) { // 2 is the optimum without smoothing, at W = 4
		t.Errorf("objective %v, without smoothing %v, lower bound %v", smooth, sharp, lower)
	}
	if r := gcgJSON(t, "fit regression --features X --targets y --loss huber:0.5 --lambda 0.25"); r["smoothing_error"] != nil {
		t.Errorf("Huber's loss has a smoothing error %v", r["smoothing_error"])
	}
}

// The weights that show writes are those that predict multiplies by, for sparse W and for factors.
func TestShowWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"X": "p,\"q, r\"\n1,2\n3,-4\n5,7\n0,1\n", "Y": "a,b\n1,2\n2,0\n4,1\n3,3\n"})
	for _, gauge := range []string{"l1", "trace"} {
		gcgJSON(t, "fit regression --features X --targets Y --lambda 0.5 --intercept --model m --gauge "+gauge)
		out, errs, code := command(t, "show", "--model", "m", "--weights")
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if code != 0 || err != nil || !slices.Equal(rows[0], []string{"feature", "output", "weight"}) {
			t.Fatalf("%s: exit %d, %s, %v", gauge, code, errs, err)
		}
		sums := map[string]float64{}
		for _, r := range rows[1:] {
			w, err := strconv.ParseFloat(r[2], 64)
			x, known := map[string]float64{"(intercept)": 1, "p": 3, "q, r": -4}[r[0]] // the second row of X
			if err != nil || w == 0 || !known {
				t.Errorf("%s: %q", gauge, r)
			}
			sums[r[1]] += w * x
		}
		predicted, _, _ := command(t, "predict", "--model", "m", "--data", "X")
		if want := decimal.Number(sums["a"]) + "," + decimal.Number(sums["b"]); strings.Split(predicted, "\n")[2] != want {
			t.Errorf("%s: weights make %s, predict says %s", gauge, want, predicted)
		}
		if _, errs, code := command(t, "show", "--model", "m", "--weights", "--json"); code != 2 {
			t.Errorf("with --json: exit %d, %s", code, errs)
		}
	}
}
