package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// badRatings are ratings that no verb may take: what they hold, and where the error must point ("" for the whole file).
var badRatings = map[string]struct{ text, at string }{
	"empty":       {"", ""},
	"blank":       {"\n \n\n", ""},
	"header-only": {"user,item,rating\n", ""},
	"ragged":      {"1,2,3\n1,3,4\n2,2\n", ":3"},
	"nan":         {"1,2,3\n2,2,NaN\n", ":2"},
	"inf":         {"user,item,rating\n1,2,Inf\n", ":2"},
	"overflow":    {"1,2,3\n1,3,1e999\n", ":2"},
	"word":        {"1,2,3\n1,3,good\n", ":2"},
	"no-rating":   {"1,2,3\n1,3,\n", ":2"},
	"NA-first":    {"alice,book,NA\nbob,book,4\n", ":1"},
	"large":       {"1,2,3\n1,3,2e60\n", ":2: the rating is \"2e60\"; beyond 1e+60 powers of ratings overflow"},
	"no-user":     {"1,2,3\n,3,2\n", ":2"},
	"binary":      {"1,2,\x003\n", ":1"},
	"open-quote":  {"1,2,3\n\"1,4,3\n", ":"},
	"mm-size":     {"%%MatrixMarket matrix coordinate real general\n99999999999999999999 2 1\n1 1 1\n", ":2"},
	"mm-index":    {"%%MatrixMarket matrix coordinate real general\n3 2 1\n1 18446744073709551617 1\n", ":3"},
	"mm-short":    {"%%MatrixMarket matrix coordinate real general\n3 2 5\n1 1 1\n", ":3"},
	"mm-nan":      {"%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 nan\n", ":3"},
	"mm-dense":    {"%%MatrixMarket matrix array real general\n3 2\n", ":1"},
	"cut.gz":      {cutGzip(), ""},
}

func cutGzip() string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for i := range 2000 {
		fmt.Fprintf(z, "%d,%d,%d\n", i, i*i%97, i%5)
	}
	z.Close()
	return b.String()[:b.Len()/2]
}

// A λ from another problem is far below all that a path would try, which is said before the wait.
func TestFarBelow(t *testing.T) {
	ratings(t)
	for lambda, want := range map[string]bool{"1e-5": true, "2": false} {
		_, errs, code := command(t, "fit", "completion", "--train", "ratings.csv", "--lambda", lambda, "--max-iter", "1")
		if said := strings.Contains(errs, "of the smallest with W = 0"); code != 0 || said != want {
			t.Errorf("λ = %s: exit %d, %q", lambda, code, errs)
		}
	}
}

// complains asserts exit code 1 and one line that names the file and the line.
func complains(t *testing.T, file, at string, args ...string) {
	t.Helper()
	out, errs, code := command(t, args...)
	if code != 1 || !strings.HasPrefix(errs, "gcg: "+file+at) || strings.Count(errs, "\n") != 1 || out != "" {
		t.Errorf("%v: exit %d, %q, %q; want 1 and one line about %s%s", args, code, out, errs, file, at)
	}
}

func TestBadRatingsEverywhere(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m")
	for name, bad := range badRatings {
		os.WriteFile(name, []byte(bad.text), 0o600)
		for _, args := range []string{
			"fit completion --quiet --lambda 1 --train", "fit completion --quiet --lambda 1 --train ratings.csv --test", "fit completion --quiet --train ratings.csv --valid",
			"path completion --quiet --train", "cv completion --quiet --train", "check completion --train", "predict --model m --data",
			"recommend --model m --ratings", "recommend --model m --user 1 --seen", "data convert --output x.csv --train", "data split --split 0.5 --parts x,y --train",
		} {
			if needless := strings.HasSuffix(args, "--data") || strings.HasSuffix(args, "--seen"); needless &&
				(name == "no-rating" || name == "NA-first") {
				continue // whoever needs no ratings takes pairs without
			}
			complains(t, name, bad.at, append(strings.Fields(args), name)...)
		}
	}
	for _, left := range []string{"x", "y", "x.csv"} {
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s was written from bad ratings", left)
		}
	}
}

// The same entry twice names both lines, wherever ratings are solved for; predictions may be asked for twice.
func TestDuplicatesEverywhere(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m")
	os.WriteFile("twice", []byte("1,2,3\n4,2,3\n1,2,5\n"), 0o600)
	for _, args := range []string{
		"fit completion --quiet --lambda 1 --train", "fit completion --quiet --lambda 1 --split 0.5 --train", "path completion --quiet --train",
		"cv completion --quiet --train", "check completion --train", "recommend --model m --ratings", "data split --split 0.5 " +
			"--parts a,b --train",
	} {
		complains(t, "twice", `:3: user "1" and item "2" are already rated on line 1`, append(strings.Fields(args), "twice")...)
	}
	if _, errs, code := command(t, "predict", "--model", "m", "--data", "twice"); code != 0 {
		t.Errorf("predict: %d, %q", code, errs)
	}
}

func TestBadModelsEverywhere(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m", "--checkpoint", "c")
	good, _ := os.ReadFile("m")
	saved, _ := os.ReadFile("c")
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 4
		return b
	}
	for name, b := range map[string][]byte{
		"empty": nil, "seven": good[:7], "cut-header": good[:100], "cut": good[:len(good)-1], "longer": append(bytes.Clone(good), 0),
		"flipped": flip(good, len(good)-9), "flipped-header": flip(good,
			bytes.Index(good, []byte(`objective`))+14), "text": []byte("1,2,3\n4,5,6\n"),
		"huge-header": append(bytes.Repeat([]byte{255}, 8), good...), "checkpoint": saved,
	} {
		os.WriteFile(name, b, 0o600)
		for _, args := range []string{"show --model", "predict --data ratings.csv --model", "recommend --all --model",
			"fit completion --quiet --lambda 1 --train ratings.csv --warm"} {
			complains(t, name, ": ", append(strings.Fields(args), name)...)
		}
	}
	newer := bytes.Replace(good, []byte(`"format_version":"1"`), []byte(`"format_version":"9"`), 1)
	os.WriteFile("newer", newer, 0o600)
	complains(t, "newer", ": has format version 9; this gcg reads up to 2", "show", "--model", "newer")
	for name, b := range map[string][]byte{
		"c-empty": nil, "c-cut": saved[:len(saved)-8], "c-flipped": flip(saved, len(saved)-3), "c-bound": flip(saved,
			bytes.Index(saved, []byte(`lower_bound`))+15), "c-model": good,
	} {
		os.WriteFile(name, b, 0o600)
		complains(t, name, ": ", "fit", "completion", "--quiet", "--lambda", "2", "--train", "ratings.csv", "--resume", name)
	}
}

func TestBadListsAndTraces(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m", "--trace", "trace")
	trace, _ := os.ReadFile("trace")
	for name, b := range map[string][]byte{"none": nil, "no-titles": []byte("1\n2\n"), "ragged-titles": []byte("1|a\n2\n"),
		"long": bytes.Repeat([]byte("x"), 1<<24+9), "user-ghost": []byte("1\nghost\n"),
		"trace-cut": trace[:20], "trace-nan": append(bytes.Clone(trace), `{"objective":NaN}`...), "trace-csv": []byte("1,2,3\n")} {
		os.WriteFile(name, b, 0o600)
	}
	for _, c := range []struct{ file, at, args string }{
		{"none", ": is empty", "recommend --model m --users none"}, {"none", ": is empty",
			"recommend --model m --user 1 --titles none"},
		{"no-titles", ":1", "recommend --model m --user 1 --titles no-titles"}, {"ragged-titles", ":2",
			"recommend --model m --user 1 --titles ragged-titles"},
		{"long", ":1", "recommend --model m --user 1 --titles long"}, {"long", ":1", "recommend --model m --users long"},
		{"none", ": ", "report none --output x.svg"}, {"trace-cut", ":", "report trace-cut --output x.svg"}, {"trace-nan", ":",
			"report trace-nan --output x.svg"},
		{"trace-csv", ":1", "report trace-csv --output x.svg"}, {"gone", ": cannot be read: no such file",
			"report gone --output x.svg"},
		{"gone", ": cannot be read: no such file", "recommend --model m --users gone"}, {"gone", ": cannot be read: no such file",
			"show --model gone"},
		{".", ": ", "show --model ."}, {".", ": is a folder", "fit completion --train ."},
	} {
		complains(t, c.file, c.at, strings.Fields(c.args)...)
	}
	// Who is known gets a list before the unknown one is met; the error names the line all the same.
	if _, errs, code := command(t, "recommend", "--model", "m", "--users", "user-ghost"); code != 1 ||
		!strings.HasPrefix(errs, `gcg: user-ghost:2: user "ghost"`) {
		t.Errorf("an unknown user: %d, %q", code, errs)
	}
	write(t, map[string]string{"late": "\nuser\n1\n"})
	if out, errs, code := command(t, "recommend", "--model", "m", "--users", "late", "--top", "1"); code != 0 ||
		!strings.HasPrefix(out, "user 1\n") {
		t.Errorf("a header below an empty line: %d, %q, %q", code, out, errs)
	}
}

// Ids of any length and spelling are texts: none overflows, none is taken for another.
func TestIDsOfAnySize(t *testing.T) {
	t.Chdir(t.TempDir())
	os.WriteFile("r", []byte("99999999999999999999999,007,3\n-1,7,4\n18446744073709551616,7.0,1\n1e999,+7,5\nNaN,7,2\n"), 0o600)
	r := fitJSON(t, "--train", "r", "--lambda", "0.5", "--model", "m")
	if r["rows"] != 5.0 || r["cols"] != 4.0 {
		t.Errorf("%v × %v", r["rows"], r["cols"])
	}
	out, errs, code := command(t, "predict", "--model", "m", "--data", "r", "--quiet")
	if code != 0 || !strings.Contains(out, "\n99999999999999999999999,007,") || errs != "" {
		t.Errorf("%d, %q, %q", code, out, errs)
	}
}

// edge is a fit whose optimum is a closed form.
type edge struct {
	name, text, args string
	optimum          float64
}

func edges() []edge {
	norm := math.Sqrt(1 + 4 + 16)
	vector := func(lambda float64) float64 { // of one row or column with norm x: max(x-λ, 0) is left
		return math.Min(lambda, norm)*math.Min(lambda, norm)/2 + lambda*math.Max(norm-lambda, 0)
	}
	return []edge{
		{"1×1", "a,x,3\n", "--lambda 1", 0.5 + 2}, {"1×1, zero", "a,x,0\n", "--lambda 1", 0}, {"1×1, negative", "a,x,-3\n",
			"--lambda 2", 2 + 2},
		{"one row", "a,x,1\na,y,2\na,z,4\n", "--lambda 1", vector(1)}, {"one column", "a,x,1\nb,x,2\nc,x,4\n", "--lambda 1", vector(1)},
		{"λ above σ₁", "a,x,1\na,y,2\na,z,4\n", "--lambda 5", norm * norm / 2}, {"λ = σ₁", "a,x,1\na,y,2\na,z,4\n",
			"--lambda 4.58257569495584", norm * norm / 2},
		{"tiny λ", "a,x,1\na,y,2\na,z,4\n", "--lambda 1e-7", vector(1e-7)}, {"all at the centre", "a,x,2\nb,y,2\n",
			"--lambda 1 --center global", 0},
		{"diagonal", "a,x,4\nb,y,3\n", "--lambda 1", 1 + 5}, {"ball", "a,x,4\n", "--constrain 1", 4.5}, {"slack ball", "a,x,4\n",
			"--constrain 9", 0},
		{"square", "a,x,4\n", "--lambda 1 --penalty square", 4}, {"mean", "a,x,4\nb,y,3\n", "--lambda 0.5 --normalize mean", 0.5 + 2.5},
	}
}

func TestEdgesBracketTheOptimum(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, e := range edges() {
		os.WriteFile("r", []byte(e.text), 0o600)
		bracketed(t, e.name, fitJSON(t, append(strings.Fields(e.args), "--train", "r", "--tol", "1e-8", "--max-time", "20s")...),
			e.optimum, e.optimum)
	}
}

// bracketed asserts lower_bound ≤ optimum ≤ objective up to rounding, and the gap that is stated.
func bracketed(t *testing.T, name string, r map[string]any, optimum, scale float64) {
	t.Helper()
	f, okF := r["objective"].(float64)
	lower, okL := r["lower_bound"].(float64)
	gap, okG := r["relative_gap"].(float64)
	slack := 1e-12 * math.Abs(scale)
	if !okF || !okL || !okG || f < optimum-slack || lower > optimum+slack || lower > f {
		t.Errorf("%s: [%v, %v] does not hold %.15g", name, r["lower_bound"], r["objective"], optimum)
	}
	if r["status"] == "converged" && (gap > 1e-8 || f-optimum > 1e-8*math.Abs(f)+slack+1e-12) {
		t.Errorf("%s: converged at %.15g with gap %g; the optimum is %.15g", name, f, gap, optimum)
	}
	if r["status"] != "converged" && r["status"] != "stalled" {
		t.Errorf("%s: %v", name, r["status"])
	}
}

// λ at least σ₁ gives W = 0 and gap 0, also through a checkpoint.
func TestLambdaAboveTheTop(t *testing.T) {
	ratings(t)
	for _, more := range [][]string{nil, {"--checkpoint", "c", "--model", "m"}, {"--resume", "c"}} {
		r := fitJSON(t, append([]string{"--train", "ratings.csv", "--lambda", "1e5", "--tol", "1e-8"}, more...)...)
		if r["rank"] != 0.0 || r["relative_gap"] != 0.0 || r["objective"] != r["loss"] || r["status"] != "converged" {
			t.Errorf("%v: %v", more, r)
		}
	}
	if out, errs, code := command(t, "recommend", "--model", "m", "--user", "1", "--top", "2"); code != 0 {
		t.Errorf("rank 0: %d, %q, %q", code, out, errs)
	}
}

// Ratings and λ times s: objective and bound times s², the rest as it was.
func TestScaleChangesOnlyTheScale(t *testing.T) {
	ratings(t)
	r, err := dataset.RatingsReader{}.ReadRatings("ratings.csv")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--tol", "1e-8", "--test", "test.csv", "--train", "train.csv", "--lambda"}
	values := append([]float64(nil), r.Values...)
	var base map[string]any
	for _, s := range []float64{1, 1e6, 1e-6} {
		for e, x := range values {
			r.Values[e] = s * x
		}
		for _, name := range []string{"train.csv", "test.csv"} {
			if err := dataset.WriteRatings(name, r); err != nil {
				t.Fatal(err)
			}
		}
		got := fitJSON(t, append(args, fmt.Sprint(3*s))...)
		if base == nil {
			base = got
			continue
		}
		bracketed(t, fmt.Sprint(s), got, base["objective"].(float64)*s*s, s*s*1e4*base["objective"].(float64))
		if a, b := got["objective"].(float64), base["objective"].(float64)*s*s; math.Abs(a-b) > 3e-8*b || got["rank"] != base["rank"] {
			t.Errorf("times %g: objective %g, want %g; rank %v, was %v", s, a, b, got["rank"], base["rank"])
		}
		a, b := got["test"].(map[string]any), base["test"].(map[string]any)
		if x, y := a["rmse"].(float64), b["rmse"].(float64)*s; math.Abs(x-y) > 1e-3*y ||
			math.Abs(a["nmae"].(float64)-b["nmae"].(float64)) > 1e-4 {
			t.Errorf("times %g: test %v, was %v", s, a, b)
		}
	}
}

// The generated problem is bracketed by a second, tighter run of another kind: an exact certificate.
func TestTightBrackets(t *testing.T) {
	ratings(t)
	for _, more := range []string{"--lambda 2", "--lambda 2 --weights smoothed:0.2", "--constrain 40 --center global",
		"--lambda 0.05 --penalty square"} {
		args := append(strings.Fields(more), "--train", "ratings.csv", "--tol")
		tight := fitJSON(t, append(args, "1e-10", "--exact-certificate")...)
		lo, hi := tight["lower_bound"].(float64), tight["objective"].(float64)
		loose := fitJSON(t, append(args, "1e-8")...)
		if f, l := loose["objective"].(float64), loose["lower_bound"].(float64); f < lo*(1-1e-12) || l > hi*(1+1e-12) {
			t.Errorf("%s: [%.15g, %.15g] and [%.15g, %.15g] do not overlap", more, l, f, lo, hi)
		}
		if b, _ := json.Marshal(tight); bytes.Contains(b, []byte("null")) {
			t.Errorf("%s: %s", more, b)
		}
	}
}
