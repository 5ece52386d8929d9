package sql_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/dataset/sql"
)

// cluster is the name of a database of a PostgreSQL of the tests' own, "" where there is none, and why.
var cluster, without string

func TestMain(m *testing.M) {
	var stop func()
	cluster, stop, without = startPostgres()
	code := m.Run()
	stop()
	os.Exit(code)
}

// password is one that no error may show.
const password = "s3cret-word"

// startPostgres starts a server in a temporary folder, as somebody else where the tests run as root, which it refuses.
func startPostgres() (name string, stop func(), why string) {
	stop = func() {}
	bin := ""
	if found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); len(found) > 0 {
		bin = filepath.Dir(found[len(found)-1])
	} else if found, err := exec.LookPath("initdb"); err == nil {
		bin = filepath.Dir(found)
	} else {
		return "", stop, "there is no PostgreSQL here: install Debian's package postgresql"
	}
	dir, err := os.MkdirTemp("/tmp", "gcgpg")
	if err != nil {
		return "", stop, err.Error()
	}
	stop = func() { os.RemoveAll(dir) }
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		who, err := user.Lookup("postgres")
		if err != nil {
			if who, err = user.Lookup("nobody"); err != nil {
				return "", stop, "there is nobody to run PostgreSQL as"
			}
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		os.Chown(dir, uid, gid)
	}
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir = as, dir
		return cmd
	}
	secret := filepath.Join(dir, "secret")
	os.WriteFile(secret, []byte(password+"\n"), 0o644)
	data := filepath.Join(dir, "data")
	if out, err := run("initdb", "-D", data, "-U", "gcg", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "--no-sync",
		"--locale", "C").CombinedOutput(); err != nil {
		return "", stop, fmt.Sprintf("initdb: %v: %s", err, out)
	}
	server := run("postgres", "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	if err := server.Start(); err != nil {
		return "", stop, err.Error()
	}
	stop = func() { server.Process.Signal(syscall.SIGQUIT); server.Wait(); os.RemoveAll(dir) }
	name = "postgres://gcg:" + password + "@/postgres?host=" + dir
	for range 600 {
		c, err := pgx.Connect(context.Background(), name)
		if err == nil {
			c.Close(context.Background())
			return name, stop, ""
		}
		time.Sleep(50 * time.Millisecond)
	}
	return "", stop, "PostgreSQL does not start"
}

// database executes statements and is the name of the database.
func database(t testing.TB, statements ...string) string {
	t.Helper()
	if cluster == "" {
		t.Skip(without)
	}
	c, err := pgx.Connect(t.Context(), cluster)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return cluster
}

func read(name, query, columns string) (*dataset.Ratings, error) {
	return dataset.RatingsReader{Query: query, Columns: columns, Times: strings.Count(columns, ",") == 3}.ReadRatings(name)
}

// Rows of each type are read as they are meant, in a transaction that cannot write.
func TestPostgres(t *testing.T) {
	name := database(t, `create table views (user_id int8, item text, stars numeric(6,2), half real, seen timestamptz, day date,
		who uuid,
		liked bool, tags jsonb, small smallint, d float8)`, `insert into views values
		(5000000000, 'it''s "é"', 4.25, 0.5, '2020-01-02 03:04:05.75+00', '1970-01-02', '00112233-4455-6677-8899-aabbccddeeff',
			true, '[]', -3, 1e-3),
		(-7, 'b', 1e3/3, -2, '1969-12-31 23:59:59.5+00', '2000-01-01', '00000000-0000-0000-0000-000000000001', false, '{}', 7,
			12345.678)`)
	r, err := read(name, "select * from views order by small;", "user_id,item,stars,seen")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.RowIDs.Texts(), []string{"5000000000", "-7"}) || !slices.Equal(r.ColIDs.Texts(), []string{`it's "é"`, "b"}) ||
		r.Values[0] != 4.25 || r.Values[1] != 333.33 || !slices.Equal(r.Times, []int64{1577934245, -1}) ||
		!strings.HasPrefix(r.Checksum, "crc64:") || strings.Contains(r.Name, password) {
		t.Errorf("%v of %v and %v at %v, %s", r.Values, r.RowIDs.Texts(), r.ColIDs.Texts(), r.Times, r.Name)
	}
	for columns, want := range map[string]string{"who,day,small": "00112233-4455-6677-8899-aabbccddeeff 86400 -3",
		"liked,half,d": "1 0.5 0.001", "small,seen,half": "-3 1577934245 0.5"} {
		r, err := read(name, "select * from views order by small", columns)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(r.RowIDs.Text(0), " ", r.ColIDs.Text(0), " ", r.Values[0]); got != want {
			t.Errorf("%s: %s, want %s", columns, got, want)
		}
	}
	same, err := read(name, "select * from views order by small desc", "user_id,item,stars,seen")
	if err != nil || same.Checksum != r.Checksum {
		t.Errorf("in another order the checksum is %s, was %s, %v", same.Checksum, r.Checksum, err)
	}
}

// What a database cannot give is one line, which has no password; nothing is written.
func TestPostgresRefuses(t *testing.T) {
	name := database(t, "create table two (a int, b int, c jsonb)", "insert into two values (1, 2, '[]'), (null, 3, '[]')")
	wrong := strings.Replace(name, password, password+"x", 1)
	for _, c := range []struct{ name, query, columns, want string }{
		{name, "", "", "needs a query: give query"},
		{name, "select * from nothing", "", `relation "nothing" does not exist`},
		{name, "select a, b from two", "", "has 2 columns, a, b; ratings have a user, an item and a rating"},
		{name, "select a, b, 3 as rating from two", "a,b,stars", `has no column "stars"`},
		{name, "select a, b, c as rating from two", "a,b,rating", `column "rating" has the type jsonb`},
		{name, "select a, b, 1 as rating from two", "a,b,rating", "row 2: the user or the item is empty"},
		{name, "select a as b, b as a, a as rating from two", "a,b,rating", "row 2: the rating is missing"},
		{name, "select 1, 2, 3 where false", "", "has no ratings"},
		{name, "delete from two returning a, b, b", "", "read-only transaction"},
		{name, "select 1, 2, 3; delete from two", "", "multiple commands"},
		{name, "select 1/(b-3), a, b from two", "", "division by zero"},
		{wrong, "select 1, 2, 3", "", "password authentication failed"},
		{"postgres://u:" + password + "@127.0.0.1:1/x", "select 1, 2, 3", "", "does not answer: "},
		{"postgres://u:" + password + "@127.0.0.1:port/x", "select 1, 2, 3", "", "is no name of a database"},
	} {
		_, err := read(c.name, c.query, c.columns)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), password) ||
			strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "postgres://") {
			t.Errorf("%s: %v, want %q", c.query, err, c.want)
		}
	}
	if r, err := read(name, "select b, b, b from two", "1,2,3"); err != nil || r.Len() != 2 {
		t.Errorf("something is changed: %v", err)
	}
}

// A server that goes away in the middle is an error that says after how many rows.
func TestPostgresGoesAway(t *testing.T) {
	name := database(t)
	_, err := read(name, `select g, g, case when g = 200000 then pg_terminate_backend(pg_backend_pid())::int else g end
		from generate_series(1, 300000) g`, "")
	if err == nil || !strings.Contains(err.Error(), "the rows end after ") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

// A table is replaced as a whole, or stays as it is.
func TestReplace(t *testing.T) {
	name := database(t, `create table lists (user_id int, rank int, item text, score float8, title text)`,
		"insert into lists values (9, 1, 'old', 1, null)", "create table shape (a int)",
		"create table texts (\"user\" text, item jsonb)",
		"create table full_lists (user_id int, rank int, item text check (item <> 'bad'), made timestamptz not null default now())",
		"insert into full_lists values (9, 1, 'old')", "create table reviews (user_id int, item text, stars real)")
	type one = []dataset.Cell
	fields := []dataset.Field{{Name: "user"}, {Name: "rank", Kind: dataset.WholeField}, {Name: "item"},
		{Name: "prediction", Kind: dataset.NumberField}, {Name: "title", Null: true}}
	rows := func(list ...one) dataset.Records {
		return dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
			for _, r := range list {
				if !yield(r, nil) {
					return
				}
			}
		}}
	}
	row := func(user, item string) one {
		return one{{Text: user}, {Whole: 1}, {Text: item}, {Number: 0.1}, {Text: "A\\\tB"}}
	}
	stopped := errors.New("stopped in the middle")
	failing := dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		for range 10000 {
			if !yield(row("1", "x"), nil) {
				return
			}
		}
		yield(nil, stopped)
	}}
	endless := dataset.Records{Fields: fields, Rows: func(yield func([]dataset.Cell, error) bool) {
		for yield(row("1", "bad"), nil) {
		}
	}}
	for _, c := range []struct {
		table string
		rows  dataset.Records
		want  string
	}{
		{"nothing", rows(row("1", "x")), `"nothing" does not exist; make it: create table "nothing" ("user" text, "rank" bigint`},
		{"shape", rows(row("1", "x")), "has no column user or user_id; there are a"},
		{"texts", rows(row("1", "x")), `column "item" has the type jsonb, which holds no item`},
		{"reviews", rows(row("1", "x")), "has no column rank or prediction or score; there are user_id, item, stars"},
		{"lists", rows(row("1", "x"), row("ann", "x")), `the user "ann" is no whole number`},
		{"lists", failing, "stopped in the middle"},
		{"full_lists", rows(row("1", "x"), row("1", "bad")), "violates check constraint"},
		{"full_lists", endless, "violates check constraint"},
	} {
		_, err := sql.Replace(t.Context(), name, c.table, c.rows, "user", "item", "rank|prediction")
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") ||
			strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v, want %q", c.table, err, c.want)
		}
	}
	count := func(query string) (n int) {
		c, err := pgx.Connect(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background())
		if err := c.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count("select count(*) from lists where item = 'old'") + count("select count(*) from full_lists"); n != 2 {
		t.Errorf("%d old rows are left of 2", n)
	}
	for range 2 {
		n, err := sql.Replace(t.Context(), name, "public.lists", rows(row("1", `a"b`), row("2", "c")), "user", "item")
		if err != nil || n != 2 || count("select count(*) from lists") != 2 ||
			count(`select count(*) from lists where user_id = 1 and rank = 1 and item = 'a"b' and
 score = 0.1 and title = E'A\\\tB'`) != 1 {
			t.Errorf("%d rows, %v", n, err)
		}
	}
}

// Values of SQLite have types of their own; nothing can be written, and what is wrong is one line.
func TestSQLite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b?#%.db")
	makeSQLite(t, file, "create table r (u, i text, x)", `insert into r values (1, 'a', 4), ('two', 'b', 2.5), (3.0, 'é', 1)`)
	name := "sqlite:" + file
	r, err := read(name, "select * from r", "")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.RowIDs.Texts(), []string{"1", "two", "3"}) || !slices.Equal(r.Values, []float64{4, 2.5, 1}) ||
		!slices.Equal(r.ColIDs.Texts(), []string{"a", "b", "é"}) || r.Checksum == "" {
		t.Errorf("%v of %v and %v", r.Values, r.RowIDs.Texts(), r.ColIDs.Texts())
	}
	for query, want := range map[string]string{"": "needs a query", "select * from nowhere": "no such table: nowhere",
		"select u, i from r": "has 2 columns, u, i", "delete from r": "readonly", "select u, i, null from r": "the rating is missing",
		"select u, i, 'x' from r": `the rating "x" is not a number`, "select 1, 2, 3 where 0": "has no ratings",
		"selec": "syntax error"} {
		if _, err := read(name, query, ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", query, err, want)
		}
	}
	if _, err := read("sqlite:"+file+"x", "select 1", ""); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Error(err)
	}
	text := filepath.Join(t.TempDir(), "t")
	os.WriteFile(text, []byte(strings.Repeat("no database\n", 100)), 0o600)
	if _, err := read("sqlite:"+text, "select 1, 2, 3", ""); err == nil || !strings.Contains(err.Error(), "not a database") {
		t.Error(err)
	}
	if r, err := read(name, "select * from r", ""); err != nil || r.Len() != 3 || math.IsNaN(r.Values[0]) {
		t.Error(err)
	}
}

func BenchmarkPostgres(b *testing.B) {
	name := database(b, "drop table if exists many", `create table many as select (random()*100000)::int as u,
		(random()*20000)::int as i,
		(1+floor(random()*5))::real as x from generate_series(1, 1000000)`)
	for b.Loop() {
		if r, err := read(name, "select u, i, x from many", ""); err != nil || r.Len() != 1e6 {
			b.Fatal(err)
		}
	}
}
