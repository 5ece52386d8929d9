package sql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/seed-b18ef778/gcg/dataset"
)

// connectTime is how long a server may take to answer at all.
const connectTime = 15 * time.Second

// calledPostgres is a name without user and password, and without what may hold them.
func calledPostgres(name string) string {
	u, err := url.Parse(name)
	if err != nil {
		return "postgres://"
	}
	return "postgres://" + u.Host + u.EscapedPath()
}

// connect opens a connection. An error names the server and never the password.
func connect(ctx context.Context, name string) (*pgconn.PgConn, error) {
	called := calledPostgres(name)
	config, err := pgconn.ParseConfig(name)
	if err != nil {
		return nil, fmt.Errorf("%s: is no name of a database: postgres://USER@HOST:PORT/DATABASE", called)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%s: does not answer: %w", called, reasonOf(err))
	}
	return c, nil
}

// reasonOf is what a server, or the system, says of an error, in one line.
func reasonOf(err error) error {
	var said *pgconn.PgError
	var system *net.OpError
	switch {
	case errors.As(err, &said):
		text := said.Message
		if said.Detail != "" {
			text += " (" + said.Detail + ")"
		}
		return oneLine(errors.New(text))
	case errors.As(err, &system):
		return system.Err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the server closed the connection")
	}
	return oneLine(err)
}

// A postgresTable is the answer of a query, as COPY sends it.
type postgresTable struct {
	called string
	conn   *pgconn.PgConn
	cancel context.CancelFunc
	fields []pgconn.FieldDescription
	types  []string // of the fields whose kind is not known
	rows   *copyReader
	sum    rowSum
}

func openPostgres(name, query string) (dataset.ColumnReader, error) {
	t := &postgresTable{called: calledPostgres(name)}
	query, err := queryOf(t.called, query)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	if t.conn, err = connect(ctx, name); err != nil {
		cancel()
		return nil, err
	}
	t.cancel = cancel
	if err := t.begin(ctx, query); err != nil {
		t.Close()
		return nil, fmt.Errorf("%s: %w", t.called, reasonOf(err))
	}
	return t, nil
}

// begin asks for the rows, in a transaction that reads and sees one state of the database.
func (t *postgresTable) begin(ctx context.Context, query string) error {
	if err := execute(ctx, t.conn, "begin isolation level repeatable read read only"); err != nil {
		return err
	}
	described, err := t.conn.Prepare(ctx, "ratings", query, nil) // one statement, or an error of the server
	if err != nil {
		return err
	}
	if t.fields = described.Fields; len(t.fields) == 0 {
		return errors.New("the query returns no rows; it is a select")
	}
	t.types = make([]string, len(t.fields))
	for c, f := range t.fields {
		if _, known := kinds[f.DataTypeOID]; !known {
			t.types[c] = typeName(ctx, t.conn, f)
		}
	}
	t.rows = newCopyReader(func(w io.Writer) error {
		_, err := t.conn.CopyTo(ctx, w, "copy ("+query+"\n) to stdout (format binary)")
		return err
	})
	return nil
}

func (t *postgresTable) Name() string { return t.called }

func (t *postgresTable) Columns() (names []string) {
	for _, f := range t.fields {
		names = append(names, f.Name)
	}
	return names
}

func (t *postgresTable) Checksum() string { return t.sum.String() }

func (t *postgresTable) Close() error {
	t.cancel()
	if t.rows != nil {
		t.rows.stop()
	}
	return t.conn.Close(context.Background())
}

// Next reads a batch of rows.
func (t *postgresTable) Next(columns []int) ([]dataset.Column, error) {
	decoders := make([]*decoder, len(t.fields))
	batch := make([]decoder, len(columns))
	for k, c := range columns {
		kind, known := kinds[t.fields[c].DataTypeOID]
		if !known {
			return nil, fmt.Errorf("%s: column %q has the type %s, which is neither a number, a text nor a time; cast it, as in "+
				"%s::text", t.called, t.fields[c].Name, t.types[c], t.fields[c].Name)
		}
		batch[k].kind = kind
		decoders[c] = &batch[k]
	}
	n := 0
	for ; n < batchRows; n++ {
		row, err := t.rows.next(len(t.fields)) // of each field four bytes of its length, -1 of none, and its bytes
		if err == io.EOF {
			break
		}
		if err == nil {
			err = decodeRow(row, decoders)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the rows end after %d: %w", t.called, t.sum.rows, reasonOf(err))
		}
		t.sum.add(row)
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
