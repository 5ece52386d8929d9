package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Columns are found by the words of the trade, in any order.
func TestColumnsByName(t *testing.T) {
	for head, want := range map[string]string{
		"book_id,user_id,rating":                         "1 0 2 -1",
		"recipe_id,user_id,date,rating":                  "1 0 3 2",
		"reviewerID,asin,overall,unixReviewTime":         "0 1 2 3",
		"customer,product,bought":                        "0 1 2 -1",
		"User-ID;ISBN;Book-Rating":                       "0 1 2 -1",
		",userId,movieId,rating,timestamp":               "1 2 3 4",
		"rating\tstamp\titem id\tuser id":                "3 2 0 -1",
		"stars;created_at;business_id;member_id":         "3 2 0 1",
		"user,user_name,item_name,item,score":            "0 3 4 -1",
		"avg_rating,title,movieId,userId,rating":         "3 2 4 -1",
		"i,j,value":                                      "0 1 2 -1",
		"u,i,r":                                          "0 1 2 -1",
		"kunde,artikel,bewertung,datum":                  "0 1 2 3",
		"artist_id,plays,account":                        "2 0 1 -1",
		"visitorid,itemid,count,event,timestamp":         "0 1 2 4",
		"timestamp,userName,productId,reviewText,overal": "",
		"a,b,c":                              "",
		"user,track_id,artist_id,rating":     "",
		"user,item,score,stars":              "",
		"user,thing,another,further,rating":  "",
		"customer,thing,rating":              "0 1 2 -1",
		"date,rating,asin,whoever,something": "",
	} {
		delim := head[strings.IndexAny(head, ",;\t")]
		n := strings.Count(head, string(delim)) + 1
		row := strings.Repeat("1300015838"+string(delim), n-1) + "1300015838"
		p := &ratingsParser{opt: RatingsReader{TimesOptional: true}, out: &Ratings{Name: "f"}, delim: []byte{delim}}
		header, err := p.layout(splitAll([]byte(head), p.delim), splitAll([]byte(row), p.delim), 1)
		got := strings.Trim(fmt.Sprint(p.at[:4]), "[]")
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "say which columns to take, as Columns USER,ITEM,RATING")):
			t.Errorf("%q: %v, %v; it is to be asked for", head, got, err)
		case want != "" && (err != nil || !header || got != want):
			t.Errorf("%q: %v, %v, header %v; want %v", head, got, err, header, want)
		}
	}
}

// A file of clicks with times and without counts has no values, and one with a column of numbers has these.
func TestClicksByName(t *testing.T) {
	for text, values := range map[string]string{
		"user_id,item_id,timestamp\na,x,1700000000\na,y,1700000100\n": "[0 0] true [1700000000 1700000100]",
		"user,item,event\na,x,view\nb,y,view\n":                       "[0 0] true []",
		"user,item,event,time\na,x,view,7\nb,y,view,8\n":              "[0 0] true [7 8]",
		"customer,product,bought\na,x,1\nb,y,2\n":                     "[1 2] false []",
		"item,plays,user\nx,3,a\ny,4,b\n":                             "[3 4] false []",
		"kunde,artikel\na,x\nb,y\n":                                   "[0 0] true []",
		"product,customer\nx,a\ny,b\n":                                "[0 0] true []",
	} {
		r, err := read(t, RatingsReader{ValuesOptional: true, TimesOptional: true}, text)
		if err != nil || fmt.Sprint(r.Values, r.NoValues, r.Times) != values || r.RowIDs.Text(0) != "a" || r.ColIDs.Text(0) != "x" {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

// A header is no rating of its own label.
func TestHeaderAboveLabels(t *testing.T) {
	for text, labels := range map[string]string{
		"customer,product,bought\nc1,p1,1\nc2,p1,1\n": "[1]",
		"wer,was,wie\nc1,p1,1\nc2,p1,0\n":             "",
		"c1,p1,yes\nc2,p1,no\nc2,p2,no\n":             "[yes no]",
	} {
		r, err := read(t, RatingsReader{Labels: true}, text)
		if labels == "" && err == nil || labels != "" && (err != nil || fmt.Sprint(r.Labels) != labels) {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
}

// Times are numbers, dates and ISO 8601, all of one column alike.
func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"1300015838,1.4E+09,1300015839.0":                                "[1300015838 1400000000 1300015839]",
		"1300015838,1300015838.25":                                       "[1300015838000000 1300015838250000]",
		"20051214,20051200,20060101":                                     "[1134518400 1133308800 1136073600]",
		"2005-12-14,2005-12-14T00:00:01Z,2005-12-14 00:00:02+00:00":      "[1134518400 1134518401 1134518402]",
		"2005-12-14T01:30:00+01:30,2005/12/14 00:00,2005-12-13T23:00-01": "[1134518400 1134518400 1134518400]",
		"2005-12-14T00:00:00,2005-12-14 00:00:00.5 UTC":                  "[1134518400000000 1134518400500000]",
	} {
		s := ""
		for k, x := range strings.Split(text, ",") {
			s += fmt.Sprintf("u%d,i,4,%s\n", k, x)
		}
		r, err := read(t, RatingsReader{Times: true}, "user,item,rating,time\n"+s)
		if err != nil || fmt.Sprint(r.Times) != want {
			t.Errorf("%q: %v, %v; want %s", text, r, err, want)
		}
	}
	for _, text := range []string{"yesterday", "2005-13-14", "2005-12-14T25:00", "14/12/2005", "5,2005-12-14", "20051214,5",
		"2005-12-14,5", "", "2005-12-14T10:00 CET", "2005-12-14T10:00+1:00"} {
		s := ""
		for k, x := range strings.Split(text, ",") {
			s += fmt.Sprintf("u%d,i,4,%s\n", k, x)
		}
		r, err := read(t, RatingsReader{Times: true}, "user,item,rating,time\n"+s)
		if err == nil || !strings.Contains(err.Error(), "the time ") || !strings.Contains(err.Error(), "(column 4; see Columns)") {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
}

// An absent column is told with the nearest of those that there are.
func TestAbsentColumn(t *testing.T) {
	_, err := read(t, RatingsReader{Columns: "userid,item,rating"}, "user_id,item,rating\na,x,1\n")
	wantError(t, "absent", err, `f:1: has no column "userid" (did you mean "user_id"?); there are "user_id", "item", "rating"`)
}

// A pattern of Matrix Market is clicks, also where one percent sign of its header is lost.
func TestMarketPatterns(t *testing.T) {
	for _, head := range []string{"%%MatrixMarket", "%MatrixMarket", "%%matrixmarket"} {
		text := head + " matrix coordinate pattern symmetric\n% c\n3 3 2\n2 1\n3 3\n"
		r, err := read(t, RatingsReader{ValuesOptional: true}, text)
		if err != nil || !r.NoValues || listed(r) != "2 1 0;1 2 0;3 3 0;" {
			t.Errorf("%q: %+v, %v", head, r, err)
		}
		if m, err := readText(text); err != nil || m.Rows != 3 || at(m, 0, 1) != 1 {
			t.Errorf("%q as a matrix: %+v, %v", head, m, err)
		}
	}
}

// The small files that stand for what people have are read as they are meant.
func TestCasesOfRatings(t *testing.T) {
	folder := filepath.Join("..", "..", "shared", "cases")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("%s is not there", folder)
	}
	for file, want := range map[string]string{
		"books.csv": "user user_id, item book_id, rating rating",
		"rec.csv":   "user user_id, item recipe_id, rating rating, time date",
		"amz.csv":   "user reviewerID, item asin, rating overall, time unixReviewTime",
	} {
		r, err := RatingsReader{Times: true}.ReadRatings(filepath.Join(folder, file))
		if err != nil || r.Columns != want {
			t.Errorf("%s: %+v, %v", file, r, err)
			continue
		}
		for e, x := range r.Values {
			if x < 0 || x > 10 {
				t.Errorf("%s: rating %d is %v", file, e+1, x)
			}
		}
		if has := strings.Contains(want, "time"); has != (len(r.Times) == len(r.Values)) {
			t.Errorf("%s: %d times", file, len(r.Times))
		}
	}
}
