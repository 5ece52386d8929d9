package dataset

import (
	"encoding/csv"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"
)

// Records are rows of named columns to be written, one after the other: predictions, lists, factors.
type Records struct {
	Fields []Field
	// Rows yields the cells of each row, one for each field, which are valid until the next row. An error ends them.
	Rows iter.Seq2[[]Cell, error]
	// Unnamed says that the names of the fields mean nothing: text has no header then.
	Unnamed bool
}

// A FieldKind is what a column of Records holds.
type FieldKind int

// What a column holds. A vector has as many numbers as Field.Width: columns NAME_1, NAME_2, … where there are no vectors.
const (
	TextField FieldKind = iota
	WholeField
	NumberField
	BoolField
	VectorField
)

// A Field is a column of Records.
type Field struct {
	Name  string
	Kind  FieldKind
	Width int  // of a vector
	Null  bool // some rows may have no value
	// Text writes a number as text, nil for the shortest that is read as the same number.
	Text func(float64) string
}

// A Cell is a value of a row, by the kind of its field.
type Cell struct {
	Text   string
	Whole  int64
	Number float64
	Bool   bool
	Vector []float64
	Null   bool // no value
}

// IDField is a column of ids: of whole numbers where all of them are, as databases and tables keep them, else of texts.
func IDField(name string, ids ...string) Field {
	if len(ids) > 0 && !slices.ContainsFunc(ids, func(id string) bool { _, is := wholeID(id); return !is }) {
		return Field{Name: name, Kind: WholeField}
	}
	return Field{Name: name}
}

// wholeID is an id as a whole number, if it is written as one is.
func wholeID(id string) (int64, bool) {
	n, err := strconv.ParseInt(id, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == id
}

// ID is an id as a cell of a field that IDField made.
func (f Field) ID(id string) Cell {
	if f.Kind != WholeField {
		return Cell{Text: id}
	}
	n, _ := wholeID(id)
	return Cell{Whole: n}
}

// Columns are the fields where there are no vectors: each has a column for each of its numbers.
func (r Records) Columns() (columns []Field) {
	for _, f := range r.Fields {
		if f.Kind != VectorField {
			columns = append(columns, f)
			continue
		}
		for c := range f.Width {
			columns = append(columns, Field{Name: f.Name + "_" + strconv.Itoa(c+1), Kind: NumberField, Null: f.Null, Text: f.Text})
		}
	}
	return columns
}

// Flat are the cells of a row where there are no vectors, behind to.
func (r Records) Flat(to, row []Cell) []Cell {
	for k, f := range r.Fields {
		if f.Kind != VectorField {
			to = append(to, row[k])
			continue
		}
		for c := range f.Width {
			if row[k].Null {
				to = append(to, Cell{Null: true})
			} else {
				to = append(to, Cell{Number: row[k].Vector[c]})
			}
		}
	}
	return to
}

// WriteCSV writes the rows as lines under a header of the names. What has no value is an empty field.
func (r Records) WriteCSV(out io.Writer) error { return r.WriteText(out, ',') }

// WriteText is WriteCSV with another separator.
func (r Records) WriteText(out io.Writer, separator rune) error {
	w := csv.NewWriter(out)
	w.Comma = separator
	columns := r.Columns()
	line := make([]string, len(columns))
	for k, f := range columns {
		line[k] = f.Name
	}
	if !r.Unnamed {
		w.Write(line) // an error is kept until the end
	}
	var flat []Cell
	for row, err := range r.Rows {
		if err != nil {
			return err
		}
		flat = r.Flat(flat[:0], row)
		for k, f := range columns {
			line[k] = f.text(flat[k])
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// text is a cell of the field as text.
func (f Field) text(c Cell) string {
	switch {
	case c.Null:
		return ""
	case f.Kind == WholeField:
		return strconv.FormatInt(c.Whole, 10)
	case f.Kind == BoolField:
		return strconv.FormatBool(c.Bool)
	case f.Kind == NumberField && f.Text != nil:
		return f.Text(c.Number)
	case f.Kind == NumberField:
		return strconv.FormatFloat(c.Number, 'g', -1, 64)
	}
	return c.Text
}

// A RecordsFormat is a format that Records are written in, other than text.
type RecordsFormat struct {
	// Has says whether a file of this name is one of the format.
	Has func(name string) bool
	// Write writes a whole file.
	Write func(out io.Writer, r Records) error
}

var recordsFormats struct {
	sync.RWMutex
	all []RecordsFormat
}

// RegisterRecords makes a format known to RecordsFormatOf. Packages with drivers call it, as RegisterColumns.
func RegisterRecords(f RecordsFormat) {
	recordsFormats.Lock()
	defer recordsFormats.Unlock()
	recordsFormats.all = append(recordsFormats.all, f)
}

// RecordsFormatOf is the format of a file to write by its name, and false for one of text.
func RecordsFormatOf(name string) (RecordsFormat, bool) {
	recordsFormats.RLock()
	defer recordsFormats.RUnlock()
	at := slices.IndexFunc(recordsFormats.all, func(f RecordsFormat) bool { return f.Has(name) })
	if at < 0 {
		return RecordsFormat{}, false
	}
	return recordsFormats.all[at], true
}
