package dataset

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func reading(t *testing.T, o RatingsReader, text string) *Ratings {
	t.Helper()
	r, err := o.Read(strings.NewReader(text), "in")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Weights and offsets are columns that are called so behind the rating, or that are named with an = anywhere; a time may stand
// among them.
func TestWeightsAndOffsets(t *testing.T) {
	const header = "user,item,rating,weight,timestamp,offset\n"
	const lines = "a,x,1,0.5,7,-1\nb,x,2,0,8,0.25\na,y,3,2,9,0\n"
	for columns, text := range map[string]string{
		"user,item,rating,weight,timestamp,offset":           header + lines,
		"user,item,rating,offset,weight,timestamp":           header + lines,
		"weight=weight, user,item,rating,5,offset=6":         header + lines,
		"1,2,3,5,weight=4,offset=6":                          lines,
		"user,item,weight=conf,offset=base,rating,timestamp": "user,item,rating,conf,timestamp,base\n" + lines,
	} {
		if err := CheckColumns(columns, true); err != nil || !WeighsColumns(columns) {
			t.Errorf("%q: %v", columns, err)
		}
		r := reading(t, RatingsReader{Columns: columns, Times: true}, text)
		if !slices.Equal(r.Omega, []float64{0.5, 0, 2}) || !slices.Equal(r.Offset, []float64{-1, 0.25, 0}) ||
			!slices.Equal(r.Times, []int64{7, 8, 9}) || !slices.Equal(r.Values, []float64{1, 2, 3}) {
			t.Errorf("%q: %v %v %v %v", columns, r.Omega, r.Offset, r.Times, r.Values)
		}
	}
	if r := reading(t, RatingsReader{}, header+lines); r.Omega != nil || r.Offset != nil || WeighsColumns("user,item,rating,5") {
		t.Error("a column of weights counts without being asked for")
	}
}

// Entries keep their weights and offsets where ratings are sorted, cut, merged and written.
func TestBesideStays(t *testing.T) {
	r := reading(t, RatingsReader{Columns: "u,i,r,weight,offset"},
		"u,i,r,weight,offset\nb,y,3,2,1\na,y,1,1,0\na,x,5,3,2\na,y,4,2,3\na,x,7,0,9\n")
	s, err := r.Compress(MeanDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	// of b: y; of a: y with weights 1 and 2, x with 3 and 0
	if !slices.Equal(s.Values, []float64{3, 3, 5}) || !slices.Equal(s.Omega, []float64{2, 1.5, 1.5}) ||
		!slices.Equal(s.Offset, []float64{1, 2, 2}) {
		t.Errorf("means are %v, weights %v, offsets %v", s.Values, s.Omega, s.Offset)
	}
	if s, err = r.Compress(LastDuplicate); err != nil || !slices.Equal(s.Omega, []float64{2, 2, 0}) ||
		!slices.Equal(s.Offset, []float64{1, 3, 9}) {
		t.Errorf("of the last: weights %v, offsets %v, %v", s.Omega, s.Offset, err)
	}
	one, err := r.Merged(LastDuplicate)
	if err != nil || !slices.Equal(one.Omega, []float64{2, 2, 0}) || !slices.Equal(one.Offset, []float64{1, 3, 9}) {
		t.Errorf("merged: weights %v, offsets %v, %v", one.Omega, one.Offset, err)
	}
	name := filepath.Join(t.TempDir(), "r.csv")
	if err := WriteRatings(name, one); err != nil {
		t.Fatal(err)
	}
	again, err := RatingsReader{Columns: "user,item,rating,weight,offset"}.ReadRatings(name)
	if err != nil || !slices.Equal(again.Omega, one.Omega) || !slices.Equal(again.Offset, one.Offset) {
		t.Errorf("written and read: weights %v, offsets %v, %v", again.Omega, again.Offset, err)
	}
}

// Ratings may be labels, any text; the first line is a header only by a usual name.
func TestRatingLabels(t *testing.T) {
	for _, text := range []string{"a,x,yes\nb,x,no\na,y,yes\n", "user,item,label\na,x,yes\nb,x,no\na,y,yes\n"} {
		r := reading(t, RatingsReader{Labels: true}, text)
		if !slices.Equal(r.Labels, []string{"yes", "no"}) || !slices.Equal(r.Values, []float64{0, 1, 0}) {
			t.Errorf("labels %v, values %v", r.Labels, r.Values)
		}
		name := filepath.Join(t.TempDir(), "r.tsv")
		if err := WriteRatings(name, r); err != nil {
			t.Fatal(err)
		}
		if again, err := (RatingsReader{Labels: true}).ReadRatings(name); err != nil || !slices.Equal(again.Labels, r.Labels) {
			t.Errorf("written and read: %v, %v", again, err)
		}
	}
}

// A weight or an offset that is none is an error with its line.
func TestBadBeside(t *testing.T) {
	for line, want := range map[string]string{
		"a,x,1,-1,0":  `in:3: the weight is -1; a weight is 0 or more (column 4; see Columns)`,
		"a,x,1,,0":    `in:3: the weight is "", a missing value; fill it in or leave the line out (column 4; see Columns)`,
		"a,x,1,1,nan": `in:3: the offset is "nan"; offsets are finite numbers`,
		"a,x,1,1,inf": `in:3: the offset is "inf"; offsets are finite numbers`,
		"a,x,1,big,0": `in:3: the weight "big" is not a number (column 4; see Columns)`,
		"a,x,1,1":     `in:3: has 4 fields where the first line has at least 5`,
	} {
		_, err := RatingsReader{Columns: "user,item,rating,weight,offset"}.Read(strings.NewReader(
			"user,item,rating,weight,offset\nb,y,1,1,0\n"+line+"\n"), "in")
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	for _, columns := range []string{"user,item,rating,weight,weight=3", "u,i,weight=w", "u,i,r,offset=0"} {
		if CheckColumns(columns, true) == nil {
			t.Errorf("%q is taken", columns)
		}
	}
}

// A header names the time where the rating is called something else than usual.
func TestTimesUnderAHeader(t *testing.T) {
	for _, o := range []RatingsReader{{Times: true}, {Times: true, Labels: true}} {
		r := reading(t, o, "user,item,stars,timestamp\na,b,1,7\na,c,2,9\n")
		if !slices.Equal(r.Times, []int64{7, 9}) || r.Len() != 2 {
			t.Errorf("%+v: %d ratings with the times %v", o, r.Len(), r.Times)
		}
	}
}
