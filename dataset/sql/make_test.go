package sql_test

import (
	"database/sql"
	"net/url"
	"testing"
)

// makeSQLite makes a database of SQLite.
func makeSQLite(t *testing.T, file string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(file))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
