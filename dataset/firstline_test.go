package dataset

import (
	"strings"
	"testing"
)

// A first line whose rating is a missing value, or begins like a number, is a rating to mend and no header.
func TestNoHeaderByItsRating(t *testing.T) {
	for _, word := range []string{"NA", "", "null", "n/a", "?", "None", `\N`, "-", "3..5", "4 stars", "+x", ".5.", `"NA"`} {
		for columns, line := range map[string]string{"": "alice,book,", "2,3,4": "1,alice,book,", "1,2,3": "alice,book,"} {
			_, err := read(t, RatingsReader{Columns: columns}, line+word+"\n"+line+"4\n")
			if err == nil || !strings.HasPrefix(err.Error(), "f:1: the rating ") {
				t.Errorf("%q, columns %q: %v", word, columns, err)
			}
		}
		_, err := read(t, RatingsReader{OneUser: true}, "book,"+word+"\npen,4\n")
		if err == nil || !strings.HasPrefix(err.Error(), "f:1: the rating ") {
			t.Errorf("%q of one user: %v", word, err)
		}
	}
	for head, row := range map[string]string{"i,j,c": "alice,book,4", "person,2nd,mark": "alice,book,4",
		"user,item,rating":                  "alice,book,4",
		"who,what,4rating,rating,user,item": "alice,book,4,4,alice,book"} {
		r, err := read(t, RatingsReader{}, head+"\n"+row+"\n")
		if err != nil || len(r.Values) != 1 {
			t.Errorf("%q: %v", head, err)
		}
	}
}

// So it is in tables: a header has a word.
func TestNoHeaderWithoutAWord(t *testing.T) {
	for text, headed := range map[string]bool{"3..5\n1\n2\n": false, "-\n1\n2\n": false, "+-\n1\n": false, "-,NA\n1,2\n": false,
		"y\n1\n2\n": true, "1st,second\n1,2\n": true, "2019Q1,2019-02\n1,2\n": true} {
		_, err := readTargets("-", strings.NewReader(text))
		if (err == nil) != headed || err != nil && !strings.HasPrefix(err.Error(), "standard input:1: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Ratings that are not needed may be missing, all of them or some.
func TestUnratedPairs(t *testing.T) {
	for text, rated := range map[string]int{"user,item,rating\na,x,\nb,y,NA\n": 0, "a,x,\nb,y,\n": 0, "a,x,3\nb,y,\n": 1,
		"a,x,\nb,y,3\n": 1, `"a",x,""` + "\nb,y,3\n": 1} {
		r, err := read(t, RatingsReader{ValuesOptional: true}, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		known := 0
		for _, x := range r.Values {
			if x == 3 {
				known++
			}
		}
		if len(r.Values) != 2 || known != rated || r.NoValues != (rated == 0) || r.NoValues && r.Values[0] != 0 {
			t.Errorf("%q: %v, no values %v", text, r.Values, r.NoValues)
		}
		if _, err := read(t, RatingsReader{}, text); err == nil {
			t.Errorf("%q: was taken where ratings are needed", text)
		}
	}
}
