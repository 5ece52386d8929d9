package dataset

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/seed-b18ef778/gcg/internal/class"
	"github.com/seed-b18ef778/gcg/internal/text"
	"pgregory.net/rapid"
)

// at is the naive look at an entry.
func at(m *Matrix, i, j int) float64 {
	if m.Dense != nil {
		return m.Dense[i*m.Cols+j]
	}
	for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
		if int(m.Index[e]) == j {
			return m.Values[e]
		}
	}
	return 0
}

// checkMatrix asserts what every Matrix promises.
func checkMatrix(t *testing.T, m *Matrix) {
	t.Helper()
	values := m.Dense
	if m.Dense == nil {
		values = m.Values
		if len(m.Ptr) != m.Rows+1 || m.Ptr[0] != 0 || m.Ptr[m.Rows] != int64(len(m.Index)) || len(m.Index) != len(m.Values) {
			t.Fatalf("%d rows, %d pointers, %d indices, %d values", m.Rows, len(m.Ptr), len(m.Index), len(m.Values))
		}
		for i := range m.Rows {
			for e := m.Ptr[i]; e < m.Ptr[i+1]; e++ {
				if j := m.Index[e]; j < 0 || int(j) >= m.Cols || e > m.Ptr[i] && j <= m.Index[e-1] {
					t.Fatalf("row %d has the columns %v", i, m.Index[m.Ptr[i]:m.Ptr[i+1]])
				}
			}
		}
	} else if len(m.Dense) != m.Rows*m.Cols || m.Rows < 1 || m.Cols < 1 {
		t.Fatalf("%d values for %d×%d", len(m.Dense), m.Rows, m.Cols)
	}
	if m.Names != nil && len(m.Names) != m.Cols {
		t.Fatalf("%d names for %d columns", len(m.Names), m.Cols)
	}
	for _, x := range values {
		if !text.Finite(x) {
			t.Fatal("holds NaN or an infinity")
		}
	}
}

func readText(text string) (*Matrix, error) { return ReadMatrix("-", strings.NewReader(text)) }

// Every format gives the same matrix, 3 -1.5; 0 2e-7.
func TestMatrixFormats(t *testing.T) {
	for name, c := range map[string]struct{ text, names string }{
		"csv":                 {"3,-1.5\n0,2e-7\n", ""},
		"csv, no last end":    {"3,-1.5\n0,2e-7", ""},
		"header":              {"a,b\n3,-1.5\n0,2e-7\n", "a b"},
		"quoted header":       {"\"a\",\"b\"\n3,\"-1.5\"\n0,2e-7\n", "a b"},
		"quoted delimiter":    {"\"a,x\"\t\"b\"\"\"\n3\t-1.5\n0\t2e-7\n", `a,x b"`},
		"tsv":                 {"a\tb\n3\t-1.5\n0\t2e-7\n", "a b"},
		"semicolons":          {"3;-1.5\n0;2e-7\n", ""},
		"bars":                {"3|-1.5\n0|2e-7\n", ""},
		"blanks":              {" 3   -1.5 \n0 2e-7\n", ""},
		"blanks and tabs":     {" 3 \t -1.5\n0\t2e-7\n", ""},
		"blanks, header":      {"a b\n3 -1.5\n 0  2e-7\n", "a b"},
		"crlf, bom, comments": {"\xef\xbb\xbf# mine\r\na, b\r\n\r\n3 , -1.5\r\n#\r\n0,2e-7\r\n", "a b"},
		"quoted blanks":       {"\" a\",\"b \"\n\" 3 \",\"-1.5 \"\n0,2e-7\n", "a b"},
		"row names":           {"\"\",\"a\",\"b\"\n\"one, or 1\",3,-1.5\n2,0,2e-7\n", "a b"},
		"many digits":         {"3.00000000000000000000000,-15e-1\n0x0p0,0.0000002\n", ""},
		"signs":               {"+3,-1.5E+0\n-0,.2e-6\n", ""},
		"market array":        {"%%MatrixMarket matrix array real general\n% c\n2 2\n3\n0\n-1.5\n2e-7\n", ""},
		"market coordinate":   {"%%MatrixMarket matrix coordinate real general\n%\n2 2 3\n2 2 2e-7\n1 2 -1.5\n\n1 1 3\n", ""},
	} {
		m, err := readText(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkMatrix(t, m)
		if m.Rows != 2 || m.Cols != 2 || at(m, 0, 0) != 3 || at(m, 0, 1) != -1.5 || at(m, 1, 0) != 0 || at(m, 1, 1) != 2e-7 {
			t.Errorf("%s: %+v", name, m)
		}
		if got := strings.Join(m.Names, " "); got != c.names {
			t.Errorf("%s: names %q, want %q", name, got, c.names)
		}
	}
}

func TestMarketSymmetric(t *testing.T) {
	want := [][]float64{{1, 5, 6}, {5, 2, 0}, {6, 0, 3}}
	for name, text := range map[string]string{
		"array":      "%%MatrixMarket matrix array real symmetric\n3 3\n1\n5\n6\n2\n0\n3\n",
		"coordinate": "%%MatrixMarket matrix coordinate integer symmetric\n3 3 5\n3 3 3\n1 1 1\n2 2 2\n3 1 6\n2 1 5\n",
	} {
		m, err := readText(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkMatrix(t, m)
		for i := range 3 {
			for j := range 3 {
				if at(m, i, j) != want[i][j] {
					t.Errorf("%s: entry %d, %d is %v", name, i, j, at(m, i, j))
				}
			}
		}
	}
	m, err := readText("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 3\n1 1\n")
	if err != nil || m.Cols != 3 || at(m, 1, 2) != 1 || at(m, 0, 0) != 1 || len(m.Values) != 2 {
		t.Errorf("pattern: %+v, %v", m, err)
	}
}

// Bad input is one clear line with file and line number.
func TestBadMatrix(t *testing.T) {
	const coordinate, array = "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix array real general\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "standard input: is empty"},
		"only blank":          {"\n \n# c\n", "standard input: is empty"},
		"only a header":       {"a,b\n", "has a header and no rows"},
		"ragged, short":       {"1,2\n\n3\n", ":3: has 1 column where line 1 has 2"},
		"ragged, long":        {"a,b\n1,2\n3,4,5\n", ":3: has 3 columns where line 1 has 2"},
		"ragged, blanks":      {"1 2\n3 4 5\n", ":2: has 3 columns where line 1 has 2"},
		"ragged header":       {"a b\n1\n", ":2: has 1 column where line 1 has 2"},
		"nan":                 {"1,2\n3,NaN\n", `:2: column 2 is "NaN"; the numbers must be finite`},
		"nan on line 1":       {"nan,2\n", `:1: column 1 is "nan"`},
		"infinite":            {"a,b\n1,-inf\n", `:2: column 2 ("b") is "-inf"`},
		"too large":           {"1,1e999\n", `:1: column 2 is "1e999"; the numbers must be finite`},
		"missing":             {"1,2\nNA,3\n", `:2: column 1 is "NA", a missing value`},
		"missing on line 1":   {"NA,?\n1,2\n", ":1: has the first of 2 missing fields of 4"},
		"empty field":         {"1,2\n3,\n", ":2: column 2 is empty"},
		"tab at the end":      {"1\t2\t\n", ":1: column 3 is empty"},
		"empty on line 1":     {"1,,2\n", ":1: column 2 is empty"},
		"empty in one column": {"y\n1\n\n2\n", ":3: is empty, and there are values behind it"},
		"word":                {"1,2\n3,four\n", `:2: column 2 is "four", not a number`},
		"underscore":          {"1,2\n3,1_000\n", `:2: column 2 is "1_000", not a number`},
		"word on line 1":      {"1,four\n3,4\n", `:1: column 2 is "four", not a number, and a header holds no numbers`},
		"text with a comma": {"a,b\n1,\"New York, NY\"\n",
			`:2: column 2 ("b") is "New York, NY", not a number; mend it, or leave the column out`},
		"thousands": {"1\t1,234.5\n",
			`:1: column 2 is "1,234.5", not a number; write decimals with a point, and thousands without a mark`},
		"decimal comma":      {"1,5;2\n", `:1: column 1 is "1,5", not a number; write decimals with a point`},
		"libsvm":             {"1 1:2 2:3\n", `:1: column 2 is "1:2", as in a LIBSVM file`},
		"open quote":         {"a,b\n1,\"2\n", ":2: column 2: a quote is not closed"},
		"open quote, line 1": {"a,\"b\n1,2\n", ":1: a quote is not closed"},
		"behind a quote":     {"a,b\n1,\"2\"3\n", ":2: column 2: text follows a closing quote"},
		"binary":             {"\x89HDF\r\n\x1a\n\x00\x00\n", "is an HDF5 file"},
		"utf-16":             {"\xff\xfe1\x00,\x002\x00\n\x00", ":1: is UTF-16; save it as UTF-8"},

		"market complex":     {"%%MatrixMarket matrix array complex general\n1 1\n", ":1: is a Matrix Market file of"},
		"market skew":        {"%%MatrixMarket matrix array real skew-symmetric\n1 1\n", ":1: is a Matrix Market file of"},
		"market pattern":     {"%%MatrixMarket matrix array pattern general\n1 1\n", ":1: is a pattern and an array"},
		"market no sizes":    {array + "% c\n", "ends before its line of sizes"},
		"market sizes":       {coordinate + "2 2\n", ":2: has 2 numbers; the line of sizes has rows, columns and entries"},
		"market zero":        {array + "0 2\n", `:2: the size "0" is not a whole number`},
		"market huge":        {array + "1000000000000 2\n1\n", `:2: the size "1000000000000"`},
		"market claims":      {array + "2000000000 2000000000\n1\n2\n", "ends after 2 of its 4000000000000000000 entries"},
		"market claims rows": {coordinate + "2000000000 5 1\n1 1 1\n", "claims 2000000000 rows but has only 1 entries"},
		"market claims more": {coordinate + "5 5 1000000000000\n1 1 1\n", "ends after 1 of its 1000000000000"},
		"market too many":    {coordinate + "2 2 1\n1 1 1\n2 2 2\n", ":4: has more entries than the 1"},
		"market array long":  {array + "1 2\n1\n2\n3\n", ":5: has more than the 2 values"},
		"market outside":     {coordinate + "2 2 1\n1 3 1\n", `:3: the index "3" is not a whole number from 1 to 2`},
		"market zero index":  {coordinate + "2 2 1\n0 1 1\n", `:3: the index "0"`},
		"market no value":    {coordinate + "2 2 1\n1 1\n", ":3: has no value"},
		"market tail":        {coordinate + "2 2 1\n1 1 1 1\n", `:3: goes on with "1"`},
		"market word":        {coordinate + "2 2 1\n1 1 one\n", `:3: the value "one" is not a number`},
		"market nan":         {array + "1 1\nnan\n", `:3: the value is "nan"; the numbers must be finite`},
		"market twice":       {coordinate + "2 2 3\n1 2 1\n% c\n1 1 1\n1 2 3\n", ":6: gives row 1, column 2 again, after line 3"},
		"market mirror twice": {strings.Replace(coordinate, "general", "symmetric", 1) + "2 2 2\n1 2 1\n2 1 1\n",
			":4: gives row 1, column 2 again, after line 3"},
		"market oblong": {strings.Replace(coordinate, "general", "symmetric", 1) + "2 3 2\n1 2 1\n2 1 1\n",
			":2: a symmetric matrix is square"},
	} {
		_, err := readText(c.text)
		wantError(t, name, err, c.want)
	}
}

func wantError(t *testing.T, name string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v; want %q", name, err, want)
	}
}

// Files: by name, compressed, cut short, under a wrong name, absent, a folder.
func TestMatrixFiles(t *testing.T) {
	var text bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&text, "%d,%v\n", i, math.Sqrt(float64(i)))
	}
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write(text.Bytes())
	g.Close()
	z, _ := zstd.NewWriter(&zs)
	z.Write(text.Bytes())
	z.Close()
	dir := t.TempDir()
	for name, b := range map[string][]byte{"x.csv": text.Bytes(), "x.csv.gz": gz.Bytes(), "x.zst": zs.Bytes()} {
		file := filepath.Join(dir, name)
		os.WriteFile(file, b, 0o600)
		m, err := ReadMatrix(file, nil)
		if err != nil || m.Rows != 3000 || at(m, 2999, 1) != math.Sqrt(2999) {
			t.Errorf("%s: %v", name, err)
		}
		if name != "x.csv" {
			os.WriteFile(file, b[:len(b)/2], 0o600)
			_, err := ReadMatrix(file, nil)
			wantError(t, name+" cut short", err, name+":")
		}
	}
	for name, want := range map[string]string{"y.npy": "y.npy: does not start like .npy",
		"y.mtx": "y.mtx:1: a Matrix Market file starts with %%MatrixMarket", "y.npz.gz": "does not start like .npz"} {
		file := filepath.Join(dir, name)
		os.WriteFile(file, []byte("1,2\n"), 0o600)
		_, err := ReadMatrix(file, nil)
		wantError(t, name, err, want)
	}
	_, err := ReadMatrix(filepath.Join(dir, "absent.csv"), nil)
	wantError(t, "absent", err, "absent.csv: cannot be read")
	_, err = ReadMatrix(dir, nil)
	wantError(t, "folder", err, "is a folder")
}

// Whatever float64 and however it is written, the reader gives what strconv gives; it joins and transposes lists of
// several chunks.
func TestMatrixNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "x")
		format := rapid.SampledFrom([]byte("efg")).Draw(t, "format")
		text := strconv.FormatFloat(x, format, rapid.IntRange(-1, 20).Draw(t, "digits"), 64)
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Skip("rounded up to infinity")
		}
		for _, delim := range []string{",", " ", "\t"} {
			m, err := readText(text + delim + text + "\n")
			if err != nil || m.Dense[0] != want || m.Dense[1] != want {
				t.Fatalf("%q: %v, %v", text, m, err)
			}
		}
	})
}

func TestChunkList(t *testing.T) {
	for _, n := range []int{1, chunkSize - 1, chunkSize, chunkSize + 1, 3*chunkSize + 5} {
		var one, many chunkList[int]
		all := make([]int, n)
		for k := range all {
			all[k] = k
			one.push(k)
		}
		many.append(all[:n/3])
		many.append(all[n/3:])
		if one.n != n || one.at(n-1) != n-1 || !slices.Equal(one.join(), all) || !slices.Equal(many.join(), all) {
			t.Errorf("%d values do not come back", n)
		}
	}
	const rows, cols = 321, 211
	var p chunkList[int]
	for j := range cols {
		for i := range rows {
			p.push(i*cols + j)
		}
	}
	for k, x := range p.joinTransposed(rows, cols) {
		if k != x {
			t.Fatalf("place %d holds %d", k, x)
		}
	}
}

// Coordinates in any order give the rows of a naive sort.
func TestCoordinatesAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 6).Draw(t, "m"), rapid.IntRange(1, 6).Draw(t, "n")
		places := rapid.SliceOfNDistinct(rapid.IntRange(0, m*n-1), 0, m*n, rapid.ID).Draw(t, "places")
		text := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", m, n, len(places))
		for _, k := range places {
			text += fmt.Sprintf("%d %d %d\n", k/n+1, k%n+1, k)
		}
		x, err := readText(text)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(places)
		for e, k := range places {
			if x.Values[e] != float64(k) || int(x.Index[e]) != k%n || x.Ptr[k/n] > int64(e) || x.Ptr[k/n+1] <= int64(e) {
				t.Fatalf("entry %d is %v in column %d; pointers %v", e, x.Values[e], x.Index[e], x.Ptr)
			}
		}
	})
}

func TestTargets(t *testing.T) {
	m, err := readTargets("-", strings.NewReader("y1,y2\n1,2\n3,4\n"))
	if err != nil || m.Cols != 2 || m.Rows != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := readTargets("-", strings.NewReader("1\n-2.5\n")); err != nil || m.Cols != 1 || m.Dense[1] != -2.5 {
		t.Errorf("%+v, %v", m, err)
	}
	_, err = readTargets("-", strings.NewReader("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"))
	wantError(t, "sparse", err, "standard input: is a sparse matrix; targets are dense")
}

func FuzzMatrix(f *testing.F) {
	for _, s := range []string{"1,2\n3,4\n", "a b\n 1 2\n", "\"\",\"a\"\n\"x\"\"y\",1e-5\n", "1;2\r\n", "\xef\xbb\xbf1\t2\n", "1|",
		"y\n1\n\n2\n",
		"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 1 1\n",
		"%%MatrixMarket matrix array real general\n1 2\n1 2\n",
		"%%MatrixMarket matrix coordinate pattern general\n9 9 1\n1 1\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadMatrix("-", bytes.NewReader(b))
		checkRead(t, m, err)
		labels, err := ReadLabels("-", bytes.NewReader(b), 0)
		if err != nil {
			oneLine(t, err)
			return
		}
		ids, names := class.IDs(labels)
		if len(ids) != len(labels) || len(names) < 1 || int(slices.Max(ids)) != len(names)-1 {
			t.Errorf("%d labels, %d ids, %d names", len(labels), len(ids), len(names))
		}
	})
}

func oneLine(t *testing.T, err error) {
	t.Helper()
	if s := err.Error(); strings.Contains(s, "\n") || len(s) > 1000 {
		t.Errorf("the error is long or has several lines: %q", s)
	}
}

// checkRead asserts that there is a true matrix or an error of one line.
func checkRead(t *testing.T, m *Matrix, err error) {
	t.Helper()
	if err != nil {
		oneLine(t, err)
		return
	}
	checkMatrix(t, m)
}
