package dataset_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// A typedTable has its rows in batches.
type typedTable struct {
	names   []string
	batches [][]dataset.Column
	err     error // at the end
}

func (t *typedTable) Name() string      { return "typed" }
func (t *typedTable) Columns() []string { return t.names }
func (t *typedTable) Checksum() string  { return "sum" }
func (t *typedTable) Close() error      { return nil }

func (t *typedTable) Next(columns []int) ([]dataset.Column, error) {
	if len(t.batches) == 0 {
		if t.err != nil {
			return nil, t.err
		}
		return nil, io.EOF
	}
	batch := t.batches[0]
	t.batches = t.batches[1:]
	some := make([]dataset.Column, len(columns))
	for k, c := range columns {
		some[k] = batch[c]
	}
	return some, nil
}

var typed *typedTable // what typed: opens

func init() {
	dataset.RegisterColumns(dataset.ColumnFormat{Kind: "a table of the tests", Queried: true,
		Has:  func(name string) bool { return strings.HasPrefix(name, "typed:") },
		Open: func(name, query string) (dataset.ColumnReader, error) { return typed, nil }})
}

func texts(list ...string) (c dataset.Column) {
	for _, s := range list {
		c.Texts = append(c.Texts, []byte(s))
	}
	return c
}

// Ratings of a table with typed columns are those of the same table as text.
func TestTypedColumns(t *testing.T) {
	ints := func(list ...int64) dataset.Column { return dataset.Column{Ints: list} }
	floats := func(list ...float64) dataset.Column { return dataset.Column{Floats: list} }
	typed = &typedTable{names: []string{"when", "stars", "user_id", "note", "movie_id"}, batches: [][]dataset.Column{
		{ints(10, 20), floats(4.5, 3), ints(7, -8), texts("", "a"), texts("x", "y z")},
		{ints(30), ints(2), floats(7), texts("b"), ints(5)}}}
	r, err := dataset.RatingsReader{Columns: "user_id,movie_id,stars,when", Times: true, Query: "q"}.ReadRatings("typed:")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Values, []float64{4.5, 3, 2}) || !slices.Equal(r.Rows, []int32{0, 1, 0}) || r.Checksum != "sum" ||
		!slices.Equal(r.RowIDs.Texts(), []string{"7", "-8"}) || !slices.Equal(r.ColIDs.Texts(), []string{"x", "y z", "5"}) ||
		!slices.Equal(r.Times, []int64{10, 20, 30}) {
		t.Errorf("%v of %v and %v, times %v", r.Values, r.RowIDs.Texts(), r.ColIDs.Texts(), r.Times)
	}
	if place := r.Place(2); place != "typed, row 3" {
		t.Errorf("the third rating is at %q", place)
	}
}

// Ratings that are missing may be so where they are optional; text is read as numbers, or as labels.
func TestTypedValues(t *testing.T) {
	users, items := texts("a", "b"), texts("x", "y")
	read := func(o dataset.RatingsReader, c dataset.Column) []float64 {
		typed = &typedTable{names: []string{"user", "item", "rating"}, batches: [][]dataset.Column{{users, items, c}}}
		r, err := o.ReadRatings("typed:")
		if err != nil {
			t.Fatal(err)
		}
		return r.Values
	}
	some := read(dataset.RatingsReader{ValuesOptional: true}, dataset.Column{Ints: []int64{3, 0}, Nulls: []bool{false, true}})
	if some[0] != 3 || !math.IsNaN(some[1]) {
		t.Errorf("a null is read as %v", some)
	}
	if x := read(dataset.RatingsReader{}, texts("1.5", "2")); !slices.Equal(x, []float64{1.5, 2}) {
		t.Errorf("texts are read as %v", x)
	}
	if x := read(dataset.RatingsReader{Labels: true}, texts("no", "yes")); !slices.Equal(x, []float64{0, 1}) {
		t.Errorf("labels are read as %v", x)
	}
}

func TestTypedColumnsRefused(t *testing.T) {
	one := func(users, items, ratings dataset.Column) *typedTable {
		return &typedTable{names: []string{"user", "item", "rating"}, batches: [][]dataset.Column{{users, items, ratings}}}
	}
	a, nan, null := texts("a"), dataset.Column{Floats: []float64{math.NaN()}}, dataset.Column{Ints: []int64{0}, Nulls: []bool{true}}
	away := one(a, a, texts("1"))
	away.err = errors.New("typed: the server went away")
	for want, table := range map[string]*typedTable{
		"typed, row 1: the user or the item is empty":              one(null, a, texts("1")),
		"typed, row 1: the rating is missing; fill it in":          one(a, a, nan),
		"typed, row 1: the rating is \"+Inf\"; ratings are finite": one(a, a, dataset.Column{Floats: []float64{math.Inf(1)}}),
		"typed, row 1: the rating \"five\" is not a number":        one(a, a, texts("five")),
		"typed: has 2 columns, a, b; ratings have a user":          {names: []string{"a", "b"}},
		"typed: the server went away":                              away,
		"typed: has no ratings":                                    {names: []string{"user", "item", "rating"}},
	} {
		typed = table
		if _, err := (dataset.RatingsReader{}).ReadRatings("typed:"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	typed = one(a, a, texts("1"))
	want := `typed: has no column "stars"; there are "user", "item", "rating"`
	if _, err := (dataset.RatingsReader{Columns: "user,item,stars"}).ReadRatings("typed:"); err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	if _, err := (dataset.RatingsReader{Query: "select"}).ReadRatings("x.csv"); err == nil ||
		err.Error() != "x.csv: is no database, and takes no query" {
		t.Error(err)
	}
}
