package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Lines of a large file, which are read by one pass over their bytes, give what the same lines with blanks around their fields
// give, which are read in full: ids, values, times, lines and errors, whatever stands between them and where the file is cut.
func TestSimpleLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	ids := []string{"0", "7", "007", "4194303", "4194304", "12345678", "u7", "a-b", "b:c", "#9", "é", "x.y", "3e2"}
	ratings := []string{"3", "4.5", "-1", "0.001", "1e-3", "2.50", "1234567890123456789", "+2", "0.12345678901234567", "1E+30"}
	times := []string{"978300760", "0", "978300760", "978300761", "-5", "978302109"}
	for name, c := range map[string]struct {
		delim, end, header string
		extra              []string
		opt                dataset.RatingsReader
	}{
		"commas":       {",", "\n", "userId,movieId,rating,timestamp", nil, dataset.RatingsReader{Times: true}},
		"two columns":  {"\t", "\r\n", "", nil, dataset.RatingsReader{ValuesOptional: true}},
		"colons":       {"::", "\n", "", nil, dataset.RatingsReader{TimesOptional: true}},
		"odd lines":    {";", "\n", "", []string{"", "# a comment", "8;9;NA"}, dataset.RatingsReader{ValuesOptional: true}},
		"fractions":    {",", "\n", "", []string{"5,5,5,978300760.25"}, dataset.RatingsReader{Times: true}},
		"lost times":   {",", "\n", "", []string{"5,5,5,soon"}, dataset.RatingsReader{TimesOptional: true}},
		"narrow":       {",", "\n", "", nil, dataset.RatingsReader{Narrow: true}},
		"a known user": {",", "\n", "", nil, dataset.RatingsReader{RowIDs: dataset.NewIDs(ids[:5]), ColIDs: dataset.NewIDs(ids)}},
		"chosen":       {",", "\n", "item,rating,user,when", nil, dataset.RatingsReader{Columns: "user,item,rating"}},
		"a bad line":   {",", "\n", "", []string{"5,5,many,3"}, dataset.RatingsReader{}},
		"a short line": {",", "\n", "", []string{"5,5"}, dataset.RatingsReader{}},
		"a long line":  {"\t", "\n", "", []string{"5\t5\t1\t2\t3"}, dataset.RatingsReader{}},
		"a huge one":   {",", "\n", "", []string{"5,5,1e301,2"}, dataset.RatingsReader{}},
	} {
		var near, wide strings.Builder
		if c.header != "" {
			near.WriteString(c.header + c.end)
			wide.WriteString(c.header + c.end)
		}
		for e := range 20000 { // of more than one piece of 256 KiB
			f := []string{ids[rng.IntN(len(ids))], ids[rng.IntN(len(ids))], ratings[rng.IntN(len(ratings))], times[rng.IntN(len(times))]}
			if f[0][0] == '#' || f[1][0] == '#' && c.header != "" || c.delim == "::" && strings.Contains(f[0]+f[1], ":") || e == 0 {
				f[0], f[1], f[3] = fmt.Sprint(rng.IntN(9000)), fmt.Sprint(rng.IntN(9000)), times[0]
			}
			if strings.HasPrefix(c.header, "item") {
				f = []string{f[1], f[2], f[0], f[3]}
			}
			line, spaced := strings.Join(f, c.delim), strings.Join(f, " "+c.delim+" ")
			if k := len(c.extra); k > 0 && e > 0 && e%5000 == 0 {
				line = c.extra[(e/5000)%k]
				spaced = line
			}
			near.WriteString(line + c.end)
			wide.WriteString(spaced + c.end)
		}
		got, err := c.opt.Read(strings.NewReader(near.String()), "f")
		want, wrong := c.opt.Read(strings.NewReader(wide.String()), "f")
		if fmt.Sprint(err) != fmt.Sprint(wrong) || (err != nil) != strings.HasPrefix(name, "a ") && name != "a known user" {
			t.Errorf("%s: %v, with blanks %v", name, err, wrong)
			continue
		}
		if err == nil {
			sameRatings(t, name, got, want)
		}
	}
}

// sameRatings reports what two files differ by.
func sameRatings(t *testing.T, name string, got, want *dataset.Ratings) {
	t.Helper()
	if got.Len() != want.Len() || !slices.Equal(got.RowIDs.Texts(), want.RowIDs.Texts()) ||
		!slices.Equal(got.ColIDs.Texts(), want.ColIDs.Texts()) || !slices.Equal(got.Times, want.Times) ||
		fmt.Sprint(got.TimesLost) != fmt.Sprint(want.TimesLost) || got.NoValues != want.NoValues {
		t.Errorf("%s: other ids or times, of %d ratings for %d", name, got.Len(), want.Len())
	}
	if fmt.Sprint(got.Values) != fmt.Sprint(want.Values) ||
		!slices.Equal(got.Rows, want.Rows) || !slices.Equal(got.Cols, want.Cols) {
		t.Errorf("%s: other values", name)
	}
	for e := range got.Len() {
		if got.Line(e) != want.Line(e) {
			t.Errorf("%s: rating %d is of line %d, not %d", name, e, got.Line(e), want.Line(e))
			break
		}
	}
}

// A file whose length is known is read as a stream of the same bytes is, whether its later lines are longer than those by which
// room is made, or so short that there are more of them.
func TestRoomForAFile(t *testing.T) {
	for name, c := range map[string]struct{ first, later string }{"alike": {"", ""}, "shorter": {"00000001234567", ""},
		"longer": {"", "00000001234567"}} {
		var text strings.Builder
		for e := range 150_000 {
			tail := c.first
			if e > 60_000 {
				tail = c.later
			}
			fmt.Fprintf(&text, "%d,%d,%d.5%s,%d\n", e%700, e%1009, e%5, tail, e)
		}
		file := filepath.Join(t.TempDir(), "r.csv")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, narrow := range []bool{false, true} {
			opt := dataset.RatingsReader{Times: true, Narrow: narrow}
			want, err := opt.Read(strings.NewReader(text.String()), file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := opt.ReadRatings(file)
			if err != nil {
				t.Fatal(err)
			}
			if sameRatings(t, name, got, want); got.Len() != 150_000 {
				t.Errorf("%s: %d ratings", name, got.Len())
			}
			if !narrow {
				continue
			}
			x, err := got.Compact(dataset.MeanDuplicates)
			if err != nil {
				t.Fatal(err)
			}
			y, err := want.Compact(dataset.MeanDuplicates)
			if err != nil || !slices.Equal(x.Values, y.Values) || !slices.Equal(x.Cols, y.Cols) {
				t.Errorf("%s: other values in float32, %v", name, err)
			}
		}
	}
}
