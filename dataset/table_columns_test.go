package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What pandas and R write around a table is told from its data: numbers as names, and names of rows.
func TestNamesAroundTables(t *testing.T) {
	for text, want := range map[string]string{
		"0,1,2\n1,2,2.5\n3,4,5\n":             "2×3 [0 1 2] []",  // to_csv(index=False) of an array
		",0,1\n0,1,2\n1,3,4\n":                "2×2 [0 1] [0 1]", // to_csv
		",x,y\n0,1,2\n1,3,4\n":                "2×2 [x y] [0 1]", // to_csv
		"\"\",\"x\"\n\"a\",1\n\"b\",2\n":      "2×1 [x] [a b]",   // write.csv
		"\"x\" \"y\"\n\"1\" 1 2\n\"2\" 3 4\n": "2×2 [x y] [1 2]", // write.table
		"x y\na 1 2\nb 3 4\n":                 "2×2 [x y] [a b]", // write.table(quote=FALSE)
		"gene,s1,s2\nBRCA1,1,2\nTP53,3,4\n":   "2×2 [s1 s2] [BRCA1 TP53]",
		"BRCA1,1,2\nTP53,3,4\n":               "2×2 [] [BRCA1 TP53]",
		",2001,2002\nA,1,2\nB,3,4\n":          "2×2 [2001 2002] [A B]",
		"0,1,2,3\n4,5,6,7\n8,9,10,11\n":       "3×4 [] []", // counts its cells
		"0,1,2,3,4,5\n6,7,8,9,10,11\n":        "2×6 [] []",
		"0,1,2,3,4\n1,0,1,1,0\n0,0,1,0,1\n":   "2×5 [0 1 2 3 4] []",
		"0,1,2\n1,0,1\n":                      "2×3 [] []",
		"0,1\n1.5,2\n":                        "1×2 [0 1] []",
		"0\n1.5\n":                            "2×1 [] []",
		"a,b\n1,2\n":                          "1×2 [a b] []",
		"1,2\n3,4\n":                          "2×2 [] []",
	} {
		m, err := readText(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%d×%d %v %v", m.Rows, m.Cols, m.Names, m.RowNames); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"n,x\nred,1\nred,2\n":        `:2: column 1 has texts that several rows share, such as "red"`,
		"n,x,c\na,1,red\nb,2,blue\n": `:2: column 3 ("c") is "red", not a number`,
		"1,x,2\n1,2,3\n":             `:1: column 2 is "x", not a number`,
	} {
		_, err := readText(text)
		wantError(t, text, err, want)
	}
}

// Text columns are one column of 0 and 1 for each category, and those of later tables are put in the order of the first.
func TestCategories(t *testing.T) {
	read := func(text string, known ...string) (*Matrix, error) {
		return MatrixReader{Categories: true, Known: known}.Read("-", strings.NewReader(text))
	}
	m, err := read("name,x,color\na,1,red\nb,2,blue\nc,3,NA\nd,4,red\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.Names, m.RowNames, m.Dense); got != "[x color=blue color=red] [a b c d] [1 0 1 2 1 0 3 0 0 4 0 1]" {
		t.Error(got)
	}
	first, err := read("color,x\nred,1\nred,2\nblue,3\n")
	if err != nil || fmt.Sprint(first.Names, first.RowNames) != "[color=blue color=red x] []" {
		t.Errorf("%+v, %v", first, err)
	}
	for text, want := range map[string]string{
		"x,color\n7,red\n":         "[7 0 1]",
		"color,x\nred,7\nblue,8\n": "[7 0 1 8 1 0]",
		"color,x\npink,7\n":        "[7 0 0]",
		"name,x,color\nq,7,red\n":  "[7 0 1]",
		"x,colour\n7,red\n":        `has no column "color=blue"; there are "x", "colour=red"`,
		"x,color,z\n7,red,1\n":     `has a feature "z" that training has not`,
		"color\nred\nblue\n":       `has no column "x"`,
	} {
		later, err := read(text, m.Names...)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		r := &Rows{XName: "f", X: later}
		if err := r.Fits(m.Cols, m.Names); err != nil && !strings.Contains(err.Error(), want) ||
			err == nil && fmt.Sprint(r.X.Dense) != want {
			t.Errorf("%q: %v, %v; want %s", text, r.X.Dense, err, want)
		}
	}
}

// Features with decimal commas are read where that is said, and LIBSVM rows may have more features than training.
func TestOtherFeatures(t *testing.T) {
	m, err := MatrixReader{Decimal: ','}.Read("-", strings.NewReader("x;y\n1,5;2\n-3;4,25\n"))
	if err != nil || fmt.Sprint(m.Names, m.Dense) != "[x y] [1.5 2 -3 4.25]" {
		t.Errorf("%+v, %v", m, err)
	}
	_, err = MatrixReader{Decimal: ','}.Read("-", strings.NewReader("x;y\n1.5;2\n"))
	wantError(t, "point", err, `:2: column 1 ("x") is "1.5", not a number`)
	l, err := readLIBSVM("-", strings.NewReader("1 1:5 4:7 9:1\n0 2:1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Rows{XName: "f", X: l.X, LIBSVM: true}
	if err := r.Fits(4, nil); err != nil || r.X.Cols != 4 || len(r.X.Values) != 3 {
		t.Errorf("%+v, %v", r.X, err)
	}
	if tr := m.Transposed(); fmt.Sprint(tr.Rows, tr.Cols, tr.RowNames, tr.Dense) != "2 2 [x y] [1.5 -3 2 4.25]" {
		t.Errorf("%+v", tr)
	}
	s := &Matrix{Rows: 2, Cols: 3, Ptr: []int64{0, 2, 3}, Index: []int32{0, 2, 0}, Values: []float64{1, 2, 3}}
	if tr := s.Transposed(); fmt.Sprint(tr.Ptr, tr.Index, tr.Values) != "[0 2 2 3] [0 1 0] [1 3 2]" {
		t.Errorf("%+v", tr)
	}
}

// A column of targets that pandas calls 0 has no row too many.
func TestTargetsCalledZero(t *testing.T) {
	file := filepath.Join(t.TempDir(), "y.csv")
	if err := os.WriteFile(file, []byte("0\n1.5\n2.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := NewRows([][]float64{{1}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	if err := (RowsReader{}).Targets(r, file); err != nil || fmt.Sprint(r.Targets.Dense) != "[1.5 2.5]" || r.Targets.Rows != 2 {
		t.Errorf("%+v, %v", r.Targets, err)
	}
}
