package dataset

import (
	"slices"
	"strings"
	"testing"
)

// A line with more fields than the first is refused, as its rating may be half of one; empty fields at its end are none.
func TestMoreFieldsThanTheFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"user,item,rating\nu1,i1,4\nu1,i2,3,5\n":         "f:3: has 4 fields where the first line has 3; for a decimal comma",
		"u1,i1,4\nu1,i2,3,5\n":                           "f:2: has 4 fields where the first line has 3",
		"u1\ti1\t4\nu1\ti\t2\t5\n":                       "f:2: has 4 fields where the first line has 3; put quotes",
		"u1 i1 4\nu1 i 2 5\n":                            "f:2: has 4 fields where the first line has 3",
		"u1::i1::4\nu1::i::2::5\n":                       "f:2: has 4 fields where the first line has 3",
		"user,item,rating\n\"u1\",i1,4\n\"u1\",i2,3,5\n": "f:3: has 4 fields where the first line has 3",
		"user,item,rating\nu1,i1,4,,\n":                  "",
		"user,item,rating,time,note\nu1,i1,4,0,x\n":      "",
		strings.Repeat("1,", 1000000) + "1\n":            "f:1: has 1000001 fields, where a rating has",
		"1 2 3 4 5\n":                                    "f:1: has 5 fields, where a rating has a user, an item",
	} {
		_, err := read(t, RatingsReader{}, text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
	if _, err := read(t, RatingsReader{Columns: "1,2,5"}, "1 2 3 4 5\n"); err != nil {
		t.Error(err)
	}
}

// With a decimal comma, a comma separates nothing, and a point is no decimal mark.
func TestDecimalComma(t *testing.T) {
	for _, text := range []string{"u;i;r\na;b;3,5\na;c;-4\n", "a;b;3,5\na;c;-4\n", "a\tb\t3,5\na\tc\t-4\n", "a b 3,5\na c -4\n",
		"\"a\";b;\"3,5\"\na;c;-4\n"} {
		r, err := read(t, RatingsReader{Decimal: ','}, text)
		if err != nil || !slices.Equal(r.Values, []float64{3.5, -4}) {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	for _, text := range []string{"a;b;3.5\n", "a;b;1.003,5\n", "a;b;1,003,5\n"} {
		if _, err := read(t, RatingsReader{Decimal: ','}, "x;y;1\n"+text); err == nil ||
			!strings.HasPrefix(err.Error(), "f:2: the rating") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
