package main

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Tables of Parquet are read as text is, and what is written as one holds what text holds.
func TestParquet(t *testing.T) {
	ratings(t)
	run := func(args string) string {
		t.Helper()
		out, errs, code := command(t, strings.Fields(args)...)
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", args, code, errs)
		}
		return out
	}
	run("data convert --train ratings.csv --output ratings.parquet")
	run("data split --train ratings.csv --split 0.5 --parts a.parquet,b.parquet")
	text := run("fit completion --train ratings.csv --lambda 2 --json --model m.text")
	table := run("fit completion --train ratings.parquet --lambda 2 --json --model m")
	for _, key := range []string{`"objective":`, `"rank":`, `"observations":`} {
		if value(text, key) != value(table, key) {
			t.Errorf("%s %s from text, %s from a table", key, value(text, key), value(table, key))
		}
	}
	for _, c := range []struct{ args, columns string }{
		{"predict --model m --data ratings.csv", "user,item,prediction"},
		{"recommend --model m --all --top 2 --seen ratings.csv --format csv", "user,item,prediction"},
		{"recommend --model m --ratings ratings.csv --explain --format csv", "user,item,prediction"},
		{"similar --model m --item 3 --format csv", "item,similar,similarity"},
	} {
		os.WriteFile("want.csv", []byte(run(c.args)), 0o600)
		run(strings.Replace(c.args, "--format csv", "", 1) + " --output got.parquet")
		want, err := dataset.RatingsReader{Columns: c.columns}.ReadRatings("want.csv")
		if err != nil {
			t.Fatal(err)
		}
		got, err := dataset.RatingsReader{Columns: c.columns}.ReadRatings("got.parquet")
		if err != nil {
			t.Fatal(err)
		}
		if got.Len() != want.Len() || want.Len() == 0 {
			t.Fatalf("%s: %d rows, %d as text", c.args, got.Len(), want.Len())
		}
		for e, x := range want.Values {
			d := got.Values[e] - x
			if d > 1e-6 || d < -1e-6 || idsAt(got, e) != idsAt(want, e) {
				t.Fatalf("%s: row %d differs", c.args, e+1)
			}
		}
	}
	run("export --model m --output factors.parquet")
	if x, err := (dataset.MatrixReader{Gaps: true, Categories: true}).Read("factors.parquet", nil); err != nil || x.Rows != 101 {
		t.Errorf("%v, %v", x, err)
	}
	for _, c := range [][2]string{
		{"recommend --model m --all --format jsonl --output x.parquet", "--format jsonl: x.parquet is a table by its name"},
		{"similar --model m --item 3 --format jsonl --output x.parquet", "--format jsonl: x.parquet is a table by its name"},
		{"export --model m --format csv --output x.parquet", "--format csv: x.parquet is a table by its name"},
		{"data generate movielens-100k --output x.parquet", "x.parquet: generated ratings are written as they are made"},
		{"export --model m --output x.txt", `--output "x.txt": a file that ends in .npz, .csv or .parquet`},
		{"export --model m --output postgres://u:secret@h/d", "--output postgres://… and --table go together"},
		{"export --model m --output sqlite:x", "--output: models are written to files"},
		{"export --model m --format csv --output postgres://u:p@h/d --table t", "--format csv: postgres://h/d is a table"},
	} {
		if _, errs, code := command(t, strings.Fields(c[0])...); code != 2 || !strings.HasPrefix(errs, "gcg: "+c[1]) {
			t.Errorf("%s: exit %d, %s", c[0], code, errs)
		}
	}
}

// idsAt are those of observation e.
func idsAt(r *dataset.Ratings, e int) [2]string {
	return [2]string{r.RowIDs.Text(int(r.Rows[e])), r.ColIDs.Text(int(r.Cols[e]))}
}

// value is what stands behind a key of JSON.
func value(text, key string) string {
	_, behind, _ := strings.Cut(text, key)
	v, _, _ := strings.Cut(behind, ",")
	return v
}
