package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

func read(t *testing.T, o RatingsReader, text string) (*Ratings, error) {
	t.Helper()
	return o.Read(strings.NewReader(text), "f")
}

// Every format gives the same three ratings.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		columns string
	}{
		"u.data":           {"a\tx\t3\t881250949\na\ty\t4\t1\nb\tx\t-1.5\t2\n", ""},
		"colons":           {"a::x::3::9\na::y::4::9\nb::x::-1.5::9\n", ""},
		"headed csv":       {"userId,movieId,rating,timestamp\na,x,3,1\na,y,4,2\nb,x,-1.5,3\n", ""},
		"shuffled header":  {"rating,item,user\n3,x,a\n4,y,a\n-1.5,x,b\n", ""},
		"other names":      {"who,what,stars\na,x,3\na,y,4\nb,x,-1.5", "who,what,stars"},
		"numbers":          {"3;a;x\n4;a;y\n-1.5;b;x", "2,3,1"},
		"numbers, headed":  {"r;u;i\n3;a;x\n4;a;y\n-1.5;b;x", "2,3,1"},
		"crlf, bom, blank": {"\xef\xbb\xbfuser,item,rating\r\na,x,3\r\n\r\na,y,4\r\nb,x,-15e-1\r\n", ""},
		"spaces":           {"a  x 3\na y   4\n b x -1.5\n", ""},
		"comments":         {"# mine\na|x|3\n#\na|y|4\nb|x|-1.5", ""},
		"quoted":           {"user,item,rating\n\"a\",x,3\na,\"y\",4\nb,x,-1.5\n", ""},
	} {
		r, err := read(t, RatingsReader{Columns: c.columns}, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := strings.Join(r.RowIDs.Texts(), "") + strings.Join(r.ColIDs.Texts(), "")
		if got != "abxy" || len(r.Values) != 3 || r.Values[0] != 3 || r.Values[1] != 4 || r.Values[2] != -1.5 || r.Cols[1] != 1 ||
			r.Rows[2] != 1 {
			t.Errorf("%s: ids %s, values %v, rows %v, cols %v", name, got, r.Values, r.Rows, r.Cols)
		}
	}
}

// Users and items alone are told apart by their names, and a header is no pair.
func TestPairs(t *testing.T) {
	for text, columns := range map[string]string{
		"a,x\na,y\nb,x\n": "", "userId,movieId\na,x\na,y\nb,x\n": "", "item,user\nx,a\ny,a\nx,b\n": "", "x;a\ny;a\nx;b\n": "2,1",
		"item,user\nx,a\ny,a\nx,b\n#": "2,1", "when,what,who\n1,x,a\n2,y,a\n3,x,b\n": "who,what",
	} {
		r, err := read(t, RatingsReader{Columns: columns, ValuesOptional: true}, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := strings.Join(r.RowIDs.Texts(), "") + strings.Join(r.ColIDs.Texts(), ""); got != "abxy" || !r.NoValues ||
			len(r.Values) != 3 {
			t.Errorf("%q: ids %s, %d pairs, no values %v", text, got, len(r.Values), r.NoValues)
		}
	}
}

func TestMatrixMarket(t *testing.T) {
	r, err := read(t, RatingsReader{}, "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n2 1 5\n3 3 7\n")
	if err != nil || len(r.Values) != 3 || r.Shape != [2]int{3, 3} {
		t.Fatalf("%+v, %v", r, err)
	}
	s, err := r.Compress(RefuseDuplicates)
	if err != nil || s.Values[0] != 5 || s.Values[1] != 5 || s.Values[2] != 7 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Quotes may come when much of the file has been read: fields that hold the delimiter are no two fields.
func TestLateQuotes(t *testing.T) {
	var b strings.Builder
	b.WriteString("user,item,rating\n")
	for i := range 50_000 {
		fmt.Fprintf(&b, "u%d,i%d,%d\n", i%1000, i, i%5)
	}
	line := strings.Count(b.String(), "\n") + 1
	b.WriteString("\"u,1\",2,3\n\"u7\",\"2\",5\nu8,9\n")
	_, err := read(t, RatingsReader{}, b.String())
	if want := fmt.Sprintf("f:%d: has 2 fields", line+2); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v; want %s", err, want)
	}
	r, err := read(t, RatingsReader{}, strings.TrimSuffix(b.String(), "u8,9\n"))
	if err != nil {
		t.Fatal(err)
	}
	n := len(r.Values)
	if n != 50_002 || r.RowIDs.Text(int(r.Rows[n-2])) != "u,1" || r.RowIDs.Text(int(r.Rows[n-1])) != "u7" || r.Rows[n-1] != 7 ||
		r.Values[n-2] != 3 || r.Line(n-1) != line+1 {
		t.Errorf("%d ratings, the last of %q and %q", n, r.RowIDs.Text(int(r.Rows[n-2])), r.RowIDs.Text(int(r.Rows[n-1])))
	}
}

// Headers are written in many ways.
func TestUsualNames(t *testing.T) {
	r, err := read(t, RatingsReader{}, "a\t\tx\t\t-0.5\nb\t\tx\t\t3\n") // as Jester's
	if err != nil || r.RowIDs.Text(1) != "b" || r.ColIDs.Text(0) != "x" || len(r.Values) != 2 || r.Values[0] != -0.5 {
		t.Errorf("two tabs: %+v, %v", r, err)
	}
	for _, head := range []string{"Item ID;rating;User ID", "item-id;Rating;userId", "movie_id;value;user",
		"MovieID;score;USER_ID"} {
		r, err := read(t, RatingsReader{}, head+"\nx;3;a\n")
		if err != nil || r.RowIDs.Text(0) != "a" || r.ColIDs.Text(0) != "x" || r.Values[0] != 3 {
			t.Errorf("%s: %+v, %v", head, r, err)
		}
	}
}

// Bad input is one clear line with file and line number.
func TestBadRatings(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", "f: is empty"},
		"only blank":       {"\n\n", "f: is empty"},
		"only a header":    {"user,item,rating\n", "f: has no ratings"},
		"two fields":       {"a,b\n", "f:1: has 2 fields"},
		"ragged":           {"a,x,1\nb,y\n", "f:2: has 2 fields"},
		"underscore":       {"a,x,1\nb,y,1_000\n", "f:2: the rating \"1_000\" is not a number"},
		"not a number":     {"a,x,1\nb,y,good\n", "f:2: the rating \"good\" is not a number"},
		"nan":              {"a,x,1\nb,y,NaN\n", "f:2: the rating is \"NaN\""},
		"infinite":         {"a,x,1\nb,y,1e999\n", "f:2: the rating"},
		"empty user":       {"a,x,1\n,y,2\n", "f:2: the user or the item is empty"},
		"binary":           {"a\x00b,c,d\n", "f:1: holds binary data"},
		"market header":    {"%%MatrixMarket matrix array real general\n", "f:1: is an array, which has all"},
		"market short":     {"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n", "ends after 1 of its 3"},
		"market outside":   {"%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n", "f:3: the index \"3\""},
		"market pattern":   {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n", "f:1: is a pattern, whose"},
		"market size":      {"%%MatrixMarket matrix coordinate real general\n2 99999999999 1\n", "f:2: the size"},
		"market too many":  {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 2\n", "f:4: has more entries"},
		"huge":             {"a,x,1\nb,y,-2e60\n", "f:2: the rating is \"-2e60\""}, // fits stalled at W = 0 from 1e77 on
		"comment or not":   {"user,item,rating\n# ratings\na,x,1\n#b,y,2\n", "f:4: starts with #"},
		"xz":               {"\xfd7zXZ\x00\n", "f:1: is packed by xz"},
		"parquet":          {"PAR1\x15\x04\n", "f:1: is a Parquet file"},
		"utf-16":           {"\xff\xfea\x00,\x00\n\x00", "f:1: is UTF-16; save it as UTF-8"},
		"quote within":     {"a\t12\" single\t3\n", "f:1: bare"},
		"unfinished quote": {"user,item,rating\n\"a,x,3\n", "f:"},
	} {
		_, err := read(t, RatingsReader{}, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	if _, err := read(t, RatingsReader{Columns: "user,thing,rating"}, "user,item,rating\na,b,1\n"); err == nil ||
		!strings.Contains(err.Error(), `no column "thing"; there are "user", "item", "rating"`) {
		t.Errorf("unknown column: %v", err)
	}
}

func TestDuplicates(t *testing.T) {
	text := "user,item,rating\na,x,1\nb,x,5\n\na,x,4\na,x,7\n"
	r, err := read(t, RatingsReader{}, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Compress(RefuseDuplicates); err == nil || !strings.Contains(err.Error(),
		`f:5: user "a" and item "x" are already rated on line 2`) {
		t.Errorf("refused: %v", err)
	}
	for d, want := range map[Duplicates]float64{LastDuplicate: 7, MeanDuplicates: 4} {
		if s, err := r.Compress(d); err != nil || len(s.Values) != 2 || s.Values[0] != want {
			t.Errorf("%v: %+v, %v", d, s, err)
		}
	}
}

func TestCompressedFiles(t *testing.T) {
	plain := []byte("a,x,3\na,y,4\nb,x,5\n")
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	g.Write(plain)
	g.Close()
	z, _ := zstd.NewWriter(&zs)
	z.Write(plain)
	z.Close()
	dir := t.TempDir()
	for name, b := range map[string][]byte{"plain": plain, "gzip": gz.Bytes(), "zstd": zs.Bytes()} {
		file := filepath.Join(dir, name)
		os.WriteFile(file, b, 0o600)
		if r, err := (RatingsReader{}).ReadRatings(file); err != nil || len(r.Values) != 3 {
			t.Errorf("%s: %v", name, err)
		}
		if name != "plain" {
			os.WriteFile(file, b[:len(b)-6], 0o600)
			if _, err := (RatingsReader{}).ReadRatings(file); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s cut short: %v", name, err)
			}
		}
	}
}

// What is written is read back, whatever the ids.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-zA-Z0-9 _."':;|#%-]{0,6}[a-z0-9]`)
		r := &Ratings{Name: "r", RowIDs: &IDs{}, ColIDs: &IDs{}}
		timed := rapid.Bool().Draw(t, "timed")
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			i := r.RowIDs.Add([]byte(strings.TrimSpace(id.Draw(t, "user"))))
			j := r.ColIDs.Add([]byte(strings.TrimSpace(id.Draw(t, "item"))))
			r.Rows, r.Cols = append(r.Rows, i), append(r.Cols, j)
			r.Values = append(r.Values, rapid.Float64Range(-1e6, 1e6).Draw(t, "x"))
			if timed {
				r.Times = append(r.Times, rapid.Int64().Draw(t, "time"))
			}
		}
		file := filepath.Join(dir, "r"+rapid.SampledFrom([]string{".csv", ".tsv"}).Draw(t, "as"))
		if err := WriteRatings(file, r); err != nil {
			t.Fatal(err)
		}
		got, err := RatingsReader{Times: true}.ReadRatings(file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Times, r.Times) {
			t.Fatalf("times %v became %v", r.Times, got.Times)
		}
		for e := range r.Values {
			if got.Values[e] != r.Values[e] || got.RowIDs.Text(int(got.Rows[e])) != r.RowIDs.Text(int(r.Rows[e])) ||
				got.ColIDs.Text(int(got.Cols[e])) != r.ColIDs.Text(int(r.Cols[e])) {
				t.Fatalf("rating %d became %v", e, got.Values[e])
			}
		}
	})
}

// A file that breaks off names the line that it breaks off at, behind quotes too.
func TestQuotedTextBreaksOff(t *testing.T) {
	src := io.MultiReader(strings.NewReader("user,item,rating\n\"a\",x,1\n\"b\",x,2\n"),
		iotest.ErrReader(errors.New("the disk is gone")))
	if _, err := (RatingsReader{}).Read(src, "r"); err == nil || err.Error() != "r:4: cannot be read further: the disk is gone" {
		t.Error(err)
	}
}

// Wrong columns are said to be so, and not that the file cannot be read.
func TestWrongColumns(t *testing.T) {
	for columns, want := range map[string]string{"a,b": `r:1: Columns "a,b": a user, an item and a rating column`,
		"a,b,z": `r:1: has no column "z"`, "1,2,9": "r:1: has 3 columns"} {
		if _, err := (RatingsReader{Columns: columns}).Read(strings.NewReader("a,b,c\n1,2,3\n"), "r"); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", columns, err)
		}
	}
}

// The centre leaves residuals without row and column means.
func TestCentreBoth(t *testing.T) {
	g := Shapes[0]
	g.Rows, g.Cols, g.N = 30, 25, 300
	r, _ := g.Ratings()
	s, _ := r.Compress(RefuseDuplicates)
	o := Centre(s, BothMeans)
	rows := make([]float64, s.M)
	s.Entries(func(i, j int, x float64) { rows[i] += x - o.At(i, j) })
	for i, x := range rows {
		if math.Abs(x) > 1e-6 {
			t.Errorf("row %d keeps %g", i, x)
		}
	}
	rough := Biases(s)
	s.Entries(func(i, j int, _ float64) {
		if d := math.Abs(o.At(i, j) - rough.At(i, j)); d > 1e-4 {
			t.Errorf("at %d, %d the biases are %g from the centre", i, j, d)
		}
	})
}

// Compressed rows are what a map makes of the ratings one by one.
func TestCompressIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Ratings{Name: "r", Shape: [2]int{5, 4}}
		type place struct{ i, j int32 }
		last, all := map[place]float64{}, map[place][]float64{}
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			at := place{rapid.Int32Range(-1, 4).Draw(t, "i"), rapid.Int32Range(-1, 3).Draw(t, "j")}
			x := float64(rapid.IntRange(-9, 9).Draw(t, "x"))
			r.Rows, r.Cols, r.Values = append(r.Rows, at.i), append(r.Cols, at.j), append(r.Values, x)
			if at.i >= 0 && at.j >= 0 {
				last[at], all[at] = x, append(all[at], x)
			}
		}
		check := func(d Duplicates, want func(at place) float64) {
			s, err := r.Compress(d)
			if err != nil || len(s.Values) != len(all) {
				t.Fatalf("%d entries, want %d; %v", len(s.Values), len(all), err)
			}
			before := place{-1, -1}
			s.Entries(func(i, j int, x float64) {
				at := place{int32(i), int32(j)}
				if at.i < before.i || at.i == before.i && at.j <= before.j || len(all[at]) == 0 || math.Abs(x-want(at)) > 1e-12 {
					t.Errorf("%v after %v is %v", at, before, x)
				}
				before = at
			})
		}
		check(LastDuplicate, func(at place) float64 { return last[at] })
		check(MeanDuplicates, func(at place) float64 {
			var sum float64
			for _, x := range all[at] {
				sum += x
			}
			return sum / float64(len(all[at]))
		})
	})
}

func FuzzRatings(f *testing.F) {
	for _, s := range []string{"a,x,3\n", "user,item,rating\na,\"x\",3\n", "a::b::1",
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n", "1\t2\t3\t4\n", "\xef\xbb\xbf\n", "a b -1e5\r\n"} {
		f.Add([]byte(s), "")
	}
	f.Add([]byte("a,b,c\n1,2,3\n"), "3,2,1")
	f.Fuzz(func(t *testing.T, b []byte, columns string) {
		r, err := RatingsReader{Columns: columns, Times: len(b)%2 == 0, TimesOptional: len(b)%3 == 0}.Read(bytes.NewReader(b), "f")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		if n := len(r.Times); n != 0 && n != len(r.Values) {
			t.Fatalf("%d times of %d ratings", n, len(r.Values))
		}
		for e, x := range r.Values {
			if math.IsNaN(x) || math.IsInf(x, 0) || int(r.Rows[e]) >= r.RowIDs.Len() || int(r.Cols[e]) >= r.ColIDs.Len() {
				t.Fatalf("rating %d is %v at %d, %d", e, x, r.Rows[e], r.Cols[e])
			}
		}
		if _, err := r.Compress(LastDuplicate); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkRead reads 100,000 generated ratings, tabs, from memory; it reports rows a second.
func BenchmarkRead(b *testing.B) {
	r, err := Shapes[0].Ratings()
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "r.tsv")
	if err := WriteRatings(file, r); err != nil {
		b.Fatal(err)
	}
	text, _ := os.ReadFile(file)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := (RatingsReader{}).Read(bytes.NewReader(text), "r"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(r.Values))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// Rows come out of a set of columns as a comparison sort leaves them, whether they fill it, hardly touch it or meet a column
// twice; and the set is empty after each.
func TestColumnSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "columns")
		in := columnSet{make([]uint64, (n+63)/64), make([]placed, n)}
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			cols := rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 60).Draw(t, "row")
			if rapid.Bool().Draw(t, "once") {
				slices.Sort(cols)
				cols = rapid.Permutation(slices.Compact(cols)).Draw(t, "order")
			}
			var row []placed
			for e, j := range cols {
				row = append(row, placed(j)<<32|placed(e))
			}
			want := slices.Sorted(slices.Values(row))
			if in.sort(row); !slices.Equal(row, want) {
				t.Fatalf("%v, want %v", row, want)
			}
			if slices.ContainsFunc(in.bits, func(word uint64) bool { return word != 0 }) {
				t.Fatal("columns stayed in the set")
			}
		}
	})
}
