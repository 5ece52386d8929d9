package main

import (
	"database/sql"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// shop makes a database of SQLite whose table reviews has the ratings of ratings.csv.
func shop(t *testing.T, file string) {
	t.Helper()
	r, err := dataset.RatingsReader{}.ReadRatings("ratings.csv")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("create table reviews (user_id int, item_id int, stars real)"); err != nil {
		t.Fatal(err)
	}
	for e, x := range r.Values {
		if _, err := tx.Exec("insert into reviews values (?, ?, ?)", r.RowIDs.Text(int(r.Rows[e])), r.ColIDs.Text(int(r.Cols[e])),
			x); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// A model of a database is that of the same ratings in a file, and so are its lists.
func TestFitOfDatabase(t *testing.T) {
	ratings(t)
	shop(t, "shop.db")
	of := func(args ...string) (float64, string) {
		answer := fitJSON(t, append(args, "--lambda", "1", "--model", "m.gcg")...)
		list, errs, code := command(t, "recommend", "--model", "m.gcg", "--user", "1", "--seen", "ratings.csv")
		if code != 0 {
			t.Fatal(errs)
		}
		return answer["objective"].(float64), list
	}
	objective, list := of("--train", "ratings.csv")
	if again, other := of("--train", "sqlite:shop.db", "--query", "select * from reviews"); again != objective || other != list {
		t.Errorf("objective %v and list\n%s, of the file %v and\n%s", again, other, objective, list)
	}
	seen, errs, code := command(t, "recommend", "--model", "m.gcg", "--user", "1", "--seen", "sqlite:shop.db",
		"--query", "select user_id, item_id, stars from reviews")
	if code != 0 || seen != list {
		t.Errorf("without what the database has: %s\n%s", errs, seen)
	}
	predictions := func(args ...string) string {
		out, errs, code := command(t, append([]string{"predict", "--model", "m.gcg", "--quiet"}, args...)...)
		if code != 0 {
			t.Errorf("predict %v: %s", args, errs)
		}
		return out
	}
	a, b := predictions("--data", "ratings.csv"), predictions("--data", "sqlite:shop.db", "--query",
		"select user_id, item_id from reviews")
	if a != b {
		t.Errorf("predictions of the database are\n%s\nof the file\n%s", b, a)
	}
}

// What of databases does not go together is one line, and leaves nothing.
func TestQueryRefuses(t *testing.T) {
	ratings(t)
	shop(t, "shop.db")
	fit := []string{"fit", "completion", "--lambda", "1", "--model", "none.gcg", "--quiet"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{append(fit, "--train", "sqlite:shop.db"), "a database needs --query"},
		{[]string{"predict", "--model", "m.gcg", "--data", "sqlite:shop.db"}, "a database needs --query"},
		{[]string{"serve", "--model", "m.gcg", "--seen", "sqlite:shop.db"}, "a database needs --query"},
		{[]string{"serve", "--model", "m.gcg", "--query", "select 1"}, "--query: chooses rows of a database, and none is named"},
		{append(fit, "--train", "ratings.csv", "--query", "select 1"), "--query: chooses rows of a database, and none is named"},
		{append(fit, "--train", "sqlite:shop.db", "--test", "sqlite:shop.db", "--query", "select 1"),
			"is of one database, and 2 are named"},
		{append(fit, "--train", "sqlite:away.db", "--query", "select 1"), "away.db: cannot be read: no such file"},
		{append(fit, "--train", "sqlite:shop.db", "--query", "select user_id, stars from reviews"),
			"shop.db: has 2 columns, user_id, stars"},
		{append(fit, "--train", "sqlite:shop.db", "--query", "select * from elsewhere"),
			"shop.db: SQL logic error: no such table: elsewhere"},
		{append(fit, "--train", "postgres://u:secret@127.0.0.1:1/x", "--query", "select 1"),
			"postgres://127.0.0.1:1/x: does not answer"},
		{[]string{"recommend", "--model", "m.gcg", "--all", "--output", "postgres://h/d"},
			"--output postgres://… and --table go together"},
		{[]string{"recommend", "--model", "m.gcg", "--all", "--table", "t"}, "--output postgres://… and --table go together"},
		{[]string{"recommend", "--model", "m.gcg", "--all", "--output", "sqlite:x"}, "not to one of SQLite"},
	} {
		out, errs, code := command(t, c.args...)
		if code == 0 || out != "" || !strings.Contains(errs, c.want) ||
			strings.Count(errs, "\n") != 1 || strings.Contains(errs, "secret") {
			t.Errorf("%v: exit %d, %q, want %q", c.args, code, errs, c.want)
		}
	}
	if _, err := os.Stat("none.gcg"); err == nil {
		t.Error("a model is written")
	}
}

// A program that uses the library links no driver, no server and no command line.
func TestLibraryLinksNoDriver(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/seed-b18ef778/gcg", "github.com/seed-b18ef778/gcg/solver",
		"github.com/seed-b18ef778/gcg/task", "github.com/seed-b18ef778/gcg/dataset", "github.com/seed-b18ef778/gcg/model").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 50 {
		t.Errorf("only %d packages", len(deps))
	}
	for _, of := range deps {
		for _, not := range []string{"github.com/jackc/", "modernc.org/", "github.com/prometheus/", "github.com/spf13/", "net/http",
			"database/sql", "github.com/parquet-go/"} {
			if strings.HasPrefix(of, not) {
				t.Errorf("the library imports %s", of)
			}
		}
	}
}
