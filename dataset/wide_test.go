package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// A table with a row for each user and a column for each item is read as its ratings, where it has gaps or is called wide; other
// tables are asked about, as before.
func TestWideTables(t *testing.T) {
	const want = "[{ann Up 5} {ann Heat, 2 3.5} {bob Up 1} {bob It 2}]"
	for text, columns := range map[string]string{
		"user,Up,\"Heat, 2\",It\nann,5,3.5,\nbob,1,NA,2\n":          "",
		",Up,\"Heat, 2\",It\r\nann,5,3.5,\r\nbob,1,,2\r\n":          "",
		"user_id\tUp\tHeat, 2\tIt\nann\t5\t3.5\t\nbob\t1\tnan\t2\n": WideColumns,
		"whoever;Up;Heat, 2;It\nann;5;3.5;\nbob;1;;2\n":             WideColumns,
	} {
		r, err := RatingsReader{Columns: columns}.Read(strings.NewReader(text), "x")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var all []Rating
		for e, v := range r.Values {
			all = append(all, Rating{r.RowIDs.Text(int(r.Rows[e])), r.ColIDs.Text(int(r.Cols[e])), v})
		}
		if fmt.Sprint(all) != want || !strings.HasSuffix(r.Columns, "; 4 of 6 cells are ratings") {
			t.Errorf("%q: %v, %s", text, all, r.Columns)
		}
	}
	for text, want := range map[string]string{
		"user,Up,Heat,It\nann,5,3.5,1\nbob,1,2,2\n": "x:1: no column of the header",
		"user,Up,Heat,It\nann,5,x,\nbob,1,2,2\n":    "x:1: no column of the header",
		"user,Up,Up,It\nann,5,3.5,\nbob,1,2,2\n":    `x:1: columns 2 and 3 are both called "Up"`,
		"user,Up,Heat,It\nann,5,3.5,\nbob,1,2\n":    "x:3: has 3 columns where line 1 has 4",
		"user,Up,Heat,It\nann,5,1e70,\nbob,1,2,2\n": "x:2: the rating is",
		"user,Up,Heat,It\nann,,,\nbob,,,\n":         "x: has no ratings",
	} {
		_, err := RatingsReader{}.Read(strings.NewReader(text), "x")
		wantError(t, text, err, want)
	}
	r, err := RatingsReader{Columns: WideColumns}.Read(strings.NewReader("user,a,b\nx,0,0\ny,0,1\n"), "x")
	if err != nil || !strings.HasSuffix(r.Columns, "3 of them 0: leave cells empty that are none") {
		t.Errorf("%+v, %v", r, err)
	}
}
