package parquet

import (
	"fmt"
	"io"
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/seed-b18ef778/gcg/dataset"
)

const (
	groupRows = 1 << 20 // of a row group: what readers read at once
	batchRows = 1 << 10 // that are handed to the columns at once
)

// write writes records as a Parquet file: texts as strings from a dictionary, whole numbers of 64 bits, numbers as doubles,
// vectors as a column for each of their numbers, packed by zstd. A column may have nulls where its field says so.
func write(out io.Writer, r dataset.Records) error {
	w := &writer{fields: r.Columns()}
	schema := parquet.NewSchema("gcg", newColumns(w.fields))
	w.to = parquet.NewGenericWriter[any](out, schema, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("gcg", "", ""))
	w.columns = w.to.ColumnWriters()
	w.batch = make([][]parquet.Value, len(w.fields))
	var flat []dataset.Cell
	for row, err := range r.Rows {
		if err != nil {
			return err
		}
		flat = r.Flat(flat[:0], row)
		for c, cell := range flat {
			w.batch[c] = append(w.batch[c], w.value(c, cell))
		}
		if w.rows++; w.rows%batchRows == 0 {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.to.Close()
}

// A writer gathers rows by columns.
type writer struct {
	to      *parquet.GenericWriter[any]
	fields  []dataset.Field
	columns []*parquet.ColumnWriter
	batch   [][]parquet.Value
	rows    int
}

// value is a cell of column c, with whether it is there.
func (w *writer) value(c int, cell dataset.Cell) parquet.Value {
	var v parquet.Value
	level := 0
	if w.fields[c].Null && !cell.Null {
		level = 1
	}
	switch {
	case cell.Null && w.fields[c].Null:
	case w.fields[c].Kind == dataset.WholeField:
		v = parquet.Int64Value(cell.Whole)
	case w.fields[c].Kind == dataset.NumberField:
		v = parquet.DoubleValue(cell.Number)
	case w.fields[c].Kind == dataset.BoolField:
		v = parquet.BooleanValue(cell.Bool)
	default:
		v = parquet.ByteArrayValue([]byte(cell.Text))
	}
	return v.Level(0, level, c)
}

// flush hands the batch on, if there is one; a row group ends where it has enough rows.
func (w *writer) flush() error {
	if len(w.batch) == 0 || len(w.batch[0]) == 0 {
		return nil // the library reads the first of the values of a column
	}
	for c, values := range w.batch {
		if _, err := w.columns[c].WriteRowValues(values); err != nil {
			return fmt.Errorf("column %q: %w", w.fields[c].Name, err)
		}
		w.batch[c] = values[:0]
	}
	if w.rows%groupRows == 0 {
		return w.to.Flush()
	}
	return nil
}

// columns are a schema with the columns in their order: parquet.Group sorts them by name.
type columns struct {
	parquet.Group
	fields []parquet.Field
}

func newColumns(fields []dataset.Field) columns {
	c := columns{Group: parquet.Group{}}
	for k := range fields {
		name := fields[k].Name
		for n := 2; c.Group[name] != nil; n++ { // two columns of one name cannot be told apart
			name = fmt.Sprintf("%s_%d", fields[k].Name, n)
		}
		node := parquet.Node(parquet.Encoded(parquet.String(), &parquet.RLEDictionary))
		switch fields[k].Kind {
		case dataset.WholeField:
			node = parquet.Leaf(parquet.Int64Type)
		case dataset.NumberField:
			node = parquet.Leaf(parquet.DoubleType)
		case dataset.BoolField:
			node = parquet.Leaf(parquet.BooleanType)
		}
		if fields[k].Null {
			node = parquet.Optional(node)
		}
		c.Group[name] = node
		c.fields = append(c.fields, namedColumn{node, name, k})
	}
	return c
}

// Fields are the columns in their order.
func (c columns) Fields() []parquet.Field { return c.fields }

// GoType is a struct of the columns, in their order.
func (c columns) GoType() reflect.Type {
	all := make([]reflect.StructField, len(c.fields))
	for k, f := range c.fields {
		all[k] = reflect.StructField{Name: fmt.Sprintf("C%d", k), Type: f.GoType(),
			Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", f.Name()))}
	}
	return reflect.StructOf(all)
}

// A namedColumn is a column of a schema.
type namedColumn struct {
	parquet.Node
	name string
	at   int
}

func (c namedColumn) Name() string                          { return c.name }
func (c namedColumn) Value(row reflect.Value) reflect.Value { return row.Field(c.at) }
