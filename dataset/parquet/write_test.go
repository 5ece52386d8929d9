package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// written writes records to a file.
func written(t *testing.T, name string, r dataset.Records) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := write(f, r); err != nil {
		t.Fatal(err)
	}
	return file
}

// What is written is what is read, by columns of their types, in their order.
func TestWrite(t *testing.T) {
	rows := func(yield func([]dataset.Cell, error) bool) {
		yield([]dataset.Cell{{Text: "é"}, {Whole: 1 << 60}, {Number: 0.1}, {Bool: true}, {Text: "t"},
			{Vector: []float64{1, -2}}}, nil)
		yield([]dataset.Cell{{Text: ""}, {Whole: -1}, {Null: true}, {}, {Null: true}, {Vector: []float64{math.MaxFloat64, 0}}}, nil)
	}
	file := written(t, "x.parquet", dataset.Records{Rows: rows, Fields: []dataset.Field{{Name: "z"},
		{Name: "n", Kind: dataset.WholeField}, {Name: "x", Kind: dataset.NumberField, Null: true},
		{Name: "b", Kind: dataset.BoolField}, {Name: "title", Null: true}, {Name: "f", Kind: dataset.VectorField, Width: 2}}})
	r, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := strings.Join(r.Columns(), " "); got != "z n x b title f_1 f_2" {
		t.Errorf("columns %s", got)
	}
	columns := all(t, file)
	for name, want := range map[string]string{"z": "é ", "n": "1152921504606846976 -1", "x": "0.1 null", "b": "1 0",
		"title": "t null",
		"f_1":   "1 1.7976931348623157e+308", "f_2": "-2 0"} {
		if got := shown(columns[name]); got != want {
			t.Errorf("%s is %q, not %q", name, got, want)
		}
	}
}

// Rows beyond a batch and a row group come back in order; columns of one name have names of their own; no rows are a table, too.
func TestWriteMany(t *testing.T) {
	const n = 1<<20 + 5000
	fields := []dataset.Field{dataset.IDField("user", "1", "2"), {Name: "user"}}
	rows := func(yield func([]dataset.Cell, error) bool) {
		for k := range n {
			if !yield([]dataset.Cell{fields[0].ID(fmt.Sprint(k)), {Text: fmt.Sprint(k % 7)}}, nil) {
				return
			}
		}
	}
	r, err := open(written(t, "x.parquet", dataset.Records{Fields: fields, Rows: rows}))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := strings.Join(r.Columns(), " "); got != "user user_2" {
		t.Errorf("columns %s", got)
	}
	k := 0
	for {
		batch, err := r.Next([]int{0, 1})
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for e := range batch[0].Len() {
			if batch[0].Ints[e] != int64(k) || string(batch[1].Texts[batch[1].Codes[e]]) != fmt.Sprint(k%7) {
				t.Fatalf("row %d", k)
			}
			k++
		}
	}
	if k != n {
		t.Errorf("%d rows", k)
	}
	none := func(func([]dataset.Cell, error) bool) {}
	if r, err := open(written(t, "none.parquet", dataset.Records{Fields: fields, Rows: none})); err != nil {
		t.Error(err)
	} else if _, err := r.Next([]int{0}); err != io.EOF || len(r.Columns()) != 2 {
		t.Errorf("%v, %v", r.Columns(), err)
	}
}

// An error of the rows is that of writing.
func TestWriteFails(t *testing.T) {
	why := errors.New("no more")
	r := dataset.Records{Fields: []dataset.Field{{Name: "a"}},
		Rows: func(yield func([]dataset.Cell, error) bool) { yield(nil, why) }}
	if err := write(io.Discard, r); err != why {
		t.Error(err)
	}
}
