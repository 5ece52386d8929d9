// Package features reads what is known of users or items, from tables of numbers, categories and lists of them, and makes rows of
// numbers of it.
package features

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/text"
)

// A Table is what a file says of users or items: one row for each id.
type Table struct {
	Name     string
	Checksum string
	IDs      *dataset.IDs
	Columns  []Column
}

// A Column has the entries of its rows that say something: numbers, or words.
type Column struct {
	Name    string
	Rows    []int32 // ascending
	Numbers []float64
	Words   [][]string // nil where Numbers are the entries; a list has several
	Sparse  bool       // rows without an entry have 0
}

// A Reader reads tables of features.
type Reader struct {
	// Categories are names of columns whose numbers, if there are such columns, are codes of categories.
	Categories []string
}

// what is what a file of features should be.
const what = "features: a header, and lines of an id and its features, such as item,year,genre"

// Read reads a file in one of two forms, and names the line of what is wrong with it.
//
//	delimited   a header; the first column has ids. A column of numbers is numeric, any other one has categories, or lists of them
//	            between bars: Action|Comedy. Empty fields, NA and the like are missing
//	sparse      lines of an id and name:number pairs between blanks, without a header. What a line does not name is 0
func (o Reader) Read(name string) (*Table, error) {
	f, err := dataset.OpenText(name, what)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &parser{Table: Table{Name: f.Name, IDs: &dataset.IDs{}}, lines: f, categories: o.Categories}
	if p.sparse() {
		err = p.readSparse()
	} else {
		err = p.readDelimited()
	}
	if err != nil {
		return nil, err
	}
	if err := f.Stopped(); err != nil {
		return nil, err
	}
	if p.IDs.Len() == 0 {
		return nil, fmt.Errorf("%s: has a header and no rows; add one line for each id", p.Name)
	}
	p.Checksum = f.Checksum()
	return &p.Table, nil
}

// A parser is a table that is being read.
type parser struct {
	Table
	lines      *dataset.TextFile
	categories []string
	where      []int // the line of each id
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.Name, p.lines.Line(), fmt.Sprintf(format, args...))
}

// each calls f with those lines that say something: the current one, if there is one, and all others.
func (p *parser) each(more bool, f func(line []byte) error) error {
	for ; more; more = p.lines.Next() {
		if line := p.lines.Text(); len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			if err := f(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// add is the row of a new id.
func (p *parser) add(id []byte) (row int32, err error) {
	if len(id) == 0 {
		return 0, p.errorf("has no id in its first field")
	}
	if at := p.IDs.Find(id); at >= 0 {
		return 0, p.errorf("the id %q is on line %d, too; give each one line, with lists as Action|Comedy", id, p.where[at])
	}
	p.where = append(p.where, p.lines.Line())
	if row = p.IDs.Add(id); row < 0 {
		return 0, p.errorf("there are more ids than can be numbered")
	}
	return row, nil
}

// cut is the fields of a line.
func (p *parser) cut(line []byte, delim byte) (fields [][]byte, err error) {
	for rest, more := line, true; more; {
		var f []byte
		if f, rest, more, err = text.CutField(rest, delim); err != nil {
			return nil, p.errorf("%v", err)
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// readDelimited reads a header and rows.
func (p *parser) readDelimited() error {
	delim := text.DelimiterOf(p.lines.Text())
	trim := func(line []byte) []byte { return line }
	if delim == 0 { // runs of blanks
		trim = bytes.TrimSpace
	}
	names, err := p.header(trim(p.lines.Text()), delim)
	if err != nil {
		return err
	}
	cells := make([][]string, len(names))
	err = p.each(p.lines.Next(), func(line []byte) error {
		fields, err := p.cut(trim(line), delim)
		if err != nil {
			return err
		}
		if len(fields) != len(names) {
			return p.errorf("has %d fields where the header has %d", len(fields), len(names))
		}
		if _, err := p.add(fields[0]); err != nil {
			return err
		}
		for c, f := range fields[1:] {
			cells[c+1] = append(cells[c+1], text.Decoded(f))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for c, name := range names[1:] {
		column, err := p.column(name, cells[c+1])
		if err != nil {
			return err
		}
		p.Columns = append(p.Columns, column)
	}
	return nil
}

// header is the names of the columns. Ids are no names: a file of which the first line has numbers has no header.
func (p *parser) header(line []byte, delim byte) (names []string, err error) {
	fields, err := p.cut(line, delim)
	if err != nil {
		return nil, err
	}
	met := map[string]int{}
	for c, f := range fields {
		name := text.Decoded(f)
		_, number := text.Number(name)
		switch at, twice := met[name]; {
		case number || name == "" && c > 0:
			return nil, p.errorf("is no header, as column %d is %q: the first line has the name of each column, such as item,year,genre",
				c+1, name)
		case twice:
			return nil, p.errorf("columns %d and %d are both called %q; give each a name of its own", at+1, c+1, name)
		}
		met[name] = c
		names = append(names, name)
	}
	if len(names) < 2 {
		return nil, p.errorf("has one column; %s", "the first has ids, and others features")
	}
	return names, nil
}

// column makes numbers of cells where all are some and they are no codes, and else words.
func (p *parser) column(name string, cells []string) (Column, error) {
	c := Column{Name: name}
	numeric := !slices.Contains(p.categories, name)
	for i, cell := range cells {
		if dataset.Missing(cell) {
			continue
		}
		x, ok := text.Number(cell)
		if numeric = numeric && ok; numeric {
			if !text.Finite(x) {
				return c, fmt.Errorf("%s:%d: the %s of %q is %s; features are finite numbers, or empty where they are not known",
					p.Name, p.where[i], name, p.IDs.Text(i), cell)
			}
			if math.Abs(x) > dataset.LargestNumber {
				return c, fmt.Errorf("%s:%d: the %s of %q is %s; features beyond %g overflow: give them in a larger unit", p.Name,
					p.where[i], name, p.IDs.Text(i), cell, dataset.LargestNumber)
			}
			c.Numbers = append(c.Numbers, x)
		}
		c.Rows = append(c.Rows, int32(i))
	}
	if numeric {
		return c, nil
	}
	c.Numbers, c.Words = nil, make([][]string, len(c.Rows))
	for e, i := range c.Rows {
		for _, word := range strings.Split(cells[i], "|") {
			if word = strings.TrimSpace(word); word != "" && !slices.Contains(c.Words[e], word) {
				c.Words[e] = append(c.Words[e], word)
			}
		}
	}
	return c, nil
}
