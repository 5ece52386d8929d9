package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

const folder = "testdata"

// The ratings of every writer, compression and encoding are the same as those of text.
func TestRatings(t *testing.T) {
	files, err := filepath.Glob(folder + "/ratings-*.parquet")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		for _, narrow := range []bool{false, true} {
			r, err := dataset.RatingsReader{Times: true, Narrow: narrow}.ReadRatings(file)
			if err != nil {
				t.Fatal(err)
			}
			if r.Columns != "user user_id, item item_id, rating stars, time rated_at" || r.Len() != 600 || len(r.Times) != 600 {
				t.Fatalf("%s: %q, %d ratings, %d times", file, r.Columns, r.Len(), len(r.Times))
			}
			if narrow {
				continue
			}
			for e, x := range r.Values {
				user, item := r.RowIDs.Text(int(r.Rows[e])), r.ColIDs.Text(int(r.Cols[e]))
				if user != fmt.Sprintf("u%d", 7*e%31) || item != fmt.Sprint(11*e%47) || x != 1+float64(e%9)/2 ||
					r.Times[e] != 1577836800+60*int64(e) {
					t.Fatalf("%s, row %d: %s %s %v at %d", file, e+1, user, item, x, r.Times[e])
				}
			}
		}
	}
}

// all reads every column of a file.
func all(t *testing.T, file string) map[string]dataset.Column {
	t.Helper()
	r, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var columns []int
	for c := range r.Columns() {
		columns = append(columns, c)
	}
	batch, err := r.Next(columns)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if _, err := r.Next(columns); err != io.EOF {
		t.Fatalf("%s: behind the end %v", file, err)
	}
	found := map[string]dataset.Column{}
	for c, name := range r.Columns() {
		found[name] = batch[c]
	}
	return found
}

// shown are the values of a column as text.
func shown(c dataset.Column) string {
	var list []string
	for k := range c.Len() {
		switch {
		case c.Nulls != nil && c.Nulls[k]:
			list = append(list, "null")
		case c.Ints != nil:
			list = append(list, fmt.Sprint(c.Ints[k]))
		case c.Floats != nil:
			list = append(list, fmt.Sprint(c.Floats[k]))
		case c.Codes != nil:
			list = append(list, string(c.Texts[c.Codes[k]]))
		default:
			list = append(list, string(c.Texts[k]))
		}
	}
	return strings.Join(list, " ")
}

// Every type is what it means, and a missing value is one.
func TestTypes(t *testing.T) {
	for _, file := range []string{"types-pyarrow.parquet", "types-plain.parquet"} {
		columns := all(t, filepath.Join(folder, file))
		for name, want := range map[string]string{"i8": "-1 null 3", "u8": "255 1 null", "i64": "null 1099511627776 -3",
			"u32": "4294967295 null 1", "f32": "1.5 null -2.25", "f64": "null null 0.1", "f16": "0.5 -2 null", "flag": "1 null 0",
			"dec9": "1.25 null -3.5", "dec38": "1.2345678901234567e+19 null -0.5", "day": "1134518400 null -86400",
			"ms": "1.5 null -0.5", "ns": "1 null 2", "word": "a null a,b", "dict": "x y null", "none": "null null null"} {
			if got := shown(columns[name]); got != want {
				t.Errorf("%s: %s is %q, not %q", file, name, got, want)
			}
		}
	}
	columns := all(t, filepath.Join(folder, "types-duckdb.parquet"))
	for name, want := range map[string]string{"big": "1 null", "price": "1.25 null", "plays": "7 null",
		"moment": "1.1345184015e+09 null", "id": "00000000-0000-0000-0000-000000000001 null"} {
		if got := shown(columns[name]); got != want {
			t.Errorf("duckdb: %s is %q, not %q", name, got, want)
		}
	}
	if got := shown(all(t, filepath.Join(folder, "int96.parquet"))["ts"]); got != "1.5 -1.5" {
		t.Errorf("int96: %q", got)
	}
}

// A folder and a pattern are their files, one after the other.
func TestSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile(folder + "/ratings-snappy.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"part-0.parquet", "sub/part-1.parquet", "_old/part-2.parquet", "sub/.part-1.parquet"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700)
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{folder + "/spark": 600, dir: 1200,
		dir + "/part-*.parquet": 600, dir + "/*/part*.parquet": 1200} {
		r, err := dataset.RatingsReader{}.ReadRatings(name)
		if err != nil || r.Len() != want {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	whole := filepath.Join(dir, "unnamed")
	if err := os.WriteFile(whole, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := (dataset.RatingsReader{}).ReadRatings(whole); err != nil || r.Len() != 600 {
		t.Errorf("without an ending: %v", err)
	}
}

// Features, labels and targets are read as they are from text.
func TestTables(t *testing.T) {
	file := folder + "/features.parquet"
	m, err := dataset.MatrixReader{Categories: true}.Read(file, nil)
	if err != nil || fmt.Sprint(m.Names, m.RowNames, m.Dense) !=
		"[x color=blue color=red y] [p q r] [1 0 1 0.5 2 1 0 1.5 3 0 1 2.5]" {
		t.Errorf("%+v, %v", m, err)
	}
	rows, err := dataset.RowsReader{}.LabelledTable(file, nil, "color")
	if err != nil || fmt.Sprint(rows.Labels, rows.X.Dense) != "[red blue red] [1 0.5 2 1.5 3 2.5]" {
		t.Errorf("%+v, %v", rows, err)
	}
	gaps, err := dataset.MatrixReader{Gaps: true, Categories: true}.Read(folder+"/types-pyarrow.parquet", nil)
	if err != nil || gaps.Rows != 3 || !math.IsNaN(gaps.Dense[gaps.Cols]) {
		t.Errorf("%+v, %v", gaps, err)
	}
}

// Each mistake is one line that says what is wrong.
func TestRefused(t *testing.T) {
	b, err := os.ReadFile(folder + "/ratings-snappy.parquet")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.parquet")
	if err := os.WriteFile(cut, b[:len(b)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct{ file, columns string }{
		"cut.parquet: is no whole Parquet file":                   {cut, ""},
		"none.parquet: cannot be read: no such file":              {"none.parquet", ""},
		"no-*.parquet: is the name of no file; mend the pattern":  {"no-*.parquet", ""},
		`no column "userid" (did you mean "user_id"?); there are`: {folder + "/ratings-snappy.parquet", "userid,item_id,stars"},
		`column "rating" is nested: a list, a map or a struct`:    {folder + "/nested.parquet", "user,item,rating"},
		`names neither users nor items; say which columns`:        {folder + "/types-pyarrow.parquet", ""},
		`the user or the item is empty`:                           {folder + "/types-pyarrow.parquet", "dec9,word,u8"},
		`row 1: the rating is missing; fill it in`:                {folder + "/types-pyarrow.parquet", "dec9,f16,f64"},
	} {
		_, err := dataset.RatingsReader{Columns: c.columns}.ReadRatings(c.file)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// Whatever a file holds, reading it ends with rows or with an error.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob(folder + "/*.parquet")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 || !bytes.HasPrefix(b, []byte("PAR1")) {
			return
		}
		file := filepath.Join(t.TempDir(), "f.parquet")
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		dataset.MatrixReader{Gaps: true, Categories: true}.Read(file, nil)
	})
}

// The driver is in no program that does not ask for it.
func TestLibraryLinksNoDriver(t *testing.T) {
	const module = "github.com/seed-b18ef778/gcg"
	out, err := exec.Command("go", "list", "-deps", module, module+"/dataset", module+"/solver", module+"/task/...",
		module+"/model").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		if strings.Contains(name, "parquet") {
			t.Errorf("%s is in what the library links", name)
		}
	}
}
