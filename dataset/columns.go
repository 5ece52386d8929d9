package dataset

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/seed-b18ef778/gcg/internal/param"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// A ColumnReader gives a table that has named columns with types, such as a query of a database or a Parquet file, in batches of
// rows, column by column.
type ColumnReader interface {
	// Name is what errors and answers call the table; it holds no password.
	Name() string
	// Columns are the names of all columns.
	Columns() []string
	// Next reads the given columns (from 0, the same in each call) of the next rows. What it returns has a Column for each of
	// them, all of one length, and is valid until the next call. At the end of the table the error is io.EOF.
	Next(columns []int) ([]Column, error)
	// Checksum tells the rows that were read apart from others, "" where that is not known.
	Checksum() string
	// Close gives up what is open.
	Close() error
}

// A partReader can leave rows to others who read the same table.
type partReader interface {
	ColumnReader
	// Part leaves part k of n of the rows to be read, from 0, in the order of the table. It comes before Next. The checksum stays
	// that of the whole.
	Part(k, n int)
}

// A Column holds some rows of one column: in Ints, Floats or Texts, whichever is not nil. Times are seconds since 1970, and
// booleans 0 and 1.
type Column struct {
	Ints   []int64
	Floats []float64
	Texts  [][]byte
	Codes  []int32 // of each row among Texts, where few rows have texts of their own; else nil, and each has one
	Nulls  []bool  // which rows have no value, nil where all have
}

// Len is the number of rows.
func (c Column) Len() int {
	if c.Codes != nil {
		return len(c.Codes)
	}
	return max(len(c.Ints), len(c.Floats), len(c.Texts))
}

// text is row k of a column of texts.
func (c Column) text(k int) []byte {
	if c.Codes != nil {
		k = int(c.Codes[k])
	}
	return c.Texts[k]
}

// null says whether row k has no value.
func (c Column) null(k int) bool {
	return c.Nulls != nil && c.Nulls[k] || c.Floats != nil && math.IsNaN(c.Floats[k])
}

// appendText is row k as text: whole numbers without a point.
func (c Column) appendText(to []byte, k int) []byte {
	switch {
	case c.null(k):
		return to
	case c.Ints != nil:
		return strconv.AppendInt(to, c.Ints[k], 10)
	case c.Floats != nil:
		return strconv.AppendFloat(to, c.Floats[k], 'f', -1, 64)
	}
	return append(to, c.text(k)...)
}

// A ColumnFormat opens tables of one kind by their names.
type ColumnFormat struct {
	// Kind stands in messages: "a database".
	Kind string
	// Has says whether a name is that of such a table, by its scheme or its ending.
	Has func(name string) bool
	// Queried says that a query chooses the rows; without one Open is an error, and tables that are not queried refuse one.
	Queried bool
	// Open opens the table. query is that of RatingsReader.Query.
	Open func(name, query string) (ColumnReader, error)
	// Parts says that what Open returns is a PartReader.
	Parts bool
}

var columnFormats struct {
	sync.RWMutex
	all []ColumnFormat
}

// RegisterColumns makes a kind of tables known to all readers of this package. Packages with drivers call it, so that the library
// does without them.
func RegisterColumns(f ColumnFormat) {
	columnFormats.Lock()
	defer columnFormats.Unlock()
	columnFormats.all = append(columnFormats.all, f)
}

// ColumnsOf is the kind of tables that a name is of, and false for one of none that is registered: text, then.
func ColumnsOf(name string) (ColumnFormat, bool) {
	columnFormats.RLock()
	defer columnFormats.RUnlock()
	at := slices.IndexFunc(columnFormats.all, func(f ColumnFormat) bool { return f.Has(name) })
	if at < 0 {
		return ColumnFormat{}, false
	}
	return columnFormats.all[at], true
}

// readColumns reads ratings from a table with typed columns.
func (o RatingsReader) readColumns(f ColumnFormat, name string) (*Ratings, error) {
	t, err := f.Open(name, o.Query)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	p := o.parser(t.Name())
	p.typed = true
	names := t.Columns()
	if len(names) < 3 && !o.ValuesOptional && !o.OneUser {
		return nil, fmt.Errorf("%s: has %s, %s; ratings have a user, an item and a rating", t.Name(),
			text.Counted(len(names), "column"),
			strings.Join(names, ", "))
	}
	if err := p.columns(names, f.Queried); err != nil {
		return nil, err
	}
	if in, whole := t.(partReader); whole && o.parts > 1 {
		in.Part(o.part, o.parts)
	}
	if err := eachBatch(t, p.wanted(), p.addColumns); err != nil {
		return nil, err
	}
	if o.parts > 1 && p.in.count() == 0 { // others have some
		p.out.Checksum = t.Checksum()
		return p.out, nil
	}
	r, err := p.finish()
	if err != nil {
		return nil, err
	}
	r.Checksum = t.Checksum()
	r.placeOf = func(e int) string { return fmt.Sprintf("%s, row %d", t.Name(), e+1) }
	return r, nil
}

// eachBatch takes the given columns of all rows of a table, batch by batch.
func eachBatch(t ColumnReader, columns []int, take func([]Column) error) error {
	for {
		batch, err := t.Next(columns)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(batch); err != nil {
			return err
		}
	}
}

// allColumns are the columns of a table, from 0.
func allColumns(t ColumnReader) []int {
	columns := make([]int, len(t.Columns()))
	for c := range columns {
		columns[c] = c
	}
	return columns
}

// wanted are the columns that are read, in the order of ratingsParser.at.
func (p *ratingsParser) wanted() (columns []int) {
	for _, at := range p.at {
		if at >= 0 {
			columns = append(columns, at)
		}
	}
	return columns
}

// addColumns appends a batch of ratings. Ids are looked up as text, and numbers are not written out for it.
func (p *ratingsParser) addColumns(batch []Column) error {
	if p.plainColumns(batch) {
		return p.addWhole(batch)
	}
	var of [6]*Column
	next := 0
	for c, at := range p.at {
		if at >= 0 {
			of[c] = &batch[next]
			next++
		}
	}
	var room [6][]byte
	rows := batch[0].Len()
	for k := range rows {
		var f [6][]byte
		row := p.in.count() + 1
		for c, column := range of {
			if column == nil || c == 2 && !p.opt.Labels && column.Texts == nil {
				continue
			}
			room[c] = column.appendText(room[c][:0], k)
			f[c] = room[c]
		}
		if of[2] == nil || f[2] != nil {
			if err := p.add(f, row); err != nil {
				return err
			}
			continue
		}
		x, err := p.typedValue(of[2], k, row)
		if err != nil {
			return err
		}
		if err := p.push(f, x, row); err != nil {
			return err
		}
	}
	return nil
}

// typedValue is a rating that is a number, NaN for none.
func (p *ratingsParser) typedValue(c *Column, k, row int) (x float64, err error) {
	switch {
	case c.null(k) && p.opt.ValuesOptional:
		return math.NaN(), nil
	case c.null(k):
		return 0, p.errorf(row, "the rating is missing; fill it in or leave the row out (column %d; see %v)", p.at[2]+1,
			param.Columns)
	case c.Ints != nil:
		x = float64(c.Ints[k])
	default:
		x = c.Floats[k]
	}
	p.given = true
	return x, p.checkNumber("rating", x, row)
}

// plainColumns says whether a batch has users, items and numbers alone, and nothing is missing: most tables are so.
func (p *ratingsParser) plainColumns(batch []Column) bool {
	if len(batch) != 3 || p.at[ratingRole] < 0 || p.at[userRole] < 0 || p.at[itemRole] < 0 || p.opt.Labels {
		return false
	}
	for _, c := range batch {
		if c.Nulls != nil || c.Len() != batch[0].Len() {
			return false
		}
	}
	return batch[2].Texts == nil && p.in.count() <= math.MaxInt32-batch[0].Len()
}

// addWhole appends a batch of plain columns, one after the other.
func (p *ratingsParser) addWhole(batch []Column) error {
	first := p.in.count()
	rows, err := p.indices(p.out.RowIDs, batch[0], first)
	if err != nil {
		return err
	}
	cols, err := p.indices(p.out.ColIDs, batch[1], first)
	if err != nil {
		return err
	}
	for k := range rows {
		x := 0.0
		if c := batch[2]; c.Ints != nil {
			x = float64(c.Ints[k])
		} else if x = c.Floats[k]; math.IsNaN(x) && p.opt.ValuesOptional {
			p.pushValue(x)
			continue
		}
		if !(math.Abs(x) <= largestRating) {
			if math.IsNaN(x) {
				_, err := p.typedValue(&batch[2], k, first+k+1)
				return err
			}
			return p.checkNumber("rating", x, first+k+1)
		}
		p.given = true
		p.pushValue(x)
	}
	p.in.rows.append(rows)
	p.in.cols.append(cols)
	return nil
}

// pushValue appends a value as it is kept.
func (p *ratingsParser) pushValue(x float64) {
	if p.opt.Narrow {
		p.in.singles.push(p.in.narrowed.of(x))
	} else {
		p.in.values.push(x)
	}
}

// indices are the places of a column's ids. A text that many rows share is looked up once.
func (p *ratingsParser) indices(ids *IDs, c Column, first int) ([]int32, error) {
	all := make([]int32, c.Len())
	place := ids.Add
	if p.known {
		place = ids.Find
	}
	if c.Codes != nil {
		known := make([]int32, len(c.Texts)) // place+2, 0 where it is to be found
		for k, code := range c.Codes {
			if known[code] == 0 {
				if len(c.Texts[code]) == 0 {
					return nil, p.errorf(first+k+1, "the user or the item is empty")
				}
				known[code] = place(c.Texts[code]) + 2
			}
			all[k] = known[code] - 2
		}
		return all, p.enough(ids, first)
	}
	var room []byte
	for k := range all {
		if c.Ints != nil && uint64(c.Ints[k]) < uint64(len(ids.small)) && ids.small[c.Ints[k]] > 0 {
			all[k] = ids.small[c.Ints[k]] - 1
			continue
		}
		if room = c.appendText(room[:0], k); len(room) == 0 {
			return nil, p.errorf(first+k+1, "the user or the item is empty")
		}
		all[k] = place(room)
	}
	return all, p.enough(ids, first)
}

// enough refuses more ids than can be numbered.
func (p *ratingsParser) enough(ids *IDs, first int) error {
	if !p.known && ids.Len() == math.MaxInt32 {
		return p.errorf(first+1, "more than 2³¹-1 users, items or ratings")
	}
	return nil
}

// textOf gives a table with typed columns as delimited text with a header, for readers that read nothing else. A line is a row.
func textOf(f ColumnFormat, name string) (io.ReadCloser, error) {
	r, err := f.Open(name, "")
	if err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	go func() {
		defer r.Close()
		to.CloseWithError(writeText(to, r))
	}()
	return from, nil
}

func writeText(to io.Writer, r ColumnReader) error {
	var line []byte
	for c, name := range r.Columns() {
		line = appendField(separated(line, c), name, ',')
	}
	line = append(line, '\n')
	err := eachBatch(r, allColumns(r), func(batch []Column) error {
		for k := range batch[0].Len() {
			for c, column := range batch {
				line = separated(line, c)
				if column.Texts != nil && !column.null(k) {
					line = appendField(line, string(column.text(k)), ',')
				} else {
					line = column.appendText(line, k)
				}
			}
			if line = append(line, '\n'); len(line) > lineBatch {
				if _, err := to.Write(line); err != nil {
					return err
				}
				line = line[:0]
			}
		}
		return nil
	})
	if err == nil {
		_, err = to.Write(line)
	}
	return err
}

// separated is a line with the comma that goes before field c.
func separated(line []byte, c int) []byte {
	if c > 0 {
		line = append(line, ',')
	}
	return line
}
