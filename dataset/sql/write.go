package sql

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/seed-b18ef778/gcg/dataset"
)

// otherNames are what columns of a table may be called besides the names of the fields that they hold.
var otherNames = map[string]string{"user_id": "user", "item_id": "item", "score": "prediction", "factor": "f", "factors": "f",
	"embedding": "f"}

// Replace replaces all rows of a table (its name, perhaps behind that of a schema and a point) by records, in one transaction:
// whatever fails, the table is as it was, and until the end readers see the old rows. Columns of the table take the field of
// their name; also user_id, item_id, score, and factor, factors or embedding, which take user, item, prediction and f. The
// needed fields must have one, of fields that stand between | one at least, others may; further columns must do without a
// value. Vectors go to columns of pgvector (vector, halfvec) or to arrays of floats. It returns how many rows there are now.
func Replace(ctx context.Context, name, table string, r dataset.Records, needed ...string) (rows int64, err error) {
	c, err := connect(ctx, name)
	if err != nil {
		return 0, err
	}
	defer c.Close(context.WithoutCancel(ctx)) // which gives up what is not committed
	called := calledPostgres(name) + ", table " + table
	if err := execute(ctx, c, "begin"); err != nil {
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	to := quoted(strings.Split(table, ".")...)
	columns, err := columnsOf(ctx, c, to, r.Fields, needed)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", called, err)
	}
	if err := execute(ctx, c, "delete from "+to); err != nil {
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	var names []string
	for _, t := range columns {
		names = append(names, quoted(t.name))
	}
	from, of := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := writeRows(of, r, columns)
		of.CloseWithError(err)
		ended <- err
	}()
	tag, err := c.CopyFrom(ctx, from, fmt.Sprintf("copy %s (%s) from stdin", to, strings.Join(names, ", ")))
	from.CloseWithError(errGone)
	switch by := <-ended; {
	case by != nil && !errors.Is(by, errGone): // of the rows, not of the server
		return 0, by
	case err != nil:
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	if err := execute(ctx, c, "commit"); err != nil {
		return 0, fmt.Errorf("%s: %w", called, reasonOf(err))
	}
	return tag.RowsAffected(), nil
}

var errGone = errors.New("the table takes no more rows")

// execute runs a statement that returns nothing.
func execute(ctx context.Context, c *pgconn.PgConn, statement string) error {
	_, err := c.Exec(ctx, statement).ReadAll()
	return err
}

// quoted is a name, behind the names of what it is in, as SQL has it.
func quoted(names ...string) string {
	for k, n := range names {
		names[k] = `"` + strings.ReplaceAll(strings.ReplaceAll(n, "\x00", ""), `"`, `""`) + `"`
	}
	return strings.Join(names, ".")
}

// A tableColumn is one that is written.
type tableColumn struct {
	name  string
	field int
	of    dataset.Field
	whole bool // it holds whole numbers
	array bool // it holds an array, which has other brackets than a vector
}

// columnsOf are the columns of a table that are written.
func columnsOf(ctx context.Context, c *pgconn.PgConn, table string, fields []dataset.Field,
	needed []string) (columns []tableColumn, err error) {
	described, err := c.Prepare(ctx, "columns", "select * from "+table+" limit 0", nil)
	if err != nil {
		mend := strings.TrimSuffix(reasonOf(err).Error(), ".")
		var said *pgconn.PgError
		if errors.As(err, &said) && said.Code == undefinedTable {
			mend += "; make it: " + makeTable(ctx, c, table, fields)
		}
		return nil, errors.New(mend)
	}
	var has []string
	for _, f := range described.Fields {
		has = append(has, f.Name)
		holds := cmp.Or(otherNames[strings.ToLower(f.Name)], strings.ToLower(f.Name))
		at := slices.IndexFunc(fields, func(f dataset.Field) bool { return f.Name == holds })
		if at < 0 {
			continue
		}
		t := tableColumn{name: f.Name, field: at, of: fields[at], whole: slices.Contains(wholeTypes, f.DataTypeOID),
			array: slices.Contains(arrayTypes, f.DataTypeOID)}
		if !t.suits(f.DataTypeOID) {
			kind := typeName(ctx, c, f)
			vector := t.of.Kind == dataset.VectorField && (strings.HasPrefix(kind, "vector") || strings.HasPrefix(kind, "halfvec"))
			if !vector {
				return nil, fmt.Errorf("column %q has the type %s, which holds no %s", f.Name, kind, holds)
			}
		}
		columns = append(columns, t)
	}
	for _, n := range needed {
		names := strings.Split(n, "|")
		if !slices.ContainsFunc(columns, func(c tableColumn) bool { return slices.Contains(names, c.of.Name) }) {
			first := len(names)
			for other, of := range otherNames {
				if slices.Contains(names, of) {
					names = append(names, other)
				}
			}
			slices.Sort(names[first:])
			return nil, fmt.Errorf("has no column %s; there are %s", strings.Join(names, " or "), strings.Join(has, ", "))
		}
	}
	return columns, nil
}

// undefinedTable is PostgreSQL's code of a table that does not exist.
const undefinedTable = "42P01"

// makeTable is a statement that makes a table for some fields. Vectors are those of pgvector where the server has it.
func makeTable(ctx context.Context, c *pgconn.PgConn, table string, fields []dataset.Field) string {
	types := map[dataset.FieldKind]string{dataset.TextField: "text", dataset.WholeField: "bigint", dataset.NumberField: "float8",
		dataset.BoolField: "boolean"}
	var columns []string
	note := ""
	for _, f := range fields {
		kind := types[f.Kind]
		if f.Kind == dataset.VectorField {
			vector := fmt.Sprintf("vector(%d)", f.Width)
			switch extension := pgvector(ctx, c); extension {
			case "installed":
				kind = vector
			case "available":
				kind, note = vector, ", after create extension vector"
			default:
				kind, note = "float8[]", fmt.Sprintf("; the server has no pgvector, with which %s would be %s", f.Name, vector)
			}
		}
		columns = append(columns, quoted(f.Name)+" "+kind)
	}
	return fmt.Sprintf("create table %s (%s)%s", table, strings.Join(columns, ", "), note)
}

// pgvector says whether the extension of vectors is "installed" in the database, "available" to it, or neither. A transaction
// that has failed is given up for it.
func pgvector(ctx context.Context, c *pgconn.PgConn) string {
	if execute(ctx, c, "rollback") != nil {
		return ""
	}
	got, err := c.Exec(ctx, "select case when installed_version is null then 'available' else 'installed' end "+
		"from pg_available_extensions where name = 'vector'").ReadAll()
	if err != nil || len(got) == 0 || len(got[0].Rows) == 0 {
		return ""
	}
	return string(got[0].Rows[0][0])
}

// typeName is what the server calls the type of a column.
func typeName(ctx context.Context, c *pgconn.PgConn, f pgconn.FieldDescription) string {
	got, err := c.Exec(ctx, fmt.Sprintf("select format_type(%d, %d)", f.DataTypeOID, f.TypeModifier)).ReadAll()
	if err != nil || len(got) == 0 || len(got[0].Rows) == 0 {
		return strconv.Itoa(int(f.DataTypeOID))
	}
	return string(got[0].Rows[0][0])
}

// suits says whether a type holds the field.
func (t tableColumn) suits(oid uint32) bool {
	takes := map[dataset.FieldKind][]uint32{dataset.TextField: slices.Concat(textTypes, wholeTypes),
		dataset.WholeField: slices.Concat(wholeTypes, textTypes, floatTypes), dataset.NumberField: floatTypes,
		dataset.BoolField: {boolOID}, dataset.VectorField: arrayTypes}
	return slices.Contains(takes[t.of.Kind], oid)
}

// writeRows writes records as a COPY in text takes them.
func writeRows(out io.Writer, r dataset.Records, columns []tableColumn) error {
	w := bufio.NewWriterSize(out, chunkBytes)
	var line []byte
	for row, err := range r.Rows {
		if err != nil {
			return err
		}
		line = line[:0]
		for k, t := range columns {
			if k > 0 {
				line = append(line, '\t')
			}
			if line, err = t.appendTo(line, row[t.field]); err != nil {
				return err
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

// appendTo appends a cell.
func (t tableColumn) appendTo(line []byte, c dataset.Cell) ([]byte, error) {
	switch {
	case c.Null:
		return append(line, `\N`...), nil
	case t.of.Kind == dataset.WholeField:
		return strconv.AppendInt(line, c.Whole, 10), nil
	case t.of.Kind == dataset.NumberField:
		return strconv.AppendFloat(line, c.Number, 'g', -1, 64), nil
	case t.of.Kind == dataset.BoolField:
		return strconv.AppendBool(line, c.Bool), nil
	case t.of.Kind == dataset.VectorField:
		brackets := "[]"
		if t.array {
			brackets = "{}"
		}
		line = append(line, brackets[0])
		for k, x := range c.Vector {
			if k > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, x, 'g', -1, 64)
		}
		return append(line, brackets[1]), nil
	}
	if t.whole {
		if _, err := strconv.ParseInt(c.Text, 10, 64); err != nil {
			return nil, fmt.Errorf("the %s %q is no whole number, which column %q holds: make it a text", t.of.Name, c.Text, t.name)
		}
	}
	for k := range len(c.Text) {
		if at := strings.IndexByte("\\\t\n\r\b\f\v", c.Text[k]); at >= 0 {
			line = append(line, '\\', `\tnrbfv`[at])
		} else {
			line = append(line, c.Text[k])
		}
	}
	return line, nil
}
