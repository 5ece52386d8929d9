package sql

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/atomicfile"
	_ "modernc.org/sqlite" // the driver
)

// A sqliteTable is the answer of a query of a database in a file.
type sqliteTable struct {
	called string
	db     *sql.DB
	rows   *sql.Rows
	names  []string
	sum    rowSum
	values []any // of a row, and where they are scanned to
	to     []any
	row    []byte
}

func openSQLite(name, query string) (dataset.ColumnReader, error) {
	file := strings.TrimPrefix(name, "sqlite:")
	t := &sqliteTable{called: file}
	query, err := queryOf(name, query)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", file, atomicfile.Pathless(err))
	} else if info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; name a file", file)
	}
	if t.db, err = sql.Open("sqlite", "file:"+url.PathEscape(file)+"?mode=ro&_pragma=query_only(1)"); err != nil {
		return nil, fmt.Errorf("%s: %w", file, oneLine(err))
	}
	if t.rows, err = t.db.QueryContext(context.Background(), query); err == nil {
		t.names, err = t.rows.Columns()
	}
	if err == nil && len(t.names) == 0 {
		err = fmt.Errorf("the query returns no rows; it is a select")
	}
	if err != nil {
		t.Close()
		return nil, fmt.Errorf("%s: %w", file, oneLine(err))
	}
	t.values, t.to = make([]any, len(t.names)), make([]any, len(t.names))
	for c := range t.values {
		t.to[c] = &t.values[c]
	}
	return t, nil
}

func (t *sqliteTable) Name() string      { return t.called }
func (t *sqliteTable) Columns() []string { return t.names }
func (t *sqliteTable) Checksum() string  { return t.sum.String() }

func (t *sqliteTable) Close() error {
	if t.rows != nil {
		t.rows.Close()
	}
	return t.db.Close()
}

// Next reads a batch of rows, whose values each have a type of their own.
func (t *sqliteTable) Next(columns []int) ([]dataset.Column, error) {
	batch := make([]mixed, len(columns))
	n := 0
	for ; n < batchRows && t.rows.Next(); n++ {
		if err := t.rows.Scan(t.to...); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", t.called, t.sum.rows+1, oneLine(err))
		}
		t.row = t.row[:0]
		for k, c := range columns {
			t.row = append(batch[k].add(t.row, t.values[c]), 0)
		}
		t.sum.add(t.row)
	}
	if err := t.rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: the rows end after %d: %w", t.called, t.sum.rows, oneLine(err))
	}
	if n == 0 {
		return nil, io.EOF
	}
	all := make([]dataset.Column, len(columns))
	for k := range batch {
		all[k] = batch[k].column()
	}
	return all, nil
}

// A mixed column has values of several types: whole numbers and others if that is all it has, else texts.
type mixed struct {
	values      []any
	floats      bool
	texts, some bool
	nulls       []bool
}

// add takes a value, and writes it behind row.
func (m *mixed) add(row []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		m.some = true
	case bool:
		if v = int64(0); x {
			v = int64(1)
		}
	case int64:
	case float64:
		m.floats = true
	case time.Time:
		v = x.Unix()
	case []byte:
		v, m.texts = string(x), true
	default:
		v, m.texts = fmt.Sprint(x), true
	}
	m.values, m.nulls = append(m.values, v), append(m.nulls, v == nil)
	return appendValue(row, v)
}

func appendValue(to []byte, v any) []byte {
	switch x := v.(type) {
	case int64:
		return strconv.AppendInt(to, x, 10)
	case float64:
		return strconv.AppendFloat(to, x, 'f', -1, 64)
	case string:
		return append(to, x...)
	}
	return to
}

func (m *mixed) column() (c dataset.Column) {
	if m.some {
		c.Nulls = m.nulls
	}
	for _, v := range m.values {
		whole, _ := v.(int64)
		switch {
		case m.texts:
			c.Texts = append(c.Texts, appendValue(nil, v))
		case m.floats:
			x, isFloat := v.(float64)
			if !isFloat {
				x = float64(whole)
			}
			c.Floats = append(c.Floats, x)
		default:
			c.Ints = append(c.Ints, whole)
		}
	}
	return c
}
