package dataset

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// JSON lines are read wherever tables are: ratings by the words of their keys, whatever else a line holds; features, with texts
// as categories and what is missing; labels, titles and tasks.
func TestJSONLines(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	late := strings.Repeat(`{"reviewerID":"u","asin":"i","overall":1}`+"\n", keyLines+5) + // a key of its own may come late
		`{"reviewerID":"v","asin":"j","overall":2.5,"vote":"3","unixReviewTime":12}` + "\n"
	for name, text := range map[string]string{
		"reviews.json": "\ufeff" + `{"overall": 5.0, "style": {"Size:": "L, \"x\" }"}, "reviewerID": "A\u00e9", "asin": 7}` + "\n\n" +
			`{"asin":8,"reviewerID":"B\"C","overall":"4.5","image":["a","b"],"text":"{\\"}`,
		"late.jsonl": late,
	} {
		r, err := RatingsReader{}.ReadRatings(file(name, text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := len(r.Values)
		got := fmt.Sprint(r.RowIDs.Text(int(r.Rows[n-1])), " ", r.ColIDs.Text(int(r.Cols[n-1])), " ", r.Values[n-1])
		if want := map[string]string{"reviews.json": `B"C 8 4.5`, "late.jsonl": "v j 2.5"}[name]; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	x, err := MatrixReader{Categories: true, Gaps: true}.Read(file("x.ndjson",
		`{"a":1,"color":"red","b":true}`+"\n"+`{"color":"blue","a":2.5e0}`+"\n"+`{"a":null,"b":false,"color":"red"}`), nil)
	if err != nil || !slices.Equal(x.Names, []string{"a", "color=blue", "color=red", "b"}) || x.Rows != 3 || x.Dense[4] != 2.5 ||
		!math.IsNaN(x.Dense[7]) || !math.IsNaN(x.Dense[8]) || x.Dense[3] != 1 {
		t.Errorf("features %+v, %v", x, err)
	}
	titles, err := ReadTitles(file("titles.jsonl", `{"title":"T, 1","asin":"i","also":["k"]}`+"\n"+`{"asin":"j"}`))
	if err != nil || len(titles) != 1 || titles["i"] != "T, 1" {
		t.Errorf("titles %v, %v", titles, err)
	}
	labels, err := ReadLabels(file("y.jsonl", `{"y":"b"}`+"\n"+`{"y":"a"}`), nil, 2)
	if err != nil || !slices.Equal(labels, []string{"b", "a"}) {
		t.Errorf("labels %v, %v", labels, err)
	}
	tasks, err := readTasks(file("t.jsonl", `{"task":"p","y":1,"f":2}`+"\n"+`{"task":"q","y":3,"f":4}`), nil, "", "")
	if err != nil || !slices.Equal(tasks.Y, []float64{1, 3}) || tasks.X.Dense[1] != 4 {
		t.Errorf("tasks %+v, %v", tasks, err)
	}
}

// What is no table of them is said with its line.
func TestWrongJSONLines(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1}` + "\n" + `{"a":[1]}`:     `standard input:2: the value of "a" is an object or an array`,
		`{"a":1}` + "\n" + `{"a":1,"a":2}`: `standard input:2: has the key "a" twice`,
		`{"a":1}` + "\n" + `{"a":`:         "standard input:2: is no JSON object",
		"{\n  \"a\": 1\n}":                 "standard input:1: is no JSON object",
		`{"a":1}` + "\n" + `[1]`:           "standard input:2: is no JSON object",
		`[{"a":1}]`:                        "is a JSON array; write an object a line",
		`{}`:                               "standard input: has no keys",
		`{"a":1,"b":2}` + "\n" + `{"a":1}`: `row 2: column "b" is missing`,
		`{"a":1e999}`:                      "the numbers must be finite",
		strings.Repeat("{\"a\":1}\n", keyLines) + `{"a":1,"b":2}`: fmt.Sprintf(`standard input:%d: has a key "b"`, keyLines+1),
	} {
		_, err := readBytes([]byte(text))
		wantError(t, text[:min(40, len(text))], err, want)
	}
}

// Text that is not UTF-8 is Windows-1252, wherever it stands, and one is told so.
func TestWindows1252(t *testing.T) {
	var told []string
	Notify(func(text string) { told = append(told, text) })
	defer Notify(nil)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain.csv":  "user,item,rating\nJos\xe9,\x80 5 caf\xe9s,1\nb,y,2\n",
		"quoted.csv": "user,item,rating\n\"Jos\xe9\",\"\x80 5 caf\xe9s\",1\nb,y,2\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		told = nil
		r, err := RatingsReader{}.ReadRatings(file)
		if err != nil || r.RowIDs.Text(0) != "José" || r.ColIDs.Text(0) != "€ 5 cafés" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if len(told) != 1 || !strings.HasPrefix(told[0], file+":2: is not UTF-8, and was read as Windows-1252") {
			t.Errorf("%s: told %q", name, told)
		}
	}
	m, err := MatrixReader{Categories: true}.Read("-", strings.NewReader("fa\xe7on,x\n\xe9t\xe9,1\nhiver,2\n\xe9t\xe9,3\n"))
	if err != nil || !slices.Equal(m.Names, []string{"façon=hiver", "façon=été", "x"}) {
		t.Errorf("features %+v, %v", m, err)
	}
}
