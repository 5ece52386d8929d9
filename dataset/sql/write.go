package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// A Recommendation is a row of a table of them.
type Recommendation struct {
	User  string
	Rank  int // from 1
	Item  string
	Score float64
	Title string // "" of none
}

// tableColumns are what columns of a table of recommendations may be called, by what they hold.
var tableColumns = map[string]string{"user": "user", "user_id": "user", "rank": "rank", "item": "item", "item_id": "item",
	"prediction": "score", "score": "score", "title": "title"}

// makeTable makes a table that Replace can write.
const makeTable = `create table %s ("user" text, rank int, item text, prediction float8)`

// Replace replaces all rows of a table (its name, perhaps behind that of a schema and a point) by those that each hands to its
// argument, in one transaction: whatever fails, the table is as it was, and until the end readers see the old rows. The table has
// a column of users and one of items (user or user_id, item or item_id, texts or whole numbers), and perhaps rank, prediction or
// score, and title; another one must do without a value. It returns how many rows there are now.
func Replace(ctx context.Context, name, table string, each func(write func(Recommendation) error) error) (rows int64, err error) {
	c, err := connect(ctx, name)
	if err != nil {
		return 0, err
	}
	defer c.Close(context.WithoutCancel(ctx))
	called := calledPostgres(name) + ", table " + table
	tx, err := c.Begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // does nothing after a commit
	at := pgx.Identifier(strings.Split(table, "."))
	columns, err := columnsOf(ctx, tx, at)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", called, err)
	}
	if _, err := tx.Exec(ctx, "delete from "+at.Sanitize()); err != nil {
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	source := newRowSource(ctx, columns, each)
	rows, err = tx.CopyFrom(ctx, at, source.names(), source)
	source.stop()
	switch {
	case source.err != nil: // of the rows, not of the server
		return 0, source.err
	case err != nil:
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	if err := tx.Commit(ctx); err != nil {
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	return rows, nil
}

// A tableColumn is one that is written.
type tableColumn struct {
	name, holds string
	oid         uint32
}

// columnsOf are the columns of a table that are written.
func columnsOf(ctx context.Context, tx pgx.Tx, table pgx.Identifier) (columns []tableColumn, err error) {
	described, err := tx.Prepare(ctx, "columns", "select * from "+table.Sanitize()+" limit 0")
	if err != nil {
		mend := strings.TrimSuffix(reasonOf(err).Error(), ".")
		if strings.Contains(mend, "does not exist") {
			mend += "; " + fmt.Sprintf(makeTable, table.Sanitize())
		}
		return nil, errors.New(mend)
	}
	var has []string
	for _, f := range described.Fields {
		has = append(has, f.Name)
		holds, known := tableColumns[strings.ToLower(f.Name)]
		if !known {
			continue
		}
		if !slices.Contains(allowed[holds], f.DataTypeOID) {
			return nil, fmt.Errorf("column %q has a type that holds no %s", f.Name, holds)
		}
		columns = append(columns, tableColumn{f.Name, holds, f.DataTypeOID})
	}
	for _, needed := range []string{"user", "item"} {
		if !slices.ContainsFunc(columns, func(c tableColumn) bool { return c.holds == needed }) {
			return nil, fmt.Errorf("has no column %s or %s_id; there are %s", needed, needed, strings.Join(has, ", "))
		}
	}
	return columns, nil
}

var (
	textTypes  = []uint32{pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID}
	wholeTypes = []uint32{pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID}
	floatTypes = []uint32{pgtype.Float4OID, pgtype.Float8OID, pgtype.NumericOID}
	allowed    = map[string][]uint32{"user": slices.Concat(textTypes, wholeTypes), "item": slices.Concat(textTypes, wholeTypes),
		"rank": wholeTypes, "score": floatTypes, "title": textTypes}
)

// value is what a column has of a row.
func (c tableColumn) value(r Recommendation) (any, error) {
	id := r.User
	switch c.holds {
	case "rank":
		return int64(r.Rank), nil
	case "score":
		return r.Score, nil
	case "title":
		if r.Title == "" {
			return nil, nil
		}
		return r.Title, nil
	case "item":
		id = r.Item
	}
	if slices.Contains(textTypes, c.oid) {
		return id, nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the %s %q is no whole number, which column %q holds: make it a text", c.holds, id, c.name)
	}
	return n, nil
}

// A rowSource hands the rows that a function writes to a COPY that asks for them.
type rowSource struct {
	columns []tableColumn
	rows    chan []any
	gone    chan struct{}
	ended   chan error
	row     []any
	err     error
}

var errGone = errors.New("the table takes no more rows")

func newRowSource(ctx context.Context, columns []tableColumn, each func(func(Recommendation) error) error) *rowSource {
	s := &rowSource{columns: columns, rows: make(chan []any, 256), gone: make(chan struct{}), ended: make(chan error, 1)}
	go func() {
		err := each(func(r Recommendation) error {
			row := make([]any, len(columns))
			for k, c := range columns {
				var err error
				if row[k], err = c.value(r); err != nil {
					return err
				}
			}
			select {
			case s.rows <- row:
				return nil
			case <-s.gone:
				return errGone
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		s.ended <- err
		close(s.rows)
	}()
	return s
}

func (s *rowSource) names() (names []string) {
	for _, c := range s.columns {
		names = append(names, c.name)
	}
	return names
}

// Next, Values and Err are those of pgx.CopyFromSource.
func (s *rowSource) Next() bool {
	row, ok := <-s.rows
	if !ok {
		s.finish()
		return false
	}
	s.row = row
	return true
}

// Values is the current row.
func (s *rowSource) Values() ([]any, error) { return s.row, nil }

// Err is why the rows ended early.
func (s *rowSource) Err() error { return s.err }

func (s *rowSource) finish() {
	select {
	case err := <-s.ended:
		if err != nil && !errors.Is(err, errGone) {
			s.err = err
		}
	default:
	}
}

// stop waits until no more rows are made.
func (s *rowSource) stop() {
	close(s.gone)
	for range s.rows {
	}
	s.finish()
}
