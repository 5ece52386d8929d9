package features_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset/features"
)

func read(t *testing.T, text string, categories ...string) (*features.Table, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return features.Reader{Categories: categories}.Read(name)
}

func table(t *testing.T, text string, categories ...string) *features.Table {
	t.Helper()
	f, err := read(t, text, categories...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func all(int32) bool { return true }

// dense is the features of all rows of a table, row by row.
func dense(t *testing.T, e *features.Encoding, f *features.Table) [][]float64 {
	t.Helper()
	at := make([]int32, f.IDs.Len())
	for i := range at {
		at[i] = int32(i)
	}
	rows, err := e.Encode(f, at)
	if err != nil {
		t.Fatal(err)
	}
	x := make([][]float64, len(at))
	for i := range x {
		x[i] = make([]float64, rows.P)
		for k := rows.Ptr[i]; k < rows.Ptr[i+1]; k++ {
			x[i][rows.Index[k]] += rows.Values[k]
		}
	}
	return x
}

// Numbers are centred and scaled, flags and categories stay 0 and 1, lists have several, and what is missing is 0.
func TestEncodesColumns(t *testing.T) {
	f := table(t, "item,year,flag,genre,code,title\na,1990,1,War|Drama,1,x\nb,2000,0,Drama,2,y\nc,,1,,1,z\n"+
		"d,1980,0,War|Drama,NA,v\n", "code")
	e, idle, err := features.Learn(f, all)
	if err != nil || !slices.Equal(idle, []string{"title"}) {
		t.Fatalf("%v, idle %q", err, idle)
	}
	want := []string{"year", "flag", "genre=Drama", "genre=War", "code=1", features.Constant}
	if !slices.Equal(e.Names(), want) {
		t.Fatalf("features %q, not %q", e.Names(), want)
	}
	s := math.Sqrt(200. / 3)
	for i, row := range [][]float64{{0, 1, 1, 1, 1, 1}, {10 / s, 0, 1, 0, 0, 1}, {0, 1, 0, 0, 1, 1}, {-10 / s, 0, 1, 1, 0, 1}} {
		for k, x := range dense(t, e, f)[i] {
			if math.Abs(x-row[k]) > 1e-12 {
				t.Errorf("row %d, %s: %v, not %v", i, want[k], x, row[k])
			}
		}
	}
}

// Only rows that count teach means and categories.
func TestLearnsFromSomeRows(t *testing.T) {
	f := table(t, "id\tx\tc\n1\t0\tp\n2\t2\tp\n3\t100\tq\n4\t4\tr\n5\t6\tr\n")
	e, _, err := features.Learn(f, func(i int32) bool { return i != 2 })
	if err != nil || e.Codes[0].Mean != 3 || !slices.Equal(e.Codes[1].Values, []string{"p", "r"}) {
		t.Errorf("%+v, %v", e, err)
	}
}

// Sparse lines have what a table with zeros has, flags and scales.
func TestSparseLines(t *testing.T) {
	f := table(t, "a sweet:1 size:2\nb size:-4\nc sweet:1 size:4 tag:x:1\n")
	e, idle, err := features.Learn(f, all)
	if err != nil || idle != nil || !slices.Equal(e.Names(), []string{"sweet", "size", "tag:x", features.Constant}) {
		t.Fatalf("%v %q %v", e, idle, err)
	}
	x, by := dense(t, e, f), math.Sqrt(12)
	if x[0][0] != 1 || x[1][0] != 0 || math.Abs(x[1][1]+4/by) > 1e-12 || x[2][2] != 1 || x[1][3] != 1 {
		t.Errorf("%v", x)
	}
}

// An id without features may come first.
func TestSparseLinesBeginWithAnID(t *testing.T) {
	f := table(t, "z\na sweet:1 size:2\nb size:-4\n")
	if f.IDs.Len() != 3 || len(f.Columns) != 2 || !f.Columns[0].Sparse {
		t.Errorf("%d rows, %+v", f.IDs.Len(), f.Columns)
	}
}

// Later tables are encoded by the names of their columns, in any order; unknown categories say nothing.
func TestEncodesLaterTables(t *testing.T) {
	e, _, err := features.Learn(table(t, "id,x,c\n1,0,p\n2,2,q\n3,1,p\n4,1,q\n"), all)
	if err != nil {
		t.Fatal(err)
	}
	e.Scale = 2
	x := dense(t, e, table(t, "id;c;more;x\n9;q;;1\n8;new;;1\n"))
	if fmt.Sprint(x) != "[[0 0 2 2] [0 0 0 2]]" {
		t.Errorf("%v", x)
	}
	for want, text := range map[string]string{
		`has no column "x", which the model was fitted with`:   "id,c\n9,q\n",
		`"x" has "much", and the model was fitted with num`:    "id,x,c\n9,much,q\n",
		`"c" has numbers, and the model was fitted with words`: "id,x,c\n9,1,7\n",
	} {
		if _, err := e.Encode(table(t, text), []int32{0}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Each mistake is one line that names the file, the line and the mend.
func TestRefusedFiles(t *testing.T) {
	for want, text := range map[string]string{
		"f.csv: is empty":                               "\n",
		"f.csv:1: has one column":                       "id\n1\n",
		"f.csv: has a header and no rows":               "id,x\n",
		"f.csv:3: has 3 fields where the header has 2":  "id,x\n1,2\n2,3,4\n",
		"f.csv:4: the id \"1\" is on line 2, too":       "id,x\n1,2\n2,3\n1,4\n",
		"f.csv:3: the x of \"2\" is NaN":                "id,x\n1,2\n2,NaN\n",
		"f.csv:2: the x of \"1\" is inf":                "id,x\n1,inf\n2,1\n",
		"is 1e300; features beyond 1e+100 overflow":     "id,x\n1,1e300\n2,1\n",
		"\"x:1e300\": features beyond":                  "a x:1e300\nb x:1\n",
		"f.csv:1: is no header, as column 1 is \"1\"":   "1,1995,Comedy\n2,1996,War\n",
		"columns 2 and 3 are both called \"x\"":         "id,x,x\n1,2,3\n",
		"f.csv:2: has no id":                            "id,x\n,2\n",
		"f.csv:2: a quote is not closed":                "id,x\n1,\"2\n",
		"f.csv:2: \"x\" is no name:number":              "a x:1\nb x\n",
		"f.csv:2: names \"x\" twice":                    "a x:1\nb x:1 x:2\n",
		"f.csv: starts like a zip file but is no whole": "PK\x03\x04abc\n",
	} {
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", want, err)
		}
	}
	if _, _, err := features.Learn(table(t, "id,x,y,z\n1,2,,p\n2,2,,q\n"), all); err == nil ||
		!strings.Contains(err.Error(), "(x, y, z) are constant, empty, or different in each row") {
		t.Errorf("useless columns: %v", err)
	}
}
