// Package sql reads ratings from databases, and writes recommendations back. Importing it makes names of databases known to
// dataset.RatingsReader:
//
//	postgres://…  a database of PostgreSQL, read by binary COPY    postgres.go, copy.go; write.go writes
//	sqlite:FILE   a database of SQLite                            sqlite.go
//
// Databases are read in transactions that change nothing. Passwords come from the name, the environment (PGPASSWORD) or
// ~/.pgpass, and stand in no error. The package is apart, so that programs without databases link no driver.
package sql

import (
	"errors"
	"fmt"
	"hash/crc64"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/param"
)

func init() {
	dataset.RegisterColumns(dataset.ColumnFormat{Kind: "a database of PostgreSQL", Queried: true, Has: IsPostgres,
		Open: openPostgres})
	dataset.RegisterColumns(dataset.ColumnFormat{Kind: "a database of SQLite", Queried: true, Has: IsSQLite, Open: openSQLite})
}

// IsPostgres says that a name is that of a database of PostgreSQL.
func IsPostgres(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// IsSQLite says that a name is that of a database of SQLite.
func IsSQLite(name string) bool { return strings.HasPrefix(name, "sqlite:") }

// Called is the name of a file or a database without user and password.
func Called(name string) string {
	if IsPostgres(name) {
		return calledPostgres(name)
	}
	return name
}

// batchRows is how many rows are read at once: enough that calls do not count, and little memory.
const batchRows = 4096

// queryOf is a query without the semicolon at its end; none is an error.
func queryOf(name, query string) (string, error) {
	query = strings.TrimRight(strings.TrimSpace(query), "; \t\r\n")
	if query == "" {
		return "", param.Errorf("%s: needs a query: give %v 'select user_id, item_id, rating from …'", name, param.Query)
	}
	return query, nil
}

// A rowSum is a checksum of rows in any order.
type rowSum struct{ sum, rows uint64 }

var rowTable = crc64.MakeTable(crc64.ECMA)

func (r *rowSum) add(row []byte) { r.sum += crc64.Checksum(row, rowTable); r.rows++ }

func (r *rowSum) String() string { return fmt.Sprintf("crc64:%016x", r.sum^r.rows) }

// oneLine is an error of a driver in one line.
func oneLine(err error) error {
	if text := err.Error(); strings.ContainsAny(text, "\r\n") {
		return errors.New(strings.Join(strings.Fields(text), " "))
	}
	return err
}
