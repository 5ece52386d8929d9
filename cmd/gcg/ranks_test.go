package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/cmd/gcg/cli"
	"github.com/seed-b18ef778/gcg/model"
)

// rankedRatings is a small file of ratings.
func rankedRatings(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("user,item,rating\n")
	for i := range 60 {
		for j := range 40 {
			if i*j*(i+3*j)%5 < 2 {
				fmt.Fprintf(&text, "u%d,i%d,%d\n", i, j, 1+(i*i*j+j*j)%7%5)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "ratings.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// onRanks runs a command on some ranks, and has what each printed and its exit code.
func onRanks(t *testing.T, ctx context.Context, ranks int, args ...string) (out, errs []string, codes []int) {
	t.Helper()
	out, errs, codes = make([]string, ranks), make([]string, ranks), make([]int, ranks)
	err := cluster.InProcess(ranks, func(c *cluster.Comm) error {
		var result, said bytes.Buffer
		ctx := cli.WithRanks(ctx, &cli.Ranks{Comm: c, OnHost: ranks})
		codes[c.Rank()] = execute(ctx, args, &result, &said)
		out[c.Rank()], errs[c.Rank()] = result.String(), said.String()
		if codes[c.Rank()] == 1 {
			return errors.New(said.String())
		}
		return nil
	})
	if err != nil && slices.Max(codes) == 0 {
		t.Error(err)
	}
	return out, errs, codes
}

// A fit over ranks is the same on any number of them, to the last bit of its model, which the first alone writes. It resumes on
// any number of ranks from the checkpoint of three, and starts from a model, to the same bits.
func TestFitOverRanks(t *testing.T) {
	file, folder := rankedRatings(t), t.TempDir()
	var want []byte
	var lists any
	for _, ranks := range []int{1, 2, 4} {
		saved := filepath.Join(folder, fmt.Sprint("model", ranks))
		args := []string{"fit", "completion", "--train", file, "--split", "0.8", "--lambda-ratio", "0.2", "--center", "both", "--json",
			"--ranking", "3,5", "--model", saved, "--trace", filepath.Join(folder, fmt.Sprint("trace", ranks))}
		if ranks > 1 {
			args = append(args, "--checkpoint", filepath.Join(folder, fmt.Sprint("checkpoint", ranks)))
		}
		out, errs, codes := onRanks(t, t.Context(), ranks, args...)
		if slices.Max(codes) != 0 {
			t.Fatal(codes, errs)
		}
		var result struct {
			Status string
			Ranks  struct{ Size int }
			Test   struct{ Ranking map[string]any }
		}
		if err := json.Unmarshal([]byte(out[0]), &result); err != nil || result.Status != "converged" || result.Ranks.Size != ranks {
			t.Errorf("%d ranks: %v %+v", ranks, err, result)
		}
		model, err := os.ReadFile(saved)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want, lists = model, result.Test
		}
		if !bytes.Equal(model, want) || !reflect.DeepEqual(lists, any(result.Test)) || len(result.Test.Ranking) == 0 {
			t.Errorf("%d ranks fit another model, or make other lists: %v, not %v", ranks, result.Test, lists)
		}
	}
	out, errs, codes := onRanks(t, t.Context(), 3, "fit", "completion", "--train", file, "--split", "0.8", "--lambda", "9", "--tol",
		"1e-9", "--max-iter", "2", "--checkpoint", filepath.Join(folder, "begun"))
	if slices.Max(codes) != 0 {
		t.Fatal(out, errs)
	}
	for _, from := range []string{"--resume=begun", "--warm=model4"} {
		want = nil
		flag, name, _ := strings.Cut(from, "=")
		for _, ranks := range []int{1, 2, 4} {
			saved := filepath.Join(folder, fmt.Sprint("resumed", ranks))
			out, errs, codes = onRanks(t, t.Context(), ranks, "fit", "completion", "--train", file, "--split", "0.8", "--lambda", "9",
				"--tol", "1e-9", flag, filepath.Join(folder, name), "--json", "--model", saved)
			model, err := os.ReadFile(saved)
			if slices.Max(codes) != 0 || err != nil || !strings.Contains(out[0], `"converged"`) {
				t.Fatal(out, errs, err)
			}
			if want == nil {
				want = model
			}
			if !bytes.Equal(model, want) {
				t.Errorf("%s: %d ranks fit another model", from, ranks)
			}
		}
	}
}

// Paths and folds of ratings and of clicks are the same on any number of ranks, and so is the model that follows.
func TestPathsOverRanks(t *testing.T) {
	file, folder := rankedRatings(t), t.TempDir()
	saved := filepath.Join(folder, "model")
	for _, args := range [][]string{
		{"path", "completion", "--split", "0.8", "--plot", filepath.Join(folder, "plot.svg")},
		{"path", "completion", "--implicit", "1", "--split", "0.8"},
		{"cv", "completion", "--folds", "3", "--model", saved},
		{"cv", "completion", "--folds", "3", "--by", "row", "--center", "both"},
		{"cv", "completion", "--folds", "3", "--implicit", "1", "--model", saved},
	} {
		args = append(args, "--points", "3", "--train", file)
		want := ""
		for _, ranks := range []int{1, 2, 4} {
			os.Remove(saved)
			out, errs, codes := onRanks(t, t.Context(), ranks, args...)
			if slices.Max(codes) != 0 {
				t.Fatal(args, codes, errs)
			}
			model, _ := os.ReadFile(saved)
			table, _, _ := strings.Cut(out[0], "\ndata") // before the result, which has times
			if text := table + string(model); want == "" {
				want = text
			} else if text != want {
				t.Errorf("%v: %d ranks have\n%s, not\n%s", args, ranks, text, want)
			}
		}
	}
}

// Lists of all users are the same on any number of ranks, in their order, and one user's are for one process.
func TestRecommendOverRanks(t *testing.T) {
	folder := t.TempDir()
	m := &model.Model{Problem: "completion", Rows: 1000, Cols: 7, Rank: 1, S: []float64{1}}
	for i := range m.Rows {
		m.RowIDs, m.U = append(m.RowIDs, fmt.Sprint("u", i)), append(m.U, float64(i%13)-6)
	}
	for j := range m.Cols {
		m.ColIDs, m.V = append(m.ColIDs, fmt.Sprint("i", j)), append(m.V, float64(j*j%5)+0.1*float64(j))
	}
	saved, want := filepath.Join(folder, "my.gcg"), ""
	if err := m.Save(saved); err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{1, 2, 3, 8} {
		file := filepath.Join(folder, fmt.Sprint(ranks, ".csv"))
		_, errs, codes := onRanks(t, t.Context(), ranks, "recommend", "--model", saved, "--all", "--top", "3", "--format", "csv",
			"--output", file)
		got, err := os.ReadFile(file)
		if slices.Max(codes) != 0 || err != nil || bytes.Count(got, []byte("\n")) != 3001 {
			t.Fatal(codes, errs, err)
		}
		if want == "" {
			want = string(got)
		}
		if string(got) != want {
			t.Errorf("%d ranks make other lists", ranks)
		}
	}
	_, errs, codes := onRanks(t, t.Context(), 2, "recommend", "--model", saved, "--user", "u1")
	if slices.Min(codes) != 2 || !strings.Contains(errs[0], "2 ranks were started; they make the lists of --all users together") {
		t.Error(codes, errs)
	}
}

// Predictions of pairs, in text and in a table, and of rows, and what they are worth are those of one process on any number of
// ranks.
func TestPredictOverRanks(t *testing.T) {
	pairs, folder := rankedRatings(t), t.TempDir()
	ratings := &model.Model{Problem: "completion", Rows: 50, Cols: 40, Rank: 1, S: []float64{1}}
	for i := range ratings.Rows {
		ratings.RowIDs, ratings.U = append(ratings.RowIDs, fmt.Sprint("u", i)), append(ratings.U, float64(i%13)/3)
	}
	for j := range ratings.Cols {
		ratings.ColIDs, ratings.V = append(ratings.ColIDs, fmt.Sprint("i", j)), append(ratings.V, float64(j%7)/5)
	}
	rows, text := filepath.Join(folder, "rows.csv"), "a,b,y\n"
	for i := range 41 {
		text += fmt.Sprintf("%d,%d,%d\n", i%7-3, i*i%5, i%3)
	}
	saved, fitted := filepath.Join(folder, "my.gcg"), filepath.Join(folder, "rows.gcg")
	if err := errors.Join(ratings.Save(saved), os.WriteFile(rows, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
	fit := []string{"fit", "regression", "--train", rows, "--target", "y", "--lambda", "1", "--model", fitted}
	if _, errs, code := command(t, fit...); code != 0 {
		t.Fatal(errs)
	}
	for _, c := range []struct{ data, model, ending string }{
		{pairs, saved, ".csv"}, {pairs, saved, ".parquet"}, {rows, fitted, ".csv"},
	} {
		args := func(file string) []string {
			return []string{"predict", "--model", c.model, "--data", c.data, "--output", file, "--json"}
		}
		alone := filepath.Join(folder, "alone"+c.ending)
		worth, errs, code := command(t, args(alone)...)
		want, err := os.ReadFile(alone)
		if code != 0 || err != nil {
			t.Fatal(errs, err)
		}
		for _, ranks := range []int{1, 2, 4} {
			file := filepath.Join(folder, fmt.Sprint(ranks, c.ending))
			out, errs, codes := onRanks(t, t.Context(), ranks, args(file)...)
			got, err := os.ReadFile(file)
			if slices.Max(codes) != 0 || err != nil {
				t.Fatal(codes, errs, err)
			}
			if !bytes.Equal(got, want) || out[0] != worth {
				t.Errorf("%s: %d ranks predict otherwise: %s, not %s", c.data, ranks, out[0], worth)
			}
		}
	}
	_, errs, codes := onRanks(t, t.Context(), 2, "predict", "--model", saved, "--user", "u1", "--item", "i1")
	if slices.Min(codes) != 2 || !strings.Contains(errs[0], "2 ranks were started; they predict the rows of --data together") {
		t.Error(codes, errs)
	}
}

// What ranks do not do together is refused by name, before anything is read.
func TestRanksRefuse(t *testing.T) {
	fit := []string{"fit", "completion", "--train", "no such file", "--lambda", "1"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(fit, "--split-time", "0.8"), "--split-time: is for one process"},
		{[]string{"cv", "multiview"}, "gcg cv multiview: is for one process"},
		{append(fit, "--user-features", "no such file"), "--user-features: is for one process"},
		{append(fit, "--item-features", "no such file"), "--item-features: is for one process"},
		{append(fit, "--rated", "users"), "--rated users: is for one process"},
		{append(fit, "--also-seen", "no such file"), "--also-seen: is for one process"},
		{append(fit, "--solver", "apg"), "ranks have --solver gcg"},
		{[]string{"path", "multiview"}, "gcg path multiview: is for one process, and 2 ranks were started"},
		{[]string{"fit", "multiview"}, "gcg fit multiview: is for one process"},
		{[]string{"fit", "regression", "--train", "no such file", "--gauge", "lp:2"}, "--gauge lp:2: is for one process"},
		{[]string{"fit", "classification", "--train", "no such file", "--ridge", "1"}, "--ridge: is for one process"},
		{[]string{"fit", "classification", "--train", "-"}, "standard input is of one process"},
	} {
		_, errs, codes := onRanks(t, t.Context(), 2, c.args...)
		if slices.Min(codes) != 2 || !strings.Contains(errs[0], c.want) {
			t.Errorf("%v: %v %q", c.args, codes, errs[0])
		}
	}
}

// A request to end that one rank gets ends all of them at one place, with what was found.
func TestRanksEndTogether(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	file, saved := rankedRatings(t), filepath.Join(t.TempDir(), "model")
	err := cluster.InProcess(3, func(c *cluster.Comm) error {
		own := t.Context()
		if c.Rank() == 2 {
			own = ctx
		}
		said, result := &endsOn{on: "iteration 0", then: cancel}, bytes.Buffer{}
		code := execute(cli.WithRanks(own, &cli.Ranks{Comm: c, OnHost: 3}), []string{"fit", "completion", "--train", file, "--lambda",
			"0.001", "--tol", "1e-14", "--verbose", "--model", saved, "--json"}, &result, said)
		if !strings.Contains(result.String(), `"interrupted"`) || code != 0 {
			return fmt.Errorf("rank %d: %d %s %s", c.Rank(), code, result.String(), said.text.String())
		}
		return nil
	})
	if _, found := os.Stat(saved); err != nil || found != nil {
		t.Error(err, found)
	}
}

// endsOn is a writer that calls then once on is written.
type endsOn struct {
	text bytes.Buffer
	on   string
	then func()
}

func (w *endsOn) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.on) {
		w.then()
	}
	return w.text.Write(b)
}

// Weights and offsets are read by parts, and a loss of predictions is the same on any number of ranks.
func TestRanksShareLosses(t *testing.T) {
	plain, err := os.ReadFile(rankedRatings(t))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "weighed.csv")
	lines := strings.Split(strings.TrimSpace(string(plain)), "\n")
	for e := range lines {
		if lines[e] += fmt.Sprintf(",%d,0.%d", 1+e%3, e%2); e == 0 {
			lines[e] = "user,item,rating,weight,offset"
		}
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, ranks := range []int{1, 2, 4} {
		saved := filepath.Join(folder, fmt.Sprint("model", ranks))
		_, errs, codes := onRanks(t, t.Context(), ranks, "fit", "completion", "--train", file, "--loss", "huber:0.5", "--lambda", "20",
			"--model", saved)
		model, err := os.ReadFile(saved)
		if err != nil || slices.Max(codes) != 0 {
			t.Fatal(codes, errs, err)
		}
		if want == nil {
			want = model
		}
		if !bytes.Equal(model, want) {
			t.Errorf("%d ranks fit another model", ranks)
		}
	}
}

// Time that is over ends all ranks at one place, by the first rank's clock, with what was found; in a search and in a solve. The
// proof of a bound and the page are those of one process.
func TestRanksKeepTime(t *testing.T) {
	file := rankedRatings(t)
	given := []string{"--lambda", "0.001", "--tol", "1e-14", "--center", "none", "--weights", "none"}
	for _, more := range [][]string{given, {"--tol", "1e-12"}} {
		args := append([]string{"fit", "completion", "--train", file, "--max-time", "300ms", "--improve", "none", "--live",
			"127.0.0.1:0", "--exact-certificate", "--json"}, more...)
		out, errs, codes := onRanks(t, t.Context(), 3, args...)
		var result struct{ Status string }
		err := json.Unmarshal([]byte(out[0]), &result)
		if slices.Max(codes) != 0 || err != nil || result.Status != "max_time" {
			t.Errorf("%v: %v %+v %v %v", more, codes, result, err, errs)
		}
		for rank := range out {
			if !strings.Contains(out[rank], fmt.Sprintf("%q", result.Status)) {
				t.Errorf("rank %d: %s", rank, out[rank])
			}
		}
	}
}

// Rows of features have the same model on any number of ranks, which the first alone writes, with λ as a part of the largest or
// chosen by folds.
func TestRowsOverRanks(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,c,d,class\n")
	for i := range 90 {
		fmt.Fprintf(&text, "%d,%d,%d,%d,%s\n", i%7-3, i*i%5, i*i*i%11, i%3, string("xyz"[(i%7+i*i*i%11)%3]))
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "rows.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"fit", "classification", "--split", "0.8", "--lambda-ratio", "0.1"},
		{"cv", "classification", "--folds", "3", "--points", "3", "--standardize"},
	} {
		var want []byte
		for _, ranks := range []int{1, 2, 4} {
			saved := filepath.Join(folder, fmt.Sprint("model", ranks))
			out, errs, codes := onRanks(t, t.Context(), ranks, append(args, "--train", file, "--target", "class", "--intercept", "--json",
				"--model", saved)...)
			model, err := os.ReadFile(saved)
			if err != nil || slices.Max(codes) != 0 || !strings.Contains(out[0], `"converged"`) {
				t.Fatal(codes, out, errs, err)
			}
			if want == nil {
				want = model
			}
			if !bytes.Equal(model, want) {
				t.Errorf("%v: %d ranks fit another model", args, ranks)
			}
		}
	}
}

// Clicks have the same model on any number of ranks, and lists, from a file of users and items alone.
func TestClicksOverRanks(t *testing.T) {
	var text strings.Builder
	text.WriteString("user,item\n")
	for i := range 60 {
		for j := range 30 {
			if (i+j)%4 == 0 && (i*j)%7 < 4 || (i*i+j)%11 == 0 {
				fmt.Fprintf(&text, "u%d,i%d\n", i, j)
			}
		}
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "clicks.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var want []byte
	lists := ""
	for _, ranks := range []int{1, 2, 4} {
		saved := filepath.Join(folder, fmt.Sprint("model", ranks))
		out, errs, codes := onRanks(t, t.Context(), ranks, "fit", "completion", "--implicit", "5", "--train", file, "--split-per-user",
			"0.8", "--ranking", "5", "--lambda-ratio", "0.1", "--json", "--model", saved)
		model, err := os.ReadFile(saved)
		if err != nil || slices.Max(codes) != 0 || !strings.Contains(out[0], `"converged"`) {
			t.Fatal(codes, out, errs, err)
		}
		var result struct{ Test json.RawMessage }
		if err := json.Unmarshal([]byte(out[0]), &result); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want, lists = model, string(result.Test)
		}
		if !bytes.Equal(model, want) || string(result.Test) != lists {
			t.Errorf("%d ranks fit another model, or make other lists: %s, not %s", ranks, result.Test, lists)
		}
	}
}

// Ratings that are two labels, any texts, have the same model and the same scores on any number of ranks.
func TestLabelsOverRanks(t *testing.T) {
	plain, err := os.ReadFile(rankedRatings(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(plain)), "\n")
	for e, line := range lines[1:] {
		at := strings.LastIndex(line, ",")
		lines[e+1] = line[:at] + map[bool]string{true: ",like", false: ",no"}[line[at+1] > '2']
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "labels.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	var want []byte
	scores := ""
	for _, ranks := range []int{1, 2, 4} {
		saved := filepath.Join(folder, fmt.Sprint("model", ranks))
		out, errs, codes := onRanks(t, t.Context(), ranks, "fit", "completion", "--train", file, "--loss", "logistic", "--split", "0.8",
			"--center", "global", "--weights", "none", "--lambda-ratio", "0.3", "--json", "--model", saved)
		model, err := os.ReadFile(saved)
		if err != nil || slices.Max(codes) != 0 || !strings.Contains(out[0], `"converged"`) {
			t.Fatal(codes, out, errs, err)
		}
		var result struct{ Test, Constant json.RawMessage }
		if err := json.Unmarshal([]byte(out[0]), &result); err != nil {
			t.Fatal(err)
		}
		got := string(result.Test) + string(result.Constant)
		if want == nil {
			want, scores = model, got
		}
		if !bytes.Equal(model, want) || got != scores || !strings.Contains(got, "log_loss") {
			t.Errorf("%d ranks fit another model, or measure otherwise: %s, not %s", ranks, got, scores)
		}
	}
}
