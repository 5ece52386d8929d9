package dataset

import (
	"math"
	"strings"
	"testing"
)

// Compact gives the entries of Compress, in any order within a row, for every treatment of duplicates.
func TestCompactEqualsCompress(t *testing.T) {
	for _, narrow := range []bool{false, true} {
		testCompact(t, RatingsReader{Narrow: narrow})
	}
}

func testCompact(t *testing.T, reader RatingsReader) {
	text := "a,x,1\nb,y,2\na,y,3\nc,x,4\na,x,6\nb,x,2.5\na,x,2\n"
	for _, d := range []Duplicates{LastDuplicate, MeanDuplicates} {
		read := func(reader RatingsReader) *Ratings {
			r, err := reader.Read(strings.NewReader(text), "r")
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		want, err := read(RatingsReader{}).Compress(d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read(reader).Compact(d)
		if err != nil || len(got.Values) != len(want.Values) {
			t.Fatalf("%d entries, want %d; %v", len(got.Values), len(want.Values), err)
		}
		all := map[[2]int]float64{}
		got.Entries(func(i, j int, x float64) { all[[2]int{i, j}] = x })
		want.Entries(func(i, j int, x float64) {
			if y, ok := all[[2]int{i, j}]; !ok || math.Abs(x-y) > 1e-6 {
				t.Errorf("entry %d, %d is %v, want %v", i, j, y, x)
			}
		})
	}
	r, _ := reader.Read(strings.NewReader(text), "r")
	if _, err := r.Compact(RefuseDuplicates); err == nil || !strings.Contains(err.Error(), "r:5") ||
		!strings.Contains(err.Error(), "line 1;") {
		t.Errorf("a duplicate: %v", err)
	}
	large, err := reader.Read(strings.NewReader("a,x,1\na,y,-1e38\n"), "r")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := large.Compact(LastDuplicate); err == nil || !strings.HasPrefix(err.Error(),
		"r:2: the rating is too large for float32") {
		t.Errorf("more than float32 holds: %v", err)
	}
}

// The stream, the ratings and the compact form are one dataset; its file is the same, compressed or not.
func TestGeneratorForms(t *testing.T) {
	g := Shapes[0].Sized(40_000)
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	c, err := g.Compact()
	if err != nil {
		t.Fatal(err)
	}
	e := 0
	c.Entries(func(i, j int, x float64) {
		if int(r.Rows[e]) != i || int(r.Cols[e]) != j || float64(float32(r.Values[e])) != x {
			t.Fatalf("rating %d is (%d, %d) %v, compact (%d, %d) %v", e, r.Rows[e], r.Cols[e], r.Values[e], i, j, x)
		}
		e++
	})
	t.Chdir(t.TempDir())
	for _, name := range []string{"r.csv", "r.tsv", "r.csv.zst"} {
		if err := g.Write(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		back, err := RatingsReader{}.ReadRatings(name)
		if err != nil || len(back.Values) != 40_000 {
			t.Fatalf("%s: %v", name, err)
		}
		for e := range back.Values {
			if back.Values[e] != r.Values[e] || back.RowIDs.Text(int(back.Rows[e])) != r.RowIDs.Text(int(r.Rows[e])) {
				t.Fatalf("%s: rating %d came back as %v", name, e, back.Values[e])
			}
		}
	}
	if s := g.Sized(20_000); s.Rows*2 < g.Rows-2 || s.Rows*2 > g.Rows+2 {
		t.Errorf("half of %d rows are %d", g.Rows, s.Rows)
	}
}

// The rounding is that of the definition, 0 for what float32 holds, whichever way values are narrowed.
func TestRounding(t *testing.T) {
	for text, want := range map[string]float64{
		"a,x,1\na,y,2\nb,x,5\n": 0, "a,x,1e9\na,y,1000000064\n": 0, // exact
		"a,x,0\na,y,0\n": 0, "a,x,-3\na,y,-3\n": 0, // no spread
		"a,x,16777217\na,y,16777219\nb,x,16777221\n": 1 / math.Sqrt(8./3),
		"a,x,1e-60\na,y,1e-60\n":                     7e14, "a,x,1e-45\na,y,3e-45\n": 1.02,
	} {
		for _, narrow := range []bool{false, true} {
			r, err := RatingsReader{Narrow: narrow}.Read(strings.NewReader(text), "r")
			if err != nil {
				t.Fatal(err)
			}
			c, err := r.Compact(RefuseDuplicates)
			if err != nil || math.Abs(c.Rounding-want) > 0.05*want+1e-40 {
				t.Errorf("%q, narrow %v: %v, want %v; %v", text, narrow, c.Rounding, want, err)
			}
		}
	}
	r, err := Shapes[0].Sized(40_000).Narrow()
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Compact(RefuseDuplicates)
	if n := r.Len(); err != nil || c.Rounding > 1e-40 || len(c.Values) != 40_000 || n != 0 {
		t.Errorf("whole stars are rounded by %v; %d of %d are left; %v", c.Rounding, n, len(c.Values), err)
	}
}
